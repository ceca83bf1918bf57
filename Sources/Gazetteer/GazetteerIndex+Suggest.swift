import Geometry

extension GazetteerIndex {
    /// Stretches of names that are looked at, at most; more when only few places are let through.
    private static let deepest = 1_200
    private static let deepestFiltered = 2_500
    /// With fewer names of one beginning these are run through rather than all places of a country.
    private static let fewNames = 3_000
    /// How many words at the end may be the beginning of what a place lies in.
    private static let longestTail = 3
    /// What is taken off when only a beginning of what a place lies in has been typed.
    private static let unfinishedContext = 0.5
    /// What is taken off when a letter of the beginning is wrong.
    private static let misspelt = 2.0

    /// Completes what has been typed so far to the best known places with a name that starts so.
    ///
    /// The last words may also be the beginning of what the place lies in: "springfield il", "paris, te". A letter that
    /// is missing, too many or swapped is forgiven when nothing starts as typed.
    ///
    /// - Parameters:
    ///   - prefix: the beginning of a name; accents and case do not matter.
    ///   - options: how many, where and what is preferred.
    /// - Returns: different places, best first; their confidence is their importance.
    /// - Complexity: bounded for any text; O(log *n*) and some hundred names as a rule.
    public func suggest(_ prefix: String, options: SearchOptions = SearchOptions()) -> [GazetteerMatch] {
        if let reading = CoordinateText.read(prefix), reading.coordinate != nil { return matches(for: reading) }
        let text = FoldedText(prefix, limit: 200)
        guard !text.tokens.isEmpty else { return [] }
        let limit = min(100, max(1, options.limit))
        let filter = SearchFilter(options, index: self)
        var best = BestPlaces(limit: limit + 5)
        let words = 0..<text.tokens.count
        let plain = text.key(words, canonical: false)
        complete(plain, filter, &best)
        // "saint lo" is found under "st lo"; the last word may not be finished.
        let short = text.key(words, canonical: true)
        if short != plain { complete(short, filter, &best) }
        if text.tokens.count > 1 { completeContext(prefix, text, filter, &best) }
        if best.places.isEmpty { completeMisspelt(plain, filter, &best) }
        if best.places.isEmpty {
            return search(prefix, options: options)
        }
        return different(best.places, limit)
    }

    /// Describes the best places, leaving out what is the same place again.
    private func different(_ entries: [BestPlaces.Entry], _ limit: Int) -> [GazetteerMatch] {
        var kept: [(place: PlaceRecord, match: GazetteerMatch)] = []
        for entry in entries where kept.count < limit {
            guard let place = place(entry.place) else { continue }
            var match = describe(place)
            let isKnown = kept.contains { other in
                other.place.kind.isLocal && place.kind.isLocal && other.match.label == match.label
                    && isNear(other.place, place, kilometres: 10)
            }
            if isKnown { continue }
            match.matchType = entry.isMisspelt ? .fuzzy : entry.quality <= .variant ? .exact : .alias
            match.confidence = match.importance
            kept.append((place, match))
        }
        return kept.map(\.match)
    }

    /// Adds the best known places with a name that starts with `key`.
    private func complete(
        _ key: [UInt8],
        _ filter: SearchFilter,
        _ best: inout BestPlaces,
        less penalty: Double = 0
    ) {
        guard !key.isEmpty, key.count <= KeyTableBuilder.longestKey else { return }
        let first = firstKey(from: key)
        guard first < nameCount, self.key(first).starts(with: key) else { return }
        let end = firstKey(from: Self.successor(of: key))
        if let countries = filter.countries, end - first > Self.fewNames {
            completeMembers(key, of: countries, filter, &best, penalty)
            if best.threshold > -.infinity { return }
        }
        var queue = StretchQueue()
        prefixTree.forEachStretch(of: first..<max(first, end)) { queue.insert($0, rank: rank(of: $0)) }
        var steps = filter.isNarrow ? Self.deepestFiltered : Self.deepest
        while let (stretch, rank) = queue.removeFirst(), steps > 0 {
            steps -= 1
            // Nothing further on is better known than this.
            guard weight(rank) + filter.mostPreference - penalty > best.threshold else { return }
            if stretch.level == 0 {
                let isWhole = self.key(stretch.number).count == key.count
                consider(postingRange(of: stretch.number), isWhole: isWhole, filter, &best, penalty)
            } else {
                for number in prefixTree.parts(of: stretch, names: nameCount) {
                    let part = PrefixTree.Stretch(level: stretch.level - 1, number: number)
                    queue.insert(part, rank: self.rank(of: part))
                }
            }
        }
    }

    /// Adds the best known places of some countries whose main name starts with `key`.
    private func completeMembers(
        _ key: [UInt8],
        of countries: [Int],
        _ filter: SearchFilter,
        _ best: inout BestPlaces,
        _ penalty: Double
    ) {
        for country in countries.prefix(8) {
            for index in nameScan.memberRange(of: placeNumber(ofCountry: country)).prefix(Self.deepestFiltered * 2) {
                let number = nameScan.member(index)
                guard weight(number) + filter.mostPreference - penalty > best.threshold else { break }
                guard self.key(nameScan.mainKey(of: number)).starts(with: key) else { continue }
                guard let place = place(number), filter.admits(place) else { continue }
                let score = weight(number) + filter.preference(for: place) - penalty
                best.insert(BestPlaces.Entry(place: number, quality: .primary, score: score, isMisspelt: penalty > 1))
            }
        }
    }

    /// The first key after all that start with `key`.
    private static func successor(of key: [UInt8]) -> [UInt8] {
        var next = key
        while let last = next.popLast() {
            if last < 0xFF {
                next.append(last + 1)
                return next
            }
        }
        return [0xFF]
    }

