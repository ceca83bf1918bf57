import Crypto
package import Storage
package import Stories

/// The end of a removed user's access: tokens issued before it do not create the user again.
///
/// Record it in the transaction that removes the user. The row contains only a keyed digest, not the id.
package struct AccessEnd: Sendable {
    package let digest: [UInt8]

    /// Creates the end of a user's access, under the keys of a store.
    package init(user: UserID, keys: StoreKeys) {
        let code = HMAC<SHA256>
            .authenticationCode(
                for: Array("access end\u{0}\(user)".utf8),
                using: SymmetricKey(data: keys[.tokens])
            )
        digest = Array(code)
    }

    /// Records the end of access at `now`.
    ///
    /// - Throws: `StoreError` if the database fails.
    package func record(at now: Timestamp, in transaction: StoreTransaction) throws {
        try transaction.endAccess(of: digest, at: now)
    }
}
