/// The credentials that a caller presents: the values of the header fields that identify them, unchecked.
package struct Credentials: Sendable, Hashable {
    /// The value of `Authorization`; `nil` for a caller who presents nothing.
    package var authorization: String?
    /// The secret of a session of the page, from its cookie; used only without ``authorization``.
    package var session: String?
    /// `Waymark-User`: the user a service acts for.
    package var user: String?
    /// `Waymark-User-Create`: whether that user may be created if unknown; `false` asks for a rejection.
    package var createsUser: String?

    /// Whether ``authorization`` may be the secret of a share link, and nothing else.
    package var opensLink = false

    /// The credentials for a later, read-only check of the same caller.
    package var forLaterChecks: Credentials {
        var credentials = Credentials(authorization: authorization, session: session, user: user)
        credentials.opensLink = opensLink
        return credentials
    }

    /// Whether the caller presents anything that identifies them.
    package var areGiven: Bool { authorization != nil || session != nil }

    /// Creates credentials; without arguments, those of an anonymous caller.
    package init(
        authorization: String? = nil,
        session: String? = nil,
        user: String? = nil,
        createsUser: String? = nil
    ) {
        self.authorization = authorization
        self.session = session
        self.user = user
        self.createsUser = createsUser
    }
}
