package import Crypto

/// Encryption of Web Push messages (RFC 8291) in one record of `aes128gcm` (RFC 8188).
package struct WebPushCipher: Sendable {
    /// The record size in bytes, as announced in the header of the record.
    package static let recordSize: UInt32 = 4_096
    /// The maximum size of the plain text in bytes: a record minus its header, the delimiter and the tag.
    package static let mostPlainBytes = 4_096 - 86 - 1 - 16

    /// The browser's public key, an uncompressed point.
    package let receiverKey: [UInt8]
    /// The browser's authentication secret.
    package let auth: [UInt8]

    /// Creates a cipher for one subscription.
    package init(receiverKey: [UInt8], auth: [UInt8]) {
        self.receiverKey = receiverKey
        self.auth = auth
    }

    /// Encrypts a text with a key pair and a salt that must be used only once.
    ///
    /// - Throws: ``ChannelError/badKey`` if the browser's key is invalid, ``ChannelError/badMessage`` if the text is
    ///   too long.
    package func encrypt(_ plain: [UInt8], key: P256.KeyAgreement.PrivateKey, salt: [UInt8]) throws -> [UInt8] {
        guard plain.count <= WebPushCipher.mostPlainBytes else { throw ChannelError.badMessage }
        guard let receiver = try? P256.KeyAgreement.PublicKey(x963Representation: receiverKey),
            let shared = try? key.sharedSecretFromKeyAgreement(with: receiver)
        else { throw ChannelError.badKey }
        let senderKey = Array(key.publicKey.x963Representation)
        let secret = shared.withUnsafeBytes { Array($0) }
        let info = Array("WebPush: info\0".utf8) + receiverKey + senderKey
        let material = HKDF<SHA256>
            .deriveKey(
                inputKeyMaterial: SymmetricKey(data: secret),
                salt: auth,
                info: info,
                outputByteCount: 32
            )
        let contentKey = WebPushCipher.derive(material, salt: salt, info: "Content-Encoding: aes128gcm\0", count: 16)
        let nonce = WebPushCipher.derive(material, salt: salt, info: "Content-Encoding: nonce\0", count: 12)
        guard let iv = try? AES.GCM.Nonce(data: nonce.withUnsafeBytes { Array($0) }),
            let box = try? AES.GCM.seal(plain + [2], using: contentKey, nonce: iv)
        else { throw ChannelError.badKey }
        var record = salt
        for shift in stride(from: 24, through: 0, by: -8) {
            record.append(UInt8(truncatingIfNeeded: WebPushCipher.recordSize >> UInt32(shift)))
        }
        record.append(UInt8(senderKey.count))
        return record + senderKey + Array(box.ciphertext) + Array(box.tag)
    }

    private static func derive(_ material: SymmetricKey, salt: [UInt8], info: String, count: Int) -> SymmetricKey {
        HKDF<SHA256>
            .deriveKey(
                inputKeyMaterial: material,
                salt: salt,
                info: Array(info.utf8),
                outputByteCount: count
            )
    }
}
