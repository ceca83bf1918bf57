import Crypto
package import Storage
package import Stories

/// The end of a removed user's access: tokens issued before it do not create the user again.
///
/// Record it in the transaction that removes the user. The row contains only a keyed digest, not the id.
package struct AccessEnd: Sendable {
    /// The digests of the user under the key of tokens and its former ones, the present first.
    private let digests: [[UInt8]]

    /// Creates the end of a user's access, under the keys of a store.
    package init(user: UserID, keys: StoreKeys) {
        digests = keys.known(.tokens)
            .map { key in
                let message = Array("access end\u{0}\(user)".utf8)
                return Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
            }
    }

    /// Returns when the user's access ended last; `nil` if it has not.
    ///
    /// - Throws: `StoreError` if the database fails.
    package func recorded(in reader: StoreReader) throws -> Timestamp? {
        try digests.compactMap { try reader.accessEnd(of: $0) }.max()
    }

    /// Records the end of access at `now`.
    ///
    /// - Throws: `StoreError` if the database fails.
    package func record(at now: Timestamp, in transaction: StoreTransaction) throws {
        guard let digest = digests.first else { return }
        try transaction.endAccess(of: digest, at: now)
    }
}
