import Formats
import Crypto
public import Stories
import Synchronization

/// Writes messages in the format of each kind of channel.
///
/// It opens no connections and reads no clock; its only state is the tokens for push services and vendors, which are
/// reused.
public final class ChannelWriter: Sendable {
    /// The maximum size of a push, in bytes.
    public static let mostPushBytes = 4_096
    /// The maximum size of a webhook body, in bytes.
    public static let mostWebhookBytes = 20_000

    /// The operator's credentials.
    public let credentials: ChannelCredentials
    let tokens = Mutex(Tokens())

    /// Creates a writer with the operator's credentials.
    public init(credentials: ChannelCredentials = ChannelCredentials()) {
        self.credentials = credentials
    }

    /// Writes one attempt.
    ///
    /// The message's id is the same for every attempt; signatures and encryption keys are new for each attempt.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - target: the destination.
    ///   - subscribedAt: when a browser subscribed; `nil` for other channels, and for one that is being tried out.
    ///   - now: the time of the attempt.
    ///   - generator: generates the encryption keys; it must be cryptographically secure.
    /// - Returns: the message to send.
    /// - Throws: ``ChannelError``.
    public func write(
        _ message: ChannelMessage,
        to target: ChannelTarget,
        subscribedAt: Timestamp? = nil,
        at now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) throws -> OutgoingMessage {
        guard ChannelWriter.isID(message.id), ChannelWriter.isType(message.type) else { throw ChannelError.badMessage }
        let message = message.readable
        switch target.settings {
        case .webhook(let webhook): return .http(try webhookRequest(message, to: webhook, at: now))
        case .webPush(let push):
            return .http(
                try webPushRequest(message, to: push, subscribedAt: subscribedAt, at: now, using: &generator)
            )
        case .ntfy(let ntfy): return .http(ntfyRequest(message, to: ntfy))
        case .gotify(let gotify): return .http(gotifyRequest(message, to: gotify))
        case .apprise(let apprise): return .http(appriseRequest(message, to: apprise))
        case .email(let email): return .mail(try mail(message, to: email, at: now))
        case .apns(let apns): return .http(try apnsRequest(message, to: apns, at: now))
        case .fcm(let fcm): return .http(try fcmRequest(message, to: fcm, at: now))
        case .mqtt(let broker): return .publication(try publication(message, to: broker))
        }
    }

    /// Returns the header fields of a request with a JSON body.
    ///
    /// The idempotency key is the message's id, which is the same for every attempt.
    static func jsonHeaders(_ message: ChannelMessage) -> [OutgoingHTTP.Field] {
        [
            .init("content-type", "application/json"), .init("user-agent", userAgent),
            .init("idempotency-key", "\"\(message.id)\""),
        ]
    }

    static let userAgent = "Waymark"

    /// Returns how long a vendor should keep a push, in seconds.
    static func lifetime(of message: ChannelMessage, at now: Timestamp) -> Int64 {
        let usual = message.type == ChannelMessage.nearbyType ? RetryPolicy.nearbyLifetime : 86_400
        guard let expiresAt = message.expiresAt else { return usual }
        return min(max(0, expiresAt.seconds - now.seconds), usual)
    }

    /// Returns a group name of 32 characters that reveals nothing without the key.
    ///
    /// Groups are derived from places, which can be enumerated: a plain digest would reveal them.
    static func groupName(_ group: String, key: some Sequence<UInt8>) -> String {
        let code = HMAC<SHA256>
            .authenticationCode(
                for: Array("waymark group 1|\(group)".utf8),
                using: SymmetricKey(data: Array(key))
            )
        return Base64.encodeURL(Array(code).prefix(24))
    }

    static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { isWord($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isType(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { isWord($0) || "-.".utf8.contains($0) }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
