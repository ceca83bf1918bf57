import Crypto

/// Seals what a row holds: AES-GCM under a key that lies outside the database, bound to the row's id.
package struct RowSeal: Sendable {
    private let key: SymmetricKey

    /// Creates the seal of a purpose; different purposes have different keys.
    package init(secret: [UInt8], purpose: String) {
        key = HKDF<SHA256>
            .deriveKey(
                inputKeyMaterial: SymmetricKey(data: secret),
                info: Array(purpose.utf8),
                outputByteCount: 32
            )
    }

    /// The sealed bytes: nonce, ciphertext and tag.
    ///
    /// A nonce of 96 random bits may be drawn about 2³² times for one key (NIST SP 800-38D §8.3).
    package func seal(_ bytes: [UInt8], of id: String, random: RandomSource) throws -> [UInt8] {
        let nonce = try AES.GCM.Nonce(data: random.bytes(12))
        let box = try AES.GCM.seal(bytes, using: key, nonce: nonce, authenticating: Array(id.utf8))
        return [UInt8](nonce) + [UInt8](box.ciphertext) + [UInt8](box.tag)
    }

    /// The bytes again; `nil` when they were sealed under another key or for another row, or changed since.
    package func open(_ sealed: [UInt8], of id: String) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return (try? AES.GCM.open(box, using: key, authenticating: Array(id.utf8))).map { [UInt8]($0) }
    }

    /// A code for a text, by the same key.
    package func code(for text: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }
}
