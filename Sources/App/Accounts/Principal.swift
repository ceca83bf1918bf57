import Stories

/// Who makes a request: through whose eyes they look and what their token is good for.
struct Principal: Sendable {
    /// Through whose eyes.
    let viewer: Viewer
    /// What for.
    let scopes: Set<Scope>
    /// Who or what is counted when requests are limited: a user or a key, `nil` for the anonymous.
    let account: String?
    /// The device that a device key speaks for; `nil` with any other token.
    var device: String?

    /// Nobody in particular.
    static let anonymous = Principal(viewer: .anonymous, scopes: Scope.anonymous, account: nil)

    /// Whether this is an app's backend, which may change what belongs to others (PRV-08).
    var isService: Bool { scopes.contains(.actAs) }
}
