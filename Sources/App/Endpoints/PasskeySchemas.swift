import Web
import Library
import Passkeys
import Stories

/// The schemas of passkeys in requests and answers.
enum PasskeySchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("Passkey", .object(passkey)), ("PasskeyList", list), ("PasskeyInput", input), ("PasskeySignIn", signIn),
        ("PasskeyChallenge", .object(question)), ("NewPasskeyChallenge", newQuestion),
    ]

    private static let name = Schema.text(minBytes: 1, maxBytes: StoryLimits.nameLength)
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let host = Schema.text(minBytes: 1, maxBytes: 253)
    private static let origin = Schema.text(minBytes: 1, maxBytes: 300)
    private static let ticket = Schema.text(minBytes: 1, maxBytes: 500)

    private static func base64(_ maxBytes: Int) -> Schema {
        .text(minBytes: 1, maxBytes: maxBytes, pattern: "^[A-Za-z0-9_-]+$")
    }

    private static let credential = base64(4 * (NewPasskey.maxCredentialBytes + 2) / 3)
    private static let random = Schema.text(minBytes: 43, maxBytes: 43, pattern: "^[A-Za-z0-9_-]{43}$")

    private static let passkey: [Schema.Member] = [
        .init("id", .hexID, required: true), .init("name", name, required: true),
        .init("created_at", instant, required: true),
        .init("last_used_at", .nullable(instant), required: true, "The time of the last sign-in, to the hour."),
        .init("synced", .boolean, required: true, "Whether it may be copied to the person's other devices."),
        .init("works_here", .boolean, required: true, "Whether it was made for the name that the service has now."),
    ]

    private static let list = Schema.object([
        .init("passkeys", .array(.named("Passkey"), maxItems: PasskeyService.maximum), required: true),
        .init(
            "origin",
            .nullable(origin),
            required: true,
            "The address whose page uses passkeys; null for a service without an https address and a name."
        ),
    ])

    private static let input = Schema.object([
        .init("ticket", ticket, required: true, "As it came with the challenge."),
        .init("name", name, required: true, "A name by which the person knows the device."),
        .init("attestation", base64(24_000), required: true, "The attestation object."),
        .init("client_data", base64(12_000), required: true, "The client data."),
    ])

    private static let signIn = Schema.object([
        .init("ticket", ticket, required: true, "As it came with the challenge."),
        .init("credential", credential, required: true, "The id that the device gave the passkey."),
        .init("user_handle", base64(100), required: true),
        .init("authenticator_data", base64(12_000), required: true),
        .init("client_data", base64(12_000), required: true),
        .init("signature", base64(2_000), required: true),
    ])

    private static let question: [Schema.Member] = [
        .init("challenge", random, required: true, "What the device signs, in base64url, as all bytes here."),
        .init("ticket", ticket, required: true, "Return it with the answer."),
        .init("rp_id", host, required: true, "The name for which passkeys are made."),
        .init("origin", origin, required: true, "The only origin whose page may ask."),
        .init("timeout_ms", .integer(0...600_000), required: true),
    ]

    private static let newQuestion = Schema.object(
        question + [
            .init("rp_name", .text(minBytes: 1, maxBytes: 100), required: true),
            .init("user_handle", random, required: true, "How the device knows the user; not the user's id."),
            .init("user_name", .identifier, required: true),
            .init("user_display_name", name, required: true),
            .init("algorithms", .array(.integer(-65_535...0), maxItems: 10), required: true, "COSE; the best first."),
            .init(
                "exclude",
                .array(credential, maxItems: PasskeyService.maximum),
                required: true,
                "The passkeys that the user has."
            ),
        ]
    )
}
