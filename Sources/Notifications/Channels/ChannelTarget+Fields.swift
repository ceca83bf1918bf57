import Crypto
import Formats

/// Reads fields from a flat dictionary and collects errors.
struct FieldReader {
    private let fields: [String: String]
    private var known: Set<String> = []
    /// The fields that only the service itself sets.
    private var own: Set<String> = []
    private var problems: [String: String] = [:]

    init(_ fields: [String: String]) { self.fields = fields }

    /// Reads a required field.
    mutating func required<Value>(_ name: String, _ expected: String, _ read: (String) -> Value?) -> Value? {
        known.insert(name)
        guard let text = fields[name], !text.isEmpty else {
            problems[name] = "is missing; it must be \(expected)"
            return nil
        }
        guard let value = read(text) else {
            problems[name] = "must be \(expected)"
            return nil
        }
        return value
    }

    /// Reads an optional field.
    mutating func optional<Value>(_ name: String, _ expected: String, _ read: (String) -> Value?) -> Value? {
        known.insert(name)
        guard let text = fields[name] else { return nil }
        let value = read(text)
        if value == nil { problems[name] = "must be \(expected)" }
        return value
    }

    /// Reads a field that only the service itself sets.
    mutating func kept<Value>(_ name: String, _ expected: String, _ read: (String) -> Value?) -> Value? {
        defer { own.insert(name) }
        return optional(name, expected, read)
    }

    /// Records a problem under the name of one field, even if it involves several fields.
    mutating func add(_ problem: String, for name: String) { problems[name] = problem }

    /// Returns all problems by field, including unknown fields.
    func finish(kind: ChannelKind) -> [ChannelTargetError.Problem] {
        var problems = problems
        for name in fields.keys where !known.contains(name) {
            let names = known.subtracting(own).sorted().joined(separator: ", ")
            problems[name] = "is not a field of \(kind.rawValue); its fields are \(names)"
        }
        // The name of an unknown field is user input: it is echoed only if it is short and plain.
        return problems.map { .init(field: plain($0.key), message: $0.value) }.sorted { $0.field < $1.field }
    }

    private func plain(_ name: String) -> String {
        let isPlain = (1...32).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isPlain ? name : "fields"
    }
}

extension ChannelTarget.Settings {
    init?(_ kind: ChannelKind, _ reader: inout FieldReader) {
        let settings: ChannelTarget.Settings? =
            switch kind {
            case .webhook: WebhookTarget(&reader).map(Self.webhook)
            case .webPush: WebPushTarget(&reader).map(Self.webPush)
            case .ntfy: NtfyTarget(&reader).map(Self.ntfy)
            case .gotify: GotifyTarget(&reader).map(Self.gotify)
            case .apprise: AppriseTarget(&reader).map(Self.apprise)
            case .email: EmailTarget(&reader).map(Self.email)
            case .apns: APNsTarget(&reader).map(Self.apns)
            case .fcm: FCMTarget(&reader).map(Self.fcm)
            case .mqtt: BrokerTarget(&reader).map(Self.mqtt)
            }
        guard let settings else { return nil }
        self = settings
    }
}

private let anAddress = "an absolute http or https address without a user name or fragment, at most 2048 bytes"
private let aServer = "the http or https address of the server, without a user name, query or fragment"

private func serverAddress(_ text: String) -> HTTPAddress? {
    guard let address = HTTPAddress(text), !address.rest.contains("?") else { return nil }
    return address
}

/// Returns the text if it is valid as a token in a header: 1 to `most` bytes of printable ASCII without spaces;
/// otherwise `nil`.
private func headerToken(_ text: String, most: Int = 512) -> String? {
    (1...most).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : nil
}

/// Returns the text if it consists of 1 to `most` characters of `A-Za-z0-9` and `marks`; otherwise `nil`.
private func word(_ text: String, most: Int, marks: String = "_-") -> String? {
    guard (1...most).contains(text.utf8.count) else { return nil }
    let isWord = text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: marks.utf8.contains(byte)
        }
    }
    return isWord ? text : nil
}

extension WebhookTarget {
    fileprivate init?(_ reader: inout FieldReader) {
        let address = reader.required("url", anAddress, HTTPAddress.init)
        let secret = reader.optional("secret", "whsec_ followed by 24 to 64 bytes in base64", WebhookTarget.secret)
        let signing = reader.optional(
            "signing_key",
            "whsk_ followed by an Ed25519 key in base64",
            WebhookTarget.signing
        )
        let oldSecret = reader.kept("previous_secret", "whsec_ and 24 to 64 bytes", WebhookTarget.secret)
        let oldSigning = reader.kept("previous_signing_key", "whsk_ and an Ed25519 key", WebhookTarget.signing)
        rotatedAt = reader.kept("rotated_at", "a time in RFC 3339 format") { RFC3339.parse($0) }
        keys = [secret, signing].compactMap { $0 }
        previousKeys = [oldSecret, oldSigning].compactMap { $0 }
        if keys.isEmpty {
            reader.add("is missing; give whsec_ followed by 24 to 64 bytes in base64, or a signing_key", for: "secret")
        }
        if !previousKeys.isEmpty, rotatedAt == nil { reader.add("is required with a previous key", for: "rotated_at") }
        guard let address else { return nil }
        self.address = address
    }

