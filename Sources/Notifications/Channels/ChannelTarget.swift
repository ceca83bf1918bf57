import Stories

/// The destination of a channel and its keys: validated, complete, and stored as a flat dictionary.
///
/// Its description names only the kind. Only the syntax of the URL is checked here: whether the service may connect to
/// it is decided at each connection.
public struct ChannelTarget: Hashable, Sendable, CustomStringConvertible {
    /// The kind of channel.
    public let kind: ChannelKind
    /// The fields as stored, including secrets.
    public let fields: [String: String]
    let settings: Settings

    /// Validates the fields of a channel.
    ///
    /// - Throws: ``ChannelTargetError`` with one problem per invalid, missing or unknown field.
    public init(kind: ChannelKind, fields: [String: String]) throws(ChannelTargetError) {
        var reader = FieldReader(fields)
        let settings = Settings(kind, &reader)
        let problems = reader.finish(kind: kind)
        guard let settings, problems.isEmpty else { throw ChannelTargetError(problems: problems) }
        self.kind = kind
        self.fields = fields
        self.settings = settings
    }

    /// Validates the fields of a channel, generating a secret for a webhook that has no key, and the topic at a
    /// broker.
    ///
    /// - Parameters:
    ///   - kind: the kind of channel.
    ///   - fields: the fields as entered.
    ///   - generator: generates the secret; it must be cryptographically secure.
    /// - Throws: ``ChannelTargetError`` as ``init(kind:fields:)`` does, and for fields that only the service sets.
    public init(
        kind: ChannelKind,
        completing fields: [String: String],
        using generator: inout some RandomNumberGenerator
    ) throws(ChannelTargetError) {
        let own = ChannelTarget.ownFields.filter { fields[$0] != nil }
        if !own.isEmpty {
            throw ChannelTargetError(problems: own.map { .init(field: $0, message: "is set by this service alone") })
        }
        var fields = fields
        if kind == .webhook, fields["secret"] == nil, fields["signing_key"] == nil {
            fields["secret"] = WebhookKey.newSecret(using: &generator).text
        }
        if kind == .mqtt {
            // A topic that somebody chose could be that of another person, or of a lamp.
            guard fields["topic"] == nil else {
                throw ChannelTargetError(problems: [.init(field: "topic", message: "is chosen by this service alone")])
            }
            fields["topic"] = BrokerTarget.newTopic(using: &generator)
        }
        try self.init(kind: kind, fields: fields)
    }

    /// The fields written when keys are rotated; only the service sets them.
    private static let ownFields = ["previous_secret", "previous_signing_key", "rotated_at"]

    /// The host of the endpoint in lower case; for e-mail the domain, for APNs and FCM the vendor's host, for a broker a word.
    public var host: String {
        switch settings {
        case .webhook(let webhook): webhook.address.host
        case .webPush(let push): push.endpoint.host
        case .ntfy(let ntfy): ntfy.server.host
        case .gotify(let gotify): gotify.server.host
        case .apprise(let apprise): apprise.server.host
        case .email(let email): String(email.address.drop { $0 != "@" }.dropFirst()).lowercased()
        case .apns(let apns): apns.host
        case .fcm: FCMTarget.host
        case .mqtt: BrokerTarget.host
        }
    }

    /// The kind of channel only.
    public var description: String { "\(kind.rawValue) channel" }
}

/// The errors in the fields of a channel.
public struct ChannelTargetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One invalid field.
    public struct Problem: Hashable, Sendable {
        /// The name of the field in the HTTP API.
        public let field: String
        /// The error and the expected value; never the actual one.
        public let message: String
    }

    /// The invalid fields, sorted by name, at least one.
    public let problems: [Problem]

    /// All problems in one line.
    public var description: String { problems.map { "\($0.field): \($0.message)" }.joined(separator: "; ") }
}

extension ChannelTarget {
    /// The parsed fields of each kind of channel.
    enum Settings: Hashable, Sendable {
        case webhook(WebhookTarget)
        case webPush(WebPushTarget)
        case ntfy(NtfyTarget)
        case gotify(GotifyTarget)
        case apprise(AppriseTarget)
        case email(EmailTarget)
        case apns(APNsTarget)
        case fcm(FCMTarget)
        case mqtt(BrokerTarget)
    }
}

/// The address and keys of a webhook.
struct WebhookTarget: Hashable, Sendable {
    /// How long an old key keeps signing alongside the new one, in milliseconds.
    static let rotationTime: Int64 = 86_400_000

    let address: HTTPAddress
    let keys: [WebhookKey]
    let previousKeys: [WebhookKey]
    let rotatedAt: Timestamp?

    /// Returns the keys that sign an attempt: first the current keys, then, for a day after a rotation, the keys that
    /// they replaced.
    func keys(at now: Timestamp) -> [WebhookKey] {
        guard let rotatedAt, now < rotatedAt.advanced(byMilliseconds: WebhookTarget.rotationTime) else { return keys }
        return keys + previousKeys
    }
}

/// A browser's push subscription.
struct WebPushTarget: Hashable, Sendable {
    let endpoint: HTTPAddress
    /// The browser's public key, an uncompressed P-256 point.
    let key: [UInt8]
    /// The authentication secret, 16 bytes.
    let auth: [UInt8]
}

/// A topic of an ntfy server.
struct NtfyTarget: Hashable, Sendable {
    let server: HTTPAddress
    let topic: String
    let token: String?
}

/// An application on a Gotify server.
struct GotifyTarget: Hashable, Sendable {
    let server: HTTPAddress
    let token: String
}

/// A key on an Apprise API server.
struct AppriseTarget: Hashable, Sendable {
    let server: HTTPAddress
    let key: String
    let tag: String?
}

/// A mailbox.
struct EmailTarget: Hashable, Sendable {
    let address: String
}

/// An app on an Apple device.
struct APNsTarget: Hashable, Sendable {
    let token: String
    let topic: String
    let isSandbox: Bool

    var host: String { isSandbox ? "api.sandbox.push.apple.com" : "api.push.apple.com" }
}

/// An app on a device with Google services.
struct FCMTarget: Hashable, Sendable {
    static let host = "fcm.googleapis.com"

    let token: String
}

/// A topic at the operator's broker.
struct BrokerTarget: Hashable, Sendable {
    /// Stands for the broker, of which there is one.
    static let host = "broker"
    /// The length of a topic: enough for 128 random bits.
    static let topicLength = 26
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567")

    /// The last part of the topic, which nobody can guess.
    let topic: String

    /// Makes the last part of a topic; the generator must be cryptographically secure.
    static func newTopic(using generator: inout some RandomNumberGenerator) -> String {
        String((0..<topicLength).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
    }
}
