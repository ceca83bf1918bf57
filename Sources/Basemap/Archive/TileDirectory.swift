import Formats

/// An entry of a directory: where the tiles of consecutive numbers lie, which share their bytes; or another directory.
struct TileEntry: Equatable, Sendable {
    /// The number of the first tile.
    var number: UInt64
    /// The first byte, counted from the start of the tiles or of the directories.
    var offset: UInt64
    /// The number of bytes.
    var length: UInt32
    /// How many tiles share these bytes; 0 if they are a directory of the tiles from this one on.
    var run: UInt32
}

/// The directory of a tile archive as bytes (PMTiles 3, section 5), before compression.
enum TileDirectory {
    /// Encodes entries in the order of their numbers.
    static func encode(_ entries: [TileEntry]) -> [UInt8] {
        var bytes: [UInt8] = []
        append(UInt64(entries.count), to: &bytes)
        var last: UInt64 = 0
        for entry in entries {
            append(entry.number - last, to: &bytes)
            last = entry.number
        }
        for entry in entries { append(UInt64(entry.run), to: &bytes) }
        for entry in entries { append(UInt64(entry.length), to: &bytes) }
        var next: UInt64?
        for entry in entries {
            // Zero says that the bytes follow those of the entry before.
            append(entry.offset == next ? 0 : entry.offset + 1, to: &bytes)
            next = entry.offset + UInt64(entry.length)
        }
        return bytes
    }

    /// Decodes a directory; every number is checked.
    ///
    /// - Throws: ``TileArchiveError/damaged`` if the bytes are no directory, or its entries are out of order.
    static func decode(_ bytes: [UInt8]) throws(TileArchiveError) -> [TileEntry] {
        var position = 0
        func varint() throws(TileArchiveError) -> UInt64 {
            var number: UInt64 = 0
            for shift in stride(from: 0, to: 63, by: 7) {
                guard position < bytes.count else { throw .damaged }
                let byte = bytes[position]
                position += 1
                number |= UInt64(byte & 0x7F) << UInt64(shift)
                if byte < 0x80 { return number }
            }
            throw .damaged
        }
        // An entry takes at least four bytes.
        let count = try varint()
        guard count <= UInt64(bytes.count / 4) else { throw .damaged }
        var entries: [TileEntry] = []
        entries.reserveCapacity(Int(count))
        var number: UInt64 = 0
        for index in 0..<Int(count) {
            let step = try varint()
            guard index == 0 || step > 0 else { throw .damaged }
            let (sum, overflow) = number.addingReportingOverflow(step)
            guard !overflow else { throw .damaged }
            number = sum
            entries.append(TileEntry(number: number, offset: 0, length: 0, run: 0))
        }
        for index in entries.indices {
            guard let run = UInt32(exactly: try varint()) else { throw .damaged }
            entries[index].run = run
        }
        for index in entries.indices {
            guard let length = UInt32(exactly: try varint()), length > 0 else { throw .damaged }
            entries[index].length = length
        }
        for index in entries.indices {
            let coded = try varint()
            if coded > 0 {
                entries[index].offset = coded - 1
            } else {
                guard index > 0 else { throw .damaged }
                let before = entries[index - 1]
                entries[index].offset = before.offset + UInt64(before.length)
            }
        }
        return entries
    }

    /// Returns the last entry that begins at or before a tile; `nil` if none does.
    ///
    /// - Complexity: O(log *n*).
    static func entry(for number: UInt64, in entries: [TileEntry]) -> TileEntry? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : entries[low - 1]
    }

    /// Packs entries into one directory, or into several with a root that fits beside the header.
    static func packed(_ entries: [TileEntry]) throws -> (root: [UInt8], leaves: [UInt8]) {
        let whole = try Gzip.compress(encode(entries), level: 9)
        let room = TileHeader.firstRead - TileHeader.length
        if whole.count <= room { return (whole, []) }
        var size = 4_096
        while true {
            var leaves: [UInt8] = []
            var root: [TileEntry] = []
            for start in stride(from: 0, to: entries.count, by: size) {
                let leaf = Array(entries[start..<min(entries.count, start + size)])
                let bytes = try Gzip.compress(encode(leaf), level: 9)
                let offset = UInt64(leaves.count)
                root.append(TileEntry(number: leaf[0].number, offset: offset, length: UInt32(bytes.count), run: 0))
                leaves += bytes
            }
            let packed = try Gzip.compress(encode(root), level: 9)
            if packed.count <= room { return (packed, leaves) }
            size *= 2
        }
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
