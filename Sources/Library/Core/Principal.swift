package import Observing
package import Stories

/// The caller of a request: the viewer whose permissions apply, and the scopes of the token or key.
package struct Principal: Sendable {
    /// The viewer whose permissions apply.
    package var viewer: Viewer
    /// The scopes of the token or key.
    package let scopes: Set<Scope>
    /// The account whose requests are counted for rate limits: a user or a key; `nil` for anonymous callers.
    package let account: String?
    /// The device of a device key; `nil` for any other key or token.
    package var device: String?

    /// The name of the key that was used; `nil` for a token.
    package var keyName: String?
    /// The session of the page that was used; `nil` for any other credentials.
    package var session: SessionUse?

    /// The link through which shared stories are read, on the routes for its holders; the viewer is then anonymous.
    package var link: ShareLink?

    /// A session of the page, as far as its own user may know it.
    package struct SessionUse: Hashable, Sendable {
        /// The id.
        package let id: String
        /// When the user signed in.
        package let createdAt: Timestamp
        /// When it expires.
        package let expiresAt: Timestamp
    }

    /// Creates a value from its parts.
    package init(viewer: Viewer, scopes: Set<Scope>, account: String?, device: String? = nil, keyName: String? = nil) {
        self.viewer = viewer
        self.scopes = scopes
        self.account = account
        self.device = device
        self.keyName = keyName
    }

    /// The anonymous caller.
    package static let anonymous = Principal(viewer: .anonymous, scopes: Scope.anonymous, account: nil)

    /// Whether this is an app's backend, which may change other users' data (PRV-08).
    package var isService: Bool { scopes.contains(.actAs) }

    /// Whose request this is, for the trace of what it causes.
    package var traceOrigin: TraceCause.Origin {
        isService ? .service : viewer.user.map(TraceCause.Origin.person) ?? .unknown
    }

    /// The name of this service in the access log: `key:` and the key's id, or `token:` and the token's user; `nil` if
    /// this is not a service.
    package var service: String? {
        guard isService, let account else { return nil }
        return account.hasPrefix("key:") ? account : "token:" + account
    }

    /// The identity of this service for comparisons that must survive a change of key; `nil` if this is not a service.
    ///
    /// Keys with the same name belong to the same service.
    package var serviceName: String? { keyName.flatMap { isService ? "name:" + $0 : nil } ?? service }
}
