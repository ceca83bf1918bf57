import Notifications
import Web

/// The schemas of new channels: what the target of each kind consists of.
enum ChannelTargetSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = ChannelKind.allCases.map { kind in
        (
            inputName(kind),
            .object([
                .init("kind", .constant(kind.rawValue), required: true),
                .init("name", .nullable(.text(maxBytes: 200)), "The caller's name for the channel."),
                .init("target", .object(fields(of: kind)), required: true, "Where it sends to."),
            ])
        )
    }

    /// Returns the name of the schema of a kind, such as `WebPushChannelInput`.
    static func inputName(_ kind: ChannelKind) -> String {
        kind.rawValue.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "ChannelInput"
    }

    private static let address = Schema.text(minBytes: 8, maxBytes: 2_048)
    private static let word = Schema.text(minBytes: 1, maxBytes: 128)
    private static let token = Schema.text(minBytes: 1, maxBytes: 512)

    private static func fields(of kind: ChannelKind) -> [Schema.Member] {
        switch kind {
        case .webhook:
            [
                .init("url", address, required: true, "The https address that receives each notification by POST."),
                .init("secret", token, "Your own whsec_… of 24 to 64 bytes; otherwise the service makes one."),
                .init("signing_key", token, "Your own whsk_…, an Ed25519 key."),
            ]
        case .webPush:
            [
                .init("endpoint", address, required: true, "The endpoint of the browser's subscription."),
                .init("p256dh", token, required: true, "The browser's public key in base64url."),
                .init("auth", token, required: true, "The subscription's secret in base64url."),
            ]
        case .ntfy:
            [
                .init("url", address, required: true, "The server."),
                .init("topic", word, required: true, "The topic."),
                .init("token", token, "An access token, if the topic needs one."),
            ]
        case .gotify:
            [
                .init("url", address, required: true, "The server."),
                .init("token", token, required: true, "The application's token."),
            ]
        case .apprise:
            [
                .init("url", address, required: true, "The Apprise API server."),
                .init("key", word, required: true, "The key of the configuration there."),
                .init("tag", word, "Only services with this tag."),
            ]
        case .email: [.init("address", .text(minBytes: 3, maxBytes: 254), required: true, "An e-mail address.")]
        case .apns:
            [
                .init("token", token, required: true, "The device's token in hexadecimal."),
                .init("topic", word, required: true, "The app's bundle id."),
                .init("environment", .word(["production", "sandbox"]), "Which of Apple's servers."),
            ]
        case .fcm:
            [.init("token", .text(minBytes: 1, maxBytes: 4_096), required: true, "The app's registration token.")]
        // The service chooses the topic.
        case .mqtt: []
        }
    }
}
