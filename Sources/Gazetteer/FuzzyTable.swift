/// Finds names that differ by a letter: a hash table of all names without spaces, whole and with one letter left out.
///
/// Two texts are at most one insertion, deletion, replacement or swap apart only if they become equal when at most one
/// letter of each is left out (symmetric deletion; Garbe 2012). The table holds the names' side of that.
struct FuzzyTable: Sendable {
    /// Where each bucket starts in `entries`, u32, one more than there are buckets; a power of two of them.
    let buckets: ByteView
    /// Numbers of keys in the lower bits, some bits of the hash above.
    let entries: ByteView

    /// The bits of an entry that hold the number of a key.
    static let keyBits = 21
    /// Shorter names are found exactly or not at all, in characters.
    static let shortest = 3
    /// Letters are left out only of names up to this long, in bytes.
    static let longest = 40

    /// The part of a hash kept in an entry.
    @inline(__always)
    static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 40) << UInt32(keyBits) }

    /// The bucket of a hash.
    @inline(__always)
    static func bucket(_ hash: UInt64, mask: Int) -> Int { Int(truncatingIfNeeded: hash) & mask }

    /// Calls `body` with the number of each key whose entry has this hash, a few others among them.
    @inline(__always)
    func forEachKey(_ hash: UInt64, _ body: (Int) -> Void) {
        let count = buckets.count / 4 - 1
        guard count > 0 else { return }
        let bucket = Self.bucket(hash, mask: count - 1)
        let start = Int(buckets.load(bucket * 4, as: UInt32.self))
        let end = min(Int(buckets.load(bucket * 4 + 4, as: UInt32.self)), start + 4_096)
        let tag = Self.tag(hash)
        let mask = UInt32(1) << UInt32(Self.keyBits) - 1
        var index = start
        while index < end {
            let entry: UInt32 = entries.load(index * 4)
            if entry & ~mask == tag { body(Int(entry & mask)) }
            index += 1
        }
    }

    /// Calls `body` with the hash of a text and those of the text with one character left out.
    @inline(__always)
    static func forEachHash(_ text: UnsafeRawBufferPointer, _ body: (UInt64) -> Void) {
        body(GazetteerFormat.hash(text))
        guard text.count <= longest else { return }
        var skipped = 0
        while skipped < text.count {
            var end = skipped + 1
            while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
            // Of several equal characters in a row, leaving out one or the other is the same.
            let isRepeated = end - skipped == 1 && end < text.count && text[end] == text[skipped]
            if !isRepeated { body(hash(text, without: skipped..<end)) }
            skipped = end
        }
    }

    @inline(__always)
    private static func hash(_ text: UnsafeRawBufferPointer, without gap: Range<Int>) -> UInt64 {
        var hash = GazetteerFormat.Hash()
        for index in 0..<gap.lowerBound { hash.add(text[index]) }
        for index in gap.upperBound..<text.count { hash.add(text[index]) }
        return hash.value
    }
}

/// Writes a ``FuzzyTable``.
struct FuzzyTableBuilder: Sendable {
    private var hashes: [UInt64] = []
    private var keys: [UInt32] = []

    /// Enters a key; blanks in it do not count.
    mutating func add(_ key: ArraySlice<UInt8>, number: Int) {
        guard number < 1 << FuzzyTable.keyBits else { return }
        let text = key.filter { $0 != 0x20 }
        let characters = text.count { $0 & 0xC0 != 0x80 }
        guard characters >= FuzzyTable.shortest else { return }
        text.withUnsafeBytes { bytes in
            FuzzyTable.forEachHash(bytes) { hash in
                hashes.append(hash)
                keys.append(UInt32(truncatingIfNeeded: number))
            }
        }
    }

    consuming func write(to file: inout GazetteerFile) {
        var count = 16
        while count < keys.count / 8 { count *= 2 }
        var starts = [UInt32](repeating: 0, count: count + 1)
        for hash in hashes { starts[FuzzyTable.bucket(hash, mask: count - 1) + 1] += 1 }
        for bucket in 0..<count { starts[bucket + 1] += starts[bucket] }
        var next = starts
        var entries = [UInt32](repeating: 0, count: keys.count)
        for (hash, key) in zip(hashes, keys) {
            let bucket = FuzzyTable.bucket(hash, mask: count - 1)
            entries[Int(next[bucket])] = FuzzyTable.tag(hash) | key
            next[bucket] += 1
        }
        file.append(.fuzzyBuckets, starts)
        file.append(.fuzzyEntries, entries)
    }
}
