import Library
import Formats
import Stories

/// The JSON of families, members and invitations.
struct FamilyJSON: Sendable {
    /// The public base URL of this service, without a trailing slash.
    let publicURL: String
    let now: Timestamp

    static func family(_ view: FamilyView) -> [UInt8] {
        var json = JSONWriter(capacity: 400)
        write(view, to: &json)
        return json.bytes
    }

    static func write(_ view: FamilyView, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", view.family.id.rawValue)
        json.member("name", view.family.name)
        json.member("role", view.role.rawValue)
        json.member("member_count", view.memberCount)
        json.member("created_at", RFC3339.format(view.family.createdAt))
        json.endObject()
    }

    static func write(_ member: FamilyMember, name: String?, to json: inout JSONWriter) {
        json.beginObject()
        json.member("user", member.user.rawValue)
        json.member("name", name)
        json.member("role", member.role.rawValue)
        json.member("since", RFC3339.format(member.since))
        json.endObject()
    }

    func write(_ invitation: Invitation, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", invitation.id.rawValue)
        switch invitation.invitee {
        case .user(let user):
            json.member("user", user.rawValue)
            json.member("email", String?.none)
        case .email(let email):
            json.member("user", String?.none)
            json.member("email", email)
        }
        json.member("role", invitation.role.rawValue)
        json.member("invited_by", invitation.inviter.rawValue)
        json.member("state", invitation.hasExpired(at: now) ? "expired" : "pending")
        json.member("created_at", RFC3339.format(invitation.createdAt))
        json.member("expires_at", RFC3339.format(invitation.expiresAt))
        json.endObject()
    }

    static func write(_ view: InvitationView, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", view.invitation.id.rawValue)
        for (key, name) in [("family", view.familyName), ("invited_by", view.inviterName)] {
            json.key(key)
            json.beginObject()
            json.member("name", name)
            json.endObject()
        }
        json.member("role", view.invitation.role.rawValue)
        json.member("created_at", RFC3339.format(view.invitation.createdAt))
        json.member("expires_at", RFC3339.format(view.invitation.expiresAt))
        json.endObject()
    }

    /// Returns the results of several invitations, in order.
    func outcomes(_ outcomes: [InvitationOutcome]) -> [UInt8] {
        var json = JSONWriter(capacity: 400 * (outcomes.count + 1))
        json.beginObject()
        json.key("invitations")
        json.beginArray()
        for outcome in outcomes {
            json.beginObject()
            switch outcome {
            case .invited(let invitation, let token): members("invited", invitation, token, to: &json)
            case .alreadyPending(let invitation): members("already_pending", invitation, nil, to: &json)
            case .alreadyMember: members("already_member", nil, nil, to: &json)
            case .refused(let refusal): members("refused", nil, nil, reason: refusal.words, to: &json)
            }
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private func members(
        _ outcome: String,
        _ invitation: Invitation?,
        _ token: InvitationToken?,
        reason: String? = nil,
        to json: inout JSONWriter
    ) {
        json.member("outcome", outcome)
        json.key("invitation")
        if let invitation { write(invitation, to: &json) } else { json.value(JSONValue.null) }
        json.member("link", token.map(link))
        json.member("reason", reason)
    }

    /// Returns a resent invitation with its new link.
    func sent(_ invitation: Invitation, token: InvitationToken?) -> [UInt8] {
        var json = JSONWriter(capacity: 400)
        json.beginObject()
        json.key("invitation")
        write(invitation, to: &json)
        json.member("link", token.map(link))
        json.endObject()
        return json.bytes
    }

    /// Returns the link, with the token after `#`: browsers send that part to no server, so no log or referrer has it.
    private func link(_ token: InvitationToken) -> String { "\(publicURL)/#invitation=\(token.text)" }
}

extension InvitationRefusal {
    /// The reason and the remedy.
    var words: String {
        switch self {
        case .badEntry: "Give either user or email, and optionally role, but nothing else."
        case .badUser:
            "This is not a valid user id: use 1 to 64 characters of A-Z, a-z, 0-9, dot, underscore and hyphen."
        case .badEmail: "This is not a valid e-mail address."
        case .badRole: "The role must be member or admin."
        case .role: "Your role in this family does not allow you to offer this role."
        case .tooOften: "You have recently sent too many e-mails, to this address or in total; try again later."
        case .tooMany: "There are \(FamilyLimits.invitations) pending invitations, the maximum; cancel some first."
        }
    }
}
