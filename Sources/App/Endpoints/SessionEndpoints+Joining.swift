import Web
import Library
import Formats
import HTTPTypes
import Stories

// People without an account who hold the link of an invitation.
extension SessionEndpoints {
    var readInvitation: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/invitations/\(PathPart.invitationToken)",
            name: "readInvitation",
            summary: "Returns the family and the inviter of a pending invitation, by the token of its link.",
            access: .anyone,
            cost: .raised,
            guards: .secret,
            success: [SessionEndpoints.json("InvitationOffer", "The invitation.")],
            handler: { call in
                let view = try await library.invitations.offer(try call[PathPart.invitationToken])
                var json = JSONWriter(capacity: 200)
                json.beginObject()
                json.member("family_name", view.familyName)
                json.member("inviter_name", view.inviterName)
                json.member("role", view.invitation.role.rawValue)
                json.member("expires_at", RFC3339.format(view.invitation.expiresAt))
                json.endObject()
                return Answer(body: json.bytes)
            }
        )
    }

    var join: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/invitations/\(PathPart.invitationToken)/join",
            name: "joinByInvitation",
            summary: """
                Makes an account for a person without one, accepts the invitation for it, and signs in to the page. The \
                invitation is given by the token of its link.
                """,
            access: .anyone,
            cost: .raised,
            guards: .secret,
            headers: [.page],
            body: .init(schema: "JoinInput", maxBytes: 16_384),
            cookie: .manages,
            success: [SessionEndpoints.json("Session", "The new session, and its cookie.", status: .created)],
            handler: { call in
                guard ways.invitationsMakeAccounts else {
                    throw Problem(
                        .forbidden,
                        "accounts-elsewhere",
                        "Invitations make no accounts here. Ask the operator for an account, then accept the invitation."
                    )
                }
                guard call.viewer.user == nil else {
                    throw Problem(.conflict, "signed-in", "You have an account: accept the invitation with it.")
                }
                let name = try call.displayName("name")
                let email = call.body?["email"]?.string
                guard email.map(Invitation.isEmail) ?? true else {
                    throw Problem.body([
                        FieldProblem(field: "email", message: "must be an address like name@example.org")
                    ])
                }
                let token = try call[PathPart.invitationToken]
                let joined = try await library.signIns.join(token, name: name, email: email, arrival(of: call))
                return signedIn(joined.begun, of: call)
            }
        )
    }
}
