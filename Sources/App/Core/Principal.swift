import Stories

/// Who makes a request: through whose eyes they look and what their token is good for.
struct Principal: Sendable {
    /// Through whose eyes.
    var viewer: Viewer
    /// What for.
    let scopes: Set<Scope>
    /// Who or what is counted when requests are limited: a user or a key, `nil` for the anonymous.
    let account: String?
    /// The device that a device key speaks for; `nil` with any other token.
    var device: String?

    /// What the key is called that was used; `nil` with a token.
    var keyName: String?

    /// Nobody in particular.
    static let anonymous = Principal(viewer: .anonymous, scopes: Scope.anonymous, account: nil)

    /// Whether this is an app's backend, which may change what belongs to others (PRV-08).
    var isService: Bool { scopes.contains(.actAs) }

    /// How the access log names this service: `key:` and the id of its key, or `token:` and whom its token names; `nil`
    /// for what is no service.
    var service: String? {
        guard isService, let account else { return nil }
        return account.hasPrefix("key:") ? account : "token:" + account
    }

    /// Which service this is for itself and others, also with its next key: keys of one name are one service's; `nil` for
    /// what is no service.
    var serviceName: String? { keyName.flatMap { isService ? "name:" + $0 : nil } ?? service }
}
