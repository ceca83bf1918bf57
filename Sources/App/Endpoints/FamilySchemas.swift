import Web
import Stories

/// The schemas of families and invitations in requests and answers.
enum FamilySchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("FamilyInput", .object([.init("name", name, required: true, "The name, on one line.")])),
        ("RoleInput", .object([.init("role", role, required: true)])),
        ("Family", family), ("FamilyPage", page("families", of: "Family")),
        ("FamilyMember", member), ("FamilyMemberPage", page("members", of: "FamilyMember")),
        ("InvitationsInput", invitationsInput), ("Invitation", invitation),
        ("InvitationPage", page("invitations", of: "Invitation")),
        ("SentInvitation", .object([.init("invitation", .named("Invitation"), required: true)] + secrets)),
        ("InvitationOutcomes", outcomes), ("MyInvitation", mine),
        ("MyInvitationPage", page("invitations", of: "MyInvitation")),
    ]

    private static let name = Schema.text(minBytes: 1, maxBytes: StoryLimits.nameLength)
    private static let userID = Schema.identifier
    private static let role = Schema.word(FamilyRole.allCases.map(\.rawValue))
    private static let offered = Schema.word([FamilyRole.admin.rawValue, FamilyRole.member.rawValue])
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let invitationID = Schema.hexID

    private static func page(_ name: String, of item: String) -> Schema {
        .object([
            .init(name, .array(.named(item)), required: true),
            .init(
                "links",
                .object([.init("next", .nullable(.text(maxBytes: 1_000)), required: true)]),
                required: true
            ),
        ])
    }

    private static let family = Schema.object([
        .init("id", .identifier, required: true),
        .init("name", name, required: true),
        .init("role", role, required: true, "The caller's role."),
        .init("member_count", .integer(1...FamilyLimits.members), required: true),
        .init("created_at", instant, required: true),
    ])

    private static let member = Schema.object([
        .init("user", userID, required: true), .init("name", .nullable(name), required: true),
        .init("role", role, required: true), .init("since", instant, required: true),
    ])

    private static let invitationsInput = Schema.object([
        .init(
            "invitations",
            .array(.judgedLater(invitationInput), maxItems: FamilyLimits.batch),
            required: true,
            "Each invitation is checked separately: an error rejects only that one."
        )
    ])
    private static let invitationInput = Schema.object([
        .init("user", .text(minBytes: 1, maxBytes: 200), "The id of a user, who need not exist yet."),
        .init(
            "email",
            .text(minBytes: 1, maxBytes: 400),
            "An e-mail address instead of user. The answer contains the link."
        ),
        .init("role", offered, "The role in the family (default member). Admins can only offer member."),
    ])

    private static let invitation = Schema.object([
        .init("id", invitationID, required: true),
        .init("user", .nullable(userID), required: true),
        .init("email", .nullable(.text(maxBytes: StoryLimits.emailLength)), required: true),
        .init("role", offered, required: true),
        .init("invited_by", .nullable(userID), required: true),
        .init("state", .word(["pending", "expired", "accepted", "declined", "withdrawn"]), required: true),
        .init(
            "member_name",
            .nullable(name),
            required: true,
            "The name of the member who accepted; null while nobody has, and once they have left."
        ),
        .init("created_at", instant, required: true), .init("expires_at", instant, required: true),
    ])

    private static let secrets: [Schema.Member] = [
        .init(
            "link",
            .nullable(.text(maxBytes: 2_100)),
            required: true,
            "For an e-mail invitation, the link to forward; shown only once."
        ),
        .init(
            "code",
            .nullable(.text(minBytes: 14, maxBytes: 14, pattern: "^[0-9A-Z]{4}(-[0-9A-Z]{4}){2}$")),
            required: true,
            "A short code that stands for the token of the link, to be read out and typed; shown only once."
        ),
        .init(
            "qr_code",
            .nullable(.text(maxBytes: 100_000)),
            required: true,
            "The link as a QR code, an SVG image; null if it is too long for one."
        ),
    ]

    private static let outcomes = Schema.object([
        .init(
            "invitations",
            .array(
                .object(
                    [
                        .init(
                            "outcome",
                            .word(["invited", "already_pending", "already_member", "refused"]),
                            required: true
                        ),
                        .init("invitation", .nullable(.named("Invitation")), required: true),
                        .init(
                            "reason",
                            .nullable(.text(maxBytes: 400)),
                            required: true,
                            "The reason for the rejection."
                        ),
                    ] + secrets
                )
            ),
            required: true
        )
    ])

    private static let mine = Schema.object([
        .init("id", invitationID, required: true),
        .init(
            "family",
            .object([.init("name", .nullable(name), required: true)]),
            required: true,
            "The family; its name is null for an ended invitation, unless the caller is a member."
        ),
        .init("invited_by", .object([.init("name", .nullable(name), required: true)]), required: true),
        .init("role", offered, required: true),
        .init("state", .word(["pending", "expired", "accepted", "declined"]), required: true),
        .init("created_at", instant, required: true), .init("expires_at", instant, required: true),
    ])
}
