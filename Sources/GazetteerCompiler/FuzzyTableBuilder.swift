import Gazetteer

/// Builds a ``FuzzyTable``: names are counted first, then entered.
struct FuzzyTableBuilder {
    private let keyBits: Int
    private let space: ScratchSpace
    private var entryCount = 0
    private var bucketCount = 16
    /// The entries of each group of buckets, in temporary storage until all names are entered: pairs of a bucket and an
    /// entry.
    private var stretches: [ScratchWriter] = []
    private var bucketsOfStretch = 1

    init(names: Int, _ space: ScratchSpace) {
        self.space = space
        keyBits = FuzzyTable.keyBits(names: names)
    }

    /// Counts the entries of a key.
    mutating func count(_ key: [UInt8]) { forEachHash(of: key) { _ in entryCount += 1 } }

    /// Ends the counting and prepares the buckets, so that keys can be added.
    mutating func prepare() throws {
        while bucketCount < entryCount / 8 { bucketCount *= 2 }
        var count = 1
        while count < bucketCount, entryCount * 8 / count > space.gathered { count *= 2 }
        bucketsOfStretch = bucketCount / count
        for _ in 0..<count { stretches.append(try space.writer()) }
    }

    /// Enters a key, ignoring its spaces.
    mutating func add(_ key: [UInt8], number: Int) throws {
        var hashes: [UInt64] = []
        forEachHash(of: key) { hashes.append($0) }
        for hash in hashes {
            let bucket = FuzzyTable.bucket(hash, mask: bucketCount - 1)
            let stretch = bucket / bucketsOfStretch
            try stretches[stretch].append(UInt32(truncatingIfNeeded: bucket - stretch * bucketsOfStretch))
            try stretches[stretch]
                .append(
                    FuzzyTable.tag(hash, keyBits: keyBits) | UInt32(truncatingIfNeeded: number)
                )
        }
    }

    private func forEachHash(of key: [UInt8], _ body: (UInt64) -> Void) {
        let text = key.filter { $0 != 0x20 }
        guard text.count(where: { $0 & 0xC0 != 0x80 }) >= FuzzyTable.shortest else { return }
        text.withUnsafeBytes { FuzzyTable.forEachHash($0, body) }
    }

    mutating func write(
        buckets bucketSection: UInt64 = GazetteerFormat.Section.fuzzyBuckets.rawValue,
        entries entrySection: UInt64 = GazetteerFormat.Section.fuzzyEntries.rawValue,
        to file: inout GazetteerFile
    ) throws {
        var buckets = try space.writer()
        var entries = try space.writer()
        var written: UInt32 = 0
        try buckets.append(written)
        for index in stretches.indices {
            let pairs = try stretches[index].finish()
            var ends = [UInt32](repeating: 0, count: bucketsOfStretch)
            try Self.forEachPair(in: pairs) { bucket, _ in ends[bucket] += 1 }
            var next = ends
            var sum: UInt32 = 0
            for bucket in ends.indices {
                next[bucket] = sum
                sum += ends[bucket]
                ends[bucket] = written + sum
            }
            var sorted = [UInt32](repeating: 0, count: Int(sum))
            try Self.forEachPair(in: pairs) { bucket, entry in
                sorted[Int(next[bucket])] = entry
                next[bucket] += 1
            }
            try buckets.append(words: ends)
            try entries.append(words: sorted)
            written += sum
        }
        file.append(number: bucketSection, try buckets.finish())
        file.append(number: entrySection, try entries.finish())
    }

    private static func forEachPair(in scratch: any Scratch, _ body: (Int, UInt32) -> Void) throws {
        var reader = ScratchReader(scratch)
        for _ in 0..<(scratch.count / 8) { body(Int(try reader.next(UInt32.self)), try reader.next()) }
    }
}
