import Crypto

/// Writes an archive: the header, the manifest, and the bytes of its members in order.
///
/// It holds one chunk in memory, whatever the size of the members.
package final class ArchiveWriter {
    private let file: FileBytes
    private let cipher: ChunkCipher
    private let chunkSize: Int
    private var buffer: [UInt8] = []
    private var number: UInt32 = 0
    /// The number of bytes still to be added.
    private var missing: Int

    /// Random bytes for an archive.
    package struct Randomness: Sendable {
        let salt: [UInt8]
        let noncePrefix: [UInt8]

        /// Draws them from a generator.
        package init(using generator: inout some RandomNumberGenerator) {
            salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            noncePrefix = (0..<7).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    }

    /// Creates the file at `path` and writes the beginning; with a passphrase, everything behind the header is sealed.
    ///
    /// - Throws: ``ArchiveError`` if the file exists or cannot be written.
    package init(
        creating path: String,
        manifest: ArchiveManifest,
        passphrase: [UInt8]?,
        cost: PassphraseCost = .standard,
        randomness: Randomness? = nil
    ) throws {
        let json = manifest.json
        guard json.count <= ArchiveManifest.mostBytes, let members = manifest.memberBytes else {
            throw ArchiveError(.failed, "The list of contents is too long for an archive.")
        }
        missing = 4 + json.count + members
        var header = ArchiveHeader(program: manifest.program, bodySize: missing)
        if passphrase != nil {
            var system = SystemRandomNumberGenerator()
            let randomness = randomness ?? Randomness(using: &system)
            header.cost = cost
            header.salt = randomness.salt
            header.noncePrefix = randomness.noncePrefix
        }
        cipher = try ChunkCipher(sealing: &header, passphrase: passphrase)
        chunkSize = header.chunkSize
        file = try FileBytes(creating: path)
        try file.write(header.bytes)
        let count = UInt32(json.count)
        try append((0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + json)
    }

    /// Adds the next bytes of the members.
    package func append(_ bytes: [UInt8]) throws {
        guard bytes.count <= missing else { throw changed }
        missing -= bytes.count
        buffer += bytes
        // A full chunk waits until it is known not to be the last.
        var start = 0
        while buffer.count - start > chunkSize {
            try put(Array(buffer[start..<(start + chunkSize)]), isLast: false)
            start += chunkSize
        }
        if start > 0 { buffer.removeFirst(start) }
    }

    /// Writes the last chunk and returns once everything is on the disk.
    package func finish() throws {
        guard missing == 0 else { throw changed }
        try put(buffer, isLast: true)
        try file.sync()
    }

    private var changed: ArchiveError {
        ArchiveError(.failed, "A file changed while it was written to \(file.path). Try again.")
    }

    private func put(_ chunk: [UInt8], isLast: Bool) throws {
        try file.write(try cipher.seal(chunk, number: number, isLast: isLast))
        number += 1
    }
}

@available(*, unavailable)
extension ArchiveWriter: Sendable {}
