public import Stories

/// A passkey of a user: what the service knows about it; the secret half never leaves the authenticator.
public struct StoredPasskey: Hashable, Sendable {
    /// The id within the service, which is not secret.
    public let id: StoryID
    /// The id that the authenticator gave it.
    public let credential: [UInt8]
    /// The user who signs in with it.
    public let user: UserID
    /// How the authenticator knows the user: random bytes, the same for all passkeys of the user.
    public let handle: [UInt8]
    /// The host name for which it was made.
    public let party: String
    /// The name that the user gave it.
    public let name: String
    /// The number of its kind of signatures in the COSE registry.
    public let algorithm: Int
    /// The public key.
    public let key: [UInt8]
    /// The authenticator's counter of signatures at the last sign-in.
    public let counter: UInt32
    /// Whether whoever keeps it may copy it to the user's other devices.
    public let isSynced: Bool
    /// When it was added.
    public let createdAt: Timestamp
    /// When it was last used, to the hour; `nil` if it never was.
    public let usedAt: Timestamp?

    /// Creates a passkey that has not been used yet, or as it is stored.
    public init(
        id: StoryID,
        credential: [UInt8],
        user: UserID,
        handle: [UInt8],
        party: String,
        name: String,
        algorithm: Int,
        key: [UInt8],
        counter: UInt32,
        isSynced: Bool,
        createdAt: Timestamp,
        usedAt: Timestamp? = nil
    ) {
        self.id = id
        self.credential = credential
        self.user = user
        self.handle = handle
        self.party = party
        self.name = name
        self.algorithm = algorithm
        self.key = key
        self.counter = counter
        self.isSynced = isSynced
        self.createdAt = createdAt
        self.usedAt = usedAt
    }
}
