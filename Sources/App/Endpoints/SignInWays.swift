import Passkeys
import Stories

/// The ways to sign in to the page that depend on how the service was started.
struct SignInWays: Sendable {
    /// The users whom anybody on this machine may sign in as: those of the demo.
    var demoUsers: [User] = []
    /// Whether the link of an invitation into a family makes an account for a person without one.
    var invitationsMakeAccounts = true
    /// The name of the provider with which people may sign in; `nil` for none.
    var provider: String?
    /// The configured URL of the service; `nil` if there is none.
    var publicURL: String?

    /// Returns the service as authenticators know it; `nil` where browsers allow no passkeys.
    func relyingParty(authority: String?) -> RelyingParty? {
        RelyingParty(publicURL: publicURL, authority: authority)
    }

    /// Returns the users of the demo, for a request to this machine by one of its own names.
    ///
    /// A foreign page can have its own name resolved to this machine; its requests then name that host.
    func demoUsers(authority: String?) -> [User] {
        let host = (authority ?? "").lowercased()
        let isHere = ["localhost", "127.0.0.1", "[::1]"]
            .contains { host == $0 || host.hasPrefix($0 + ":") }
        return isHere ? demoUsers : []
    }
}
