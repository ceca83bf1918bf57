/// Finds names that differ by one letter: a hash table of all names without spaces, whole and with one letter omitted.
///
/// Two texts are at most one insertion, deletion, replacement or swap apart only if they become equal when at most one
/// letter of each is omitted (symmetric deletion; Garbe 2012). The table contains these forms of the names; a search
/// computes those of the query.
package struct FuzzyTable: Sendable {
    /// The start of each bucket in `entries`, u32, followed by the end of the last one; the number of buckets is a
    /// power of two.
    let buckets: ByteView
    /// The entries: a key number in the lower bits, part of the hash above.
    let entries: ByteView
    /// The number of bits of an entry for the key number.
    let keyBits: Int

    init(buckets: ByteView, entries: ByteView, names: Int) {
        self.buckets = buckets
        self.entries = entries
        keyBits = Self.keyBits(names: names)
    }

    /// Returns the number of bits for the key number: 21, or more if there are more than two million names.
    package static func keyBits(names: Int) -> Int { max(21, Int.bitWidth - max(0, names).leadingZeroBitCount) }

    /// The minimum length in characters; shorter names must match exactly.
    package static let shortest = 3
    /// The maximum length in bytes of names from which letters are omitted.
    static let longest = 40

    /// Returns the part of a hash stored in an entry.
    @inlinable
    @inline(__always)
    package static func tag(_ hash: UInt64, keyBits: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: hash >> 40) << UInt32(truncatingIfNeeded: keyBits)
    }

    /// Returns the bucket of a hash.
    @inlinable
    @inline(__always)
    package static func bucket(_ hash: UInt64, mask: Int) -> Int { Int(truncatingIfNeeded: hash) & mask }

    /// Calls `body` with the number of each key whose entry has this hash, and possibly a few others.
    @inline(__always)
    func forEachKey(_ hash: UInt64, _ body: (Int) -> Void) {
        let count = buckets.count / 4 - 1
        guard count > 0 else { return }
        let bucket = Self.bucket(hash, mask: count - 1)
        let start = Int(buckets.load(bucket * 4, as: UInt32.self))
        let end = min(Int(buckets.load(bucket * 4 + 4, as: UInt32.self)), start + 4_096)
        let tag = Self.tag(hash, keyBits: keyBits)
        let mask = UInt32(1) << UInt32(truncatingIfNeeded: keyBits) - 1
        var index = start
        while index < end {
            let entry: UInt32 = entries.load(index * 4)
            if entry & ~mask == tag { body(Int(entry & mask)) }
            index += 1
        }
    }

    /// Calls `body` with the hash of a text and those of the text with one character omitted.
    @inline(__always)
    package static func forEachHash(_ text: UnsafeRawBufferPointer, _ body: (UInt64) -> Void) {
        body(GazetteerFormat.hash(text))
        guard text.count <= longest else { return }
        var skipped = 0
        while skipped < text.count {
            var end = skipped + 1
            while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
            // Omitting any one of several equal adjacent characters gives the same result.
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
