import Web
import Library
import Stories

/// The schemas of the caller's account, sessions and keys in requests and answers.
enum AccountSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("Me", me), ("MePatch", patch), ("RefreshToken", refreshToken), ("TokenPair", pair), ("KeyInput", keyInput),
        ("Key", .object(keyMembers)), ("NewKey", .object(newKeyMembers)),
        ("OwnTracksInput", ownTracksInput), ("OwnTracksSetup", ownTracksSetup),
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
            "null until the first change, which creates the account."
        ),
        .init("scopes", scopes, required: true, "The scopes of this request's token."),
    ])

    private static let patch = Schema.object([
        .init(
            "name",
            name,
            "The name shown to other users."
        ),
        .init("email", email, "An e-mail address; null removes it."),
    ])

    private static let refreshToken = Schema.object([
        .init("refresh_token", .text(minBytes: 1, maxBytes: 1_000), required: true)
    ])

    private static let pair = Schema.object([
        .init("access_token", .text(maxBytes: 8_192), required: true),
        .init("token_type", .constant("Bearer"), required: true),
        .init("expires_in", .integer(1...86_400), required: true, "The lifetime in seconds."),
        .init("refresh_token", .text(maxBytes: 1_000), required: true),
        .init("refresh_expires_in", .integer(1...31_536_000), required: true, "The lifetime in seconds."),
    ])

    private static let keyInput = Schema.object([
        .init("name", name, required: true, "The caller's name for the key."),
        .init("scopes", scopes, "The scopes of the key (default: all scopes of the caller's token)."),
        .init("device", .deviceName, "Creates a device key, which can only send this device's positions."),
        .init("days", .integer(1...Accounts.maximumDays), "The number of days until the key expires (default: never)."),
    ])

    private static let keyMembers: [Schema.Member] = [
        .init("id", .text(minBytes: 8, maxBytes: 8), required: true),
        .init("kind", .word(["user", "device", "service"]), required: true),
        .init("name", name, required: true), .init("device", .nullable(device), required: true),
        .init("scopes", scopes, required: true), .init("created_at", instant, required: true),
        .init("expires_at", .nullable(instant), required: true),
        .init("last_used_at", .nullable(instant), required: true, "The time of the last use, to the hour."),
    ]

    private static let newKeyMembers: [Schema.Member] =
        keyMembers + [.init("key", .text(maxBytes: 100), required: true, "The key itself, shown only once.")]

    private static let ownTracksInput = Schema.object([
        .init("name", name, required: true, "The caller's name for the key."),
        .init("device", .deviceName, required: true, "The device that the app runs on."),
    ])

    private static let ownTracksSetup = Schema.object(
        newKeyMembers + [
            .init("link", .text(maxBytes: 8_000), required: true, "A link that the app on this device can open."),
            .init(
                "qr_code",
                .nullable(.text(maxBytes: 400_000)),
                required: true,
                "The link as a QR code, an SVG image; null if it is too long for one."
            ),
        ]
    )
}
