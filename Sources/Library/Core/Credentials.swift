/// What a caller presents to be recognised: the texts of the header fields that name them, unchecked.
package struct Credentials: Sendable, Hashable {
    /// The `Authorization` of the request; `nil` for a caller who presents nothing.
    package var authorization: String?
    /// `Waymark-User`: the user a service acts for.
    package var user: String?
    /// `Waymark-User-Create`: whether that user may be created when nobody knows them; `false` asks for a rejection.
    package var createsUser: String?

    /// The credentials for a later check of the same caller, which reads only.
    package var forLaterChecks: Credentials { Credentials(authorization: authorization, user: user) }

    /// Creates credentials; without arguments, those of an anonymous caller.
    package init(authorization: String? = nil, user: String? = nil, createsUser: String? = nil) {
        self.authorization = authorization
        self.user = user
        self.createsUser = createsUser
    }
}
