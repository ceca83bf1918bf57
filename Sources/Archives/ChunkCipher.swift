import Crypto
import CryptoExtras
import Foundation

/// Protects the chunks of an archive: each is bound to the header, its number, and whether it is the last.
///
/// Sealed chunks are AES-256-GCM in the STREAM construction (Hoang, Reyhanitabar, Rogaway and Vizár 2015): the nonce is
/// 7 random bytes, the number and a last byte that marks the last chunk, so that a chunk cannot be moved, left out,
/// repeated or taken for the end. Plain chunks carry a SHA-256 of the same things: it finds damage, not malice.
struct ChunkCipher: Sendable {
    private let key: SymmetricKey?
    private let header: [UInt8]
    private let noncePrefix: [UInt8]

    /// The number of bytes that a chunk grows by.
    var overhead: Int { key == nil ? 32 : 16 }

    /// Prepares a new archive: sets the check of the passphrase in `header`.
    ///
    /// - Throws: ``ArchiveError`` if the key cannot be derived, for lack of memory.
    init(sealing header: inout ArchiveHeader, passphrase: [UInt8]?) throws(ArchiveError) {
        var key: SymmetricKey?
        if let cost = header.cost, let passphrase {
            let (derived, check) = try ChunkCipher.derive(passphrase, header.salt, cost)
            header.passphraseCheck = check
            key = derived
        }
        self.key = key
        self.header = header.bytes
        noncePrefix = header.noncePrefix
    }

    /// Prepares reading an archive.
    ///
    /// - Throws: ``ArchiveError`` if the passphrase is missing, wrong, or not needed.
    init(opening header: ArchiveHeader, passphrase: [UInt8]?, file: String) throws(ArchiveError) {
        self.header = header.bytes
        noncePrefix = header.noncePrefix
        guard let cost = header.cost else {
            guard passphrase == nil else {
                throw ArchiveError(
                    .notSealed,
                    "\(file) is not sealed with a passphrase. If you expected a sealed backup, it was replaced; "
                        + "otherwise leave out --passphrase-file."
                )
            }
            key = nil
            return
        }
        guard let passphrase else {
            throw ArchiveError(.passphraseMissing, "\(file) is sealed. Give its passphrase with --passphrase-file.")
        }
        let (derived, check) = try ChunkCipher.derive(passphrase, header.salt, cost)
        // Compared in constant time, although the attacker who could measure it holds the file.
        guard zip(check, header.passphraseCheck).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else {
            throw ArchiveError(.passphraseWrong, "The passphrase is not the one that \(file) was sealed with.")
        }
        key = derived
    }

    private static func derive(
        _ passphrase: [UInt8],
        _ salt: [UInt8],
        _ cost: PassphraseCost
    ) throws(ArchiveError) -> (key: SymmetricKey, check: [UInt8]) {
        do {
            let derived = try KDF.Scrypt.deriveKey(
                from: passphrase,
                salt: salt,
                outputByteCount: 48,
                rounds: 1 << cost.logarithm,
                blockSize: cost.blockSize,
                parallelism: cost.parallelism
            )
            let bytes = derived.withUnsafeBytes { Array($0) }
            return (SymmetricKey(data: bytes[..<32]), Array(bytes[32...]))
        } catch {
            throw ArchiveError(.failed, "The key cannot be derived from the passphrase. Is 128 MB of memory free?")
        }
    }

    /// Returns a chunk as it is stored.
    func seal(_ chunk: [UInt8], number: UInt32, isLast: Bool) throws -> [UInt8] {
        guard let key else { return chunk + digest(chunk, number, isLast) }
        let box = try AES.GCM.seal(chunk, using: key, nonce: nonce(number, isLast), authenticating: header)
        return Array(box.ciphertext) + box.tag
    }

    /// Returns the content of a stored chunk; `nil` if it is not this chunk of this archive, unchanged.
    func open(_ record: [UInt8], number: UInt32, isLast: Bool) -> [UInt8]? {
        guard record.count >= overhead else { return nil }
        let content = record[..<(record.count - overhead)]
        let proof = record[(record.count - overhead)...]
        guard let key else {
            let bytes = Array(content)
            return proof.elementsEqual(digest(bytes, number, isLast)) ? bytes : nil
        }
        guard let nonce = try? nonce(number, isLast),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: content, tag: proof),
            let opened = try? AES.GCM.open(box, using: key, authenticating: header)
        else { return nil }
        return Array(opened)
    }

    private func nonce(_ number: UInt32, _ isLast: Bool) throws -> AES.GCM.Nonce {
        try AES.GCM.Nonce(data: noncePrefix + position(number, isLast))
    }

    private func position(_ number: UInt32, _ isLast: Bool) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + [isLast ? 1 : 0]
    }

    private func digest(_ chunk: [UInt8], _ number: UInt32, _ isLast: Bool) -> SHA256.Digest {
        var hash = SHA256()
        hash.update(data: header)
        hash.update(data: position(number, isLast))
        hash.update(data: chunk)
        return hash.finalize()
    }
}
