public import Stories

/// An API key as the database keeps it: everything but the secret.
public struct StoredKey: Hashable, Sendable {
    /// Whose a key is.
    public enum Kind: String, Sendable {
        /// A user's own.
        case user
        /// One device's of a user, for its positions alone.
        case device
        /// An app's backend's.
        case service
    }

    /// The identity, which is no secret.
    public let id: String
    /// SHA-256 of the whole key.
    public let digest: [UInt8]
    /// Whose it is.
    public let kind: Kind
    /// The user; `nil` for a service.
    public let user: UserID?
    /// What its owner calls it.
    public let name: String
    /// The device it speaks for; `nil` unless it is a device's.
    public let device: String?
    /// What it is good for, names with spaces between them.
    public let scopes: String
    /// When it was made.
    public let createdAt: Timestamp
    /// When it ends; `nil` for never.
    public let expiresAt: Timestamp?
    /// When it was last used, to the hour; `nil` for never.
    public var usedAt: Timestamp?

    /// Creates a key.
    public init(
        id: String,
        digest: [UInt8],
        kind: Kind,
        user: UserID?,
        name: String,
        device: String? = nil,
        scopes: String,
        createdAt: Timestamp,
        expiresAt: Timestamp? = nil
    ) {
        self.id = id
        self.digest = digest
        self.kind = kind
        self.user = user
        self.name = name
        self.device = device
        self.scopes = scopes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// A chain of refresh tokens: one sign-in of a user.
public struct SignIn: Hashable, Sendable {
    /// The identity, which is no secret.
    public let id: String
    /// Who signed in.
    public let user: UserID
    /// What its tokens are good for, names with spaces between them.
    public let scopes: String

    /// Creates a sign-in.
    public init(id: String, user: UserID, scopes: String) {
        self.id = id
        self.user = user
        self.scopes = scopes
    }
}

/// A refresh token as the database keeps it: everything but the secret.
public struct StoredRefreshToken: Hashable, Sendable {
    /// The sign-in it belongs to.
    public let signIn: SignIn
    /// When it ends.
    public let expiresAt: Timestamp
    /// When it was exchanged for the next one; `nil` while it is good.
    public let usedAt: Timestamp?
    /// Whether the token it was exchanged for has been exchanged, too.
    public let isSuccessorUsed: Bool
}
