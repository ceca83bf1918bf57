/// A place that has a name.
package struct Posting: Sendable {
    /// The rank of the place.
    package let place: Int
    /// The relation of the name to the place.
    package let quality: NameQuality

    /// Unpacks a posting as stored.
    package init(_ word: UInt32) {
        place = Int(word & 0x0FFF_FFFF)
        quality = NameQuality(rawValue: UInt8(word >> 28)) ?? .alias
    }
}

extension GazetteerIndex {
    /// Returns the places with exactly this key as a range of postings, or `nil` if no place has this name.
    ///
    /// - Complexity: O(1), two or three cache misses.
    func postings(for key: [UInt8]) -> Range<Int>? {
        let mask = slots.count / 4 - 1
        var slot = Int(truncatingIfNeeded: GazetteerFormat.hash(key)) & mask
        for _ in 0..<GazetteerFormat.longestProbe {
            let entry: UInt32 = slots.load(slot * 4)
            guard entry != 0 else { return nil }
            let number = Int(entry) - 1
            if self.key(number).elementsEqual(key) { return postingRange(of: number) }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Returns the bytes of a key.
    func key(_ number: Int) -> UnsafeRawBufferPointer {
        let start = Int(keyOffsets.load(number * 4, as: UInt32.self))
        let end = Int(keyOffsets.load(number * 4 + 4, as: UInt32.self))
        return keyBytes.part(offset: start, length: end - start)
    }

    /// Returns the postings of a key, never outside the table.
    func postingRange(of number: Int) -> Range<Int> {
        let count = postings.count / 4
        let start = min(count, Int(postingOffsets.load(number * 4, as: UInt32.self)))
        let end = min(count, Int(postingOffsets.load(number * 4 + 4, as: UInt32.self)))
        return start..<max(start, end)
    }

    /// Returns one posting.
    @inline(__always)
    func posting(_ index: Int) -> Posting { Posting(postings.load(index * 4)) }

    /// Returns the quality of a place's name in the postings in `range`, or `nil` if the place is not among them.
    func quality(of place: Int, in range: Range<Int>) -> NameQuality? {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            let found = posting(middle)
            if found.place == place { return found.quality }
            if found.place < place { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// Returns the number of the first key that is not before `prefix`.
    func firstKey(from prefix: [UInt8]) -> Int {
        var (low, high) = (0, nameCount)
        while low < high {
            let middle = (low + high) / 2
            if key(middle).lexicographicallyPrecedes(prefix) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
