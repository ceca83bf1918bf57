package import Stories

/// Who makes a request: through whose eyes they look and what their token is good for.
package struct Principal: Sendable {
    /// Through whose eyes.
    package var viewer: Viewer
    /// What for.
    package let scopes: Set<Scope>
    /// Who or what is counted when requests are limited: a user or a key, `nil` for the anonymous.
    package let account: String?
    /// The device that a device key speaks for; `nil` with any other token.
    package var device: String?

    /// What the key is called that was used; `nil` with a token.
    package var keyName: String?

    /// Creates a value from its parts.
    package init(viewer: Viewer, scopes: Set<Scope>, account: String?, device: String? = nil, keyName: String? = nil) {
        self.viewer = viewer
        self.scopes = scopes
        self.account = account
        self.device = device
        self.keyName = keyName
    }

    /// Nobody in particular.
    package static let anonymous = Principal(viewer: .anonymous, scopes: Scope.anonymous, account: nil)

    /// Whether this is an app's backend, which may change what belongs to others (PRV-08).
    package var isService: Bool { scopes.contains(.actAs) }

    /// How the access log names this service: `key:` and the id of its key, or `token:` and whom its token names; `nil`
    /// for what is no service.
    package var service: String? {
        guard isService, let account else { return nil }
        return account.hasPrefix("key:") ? account : "token:" + account
    }

    /// Which service this is for itself and others, also with its next key: keys of one name are one service's; `nil` for
    /// what is no service.
    package var serviceName: String? { keyName.flatMap { isService ? "name:" + $0 : nil } ?? service }
}
