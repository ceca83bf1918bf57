import Crypto

/// The first 128 bytes of an archive; numbers are big-endian, unused bytes zero.
///
///     0    16  "Waymark backup\r\n"
///     16    2  version of the format
///     18    1  0 plain, 1 sealed
///     19    3  cost of scrypt: binary logarithm of N, r, p; zero if plain
///     24    4  size of a chunk in bytes
///     32   16  salt of scrypt
///     48    7  beginning of every nonce
///     56   16  check of the passphrase; zero if plain
///     72   32  version of the program that wrote it, in ASCII, for those that cannot read the format
///     104   8  size of everything in the chunks, in bytes
///     120   8  beginning of the SHA-256 of bytes 0 to 119
///
/// The magic, the version of the program and the checksum stay where they are in every later format, so that an older
/// program can name the one that is needed.
struct ArchiveHeader: Hashable, Sendable {
    static let size = 128
    static let magic = Array("Waymark backup\r\n".utf8)
    /// The only version so far.
    static let format = 1
    /// The sizes of chunks that are accepted, in bytes.
    private static let chunkSizes = 1_024...(4 << 20)

    /// The cost of sealing; `nil` for a plain archive.
    var cost: PassphraseCost?
    /// The size of every chunk except the last, in bytes.
    var chunkSize = 256 << 10
    var salt = [UInt8](repeating: 0, count: 16)
    var noncePrefix = [UInt8](repeating: 0, count: 7)
    var passphraseCheck = [UInt8](repeating: 0, count: 16)
    /// The version of the program; at most 32 bytes are stored.
    var program: String
    /// The number of bytes in the chunks.
    var bodySize: Int

    init(program: String, bodySize: Int) {
        self.program = program
        self.bodySize = bodySize
    }

    /// The header as bytes.
    var bytes: [UInt8] {
        var bytes = ArchiveHeader.magic
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        bytes += number(ArchiveHeader.format, 2) + [cost == nil ? 0 : 1]
        bytes += [UInt8(cost?.logarithm ?? 0), UInt8(cost?.blockSize ?? 0), UInt8(cost?.parallelism ?? 0), 0, 0]
        bytes += number(chunkSize, 4) + [0, 0, 0, 0] + salt + noncePrefix + [0] + passphraseCheck
        let name = Array(program.utf8.prefix(32))
        bytes += name + [UInt8](repeating: 0, count: 32 - name.count)
        bytes += number(bodySize, 8) + [UInt8](repeating: 0, count: 8)
        return bytes + SHA256.hash(data: bytes).prefix(8)
    }

    /// Parses a header.
    ///
    /// - Throws: ``ArchiveError`` if it is none, is damaged, belongs to a later format, or asks for more memory or time
    ///   than is reasonable.
    init(_ bytes: [UInt8], file: String) throws(ArchiveError) {
        guard bytes.starts(with: ArchiveHeader.magic) else {
            let isCut = ArchiveHeader.magic.starts(with: bytes) && !bytes.isEmpty
            throw isCut
                ? ArchiveError(.truncated, "\(file) is cut off after \(bytes.count) bytes. Use another backup.")
                : ArchiveError(.notAnArchive, "\(file) is not a backup made by 'waymark backup'.")
        }
        guard bytes.count >= ArchiveHeader.size else {
            throw ArchiveError(.truncated, "\(file) is cut off after \(bytes.count) bytes. Use another backup.")
        }
        guard SHA256.hash(data: bytes[..<120]).prefix(8).elementsEqual(bytes[120..<128]) else {
            throw ArchiveError.damaged(file, "in its first 128 bytes")
        }
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        let name = bytes[72..<104].prefix { $0 != 0 }
        program = String(decoding: name.filter { (0x21...0x7E).contains($0) }, as: UTF8.self)
        let format = number(16..<18)
        guard format == ArchiveHeader.format else {
            throw ArchiveError(
                .newerFormat,
                "\(file) has version \(format) of the format, and this program reads version \(ArchiveHeader.format). Use "
                    + "Waymark \(program.isEmpty ? "of the release that made it" : program) or later."
            )
        }
        chunkSize = Int(number(24..<28))
        salt = Array(bytes[32..<48])
        noncePrefix = Array(bytes[48..<55])
        passphraseCheck = Array(bytes[56..<72])
        guard let body = Int(exactly: number(104..<112)), ArchiveHeader.chunkSizes.contains(chunkSize),
            body <= Int.max / 2, body / chunkSize < Int(UInt32.max)
        else { throw ArchiveError.damaged(file, "in its first 128 bytes") }
        bodySize = body
        switch bytes[18] {
        case 0: cost = nil
        case 1:
            let found = PassphraseCost(
                logarithm: Int(bytes[19]),
                blockSize: Int(bytes[20]),
                parallelism: Int(bytes[21])
            )
            guard found.isReasonable else {
                throw ArchiveError(
                    .damaged,
                    "\(file) asks for more memory to try its passphrase than Waymark gives, so it was not made by Waymark."
                )
            }
            cost = found
        default: throw ArchiveError.damaged(file, "in its first 128 bytes")
        }
        // Unused bytes are zero: there is one way to write a header.
        guard self.bytes.elementsEqual(bytes.prefix(ArchiveHeader.size)) else {
            throw ArchiveError.damaged(file, "in its first 128 bytes")
        }
    }
}

/// The cost of turning a passphrase into a key with scrypt (RFC 7914).
package struct PassphraseCost: Hashable, Sendable {
    /// The binary logarithm of N.
    let logarithm: Int
    /// The block size r.
    let blockSize: Int
    /// The parallelism p.
    let parallelism: Int

    /// 128 MiB of memory, about half a second.
    package static let standard = PassphraseCost(logarithm: 17, blockSize: 8, parallelism: 1)
    /// The least that is accepted, for tests.
    package static let least = PassphraseCost(logarithm: 14, blockSize: 8, parallelism: 1)

    /// Whether trying a passphrase takes at least 16 MiB and at most 512 MiB of memory, and a few seconds.
    var isReasonable: Bool {
        (14...20).contains(logarithm) && (8...32).contains(blockSize) && (1...4).contains(parallelism)
            && 128 * blockSize << logarithm <= 512 << 20
    }
}
