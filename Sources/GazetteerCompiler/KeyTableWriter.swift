import Gazetteer

/// Writes sorted names as a table with postings and a hash index, and the structures derived from them.
struct KeyTableWriter {
    private let space: ScratchSpace
    private var keyBytes: ScratchWriter
    private var keyOffsets: ScratchWriter
    private var postingOffsets: ScratchWriter
    private var postings: ScratchWriter
    private var count = 0
    private var postingCount = 0
    /// The best rank in each stretch of names, the lowest level of a ``PrefixTree``.
    private var stretches: [UInt32] = []
    /// The best rank in each stretch of names, counting only displayed names.
    private var visibleStretches: [UInt32] = []
    private var mainKeys: MainKeys

    init(places: Int, space: ScratchSpace) throws {
        self.space = space
        keyBytes = try space.writer()
        keyOffsets = try space.writer()
        postingOffsets = try space.writer()
        postings = try space.writer()
        mainKeys = MainKeys(places: places)
    }

    /// Writes all names of the runs; `ranks` are the final numbers of the drafts.
    ///
    /// - Returns: the main name of each place.
    /// - Throws: any error of the temporary storage, or ``GazetteerSourceError`` if there are more names than a file
    ///   can hold.
    mutating func write(
        _ runs: [any Scratch],
        ranks: [UInt32],
        weights: WeightLimits,
        to file: inout GazetteerFile
    ) throws -> MainKeys {
        var merge = try KeyMerge(runs)
        mainKeys.famous = weights.famous
        var sorted: [UInt32] = []
        try merge.forEachKey { key, places in
            sorted.removeAll(keepingCapacity: true)
            // If a place has a name in several qualities, the best one is kept.
            let ranked = places.map { UInt64(ranks[Int($0.place)]) << 8 | UInt64($0.quality) }.sorted()
            var previous: UInt64?
            for word in ranked where previous != word >> 8 {
                previous = word >> 8
                sorted.append(UInt32(truncatingIfNeeded: word >> 8) | UInt32(truncatingIfNeeded: word & 15) << 28)
            }
            try add(key, sorted)
        }
        return try finish(weights: weights, to: &file)
    }

    private mutating func add(_ key: [UInt8], _ words: [UInt32]) throws {
        guard keyBytes.count + key.count < Int(UInt32.max) else {
            throw GazetteerSourceError(file: "names", row: count, reason: "more than 4 GB of names cannot be compiled")
        }
        Self.note(words.first, count, in: &stretches)
        Self.note(words.first { Posting($0).quality.isVisible }, count, in: &visibleStretches)
        mainKeys.note(key, number: count, words)
        try keyOffsets.append(UInt32(truncatingIfNeeded: keyBytes.count))
        try postingOffsets.append(UInt32(truncatingIfNeeded: postingCount))
        try keyBytes.append(key)
        try postings.append(words: words)
        count += 1
        postingCount += words.count
    }

    /// Records the best posting of a name in its stretch.
    private static func note(_ word: UInt32?, _ count: Int, in stretches: inout [UInt32]) {
        let best = word.map { UInt32(Posting($0).place) } ?? GazetteerFormat.none
        if count % PrefixTree.width == 0 {
            stretches.append(best)
        } else if let last = stretches.last, best < last {
            stretches[stretches.count - 1] = best
        }
    }

    private mutating func finish(weights: WeightLimits, to file: inout GazetteerFile) throws -> MainKeys {
        try keyOffsets.append(UInt32(truncatingIfNeeded: keyBytes.count))
        try postingOffsets.append(UInt32(truncatingIfNeeded: postingCount))
        let table = SortedKeys(
            count: count,
            bytes: try keyBytes.finish(),
            offsets: try keyOffsets.finish(),
            postingOffsets: try postingOffsets.finish(),
            postings: try postings.finish()
        )
        file.append(.slots, try table.slots(space))
        file.append(.keyBytes, table.bytes)
        file.append(.keyOffsets, table.offsets)
        file.append(.postingOffsets, table.postingOffsets)
        file.append(.postings, table.postings)
        try table.writeFuzzyTable(weights: weights, space, to: &file)
        file.append(.keyRanks, Self.prefixTree(count: count, stretches))
        file.append(.visibleRanks, Self.prefixTree(count: count, visibleStretches))
        return mainKeys
    }

    /// Returns the levels of a ``PrefixTree`` above the names.
    private static func prefixTree(count: Int, _ stretches: [UInt32]) -> [UInt32] {
        guard count > PrefixTree.width else { return [] }
        var level = stretches
        var words = level
        while level.count > PrefixTree.width {
            level = stride(from: 0, to: level.count, by: PrefixTree.width)
                .map {
                    level[$0..<min(level.count, $0 + PrefixTree.width)].min() ?? GazetteerFormat.none
                }
            words += level
        }
        return words
    }
}

/// The numbers of top-ranked places whose alternative names can be found despite typos.
struct WeightLimits: Sendable {
    /// The number of places whose alternative names in Latin letters are in the spelling index.
    var latin: Int
    /// The number of places whose alternative names in other scripts are in the spelling index.
    var other: Int
    /// The number of places well known enough for their long alternative names to allow two typos.
    var famous: Int

    static let least = (latin: 4.0, other: 4.3, famous: 5.7)

