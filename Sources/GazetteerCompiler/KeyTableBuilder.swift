import Gazetteer

/// Collects folded names and moves them to temporary storage in sorted runs limited by memory.
struct KeyTableBuilder: Sendable {
    /// One name of one place.
    private struct Entry: Sendable {
        /// The first eight bytes, for fast comparison.
        var prefix: UInt64
        var offset: UInt32
        var length: UInt32
        var place: UInt32
        var quality: UInt8
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    /// The memory in bytes taken by names not yet in temporary storage.
    var held: Int { bytes.count + entries.count * MemoryLayout<Entry>.stride }

    /// Adds a key of a draft.
    mutating func add(_ key: [UInt8], draft: Int, quality: NameQuality) {
        let key = key.prefix(GazetteerFormat.longestKey)
        guard !key.isEmpty else { return }
        entries.append(
            Entry(
                prefix: Self.prefix(of: key),
                offset: UInt32(truncatingIfNeeded: bytes.count),
                length: UInt32(truncatingIfNeeded: key.count),
                place: UInt32(truncatingIfNeeded: draft),
                quality: quality.rawValue
            )
        )
        bytes.append(contentsOf: key)
    }

    /// Moves all names to temporary storage in sorted order.
    mutating func takeRun(_ space: ScratchSpace) throws -> any Scratch {
        bytes.withUnsafeBufferPointer { memory in
            entries.sort { first, second in
                if first.prefix != second.prefix { return first.prefix < second.prefix }
                let (a, b) = (Self.slice(first, memory), Self.slice(second, memory))
                if !a.elementsEqual(b) { return a.lexicographicallyPrecedes(b) }
                return first.place != second.place ? first.place < second.place : first.quality < second.quality
            }
        }
        var writer = try space.writer()
        for entry in entries {
            try writer.append(UInt8(truncatingIfNeeded: entry.length))
            try writer.append(bytes[Int(entry.offset)..<Int(entry.offset + entry.length)])
            try writer.append(entry.place)
            try writer.append(entry.quality)
        }
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        return try writer.finish()
    }

    static func prefix(of key: some RandomAccessCollection<UInt8>) -> UInt64 {
        var prefix: UInt64 = 0
        var count = 0
        for byte in key.prefix(8) {
            prefix = prefix << 8 | UInt64(byte)
            count += 1
        }
        return count < 8 ? prefix << UInt64(8 * (8 - count)) : prefix
    }

    private static func slice(_ entry: Entry, _ memory: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: memory[Int(entry.offset)..<Int(entry.offset + entry.length)])
    }
}

/// Merges sorted runs of names.
struct KeyMerge {
    /// A run of names with a current position.
    private struct Run {
        private var reader: ScratchReader
        var prefix: UInt64 = 0
        var key: [UInt8] = []
        var place: UInt32 = 0
        var quality: UInt8 = 0

        init(_ scratch: any Scratch) { reader = ScratchReader(scratch) }

        mutating func advance() throws -> Bool {
            guard !reader.isAtEnd else { return false }
            try reader.next(Int(reader.next(UInt8.self)), into: &key)
            place = try reader.next()
            quality = try reader.next()
            prefix = KeyTableBuilder.prefix(of: key)
            return true
        }

        func isBefore(_ other: Run) -> Bool {
            if prefix != other.prefix { return prefix < other.prefix }
            return key.lexicographicallyPrecedes(other.key)
        }
    }

    private var runs: [Run] = []

    init(_ scratches: [any Scratch]) throws {
        for scratch in scratches {
            var run = Run(scratch)
            if try run.advance() { runs.append(run) }
        }
    }

    /// Calls `body` for each name in sorted order, with its places (as drafts) and their qualities, unsorted.
    mutating func forEachKey(_ body: ([UInt8], [(place: UInt32, quality: UInt8)]) throws -> Void) throws {
        var key: [UInt8] = []
        var places: [(place: UInt32, quality: UInt8)] = []
        while !runs.isEmpty {
            var least = 0
            for number in runs.indices.dropFirst() where runs[number].isBefore(runs[least]) { least = number }
            if runs[least].key != key {
                if !places.isEmpty { try body(key, places) }
                places.removeAll(keepingCapacity: true)
                key = runs[least].key
            }
            places.append((runs[least].place, runs[least].quality))
            if try !runs[least].advance() { runs.remove(at: least) }
        }
        if !places.isEmpty { try body(key, places) }
    }
}
