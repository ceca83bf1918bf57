import Formats
import Testing

@Suite("Reading zip archives")
struct ZipReaderTests {
    private static let contents: [(name: String, bytes: [UInt8])] = [
        ("us/ca/alameda.csv", Array("LON,LAT\n".utf8)), ("empty.txt", []), ("large.bin", large),
    ]

    /// What packs badly, in more than one piece.
    private static let large: [UInt8] = {
        var state: UInt64 = 42
        return (0..<300_000)
            .map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
    }()

    private func archive(isLarge: Bool = false, entries: Int = 3) throws -> [UInt8] {
        let writer = ZipWriter()
        for entry in Self.contents.prefix(entries) {
            try writer.begin(entry.name, isLarge: isLarge)
            try writer.write(entry.bytes)
        }
        try writer.finish()
        return writer.takeOutput()
    }

    private func reader(_ bytes: [UInt8]) throws -> ZipReader {
        try ZipReader(length: bytes.count) { offset, count in
            guard offset >= 0, offset < bytes.count, count > 0 else { return [] }
            return Array(bytes[offset..<min(bytes.count, offset + count)])
        }
    }

    private func content(_ entry: ZipReader.Entry, of reader: ZipReader) throws -> [UInt8] {
        let next = try reader.content(of: entry)
        var bytes: [UInt8] = []
        while let piece = try next() { bytes += piece }
        return bytes
    }

    @Test("Entries read back as written, with and without Zip64", arguments: [false, true])
    func roundTrip(isLarge: Bool) throws {
        let reader = try reader(archive(isLarge: isLarge))
        #expect(reader.entries.map(\.name) == Self.contents.map(\.name))
        for (entry, written) in zip(reader.entries, Self.contents) {
            #expect(entry.size == written.bytes.count)
            #expect(try content(entry, of: reader) == written.bytes)
        }
    }

    @Test("An end of Zip64 outside of the archive is damage, and is not read", arguments: [40, 1 << 40, -1] as [Int64])
    func placeOutside(place: Int64) throws {
        // The locator of Zip64's end, and an end of the directory behind it, without anything before them.
        let bytes: [UInt8] =
            [0x50, 0x4B, 6, 7, 0, 0, 0, 0] + withUnsafeBytes(of: place.littleEndian) { Array($0) } + [1, 0, 0, 0]
            + [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18)
        #expect(throws: ZipReader.Failure.self) {
            try ZipReader(length: bytes.count) { offset, count in
                try #require(offset >= 0 && count >= 0 && offset <= bytes.count - count)
                return Array(bytes[offset..<offset + count])
            }
        }
    }

    @Test("A stored entry is read unchanged")
    func stored() throws {
        // One entry "a" of the bytes "hello", method 0, made by hand after APPNOTE 4.3.
        let local: [UInt8] =
            [0x50, 0x4B, 3, 4, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0] + [
                0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0,
            ]
            + Array("ahello".utf8)
        let directory: [UInt8] =
            [0x50, 0x4B, 1, 2, 10, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0] + [
                0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0, 5, 0, 0, 0, 1, 0,
            ]
            + [UInt8](repeating: 0, count: 16) + Array("a".utf8)
        let end: [UInt8] =
            [
                0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0, UInt8(directory.count), 0, 0, 0, UInt8(local.count), 0, 0, 0,
                0, 0,
            ]
        let reader = try reader(local + directory + end)
        let entry = try #require(reader.entries.first)
        #expect(try content(entry, of: reader) == Array("hello".utf8))
    }

    @Test("Truncated or damaged input gives an error or other bytes, never a crash")
    func damaged() throws {
        var bytes = try archive(entries: 2)
        #expect(throws: (any Error).self) { try reader(Array(bytes.dropLast(30))) }
        #expect(throws: ZipReader.Failure.notAnArchive) { try reader(Array("LON,LAT".utf8)) }
        for position in bytes.indices {
            let before = bytes[position]
            for value in [0, 0x7F, 0xFF, before ^ 1] as [UInt8] {
                bytes[position] = value
                if let reader = try? reader(bytes), let first = reader.entries.first {
                    _ = try? content(first, of: reader)
                }
            }
            bytes[position] = before
        }
    }
}
