import Crypto

/// Reads an archive from its beginning, and believes nothing that it has not verified.
///
/// It holds one chunk in memory, whatever lengths the archive claims.
package final class ArchiveReader {
    /// The contents of the archive.
    package let manifest: ArchiveManifest
    /// Whether it is sealed with a passphrase.
    package let isSealed: Bool
    /// The size of the archive in bytes.
    package let bytes: Int

    private var body: ArchiveBody
    private var next = 0

    /// Opens an archive and reads its manifest.
    ///
    /// - Throws: ``ArchiveError`` saying what is wrong with the file or the passphrase.
    package init(_ path: String, passphrase: [UInt8]?) throws {
        let file = try FileBytes(reading: path)
        bytes = try file.size()
        let header = try ArchiveHeader(try file.read(ArchiveHeader.size), file: path)
        isSealed = header.cost != nil
        body = try ArchiveBody(file: file, fileSize: bytes, header: header, passphrase: passphrase)
        let count = try body.take(4).reduce(0) { $0 << 8 | Int($1) }
        guard count <= ArchiveManifest.mostBytes, count <= body.remaining else {
            throw ArchiveError.damaged(path, "in its list of contents")
        }
        var json: [UInt8] = []
        while json.count < count { json += try body.take(count - json.count) }
        guard let manifest = ArchiveManifest(json: json), manifest.memberBytes == body.remaining else {
            throw ArchiveError.damaged(path, "in its list of contents")
        }
        self.manifest = manifest
    }

    /// Reads the next member, giving its bytes to `sink` piece by piece; `nil` after the last.
    ///
    /// Its bytes are verified chunk by chunk before `sink` gets them, and as a whole before this returns.
    ///
    /// - Throws: ``ArchiveError`` if it is damaged; any error of `sink`.
    package func nextMember(_ sink: ([UInt8]) throws -> Void) throws -> ArchiveManifest.Member? {
        guard next < manifest.members.count else { return nil }
        let member = manifest.members[next]
        next += 1
        var (hash, missing) = (SHA256(), member.bytes)
        while missing > 0 {
            let bytes = try body.take(missing)
            hash.update(data: bytes)
            missing -= bytes.count
            try sink(bytes)
        }
        guard hash.finalize().hexadecimal == member.digest else {
            throw ArchiveError.damaged(body.file.path, "in \(member.name)")
        }
        return member
    }
}

@available(*, unavailable)
extension ArchiveReader: Sendable {}

/// The verified bytes behind the header.
private struct ArchiveBody {
    let file: FileBytes
    private let cipher: ChunkCipher
    private let chunkSize: Int
    /// The number of bytes not taken yet.
    private(set) var remaining: Int
    private var chunk: [UInt8] = []
    private var position = 0
    private var number: UInt32 = 0
    /// The number of bytes in chunks not read yet.
    private var unread: Int

    init(file: FileBytes, fileSize: Int, header: ArchiveHeader, passphrase: [UInt8]?) throws {
        self.file = file
        chunkSize = header.chunkSize
        remaining = header.bodySize
        unread = header.bodySize
        cipher = try ChunkCipher(opening: header, passphrase: passphrase, file: file.path)
        let chunks = max(1, (header.bodySize + chunkSize - 1) / chunkSize)
        let expected = ArchiveHeader.size + header.bodySize + chunks * cipher.overhead
        guard fileSize >= expected else {
            throw ArchiveError(
                .truncated,
                "\(file.path) is cut off: it has \(fileSize) of \(expected) bytes. Copy it again, or use another backup."
            )
        }
        guard fileSize == expected else { throw ArchiveError.damaged(file.path, "after its end") }
        if header.bodySize == 0 { throw ArchiveError.damaged(file.path, "in its list of contents") }
    }

    /// Returns up to `count` of the next bytes, at least one.
    mutating func take(_ count: Int) throws -> [UInt8] {
        guard count <= remaining else { throw ArchiveError.damaged(file.path, "in its list of contents") }
        if position == chunk.count { try readChunk() }
        let end = min(chunk.count, position + count)
        defer { position = end }
        remaining -= end - position
        return Array(chunk[position..<end])
    }

    private mutating func readChunk() throws {
        let count = min(unread, chunkSize)
        let record = try file.read(count + cipher.overhead)
        guard record.count == count + cipher.overhead else {
            throw ArchiveError(.truncated, "\(file.path) became shorter while it was read. Use another backup.")
        }
        guard let opened = cipher.open(record, number: number, isLast: unread == count) else {
            let start = ArchiveHeader.size + Int(number) * (chunkSize + cipher.overhead)
            throw ArchiveError.damaged(file.path, "between the bytes \(start) and \(start + record.count)")
        }
        (chunk, position, number, unread) = (opened, 0, number + 1, unread - count)
    }
}
