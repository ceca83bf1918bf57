import Stories

/// Where a channel leads and the keys it needs: checked, complete, and a flat dictionary for storage.
///
/// Its description names the kind alone. The address is only checked for its spelling: whether it may be dialled is
/// decided where it is dialled, each time.
public struct ChannelTarget: Hashable, Sendable, CustomStringConvertible {
    /// The way.
    public let kind: ChannelKind
    /// The fields as they are stored, secrets among them.
    public let fields: [String: String]
    let settings: Settings

    /// Checks the fields of a channel.
    ///
    /// - Throws: ``ChannelTargetError`` with one problem per wrong, missing or unknown field.
    public init(kind: ChannelKind, fields: [String: String]) throws(ChannelTargetError) {
        var reader = FieldReader(fields)
        let settings = Settings(kind, &reader)
        let problems = reader.finish(kind: kind)
        guard let settings, problems.isEmpty else { throw ChannelTargetError(problems: problems) }
        self.kind = kind
        self.fields = fields
        self.settings = settings
    }

    /// Checks the fields of a channel, first making a webhook's secret when it brings no key of its own.
    ///
    /// - Parameters:
    ///   - kind: the way.
    ///   - fields: the fields as somebody wrote them.
    ///   - generator: makes the secret, so it must be fit for secrets.
    /// - Throws: ``ChannelTargetError`` as ``init(kind:fields:)`` does, and for fields that only the service writes.
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
        try self.init(kind: kind, fields: fields)
    }

    /// What is noted when keys are changed; nobody else writes it.
    private static let ownFields = ["previous_secret", "previous_signing_key", "rotated_at"]

    /// The host it leads to, in lower case; of e-mail the domain; of APNs and FCM the vendor's.
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
        }
    }

    /// Which sort of channel it is, nothing else.
    public var description: String { "\(kind.rawValue) channel" }
}

/// What is wrong with the fields of a channel, field by field.
public struct ChannelTargetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One wrong field.
    public struct Problem: Hashable, Sendable {
        /// The field as it is called over HTTP.
        public let field: String
        /// What is wrong and what is expected; never the value.
        public let message: String
    }

    /// The wrong fields, by name, at least one.
    public let problems: [Problem]

    /// All problems in one line.
    public var description: String { problems.map { "\($0.field): \($0.message)" }.joined(separator: "; ") }
}

extension ChannelTarget {
    /// The fields by kind.
    enum Settings: Hashable, Sendable {
        case webhook(WebhookTarget)
        case webPush(WebPushTarget)
        case ntfy(NtfyTarget)
        case gotify(GotifyTarget)
        case apprise(AppriseTarget)
        case email(EmailTarget)
        case apns(APNsTarget)
        case fcm(FCMTarget)
    }
}

/// How webhooks are addressed and signed.
struct WebhookTarget: Hashable, Sendable {
    /// For how long an old key signs beside the new one, in milliseconds.
    static let rotationTime: Int64 = 86_400_000

    let address: HTTPAddress
    let keys: [WebhookKey]
    let previousKeys: [WebhookKey]
    let rotatedAt: Timestamp?

    /// The keys that sign an attempt: the newest first, then for a day those it replaced.
    func keys(at now: Timestamp) -> [WebhookKey] {
        guard let rotatedAt, now < rotatedAt.advanced(byMilliseconds: WebhookTarget.rotationTime) else { return keys }
        return keys + previousKeys
    }
}

/// A subscription of a browser's.
struct WebPushTarget: Hashable, Sendable {
    let endpoint: HTTPAddress
    /// The browser's public key, an uncompressed point of P-256.
    let key: [UInt8]
    /// 16 bytes.
    let auth: [UInt8]
}

/// A topic of an ntfy server.
struct NtfyTarget: Hashable, Sendable {
    let server: HTTPAddress
    let topic: String
    let token: String?
}

/// An application of a Gotify server.
struct GotifyTarget: Hashable, Sendable {
    let server: HTTPAddress
    let token: String
}

/// A key of an Apprise API server.
struct AppriseTarget: Hashable, Sendable {
    let server: HTTPAddress
    let key: String
    let tag: String?
}

/// A mailbox.
struct EmailTarget: Hashable, Sendable {
    let address: String
}

/// An app on a device of Apple's.
struct APNsTarget: Hashable, Sendable {
    let token: String
    let topic: String
    let isSandbox: Bool

    var host: String { isSandbox ? "api.sandbox.push.apple.com" : "api.push.apple.com" }
}

/// An app on a device with Google's services.
struct FCMTarget: Hashable, Sendable {
    static let host = "fcm.googleapis.com"

    let token: String
}
