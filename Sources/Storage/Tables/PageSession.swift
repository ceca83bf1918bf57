public import Stories

/// A session of the page, begun by a sign-in: everything except the secret.
public struct PageSession: Hashable, Sendable {
    /// The id, which is not secret.
    public let id: String
    /// SHA-256 of the whole secret.
    public let digest: [UInt8]
    /// The user who signed in.
    public let user: UserID
    /// The granted scopes, separated by spaces.
    public let scopes: String
    /// The browser and system in a few words, such as "Firefox on Android".
    public let label: String
    /// When the user signed in.
    public let createdAt: Timestamp
    /// When it expires.
    public let expiresAt: Timestamp
    /// When it was last used, to the hour.
    public let usedAt: Timestamp

    /// Creates a session.
    public init(
        id: String,
        digest: [UInt8],
        user: UserID,
        scopes: String,
        label: String,
        createdAt: Timestamp,
        expiresAt: Timestamp,
        usedAt: Timestamp
    ) {
        self.id = id
        self.digest = digest
        self.user = user
        self.scopes = scopes
        self.label = label
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }
}

/// A code that begins one session: everything except the code itself.
public struct StoredSignInCode: Hashable, Sendable {
    /// The origin of a code.
    public enum Kind: String, Sendable {
        /// It was sent to the e-mail address of an existing account.
        case mail
        /// The operator made it; using it makes the account if there is none.
        case fromOperator = "operator"
    }

    /// A family that the user joins by using the code.
    public struct Membership: Hashable, Sendable {
        /// The family.
        public let family: FamilyID
        /// The role in it.
        public let role: FamilyRole

        /// Creates a value from its parts.
        public init(family: FamilyID, role: FamilyRole) {
            self.family = family
            self.role = role
        }
    }

    /// A digest of the code under a key that is not in the database.
    public let digest: [UInt8]
    /// The user who signs in with it.
    public let user: UserID
    /// Its origin.
    public let kind: Kind
    /// The name of the account, if using the code makes it.
    public let name: String?
    /// The family to join; `nil` for none.
    public let membership: Membership?
    /// When it was made.
    public let createdAt: Timestamp
    /// When it expires.
    public let expiresAt: Timestamp
    /// The address to which it was sent by e-mail; `nil` for other codes.
    public let email: String?
    /// When it was used; `nil` while it can be.
    public var usedAt: Timestamp?

    /// Creates a code.
    public init(
        digest: [UInt8],
        user: UserID,
        kind: Kind,
        name: String? = nil,
        membership: Membership? = nil,
        email: String? = nil,
        createdAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.digest = digest
        self.user = user
        self.kind = kind
        self.name = name
        self.membership = membership
        self.email = email
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
