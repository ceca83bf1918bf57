public import Storage
public import Stories

extension Accounts {
    /// The parameters of a new API key.
    public struct KeyRequest: Sendable {
        /// The holder of a key: a user, one device of a user, or a service.
        public enum Holder: Sendable {
            /// A user, with these scopes.
            case user(UserID, Set<Scope>)
            /// A device of a user; the key can only send positions.
            case device(UserID, String)
            /// A service, with these scopes.
            case service(Set<Scope>)
        }

        /// The holder of the key.
        public let holder: Holder
        /// The name given by the owner; accesses by a service are logged under it.
        public let name: DisplayName
        /// The validity in days; `nil` for a key that does not expire.
        public let days: Int?

        /// Creates a value from its parts.
        public init(holder: Holder, name: DisplayName, days: Int?) {
            self.holder = holder
            self.name = name
            self.days = days
        }
    }

    /// The default scopes of a service's key: acting for any user, with all scopes of a user's token.
    public static let serviceScopes = Scope.user.union([.actAs])
    /// The maximum number of keys of a user.
    public static let maximumKeys = 50
    /// The maximum validity of a key that expires, in days.
    public static let maximumDays = 3_650

    /// Creates an API key; its text is shown once and stored nowhere.
    ///
    /// - Throws: `StoreError` with code `conflict` if the user is unknown or already has ``maximumKeys`` unexpired
    ///   keys.
    public func makeKey(_ request: KeyRequest) async throws -> (key: StoredKey, text: String) {
        let secret = SecretText.new(.key, random: random)
        let instant = now()
        let (kind, user, device, scopes): (StoredKey.Kind, UserID?, String?, Set<Scope>) =
            switch request.holder {
            case .user(let user, let scopes): (.user, user, nil, scopes.subtracting([.actAs]))
            case .device(let user, let device): (.device, user, device, Scope.device)
            case .service(let scopes): (.service, nil, nil, scopes)
            }
        let key = StoredKey(
            id: secret.id,
            digest: secret.digest,
            kind: kind,
            user: user,
            name: request.name.text,
            device: device,
            scopes: Scope.text(scopes),
            createdAt: instant,
            expiresAt: request.days.map { Timestamp(milliseconds: instant.milliseconds + Int64($0) * 86_400_000) }
        )
        try await store.write { transaction in
            if let user {
                try transaction.dropExpiredKeys(of: user, now: instant)
                guard try transaction.keys(of: user).count < Accounts.maximumKeys else {
                    throw StoreError(
                        .conflict,
                        "\(user) has \(Accounts.maximumKeys) keys, the maximum. Revoke one first."
                    )
                }
            }
            try transaction.insert(key)
        }
        return (key, secret.text)
    }

    /// Revokes an API key at once and returns whether it existed; with `user`, only a key of that user.
    ///
    /// Restoring an older copy of the database does not make the key valid again.
    public func revokeKey(_ id: String, of user: UserID? = nil) async throws -> Bool {
        let instant = now()
        return try await store.write { try $0.endKey(id, of: user, at: instant) }
    }
}
