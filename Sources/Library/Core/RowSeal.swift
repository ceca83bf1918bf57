import Crypto

/// Encrypts the contents of a row with AES-GCM and binds them to the row's id, under a key derived from a secret stored
/// outside the database.
package struct RowSeal: Sendable {
    private let key: SymmetricKey

    /// Creates the seal for a purpose; each purpose has its own key.
    package init(secret: [UInt8], purpose: String) {
        key = HKDF<SHA256>
            .deriveKey(
                inputKeyMaterial: SymmetricKey(data: secret),
                info: Array(purpose.utf8),
                outputByteCount: 32
            )
    }

    /// Returns the sealed bytes: nonce, ciphertext and tag.
    ///
    /// With random nonces of 96 bits, one key may be used about 2³² times (NIST SP 800-38D §8.3).
    package func seal(_ bytes: [UInt8], of id: String, random: RandomSource) throws -> [UInt8] {
        let nonce = try AES.GCM.Nonce(data: random.bytes(12))
        let box = try AES.GCM.seal(bytes, using: key, nonce: nonce, authenticating: Array(id.utf8))
        return [UInt8](nonce) + [UInt8](box.ciphertext) + [UInt8](box.tag)
    }

    /// Returns the original bytes; `nil` if they were sealed under another key or for another row, or have been
    /// changed.
    package func open(_ sealed: [UInt8], of id: String) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return (try? AES.GCM.open(box, using: key, authenticating: Array(id.utf8))).map { [UInt8]($0) }
    }

    /// Returns an authentication code for a text (HMAC with SHA-256), under the same key as the seal.
    package func code(for text: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }
}
