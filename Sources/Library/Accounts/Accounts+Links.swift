import Storage
import Stories

// Links by which people without an account see what somebody shared with them.
extension Accounts {
    /// Returns the principal of a share link, by the secret in `Authorization`: an anonymous caller who holds the link.
    ///
    /// No other credentials are read beside it, so that the answers depend on the link alone.
    ///
    /// - Throws: ``Refusal/endedLink`` for any secret that opens no link, always after the same work.
    func principal(link credentials: Credentials) async throws -> Principal {
        let parts = (credentials.authorization ?? "").split(separator: " ", omittingEmptySubsequences: true)
        guard credentials.user == nil, parts.count == 2, parts[0].lowercased() == "bearer",
            let secret = SecretText(parsing: parts[1], kind: .share)
        else { throw Refusal.endedLink }
        let digest = secret.digest
        let found = try await store.read { try $0.shareLink(secret.id) }
        let now = now()
        // For an unknown id, the digest is compared with zeros, so that the check takes as long as for a wrong secret
        // and the answer is the same.
        let isRight = isSameSecret(found?.digest ?? [UInt8](repeating: 0, count: 32), digest)
        guard isRight, let link = found, link.isOpen(at: now) else { throw Refusal.endedLink }
        // The list of erasures is stored outside the database; see the check of tokens.
        if let erased = store.erasures.accountErasure(of: link.owner), link.createdAt <= erased {
            throw Refusal.endedLink
        }
        await noteUse(of: link, at: now)
        var principal = Principal(viewer: .anonymous, scopes: [], account: nil)
        principal.link = link
        return principal
    }

    /// Records the day of a link's last use, with at most one write per day.
    private func noteUse(of link: ShareLink, at now: Timestamp) async {
        let day = now.startOfDay
        guard link.usedAt != day else { return }
        await noting("a share link") { try $0.noteUse(ofShareLink: link.id, on: day) }
    }
}
