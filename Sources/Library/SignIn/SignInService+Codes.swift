import Storage
package import Stories

// Codes that sign a person in once.
extension SignInService {
    /// What a code would do, for the person who holds it.
    package struct Offer: Sendable {
        /// The name of the account.
        package let name: String
        /// The name of the family that the person joins by using it; `nil` for none.
        package let family: String?
        /// When it expires.
        package let expiresAt: Timestamp
    }

    /// The validity of a code sent by e-mail, in seconds.
    package static let mailSeconds = 900

    /// Returns what a code would do, without using it.
    ///
    /// - Throws: ``Refusal``: not found for an unknown code, gone for one that was used or has expired, too many for a
    ///   short code beyond the limits.
    package func offer(_ typed: String, to client: String?) async throws -> Offer {
        let (code, now) = (try checked(typed, by: client), now())
        try await adoptFiles()
        return try await store.read { [self] transaction in
            let stored = try usable(code, at: now, in: transaction)
            let name = try transaction.user(stored.user)?.name ?? stored.name ?? stored.user.rawValue
            let family = try stored.membership.flatMap { try transaction.family($0.family)?.name }
            return Offer(name: name, family: family, expiresAt: stored.expiresAt)
        }
    }

    /// Uses a code: makes the account if the code is for a new one, adds it to the code's family, and begins a session.
    ///
    /// Of several simultaneous uses exactly one succeeds.
    ///
    /// - Throws: ``Refusal`` as described at ``offer(_:to:)``; ``FamilyRefusal`` if the family is full. The code stays
    ///   valid then.
    package func begin(byCode typed: String, _ arrival: Arrival) async throws -> Begun {
        let (code, now) = (try checked(typed, by: arrival.client), now())
        try await adoptFiles()
        let drawn = SecretText.new(.session, random: random)
        return try await store.write { [self] transaction in
            let stored = try usable(code, at: now, in: transaction)
            guard try transaction.useSignInCode(stored.digest, at: now) else { throw Refusal.usedCode }
            if try transaction.user(stored.user) == nil {
                let user = User(id: stored.user, name: stored.name ?? stored.user.rawValue)
                try transaction.save(user, at: now)
            }
            // Whoever holds the code has read the mail of this address.
            if let email = stored.email { try transaction.saveProvenAddress(email, of: stored.user, at: now) }
            if let membership = stored.membership, try transaction.family(membership.family) != nil,
                try transaction.role(of: stored.user, in: membership.family) == nil
            {
                try families.setMember(
                    stored.user,
                    of: membership.family,
                    role: membership.role,
                    in: transaction
                )
            }
            return try begin(drawn, for: stored.user, arrival, at: now, in: transaction)
        }
    }

    private func checked(_ typed: String, by client: String?) throws -> SignInCode {
        guard let code = SignInCode(typed: typed) else { throw Refusal.unknownCode }
        if code.length == .typed { try limits.countCode(by: client, at: context.clock.lasting) }
        return code
    }

    /// Returns a code that can be used now.
    private func usable(
        _ code: SignInCode,
        at now: Timestamp,
        in transaction: StoreReader
    ) throws -> StoredSignInCode {
        guard let stored = try code.stored(in: transaction, keys: store.keys, at: now) else {
            throw Refusal.unknownCode
        }
        guard stored.usedAt == nil else { throw Refusal.usedCode }
        guard now < stored.expiresAt else { throw Refusal.expiredCode }
        // Whatever ended the person's access ended the codes of that time too, also those that were not stored yet or
        // came back with an older copy of the database.
        let ends = [
            store.erasures.accountErasure(of: stored.user),
            try AccessEnd(user: stored.user, keys: store.keys).recorded(in: transaction),
            try transaction.accessEpoch(of: stored.user)?.since,
        ]
        guard ends.allSatisfy({ $0.map { $0 < stored.createdAt } ?? true }) else { throw Refusal.unknownCode }
        guard stored.kind == .mail else { return stored }
        // The e-mail was for the account of that time, not for a later one with the same id.
        guard let created = try transaction.creationTime(of: stored.user), created <= stored.createdAt else {
            throw Refusal.unknownCode
        }
        return stored
    }
}

extension Refusal {
    /// No code like this was made, or it ended with the access of its user.
    static let unknownCode = Refusal(
        .notFound,
        "unknown-code",
        "This code is not known here. Check that you typed all of it, or ask for a new one."
    )

    static let usedCode = Refusal(.gone, "code-used", "This code was used already. Ask for a new one.")

    static let expiredCode = Refusal(.gone, "code-expired", "This code has expired. Ask for a new one.")
}
