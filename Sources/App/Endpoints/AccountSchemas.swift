import Web
import Library
import Stories

/// The schemas of the caller's account, sessions and keys in requests and answers.
enum AccountSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("Me", me), ("MePatch", patch), ("RefreshToken", refreshToken), ("TokenPair", pair), ("KeyInput", keyInput),
        ("Key", .object(keyMembers)), ("NewKey", .object(newKeyMembers)),
    ]

    private static let id = Schema.identifier
    private static let name = Schema.text(minBytes: 1, maxBytes: StoryLimits.nameLength)
    private static let email = Schema.nullable(
        .text(minBytes: 3, maxBytes: StoryLimits.emailLength, pattern: TextPattern.email)
    )
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let scopes = Schema.array(.word(Scope.allCases.map(\.rawValue)), maxItems: Scope.allCases.count)
    private static let device = Schema.text(minBytes: 1, maxBytes: StoryLimits.deviceLength)

    private static let me = Schema.object([
        .init("id", id, required: true), .init("name", name, required: true), .init("email", email, required: true),
        .init(
            "created_at",
            .nullable(instant),
            required: true,
            "null until the first change, which makes the account."
        ),
        .init("scopes", scopes, required: true, "What the token of this request is good for."),
    ])

    private static let patch = Schema.object([
        .init("name", name, "The name others see."), .init("email", email, "An e-mail address; null takes it away."),
    ])

    private static let refreshToken = Schema.object([
        .init("refresh_token", .text(minBytes: 1, maxBytes: 1_000), required: true)
    ])

    private static let pair = Schema.object([
        .init("access_token", .text(maxBytes: 8_192), required: true),
        .init("token_type", .constant("Bearer"), required: true),
        .init("expires_in", .integer(1...86_400), required: true, "Seconds."),
        .init("refresh_token", .text(maxBytes: 1_000), required: true),
        .init("refresh_expires_in", .integer(1...31_536_000), required: true, "Seconds."),
    ])

    private static let keyInput = Schema.object([
        .init("name", name, required: true, "What you call it."),
        .init("scopes", scopes, "What it is good for; all that your token is good for unless given."),
        .init("device", device, "Makes a device's key: it sends that device's positions and nothing else."),
        .init("days", .integer(1...Accounts.maximumDays), "How long it is good for; for ever unless given."),
    ])

    private static let keyMembers: [Schema.Member] = [
        .init("id", .text(minBytes: 8, maxBytes: 8), required: true),
        .init("kind", .word(["user", "device", "service"]), required: true),
        .init("name", name, required: true), .init("device", .nullable(device), required: true),
        .init("scopes", scopes, required: true), .init("created_at", instant, required: true),
        .init("expires_at", .nullable(instant), required: true),
        .init("last_used_at", .nullable(instant), required: true, "To the hour."),
    ]

    private static let newKeyMembers: [Schema.Member] =
        keyMembers + [.init("key", .text(maxBytes: 100), required: true, "The key itself, shown this once.")]
}
