public import Storage
public import Stories

extension Accounts {
    /// What a new API key is to be.
    public struct KeyRequest: Sendable {
        /// Whose it is: a user's own, one device's of a user, or a service's.
        public enum Holder: Sendable {
            /// A user's, for these scopes.
            case user(UserID, Set<Scope>)
            /// A device's of a user: for its positions alone.
            case device(UserID, String)
            /// A service's, for these scopes.
            case service(Set<Scope>)
        }

        /// Whose it is.
        public let holder: Holder
        /// What its owner calls it; what a service reads is logged under it.
        public let name: DisplayName
        /// How many days it is good for; `nil` for ever.
        public let days: Int?

        /// Creates a request.
        public init(holder: Holder, name: DisplayName, days: Int?) {
            self.holder = holder
            self.name = name
            self.days = days
        }
    }

    /// What a service's key is good for unless it says less: acting for any user in everything that concerns them.
    public static let serviceScopes = Scope.user.union([.actAs])
    /// The most keys of a user.
    public static let maximumKeys = 50
    /// The most days a key can be limited to.
    public static let maximumDays = 3_650

    /// Makes an API key; its text is shown once and stored nowhere.
    ///
    /// - Throws: `StoreError` with code `conflict` for an unknown user, or one who has ``maximumKeys`` keys.
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
                        "\(user) has \(Accounts.maximumKeys) keys, which is the most. Revoke one first."
                    )
                }
            }
            try transaction.insert(key)
        }
        return (key, secret.text)
    }

    /// Ends an API key at once, of that user if one is given; returns whether there was one.
    ///
    /// An older copy of the database put back does not make it good again.
    public func revokeKey(_ id: String, of user: UserID? = nil) async throws -> Bool {
        let instant = now()
        return try await store.write { try $0.endKey(id, of: user, at: instant) }
    }
}