    /// Computes the limits from the weights of all places.
    init(_ weights: some Sequence<Double>) {
        (latin, other, famous) = (0, 0, 0)
        for weight in weights { count(weight) }
    }

    mutating func count(_ weight: Double) {
        if weight >= Self.least.latin { latin += 1 }
        if weight >= Self.least.other { other += 1 }
        if weight >= Self.least.famous { famous += 1 }
    }
}

/// The sorted names, for building derived structures.
struct SortedKeys {
    let count: Int
    let bytes: any Scratch
    let offsets: any Scratch
    let postingOffsets: any Scratch
    let postings: any Scratch

    /// Calls `body` with the number, the bytes and the postings of each name.
    func forEachKey(_ body: (Int, [UInt8], [UInt32]) throws -> Void) throws {
        var (bytes, offsets) = (ScratchReader(bytes), ScratchReader(offsets))
        var (postings, postingOffsets) = (ScratchReader(postings), ScratchReader(postingOffsets))
        var key: [UInt8] = []
        var words: [UInt32] = []
        var start: UInt32 = try offsets.next()
        var first: UInt32 = try postingOffsets.next()
        for number in 0..<count {
            let (end, last): (UInt32, UInt32) = (try offsets.next(), try postingOffsets.next())
            try bytes.next(Int(end - start), into: &key)
            words.removeAll(keepingCapacity: true)
            for _ in first..<last { words.append(try postings.next()) }
            try body(number, key, words)
            (start, first) = (end, last)
        }
    }

    /// Builds a hash table at most half full, with linear probing.
    fileprivate func slots(_ space: ScratchSpace) throws -> any Scratch {
        var size = 16
        while size < 2 * count { size *= 2 }
        var slots = [UInt32](repeating: 0, count: size)
        var (bytes, offsets) = (ScratchReader(bytes), ScratchReader(offsets))
        var key: [UInt8] = []
        var start: UInt32 = try offsets.next()
        for number in 0..<count {
            let end: UInt32 = try offsets.next()
            try bytes.next(Int(end - start), into: &key)
            start = end
            var slot = Int(truncatingIfNeeded: GazetteerFormat.hash(key)) & (size - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = UInt32(truncatingIfNeeded: number + 1)
        }
        var writer = try space.writer()
        try writer.append(words: slots)
        return try writer.finish()
    }

    /// Writes the spelling index of names.
    fileprivate func writeFuzzyTable(
        weights: WeightLimits,
        _ space: ScratchSpace,
        to file: inout GazetteerFile
    ) throws {
        var table = FuzzyTableBuilder(names: count, space)
        try forEachKey { number, key, words in
            if Self.mayBeMisspelt(key, words, weights) { table.count(key) }
        }
        try table.prepare()
        try forEachKey { number, key, words in
            if Self.mayBeMisspelt(key, words, weights) { try table.add(key, number: number) }
        }
        try table.write(to: &file)
    }

    /// Returns whether users are likely to search for a place by this name and mistype a letter.
    ///
    /// Alternative names of small places, mostly machine transcriptions, would only cause false matches.
    private static func mayBeMisspelt(_ key: [UInt8], _ words: [UInt32], _ weights: WeightLimits) -> Bool {
        // Keys that are only a number are excluded, but names that contain a number are not.
        guard key.count(where: { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) > 2 else { return false }
        let limit = key.allSatisfy { $0 < 0x80 } ? weights.latin : weights.other
        return words.contains { word in
            let posting = Posting(word)
            switch posting.quality {
            case .primary, .variant: return true
            case .alias, .short: return posting.place < limit
            case .code, .countryCode: return false
            }
        }
    }
}

/// The key of each place's main name, by rank: its index and its signature.
struct MainKeys {
    /// The indices of the keys.
    private(set) var keys: [UInt32]
    /// The signatures of the keys; for a place without one, a value that is not similar to any text.
    private(set) var signatures: [UInt32]
    /// The keys of long alternative names of the best-known places: pairs of a signature and an index.
    private(set) var aliases: [UInt32] = []
    /// The number of best-known places.
    var famous = 0

    private static let shortestAlias = 8

    init(places: Int) {
        keys = [UInt32](repeating: 0, count: places)
        signatures = [UInt32](repeating: .max, count: places)
    }

    /// Records a key as the main name, or as a long alternative name, of its places.
    mutating func note(_ key: [UInt8], number: Int, _ words: [UInt32]) {
        var signature: UInt32?
        if words.contains(where: { Posting($0).quality == .alias && Posting($0).place < famous }),
            key.count >= Self.shortestAlias, key.allSatisfy({ $0 < 0x80 })
        {
            aliases += [NameScan.signature(ofKey: key), UInt32(truncatingIfNeeded: number)]
        }
        for word in words {
            let posting = Posting(word)
            guard posting.quality == .primary, posting.place < keys.count else { continue }
            let own = signature ?? NameScan.signature(ofKey: key)
            signature = own
            // A name may have a plain and an abbreviated key, in either order; the longer key is more specific.
            let known = signatures[posting.place]
            if known == .max || own >> 26 > known >> 26 {
                keys[posting.place] = UInt32(truncatingIfNeeded: number)
                signatures[posting.place] = own
            }
        }
    }
}
