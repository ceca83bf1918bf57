import Library
import Formats
import Storage
import Stories

/// The JSON of families, members and invitations.
struct FamilyJSON: Sendable {
    /// The public base URL of this service, without a trailing slash.
    let publicURL: String
    let now: Timestamp
    /// Returns a link as a QR code, an SVG image; `nil` if it is too long.
    let qrCode: @Sendable (_ link: String) -> String?

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

    func write(_ invitation: InvitationRecord, name: String? = nil, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", invitation.id.rawValue)
        var (user, email): (String?, String?) = (nil, nil)
        switch invitation.invitee {
        case .user(let named): user = named.rawValue
        case .email(let address): email = address
        case nil: break
        }
        json.member("user", user)
        json.member("email", email)
        json.member("role", invitation.role.rawValue)
        json.member("invited_by", invitation.inviter?.rawValue)
        json.member("state", invitation.outcome(at: now))
        json.member("member_name", name)
        json.member("created_at", RFC3339.format(invitation.createdAt))
        json.member("expires_at", RFC3339.format(invitation.expiresAt))
        json.endObject()
    }

    func write(_ received: ReceivedInvitation, to json: inout JSONWriter) {
        let record = received.record
        json.beginObject()
        json.member("id", record.id.rawValue)
        for (key, name) in [("family", received.familyName), ("invited_by", received.inviterName)] {
            json.key(key)
            json.beginObject()
            json.member("name", name)
            json.endObject()
        }
        json.member("role", record.role.rawValue)
        json.member("state", record.outcome(at: now))
        json.member("created_at", RFC3339.format(record.createdAt))
        json.member("expires_at", RFC3339.format(record.expiresAt))
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
            case .invited(let invitation, let secrets): members("invited", invitation, secrets, to: &json)
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
        _ secrets: InvitationSecrets?,
        reason: String? = nil,
        to json: inout JSONWriter
    ) {
        json.member("outcome", outcome)
        json.key("invitation")
        if let invitation { write(InvitationRecord(invitation), to: &json) } else { json.value(JSONValue.null) }
        write(secrets, to: &json)
        json.member("reason", reason)
    }

    /// Returns a resent invitation with its new link.
    func sent(_ invitation: Invitation, secrets: InvitationSecrets?) -> [UInt8] {
        var json = JSONWriter(capacity: 4_000)
        json.beginObject()
        json.key("invitation")
        write(InvitationRecord(invitation), to: &json)
        write(secrets, to: &json)
        json.endObject()
        return json.bytes
    }

    private func write(_ secrets: InvitationSecrets?, to json: inout JSONWriter) {
        let address = secrets.map { link($0.token) }
        json.member("link", address)
        json.member("code", secrets?.code.shown)
        json.member("qr_code", address.flatMap(qrCode))
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
