/// Gathers folded names and writes them as a sorted table with postings and a hash index.
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

    /// Longer names are cut; no query is that long either.
    static let longestKey = 200

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    /// Adds a key of a draft.
    mutating func add(_ key: [UInt8], draft: Int, quality: NameQuality) {
        let key = key.prefix(Self.longestKey)
        guard !key.isEmpty else { return }
        var prefix: UInt64 = 0
        for index in 0..<8 { prefix = prefix << 8 | UInt64(index < key.count ? key[index] : 0) }
        entries.append(
            Entry(
                prefix: prefix,
                offset: UInt32(truncatingIfNeeded: bytes.count),
                length: UInt32(truncatingIfNeeded: key.count),
                place: UInt32(truncatingIfNeeded: draft),
                quality: quality.rawValue
            )
        )
        bytes.append(contentsOf: key)
    }

    /// Sorts the names and writes them, and returns them in their final order.
    ///
    /// `ranks` are the final numbers of the drafts, `weights` the weights of the places by their final number.
    mutating func write(ranks: [Int], weights: [Double], to file: inout GazetteerFile) -> SortedKeys {
        for index in entries.indices {
            entries[index].place = UInt32(truncatingIfNeeded: ranks[Int(entries[index].place)])
        }
        bytes.withUnsafeBufferPointer { memory in
            entries.sort { first, second in
                if first.prefix != second.prefix { return first.prefix < second.prefix }
                let (a, b) = (Self.slice(first, memory), Self.slice(second, memory))
                if !a.elementsEqual(b) { return a.lexicographicallyPrecedes(b) }
                return first.place != second.place ? first.place < second.place : first.quality < second.quality
            }
        }
        return writeSorted(weights: weights, to: &file)
    }

    private func writeSorted(weights: [Double], to file: inout GazetteerFile) -> SortedKeys {
        var keyBytes: [UInt8] = []
        var keyOffsets: [UInt32] = []
        var postingOffsets: [UInt32] = []
        var postings: [UInt32] = []
        var previous: Entry?
        for entry in entries {
            let key = slice(entry)
            if let previous, slice(previous).elementsEqual(key) {
                if previous.place == entry.place { continue }
            } else {
                keyOffsets.append(UInt32(truncatingIfNeeded: keyBytes.count))
                postingOffsets.append(UInt32(truncatingIfNeeded: postings.count))
                keyBytes.append(contentsOf: key)
            }
            postings.append(entry.place | UInt32(entry.quality) << 28)
            previous = entry
        }
        let count = keyOffsets.count
        keyOffsets.append(UInt32(truncatingIfNeeded: keyBytes.count))
        postingOffsets.append(UInt32(truncatingIfNeeded: postings.count))
        file.append(.slots, Self.slots(count: count, keyBytes, keyOffsets))
        file.append(.keyBytes, bytes: keyBytes)
        file.append(.keyOffsets, keyOffsets)
        file.append(.postingOffsets, postingOffsets)
        file.append(.postings, postings)
        let table = SortedKeys(bytes: keyBytes, offsets: keyOffsets, postingOffsets: postingOffsets, postings: postings)
        table.writeFuzzyTable(weights: weights, to: &file)
        table.writePrefixTree(to: &file)
        return table
    }

    /// Fills a hash table at most half, with linear probing.
    private static func slots(count: Int, _ bytes: [UInt8], _ offsets: [UInt32]) -> [UInt32] {
        var size = 16
        while size < 2 * count { size *= 2 }
        var slots = [UInt32](repeating: 0, count: size)
        for key in 0..<count {
            let range = Int(offsets[key])..<Int(offsets[key + 1])
            var slot = Int(truncatingIfNeeded: GazetteerFormat.hash(bytes[range])) & (size - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = UInt32(truncatingIfNeeded: key + 1)
        }
        return slots
    }

    private func slice(_ entry: Entry) -> ArraySlice<UInt8> {
        bytes[Int(entry.offset)..<Int(entry.offset + entry.length)]
    }

    private static func slice(_ entry: Entry, _ memory: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: memory[Int(entry.offset)..<Int(entry.offset + entry.length)])
    }
}

/// The sorted names, for what is derived from them.
struct SortedKeys: Sendable {
    let bytes: [UInt8]
    let offsets: [UInt32]
    let postingOffsets: [UInt32]
    let postings: [UInt32]

    private var count: Int { offsets.count - 1 }

    private func key(_ number: Int) -> ArraySlice<UInt8> { bytes[Int(offsets[number])..<Int(offsets[number + 1])] }

    private func postings(_ number: Int) -> ArraySlice<UInt32> {
        postings[Int(postingOffsets[number])..<Int(postingOffsets[number + 1])]
    }

    /// Calls `body` with the number, the bytes and the postings of each name.
    func forEachKey(_ body: (Int, ArraySlice<UInt8>, ArraySlice<UInt32>) -> Void) {
        for number in 0..<count { body(number, key(number), postings(number)) }
    }

    /// Writes the table of names that may be misspelt.
    func writeFuzzyTable(weights: [Double], to file: inout GazetteerFile) {
        var table = FuzzyTableBuilder()
        for number in 0..<count where mayBeMisspelt(number, weights) { table.add(key(number), number: number) }
        table.write(to: &file)
    }

    /// Whether somebody will look for a place by this name and miss a letter.
    ///
    /// Bynames of hamlets, most of them transcriptions made by machines, would only be mistaken for something else.
    private func mayBeMisspelt(_ number: Int, _ weights: [Double]) -> Bool {
        let key = key(number)
        // Numbers are not misspelt names, but a name may end in one.
        guard key.count(where: { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) > 2 else { return false }
        let isLatin = key.allSatisfy { $0 < 0x80 }
        return postings(number)
            .contains { word in
                let posting = Posting(word)
                switch posting.quality {
                case .primary, .variant: return true
                case .alias, .short: return weights[posting.place] >= (isLatin ? 4 : 4.3)
                case .code, .countryCode: return false
                }
            }
    }

    /// Writes the best rank of each stretch of names; see ``PrefixTree``.
    func writePrefixTree(to file: inout GazetteerFile) {
        var level = (0..<count).map { postings($0).first.map { UInt32(Posting($0).place) } ?? GazetteerFormat.none }
        var words: [UInt32] = []
        while level.count > PrefixTree.width {
            var above: [UInt32] = []
            for start in stride(from: 0, to: level.count, by: PrefixTree.width) {
                above.append(level[start..<min(level.count, start + PrefixTree.width)].min() ?? GazetteerFormat.none)
            }
            words += above
            level = above
        }
        file.append(.keyRanks, words)
    }
}
