/// A way in which a notification leaves for a person or a program of theirs.
public enum ChannelKind: String, CaseIterable, Hashable, Sendable {
    /// A POST to an address of the owner's, signed after Standard Webhooks.
    case webhook
    /// A browser, by RFC 8030; UnifiedPush takes the same.
    case webPush = "web_push"
    /// A topic of an ntfy server.
    case ntfy
    /// An application of a Gotify server.
    case gotify
    /// A key of an Apprise API server.
    case apprise
    /// E-mail.
    case email
    /// A device of Apple's, with the operator's key.
    case apns
    /// A device with Google's services, with the operator's account.
    case fcm

    /// Whether a notification is worth nothing on this way once it has expired.
    ///
    /// A program behind a webhook and a mailbox want it late as well; a telephone that rings after the walk does not help.
    public var isExpiring: Bool {
        switch self {
        case .webhook, .email: false
        case .webPush, .ntfy, .gotify, .apprise, .apns, .fcm: true
        }
    }

    /// Whether it needs credentials of the operator's; see ``ChannelCredentials``.
    public var needsCredentials: Bool {
        switch self {
        case .webPush, .email, .apns, .fcm: true
        case .webhook, .ntfy, .gotify, .apprise: false
        }
    }
}
