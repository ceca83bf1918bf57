import Web
import Library
import Formats
import HTTPTypes
import Storage
import Stories

extension FamilyEndpoints {
    private var json: FamilyJSON {
        FamilyJSON(publicURL: publicURL(), now: library.now(), qrCode: { QRCode($0)?.svg })
    }

    private static let ended = QueryParameter(
        "ended",
        .flag,
        default: false,
        "true: also the invitations of the last 90 days that ended, with what became of them."
    )

    var invitations: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/families/\(PathPart.family)/invitations",
            name: "listInvitations",
            summary: """
                Returns the pending invitations into a family, including expired ones, newest first. Owners and admins \
                only.
                """,
            access: .user,
            scope: .familyRead,
            cost: .normal,
            parameters: [FamilyEndpoints.ended, TimedPages.parameters],
            success: [FamilyEndpoints.json("InvitationPage", "A page.")],
            handler: { call in
                let (all, names) = try await library.invitations.list(
                    into: try call[PathPart.family],
                    includingEnded: try call[FamilyEndpoints.ended],
                    for: try call.user
                )
                let page = try TimedPage(of: all, newestFirst: true, call: call) { ($0.createdAt, $0.id.rawValue) }
                let json = json
                return Answer(
                    body: page.json("invitations") {
                        json.write($0, name: $0.accepter.flatMap { names[$0] }, to: &$1)
                    }
                )
            }
        )
    }

    var invite: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/families/\(PathPart.family)/invitations",
            name: "invite",
            summary: """
                Invites users by id or anyone by e-mail. Each invitation is valid for seven days and has its own \
                outcome, in order.
                """,
            access: .user,
            scope: .familyManage,
            cost: .normal,
            body: .init(schema: "InvitationsInput", maxBytes: 131_072),
            success: [FamilyEndpoints.json("InvitationOutcomes", "The outcome of each invitation.")],
            handler: { call in
                let requests = (call.body?["invitations"]?.array ?? []).map(InvitationRequest.init)
                let outcomes = try await library.invitations.invite(
                    requests,
                    into: try call[PathPart.family],
                    by: try call.user
                )
                return Answer(body: json.outcomes(outcomes))
            }
        )
    }

    var cancelInvitation: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/families/\(PathPart.family)/invitations/\(PathPart.invitation)",
            name: "cancelInvitation",
            summary: "Withdraws a pending invitation. Owners, and admins for the roles they may offer.",
            access: .user,
            scope: .familyManage,
            success: [FamilyEndpoints.done],
            handler: { call in
                let id = try call[PathPart.invitation]
                try await library.invitations.cancel(id, into: try call[PathPart.family], by: try call.user)
                return .noContent
            }
        )
    }

    var resendInvitation: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/families/\(PathPart.family)/invitations/\(PathPart.invitation)/resend",
            name: "resendInvitation",
            summary: """
                Renews a pending invitation for seven days. The previous link of an e-mail invitation stops working \
                immediately.
                """,
            access: .user,
            scope: .familyManage,
            success: [FamilyEndpoints.json("SentInvitation", "The invitation with its new link.")],
            refusals: [
                .init(
                    status: .tooManyRequests,
                    description: """
                        Too many requests, or \(InvitationLimits.mailsPerDay) messages to this recipient within a day, \
                        or \(InvitationLimits.mailsPerHour) e-mails within an hour. The last link remains valid.
                        """
                )
            ],
            handler: { call in
                let id = try call[PathPart.invitation]
                let sent = try await library.invitations.resend(id, into: try call[PathPart.family], by: try call.user)
                return Answer(body: json.sent(sent.invitation, secrets: sent.secrets))
            }
        )
    }

    var myInvitations: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/invitations",
            name: "listMyInvitations",
            summary: """
                Returns the pending invitations addressed to the caller by user id, newest first. Those sent by e-mail \
                require their link.
                """,
            access: .user,
            scope: .familyRead,
            cost: .normal,
            parameters: [FamilyEndpoints.ended, TimedPages.parameters],
            success: [FamilyEndpoints.json("MyInvitationPage", "A page.")],
            handler: { call in
                let all = try await library.invitations.list(
                    for: try call.user,
                    includingEnded: try call[FamilyEndpoints.ended]
                )
                let page = try TimedPage(of: all, newestFirst: true, call: call) {
                    ($0.record.createdAt, $0.record.id.rawValue)
                }
                return Answer(body: page.json("invitations", json.write))
            }
        )
    }

    var accept: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/invitations/\(PathPart.invitation)/accept",
            name: "acceptInvitation",
            summary: "Accepts an invitation, given by its id in the caller's list or by its token.",
            access: .user,
            scope: .familyManage,
            cost: .raised,
            guards: .secret,
            success: [FamilyEndpoints.json("Family", "The family joined.")],
            handler: { call in
                let view = try await library.invitations.accept(
                    try call[PathPart.invitationReference],
                    as: try call.user
                )
                return Answer(body: FamilyJSON.family(view))
            }
        )
    }

    var decline: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/invitations/\(PathPart.invitation)/decline",
            name: "declineInvitation",
            summary: "Declines an invitation, given by its id in the caller's list or by its token.",
            access: .user,
            scope: .familyManage,
            cost: .raised,
            guards: .secret,
            success: [FamilyEndpoints.done],
            handler: { call in
                try await library.invitations.decline(try call[PathPart.invitationReference], as: try call.user)
                return .noContent
            }
        )
    }
}
