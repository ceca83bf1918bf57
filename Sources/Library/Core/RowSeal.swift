import Crypto

/// Encrypts the contents of a row with AES-GCM and binds them to the row's id, under a key derived from a secret stored
/// outside the database.
package struct RowSeal: Sendable {
    private let key: SymmetricKey
    /// The keys under which rows were sealed before.
    private let formers: [SymmetricKey]

    /// Creates the seal for a purpose; each purpose has its own key.
    ///
    /// What was sealed under a former secret can be opened.
    package init(secret: [UInt8], formers: [[UInt8]] = [], purpose: String) {
        func key(_ secret: [UInt8]) -> SymmetricKey {
            HKDF<SHA256>
                .deriveKey(
                    inputKeyMaterial: SymmetricKey(data: secret),
                    info: Array(purpose.utf8),
                    outputByteCount: 32
                )
        }
        self.key = key(secret)
        self.formers = formers.map(key)
    }

    /// Creates the seal for a purpose from secrets of which the first seals; there is one at least.
    package init(secrets: [[UInt8]], purpose: String) {
        self.init(secret: secrets.first ?? [], formers: Array(secrets.dropFirst()), purpose: purpose)
    }

    /// Returns the sealed bytes: nonce, ciphertext and tag.
    ///
    /// With random nonces of 96 bits, one key may be used about 2³² times (NIST SP 800-38D §8.3).
    package func seal(_ bytes: [UInt8], of id: String, random: RandomSource) throws -> [UInt8] {
        let nonce = try AES.GCM.Nonce(data: random.bytes(12))
        let box = try AES.GCM.seal(bytes, using: key, nonce: nonce, authenticating: Array(id.utf8))
        return [UInt8](nonce) + [UInt8](box.ciphertext) + [UInt8](box.tag)
    }

    /// Returns the original bytes; `nil` if they were sealed under a key that is not known or for another row, or have been
    /// changed.
    package func open(_ sealed: [UInt8], of id: String) -> [UInt8]? {
        if let bytes = RowSeal.open(sealed, of: id, using: key) { return bytes }
        return formers.lazy.compactMap { RowSeal.open(sealed, of: id, using: $0) }.first
    }

    /// Returns the row sealed anew if it can be opened only with a former secret; `nil` if nothing is to be done.
    package func renewed(_ sealed: [UInt8], of id: String, random: RandomSource) throws -> [UInt8]? {
        guard isFormer(sealed, of: id), let bytes = open(sealed, of: id) else { return nil }
        return try seal(bytes, of: id, random: random)
    }

    /// Returns whether a row can be opened only with a former secret.
    package func isFormer(_ sealed: [UInt8], of id: String) -> Bool {
        RowSeal.open(sealed, of: id, using: key) == nil && open(sealed, of: id) != nil
    }

    private static func open(_ sealed: [UInt8], of id: String, using key: SymmetricKey) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return (try? AES.GCM.open(box, using: key, authenticating: Array(id.utf8))).map { [UInt8]($0) }
    }

    /// Returns an authentication code for a text (HMAC with SHA-256), under the same key as the seal.
    package func code(for text: String) -> [UInt8] { RowSeal.code(for: text, using: key) }

    /// Returns the codes of a text under the present key and the former ones, the present first.
    package func codes(for text: String) -> [[UInt8]] { ([key] + formers).map { RowSeal.code(for: text, using: $0) } }

    private static func code(for text: String, using key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }
}
