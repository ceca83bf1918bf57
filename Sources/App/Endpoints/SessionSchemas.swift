import Web
import Stories

/// The schemas of the page's sessions in requests and answers.
enum SessionSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("Session", session), ("SessionList", list), ("SignIn", signIn),
        ("SignInEmail", .object([.init("email", email, required: true)])),
        ("SignInCode", .object([.init("code", code, required: true)])),
        ("SignInOffer", offer),
        ("SignInMessage", .object([.init("message", .text(minBytes: 1, maxBytes: 1_000), required: true)])),
        ("JoinInput", join), ("InvitationOffer", invitation),
    ]

    private static let name = Schema.text(minBytes: 1, maxBytes: StoryLimits.nameLength)
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let sessionID = Schema.text(minBytes: 16, maxBytes: 16)
    private static let code = Schema.text(minBytes: 1, maxBytes: 100)
    private static let email = Schema.text(minBytes: 3, maxBytes: StoryLimits.emailLength, pattern: TextPattern.email)
    private static let user = Schema.object([
        .init("id", .identifier, required: true), .init("name", name, required: true),
    ])

    private static let session = Schema.object([
        .init("user", .nullable(user), required: true, "The caller; null for a visitor who is not signed in."),
        .init(
            "session",
            .nullable(
                .object([
                    .init("id", sessionID, required: true), .init("created_at", instant, required: true),
                    .init("expires_at", instant, required: true),
                ])
            ),
            required: true,
            "The session of the page; null for other credentials."
        ),
        .init(
            "ways",
            .object([
                .init("email", .boolean, required: true, "Whether the service sends links by e-mail."),
                .init(
                    "invitations_make_accounts",
                    .boolean,
                    required: true,
                    "Whether an invitation's link makes an account."
                ),
                .init("passkeys", .boolean, required: true, "Whether passkeys can be used at this address."),
                .init(
                    "provider",
                    .nullable(.object([.init("name", name, required: true)])),
                    required: true,
                    "The provider with which people sign in by a visit to /signin/provider; null for none."
                ),
                .init("demo_users", .array(user), required: true, "The users of the demo, on this machine only."),
            ]),
            required: true,
            "The ways to sign in, besides a code and a token."
        ),
    ])

    private static let list = Schema.object([
        .init(
            "sessions",
            .array(
                .object([
                    .init("id", sessionID, required: true),
                    .init("label", .text(minBytes: 1, maxBytes: 100), required: true, "The browser and system."),
                    .init("created_at", instant, required: true),
                    .init("last_used_at", instant, required: true, "The time of the last use, to the hour."),
                    .init("expires_at", instant, required: true),
                    .init("current", .boolean, required: true, "Whether it is the caller's own."),
                ])
            ),
            required: true
        )
    ])

    private static let signIn = Schema.object([
        .init("code", code, "A code from an e-mail or from the operator; it works once."),
        .init("token", .text(minBytes: 1, maxBytes: 8_192), "An access token with the scope account:manage."),
        .init("demo_user", .identifier, "A user of the demo."),
    ])

    private static let offer = Schema.object([
        .init("name", name, required: true, "The name of the account."),
        .init("family", .nullable(name), required: true, "The family that the person joins by using the code."),
        .init("expires_at", instant, required: true),
    ])

    private static let join = Schema.object([
        .init("name", name, required: true, "The name shown to other users."),
        .init("email", .nullable(email), "An e-mail address, for signing in again."),
    ])

    private static let invitation = Schema.object([
        .init("family_name", name, required: true), .init("inviter_name", name, required: true),
        .init("role", .word(FamilyRole.allCases.map(\.rawValue)), required: true),
        .init("expires_at", instant, required: true),
    ])
}
