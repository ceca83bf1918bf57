import Library
import Formats
import Storage
import Stories

/// Writes sessions of the page.
enum SessionJSON: Sendable {
    /// What the page may offer to a visitor who is not signed in.
    struct Offers: Sendable {
        let email: Bool
        let demoUsers: [User]
        let invitationsMakeAccounts: Bool
        let passkeys: Bool
        /// The name of the provider with which people may sign in; `nil` for none.
        let provider: String?
    }

    /// The session of a caller: its id, its beginning and its end.
    typealias Current = (id: String, createdAt: Timestamp, expiresAt: Timestamp)

    /// Returns the caller, their session, and the ways to sign in.
    static func session(user: User?, _ current: Current?, offers: Offers) -> [UInt8] {
        var json = JSONWriter(capacity: 400)
        json.beginObject()
        json.key("user")
        if let user { write(user, to: &json) } else { json.null() }
        json.key("session")
        if let current {
            json.beginObject()
            json.member("id", current.id)
            json.member("created_at", RFC3339.format(current.createdAt))
            json.member("expires_at", RFC3339.format(current.expiresAt))
            json.endObject()
        } else {
            json.null()
        }
        json.key("ways")
        json.beginObject()
        json.member("email", offers.email)
        json.member("invitations_make_accounts", offers.invitationsMakeAccounts)
        json.member("passkeys", offers.passkeys)
        json.key("provider")
        if let provider = offers.provider {
            json.beginObject()
            json.member("name", provider)
            json.endObject()
        } else {
            json.null()
        }
        json.key("demo_users")
        json.beginArray()
        for user in offers.demoUsers { write(user, to: &json) }
        json.endArray()
        json.endObject()
        json.endObject()
        return json.bytes
    }

    /// Returns the list of a user's sessions; `current` is the id of the caller's own.
    static func list(_ sessions: [PageSession], current: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 200 * (sessions.count + 1))
        json.beginObject()
        json.key("sessions")
        json.beginArray()
        for session in sessions {
            json.beginObject()
            json.member("id", session.id)
            json.member("label", session.label)
            json.member("created_at", RFC3339.format(session.createdAt))
            json.member("last_used_at", RFC3339.format(session.usedAt))
            json.member("expires_at", RFC3339.format(session.expiresAt))
            json.member("current", session.id == current)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// Returns what a sign-in code would do.
    static func offer(_ offer: SignInService.Offer) -> [UInt8] {
        var json = JSONWriter(capacity: 200)
        json.beginObject()
        json.member("name", offer.name)
        json.member("family", offer.family)
        json.member("expires_at", RFC3339.format(offer.expiresAt))
        json.endObject()
        return json.bytes
    }

    private static func write(_ user: User, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", user.id.rawValue)
        json.member("name", user.name)
        json.endObject()
    }
}
