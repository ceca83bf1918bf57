import Crypto
package import Storage
package import Stories

/// The end of a removed user's access: tokens issued until then do not make the user anew.
///
/// Whoever removes a user records it in the same transaction. The row is a keyed digest; the id is not in it.
package struct AccessEnd: Sendable {
    package let digest: [UInt8]

    /// The end of a user's access, under the keys of a store.
    package init(user: UserID, keys: StoreKeys) {
        let code = HMAC<SHA256>
            .authenticationCode(
                for: Array("access end\u{0}\(user)".utf8),
                using: SymmetricKey(data: keys[.tokens])
            )
        digest = Array(code)
    }

    /// Records it.
    ///
    /// - Throws: `StoreError` when the database fails.
    package func record(at now: Timestamp, in transaction: StoreTransaction) throws {
        try transaction.endAccess(of: digest, at: now)
    }
}
