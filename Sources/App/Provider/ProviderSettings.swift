public import OpenID

/// The operator's OpenID Connect provider, with which people may sign in to the page.
public struct ProviderSettings: Sendable, CustomStringConvertible {
    /// The maximum length of the name in bytes.
    public static let nameBytes = 60

    /// The issuer.
    public let issuer: ProviderURL
    /// This service's id there.
    public let clientID: String
    /// This service's secret there; `nil` for a public client.
    public let secret: String?
    /// The provider's name for people, such as "Our church".
    public let name: String
    /// Whether anybody whom the provider knows gets an account here.
    public var joins = false
    /// A file of certificates to trust instead of the system's.
    public var certificates: String?

    /// Creates settings.
    public init(issuer: ProviderURL, clientID: String, secret: String?, name: String) {
        self.issuer = issuer
        self.clientID = clientID
        self.secret = secret
        self.name = name
    }

    /// The name; neither id nor secret.
    public var description: String { "provider \(name)" }
}