    private func rank(of stretch: PrefixTree.Stretch) -> Int {
        guard stretch.level == 0 else { return prefixTree.rank(stretch) }
        return postingRange(of: stretch.number).first.map { posting($0).place } ?? .max
    }

    private func weight(_ place: Int) -> Double {
        (self.place(place)?.importance ?? 0) * GazetteerFormat.fullImportance
    }

    private func consider(
        _ range: Range<Int>,
        isWhole: Bool,
        _ filter: SearchFilter,
        _ best: inout BestPlaces,
        _ penalty: Double
    ) {
        // Postings are in the order of importance, so that, unless places are left out, no more than `limit` of a name
        // can be among the best, nor any when even the preferences could not lift the first one there.
        for index in range.prefix(filter.isNarrow ? 400 : best.limit) {
            let posting = posting(index)
            guard posting.quality != .code && posting.quality != .countryCode || isWhole else { continue }
            guard let place = place(posting.place), filter.admits(place) else { continue }
            let weight = place.importance * GazetteerFormat.fullImportance
            guard weight + filter.mostPreference - penalty > best.threshold else { return }
            let score = weight - SearchWeights.penalty(posting.quality) / 2 + filter.preference(for: place) - penalty
            best.insert(
                BestPlaces.Entry(place: posting.place, quality: posting.quality, score: score, isMisspelt: penalty > 1)
            )
        }
    }

    /// Adds places named by the first words that lie in something whose name starts with the last words.
    private func completeContext(_ prefix: String, _ text: FoldedText, _ filter: SearchFilter, _ best: inout BestPlaces)
    {
        let count = text.tokens.count
        guard count <= ParsedQuery.longest else { return }
        for tail in 1...min(Self.longestTail, count - 1) {
            let first = count - tail
            // What is between commas belongs together.
            guard text.tokens[first].segment == text.tokens[count - 1].segment else { break }
            let key = text.key(first..<count, canonical: false)
            let head = ParsedQuery(text.prefix(first), index: self)
            let candidates = rankedCandidates(for: head, filter).prefix(200)
            for candidate in candidates where candidate.unmatched == 0 && candidate.quality <= .alias {
                guard lies(candidate.place, inWhatStartsWith: key) else { continue }
                let entry = BestPlaces.Entry(
                    place: candidate.place.number,
                    quality: candidate.quality,
                    score: candidate.score - Self.unfinishedContext,
                    isMisspelt: false
                )
                best.insert(entry)
            }
        }
    }

    /// Whether a place lies in a country, region or county with a name, or a code, that starts so.
    private func lies(_ place: PlaceRecord, inWhatStartsWith key: [UInt8]) -> Bool {
        for holder in [countryPlace(of: place), self.place(place.admin1), self.place(place.admin2)].compactMap({ $0 })
        where holder.number != place.number {
            let name = FoldedText(name(of: holder))
            if name.key(0..<name.tokens.count, canonical: false).starts(with: key) { return true }
        }
        guard let postings = postings(for: key) else { return false }
        return [countryPlace(of: place)?.number, place.admin1].compactMap { $0 }
            .contains { quality(of: $0, in: postings) != nil }
    }

    /// Tries the beginning with a letter left out, two letters swapped, or a vowel or the same letter again put in.
    private func completeMisspelt(_ key: [UInt8], _ filter: SearchFilter, _ best: inout BestPlaces) {
        guard (4...24).contains(key.count), key.allSatisfy({ $0 < 0x80 }) else { return }
        for position in 1..<key.count {
            var shorter = key
            shorter.remove(at: position)
            complete(shorter, filter, &best, less: Self.misspelt)
            for letter in Self.vowels + [key[position - 1]] {
                var changed = key
                changed[position] = letter
                if letter != key[position] { complete(changed, filter, &best, less: Self.misspelt) }
                changed = key
                changed.insert(letter, at: position)
                complete(changed, filter, &best, less: Self.misspelt)
            }
            guard position + 1 < key.count else { continue }
            var swapped = key
            swapped.swapAt(position, position + 1)
            complete(swapped, filter, &best, less: Self.misspelt)
        }
    }

    private static let vowels = Array("aeiou".utf8)
}

/// Stretches of names, the one with the best rank first: a binary heap.
struct StretchQueue: Sendable {
    private var heap: [(stretch: PrefixTree.Stretch, rank: Int)] = []

    mutating func insert(_ stretch: PrefixTree.Stretch, rank: Int) {
        heap.append((stretch, rank))
        var index = heap.count - 1
        while index > 0, heap[(index - 1) / 2].rank > heap[index].rank {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() -> (stretch: PrefixTree.Stretch, rank: Int)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].rank < heap[least].rank
            {
                least = child
            }
            guard least != index else { return first }
            heap.swapAt(index, least)
            index = least
        }
    }
}

/// The best few places seen so far, each once, best first.
struct BestPlaces: Sendable {
    struct Entry: Sendable {
        var place: Int
        var quality: NameQuality
        var score: Double
        var isMisspelt: Bool
    }

    let limit: Int
    private(set) var places: [Entry] = []

    init(limit: Int) { self.limit = limit }

    /// A score that is not above this one changes nothing.
    var threshold: Double { places.count < limit ? -.infinity : places.last?.score ?? -.infinity }

    mutating func insert(_ entry: Entry) {
        guard entry.score > threshold else { return }
        if let known = places.firstIndex(where: { $0.place == entry.place }) {
            guard places[known].score < entry.score else { return }
            places.remove(at: known)
        }
        let position = places.firstIndex { $0.score < entry.score } ?? places.count
        places.insert(entry, at: position)
        if places.count > limit { places.removeLast() }
    }
}
