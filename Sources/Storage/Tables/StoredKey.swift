public import Stories

/// A stored API key: everything except the secret.
public struct StoredKey: Hashable, Sendable {
    /// The kind of owner.
    public enum Kind: String, Sendable {
        /// A user's own key.
        case user
        /// The key of one of a user's devices, only for its positions.
        case device
        /// The key of an app's backend.
        case service
    }

    /// The id, which is not secret.
    public let id: String
    /// SHA-256 of the whole key.
    public let digest: [UInt8]
    /// The kind of owner.
    public let kind: Kind
    /// The user; `nil` for a service.
    public let user: UserID?
    /// The owner's name for it.
    public let name: String
    /// The device it is for; `nil` unless it is a device's key.
    public let device: String?
    /// The granted scopes, separated by spaces.
    public let scopes: String
    /// When it was created.
    public let createdAt: Timestamp
    /// When it expires; `nil` for never.
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
    /// The id, which is not secret.
    public let id: String
    /// The user who signed in.
    public let user: UserID
    /// The scopes of its tokens, separated by spaces.
    public let scopes: String

    /// Creates a sign-in.
    public init(id: String, user: UserID, scopes: String) {
        self.id = id
        self.user = user
        self.scopes = scopes
    }
}

/// A stored refresh token: everything except the secret.
public struct StoredRefreshToken: Hashable, Sendable {
    /// The sign-in it belongs to.
    public let signIn: SignIn
    /// When it expires.
    public let expiresAt: Timestamp
    /// When it was exchanged for the next one; `nil` while it is valid.
    public let usedAt: Timestamp?
    /// Whether the token it was exchanged for has itself been exchanged.
    public let isSuccessorUsed: Bool
}
