import Storage
package import Stories

// People without an account who hold the link of an invitation into a family.
extension SignInService {
    /// The digits of the random part of an id, without letters that look like digits.
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")

    /// Makes an account, accepts the invitation for it, and begins a session: all of this or nothing.
    ///
    /// The invitation can be used once, so it makes one account. The e-mail address is stored as given: whoever reads
    /// its mail can sign in by it from now on.
    ///
    /// - Throws: ``Refusal``: not found or gone, as described at ``InvitationService/accept(_:as:)``. ``FamilyRefusal`` if
    ///   a limit is reached.
    package func join(
        _ token: InvitationToken,
        name: DisplayName,
        email: String?,
        _ arrival: Arrival
    ) async throws -> (begun: Begun, family: FamilyID) {
        let now = now()
        let drawn = SecretText.new(.session, random: random)
        return try await store.write { [self] transaction in
            let id = try newUser(named: name, in: transaction)
            try transaction.save(User(id: id, name: name.text, email: email), at: now)
            let family = try invitations.accept(.token(token), as: id, at: now, in: transaction)
            return (try begin(drawn, for: id, arrival, at: now, in: transaction), family)
        }
    }

    /// Returns an id that nobody has or had: the ASCII letters and digits of the name, if there is one, and
    /// eight random ones.
    func newUser(named name: DisplayName?, in transaction: StoreReader) throws -> UserID {
        let letters = (name?.text ?? "").lowercased().unicodeScalars
            .filter { ("a"..."z").contains($0) || ("0"..."9").contains($0) }
        let start = String(String.UnicodeScalarView(letters)).prefix(20)
        var generator = random
        for _ in 0..<100 {
            let end = String((0..<8).map { _ in SignInService.digits[Int.random(in: 0..<32, using: &generator)] })
            guard let id = UserID(start.isEmpty ? end : "\(start)-\(end)") else { continue }
            let isTaken =
                try transaction.user(id) != nil || store.erasures.accountErasure(of: id) != nil
                || AccessEnd(user: id, keys: store.keys).recorded(in: transaction) != nil
            if !isTaken { return id }
        }
        throw Refusal(.unavailable, "no-id", "No id could be made for the account. Try again.")
    }
}
