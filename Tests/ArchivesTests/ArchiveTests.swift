import Archives
import Crypto
import Foundation
import Geometry
import TestSupport
import Testing

@Suite("Archives of backups")
struct ArchiveTests {
    private static let chunk = 256 << 10

    @Test(
        "What is written is read, whatever the sizes",
        arguments: [[0], [1], [chunk - 5], [chunk], [3 * chunk + 17], [700_000, 32, 0, 300_000]],
        [nil, ArchiveFixture.passphrase]
    )
    func roundTrip(sizes: [Int], passphrase: [UInt8]?) throws {
        let made = try ArchiveFixture(sizes: sizes, passphrase: passphrase)
        #expect(try ArchiveFixture.read(made.path, passphrase: passphrase) == made.contents)
        let reader = try ArchiveReader(made.path, passphrase: passphrase)
        #expect(reader.manifest == made.manifest)
        #expect(reader.isSealed == (passphrase != nil))
        #expect(reader.bytes == (try made.bytes).count)
        let mode = try FileManager.default.attributesOfItem(atPath: made.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("The last byte of the body may end a chunk exactly")
    func exactChunk() throws {
        let small = try ArchiveFixture(sizes: [0])
        let rest = ArchiveTests.chunk - ((try small.bytes).count - 128 - 32)
        for size in [rest - 8, rest - 7, rest - 6, rest - 5, rest - 4] {
            // The number of digits in the manifest changes with the size.
            let made = try ArchiveFixture(sizes: [size])
            #expect(try ArchiveFixture.read(made.path) == made.contents)
        }
    }

    @Test("The header of format 1 does not change")
    func golden() throws {
        let made = try ArchiveFixture(sizes: [5], passphrase: ArchiveFixture.passphrase)
        let header = try made.bytes.prefix(128).map { String(format: "%02x", $0) }.joined()
        // Magic; format, sealed, cost; size of a chunk.
        #expect(header.prefix(32) == "5761796d61726b206261636b75700d0a")
        #expect(header.dropFirst(32).prefix(16) == "0001010e08010000")
        #expect(header.dropFirst(48).prefix(16) == "0004000000000000")
        #expect(header.dropFirst(144).prefix(64) == "302e312e30" + String(repeating: "0", count: 54))
        #expect(SHA256.hash(data: Array(try made.bytes[..<120])).hexadecimal.prefix(16) == header.suffix(16))
        #expect(SHA256.hash(data: try made.bytes).hexadecimal == ArchiveTests.sealed)
    }

    /// The digest of the sealed archive that the fixture makes, computed by another implementation of the format: salt,
    /// nonces, key and contents are all determined.
    private static let sealed = "1ee63e760ad5e5e5a401469818bcfa30f7711f9e57af6523f6b01ef66a5e69d4"

    @Test(
        "OBS-04 A changed archive is refused, with the reason",
        arguments: [nil, ArchiveFixture.passphrase]
    )
    func damage(passphrase: [UInt8]?) throws {
        let made = try ArchiveFixture(sizes: [600_000, 32], passphrase: passphrase)
        let bytes = try made.bytes
        func refusal(_ change: (inout [UInt8]) -> Void) throws -> ArchiveError.Code? {
            var changed = bytes
            change(&changed)
            return try made.refusal(of: changed, passphrase: passphrase)
        }
        let record = ArchiveTests.chunk + (passphrase == nil ? 32 : 16)
        #expect(try refusal { _ in } == nil)
        #expect(try refusal { $0 = [] } == .notAnArchive)
        #expect(try refusal { $0 = Array("SQLite format 3\0".utf8) + $0 } == .notAnArchive)
        for count in [1, 16, 127, 128, 129, 1_000, 128 + record, 128 + 2 * record, bytes.count - 1] {
            #expect(try refusal { $0 = Array($0.prefix(count)) } == .truncated, "cut to \(count)")
        }
        #expect(try refusal { $0.append(0) } == .damaged)
        #expect(try refusal { $0 += $0[128...] } == .damaged)
        for position in [16, 18, 19, 26, 40, 50, 60, 80, 110, 119, 125] {
            #expect(try refusal { $0[position] ^= 1 } == .damaged, "header at \(position)")
        }
        for position in [128, 140, 5_000, 128 + record - 1, 128 + record, bytes.count - 40, bytes.count - 1] {
            #expect(try refusal { $0[position] ^= 64 } == .damaged, "body at \(position)")
        }
        // Two chunks change places; one is repeated; the last is left out and the header says so.
        #expect(
            try refusal {
                let (first, second) = (Array($0[128..<128 + record]), Array($0[128 + record..<128 + 2 * record]))
                $0.replaceSubrange(128..<128 + 2 * record, with: second + first)
            } == .damaged
        )
        #expect(
            try refusal {
                $0.replaceSubrange(128 + record..<128 + 2 * record, with: Array($0[128..<128 + record]))
            } == .damaged
        )
        #expect(
            try refusal {
                $0 = Array($0.prefix(128 + 2 * record))
                ArchiveTests.set(2 * ArchiveTests.chunk, at: 104, 8, in: &$0)
            } == .damaged
        )
    }

    @Test("Passphrases: missing, wrong, and one too many")
    func passphrases() throws {
        let sealed = try ArchiveFixture(sizes: [1_000], passphrase: ArchiveFixture.passphrase)
        let plain = try ArchiveFixture(sizes: [1_000])
        func refusal(_ path: String, _ passphrase: [UInt8]?) -> ArchiveError.Code? {
            #expect(throws: ArchiveError.self) { try ArchiveFixture.read(path, passphrase: passphrase) }?.code
        }
        #expect(refusal(sealed.path, nil) == .passphraseMissing)
        #expect(refusal(sealed.path, Array("correct horse battery stapler".utf8)) == .passphraseWrong)
        #expect(refusal(sealed.path, []) == .passphraseWrong)
        #expect(refusal(plain.path, ArchiveFixture.passphrase) == .notSealed)
        // Nothing of the content shows.
        let bytes = try sealed.bytes
        #expect(Data(bytes).range(of: Data("stories".utf8)) == nil)
        #expect(Data(bytes).range(of: Data(sealed.contents[0].prefix(16))) == nil)
        #expect(Data(try plain.bytes).range(of: Data("stories".utf8)) != nil)
    }

    @Test("A later format names the program that is needed")
    func later() throws {
        let made = try ArchiveFixture(sizes: [10])
        var bytes = try made.bytes
        bytes[17] = 2
        bytes.replaceSubrange(72..<77, with: Array("2.7.1".utf8))
        ArchiveTests.correct(&bytes)
        let path = made.folder.path("later")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: ArchiveError.self) { try ArchiveFixture.read(path) }
        #expect(error?.code == .newerFormat)
        #expect(error?.description.contains("Waymark 2.7.1 or later") == true)
    }

    @Test("A passphrase is not tried at a cost that fills the memory")
    func cost() throws {
        let made = try ArchiveFixture(sizes: [10], passphrase: ArchiveFixture.passphrase)
        for (position, value) in [(19, 63), (19, 24), (19, 2), (20, 255), (20, 0), (21, 200), (21, 0)] {
            var bytes = try made.bytes
            bytes[position] = UInt8(value)
            ArchiveTests.correct(&bytes)
            #expect(
                try made.refusal(of: bytes, passphrase: ArchiveFixture.passphrase) == .damaged,
                "\(position): \(value)"
            )
        }
    }

    @Test(
        "Names that lead elsewhere, and doubled ones, are refused",
        arguments: [
            ["keys/a.key"], ["database", "database"], ["database", "keys/a", "keys/a"], ["database", "keys/../a"],
            ["database", "keys/"], ["database", "../a"], ["database", "/etc/passwd"], ["database", "keys/a/b"],
            ["database", "keys/.a"], ["database", "keys/\u{0}"], ["database", "keys/Ä"],
            ["database", "keys/" + String(repeating: "a", count: 65)],
        ]
    )
    func names(_ names: [String]) throws {
        let made = try ArchiveFixture(sizes: names.map { _ in 3 }, names: names)
        #expect(throws: ArchiveError.self) { try ArchiveReader(made.path, passphrase: nil) }
    }

    @Test("Random changes are all refused, and none of them crashes")
    func fuzz() throws {
        let made = try ArchiveFixture(sizes: [3_000, 40])
        let bytes = try made.bytes
        var generator = SplitMix64(seed: 3)
        for round in 0..<2_000 {
            var changed = bytes
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    let position = Int.random(in: 0..<changed.count, using: &generator)
                    changed[position] ^= UInt8(1 << Int.random(in: 0..<8, using: &generator))
                }
            case 1: changed = Array(changed.prefix(Int.random(in: 0..<changed.count, using: &generator)))
            case 2:
                // A header that is right in itself and lies.
                let position = Int.random(in: 16..<120, using: &generator)
                changed[position] = UInt8.random(in: .min ... .max, using: &generator)
                // The cost of scrypt is tried elsewhere.
                if position == 18 { changed[18] = 0 }
                ArchiveTests.correct(&changed)
            default:
                let position = Int.random(in: 0..<changed.count, using: &generator)
                changed.insert(UInt8.random(in: .min ... .max, using: &generator), at: position)
            }
            guard changed != bytes else { continue }
            #expect(try made.refusal(of: changed, passphrase: nil) != nil, "round \(round)")
        }
    }

    @Test("Random lists of contents are refused, and none of them crashes")
    func fuzzManifest() throws {
        // Plain chunks are not proof against malice, so the list itself must be.
        let made = try ArchiveFixture(sizes: [300, 40])
        let json = try Array(made.bytes[132...].prefix { $0 != UInt8(ascii: "\n") })
        let text = String(
            decoding: json.prefix(json.lastIndex(of: UInt8(ascii: "}")).map { $0 + 1 } ?? 0),
            as: UTF8.self
        )
        for (found, other) in [
            ("\"bytes\":300", "\"bytes\":-1"), ("\"bytes\":300", "\"bytes\":9007199254740991"),
            ("\"bytes\":300", "\"bytes\":1e300"), ("\"bytes\":300", "\"bytes\":300.5"),
            ("\"bytes\":300", "\"bytes\":301"),
            ("\"rows\":3", "\"rows\":-3"), ("\"tables\"", "\"digest\""), ("stories", "\\u0000\\ud800"),
            ("\"database\"", "null"),
        ] {
            guard text.contains(found) else {
                Issue.record("\(found) is not in the list")
                continue
            }
            let changed = Array(text.replacingOccurrences(of: found, with: other).utf8)
            let body = ArchiveTests.number(changed.count, 4) + changed + made.contents.joined()
            let bytes = ArchiveTests.plain(body)
            #expect(try made.refusal(of: bytes, passphrase: nil) == .damaged, "\(other)")
        }
    }

    /// Returns an archive of one plain chunk, right in itself.
    private static func plain(_ body: [UInt8]) -> [UInt8] {
        var header = Array("Waymark backup\r\n".utf8) + [0, 1] + [UInt8](repeating: 0, count: 110)
        set(256 << 10, at: 24, 4, in: &header)
        set(body.count, at: 104, 8, in: &header)
        correct(&header)
        return header + body + SHA256.hash(data: header + [0, 0, 0, 0, 1] + body)
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func set(_ value: Int, at position: Int, _ count: Int, in bytes: inout [UInt8]) {
        bytes.replaceSubrange(position..<position + count, with: number(value, count))
        correct(&bytes)
    }

    /// Makes the checksum of the header right.
    private static func correct(_ bytes: inout [UInt8]) {
        bytes.replaceSubrange(120..<128, with: Array(SHA256.hash(data: Array(bytes[..<120])).prefix(8)))
    }
}