    private static func secret(_ text: String) -> WebhookKey? {
        guard let key = WebhookKey(text), case .secret = key else { return nil }
        return key
    }

    private static func signing(_ text: String) -> WebhookKey? {
        guard let key = WebhookKey(text), case .signing = key else { return nil }
        return key
    }
}

extension WebPushTarget {
    fileprivate init?(_ reader: inout FieldReader) {
        let endpoint = reader.required("endpoint", anAddress, HTTPAddress.init)
        let key = reader.required("p256dh", "the browser's public key in base64url, 65 bytes") { text -> [UInt8]? in
            guard let bytes = Base64.decode(text), bytes.count == 65 else { return nil }
            return (try? P256.KeyAgreement.PublicKey(x963Representation: bytes)).map { _ in bytes }
        }
        let auth = reader.required("auth", "16 bytes in base64url") { text -> [UInt8]? in
            Base64.decode(text).flatMap { $0.count == 16 ? $0 : nil }
        }
        guard let endpoint, let key, let auth else { return nil }
        self.init(endpoint: endpoint, key: key, auth: auth)
    }
}

extension NtfyTarget {
    fileprivate init?(_ reader: inout FieldReader) {
        let server = reader.required("url", aServer, serverAddress)
        let topic = reader.required("topic", "1 to 64 characters of A-Za-z0-9_-") { word($0, most: 64) }
        let token = reader.optional("token", "an access token, at most 512 bytes") { headerToken($0) }
        guard let server, let topic else { return nil }
        self.init(server: server, topic: topic, token: token)
    }
}

extension GotifyTarget {
    fileprivate init?(_ reader: inout FieldReader) {
        let server = reader.required("url", aServer, serverAddress)
        let token = reader.required("token", "the application's token, at most 512 bytes") { headerToken($0) }
        guard let server, let token else { return nil }
        self.init(server: server, token: token)
    }
}

extension AppriseTarget {
    fileprivate init?(_ reader: inout FieldReader) {
        let server = reader.required("url", aServer, serverAddress)
        let key = reader.required("key", "1 to 128 characters of A-Za-z0-9_-") { word($0, most: 128) }
        let tag = reader.optional("tag", "1 to 64 characters of A-Za-z0-9_-") { word($0, most: 64) }
        guard let server, let key else { return nil }
        self.init(server: server, key: key, tag: tag)
    }
}

extension EmailTarget {
    fileprivate init?(_ reader: inout FieldReader) {
        let address = reader.required("address", "one e-mail address in ASCII, such as ana@example.org") { text in
            MailAddress.isValid(text) ? text : nil
        }
        guard let address else { return nil }
        self.init(address: address)
    }
}

extension APNsTarget {
    fileprivate init?(_ reader: inout FieldReader) {
        let token = reader.required("token", "the device's token, 64 to 200 hexadecimal digits") { text in
            (64...200).contains(text.utf8.count) && text.allSatisfy { $0.isASCII && $0.isHexDigit }
                ? text.lowercased() : nil
        }
        let topic = reader.required("topic", "the app's bundle id") { word($0, most: 155, marks: ".-") }
        let sandbox = reader.optional("environment", "production or sandbox") { text -> Bool? in
            switch text {
            case "production": false
            case "sandbox": true
            default: nil
            }
        }
        guard let token, let topic else { return nil }
        self.init(token: token, topic: topic, isSandbox: sandbox ?? false)
    }
}

extension FCMTarget {
    fileprivate init?(_ reader: inout FieldReader) {
        let token = reader.required("token", "the app's registration token, at most 4096 bytes") { text in
            word(text, most: 4096, marks: "_-:.")
        }
        guard let token else { return nil }
        self.init(token: token)
    }
}

extension BrokerTarget {
    fileprivate init?(_ reader: inout FieldReader) {
        let topic = reader.required("topic", "\(BrokerTarget.topicLength) characters that this service chose") {
            $0.utf8.count == BrokerTarget.topicLength ? word($0, most: BrokerTarget.topicLength, marks: "") : nil
        }
        guard let topic else { return nil }
        self.topic = topic
    }
}
