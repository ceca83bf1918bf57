extension GazetteerIndex {
    /// The most names of one beginning that are looked at.
    private static let widest = 200_000

    /// Completes what has been typed so far to the best known places with a name that starts so.
    ///
    /// - Parameters:
    ///   - prefix: the beginning of a name; accents and case do not matter.
    ///   - limit: the most places to return; taken as 1...100.
    ///   - preferredCountry: the country whose places are slightly preferred, as a two-letter code.
    /// - Returns: different places, best first; their confidence is their importance.
    /// - Complexity: O(*k*) in the number of names that start so.
    public func suggest(_ prefix: String, limit: Int = 5, preferredCountry: String? = "US") -> [GazetteerMatch] {
        let text = FoldedText(prefix)
        let key = text.key(0..<text.tokens.count, canonical: false)
        guard !key.isEmpty, key.count <= KeyTableBuilder.longestKey else { return [] }
        let limit = min(100, max(1, limit))
        let filter = SearchFilter(SearchOptions(preferredCountry: preferredCountry), index: self)
        var best = BestPlaces(limit: limit)
        var number = firstKey(from: key)
        let last = min(nameCount, number + Self.widest)
        while number < last {
            let name = self.key(number)
            guard name.count >= key.count, name.prefix(key.count).elementsEqual(key) else { break }
            consider(postingRange(of: number), isWhole: name.count == key.count, filter, &best)
            number += 1
        }
        return best.places.compactMap { entry in
            place(entry.place)
                .map { place in
                    var match = describe(place)
                    match.matchType = entry.quality <= .variant ? .exact : .alias
                    match.confidence = match.importance
                    return match
                }
        }
    }

    private func consider(_ range: Range<Int>, isWhole: Bool, _ filter: SearchFilter, _ best: inout BestPlaces) {
        // Postings are in the order of importance, so that no more than `limit` of a name can be among the best, nor
        // any when even the preferred country could not lift the first one there.
        for index in range.prefix(best.limit) {
            let posting = posting(index)
            guard posting.quality != .code && posting.quality != .countryCode || isWhole else { continue }
            guard let place = place(posting.place) else { continue }
            let weight = place.importance * GazetteerFormat.fullImportance
            guard weight + SearchWeights.preferredCountry > best.threshold else { return }
            let score = weight - SearchWeights.penalty(posting.quality) / 2 + filter.preference(for: place)
            best.insert(BestPlaces.Entry(place: posting.place, quality: posting.quality, score: score))
        }
    }
}

/// The best few places seen so far, each once, best first.
struct BestPlaces: Sendable {
    struct Entry: Sendable {
        var place: Int
        var quality: NameQuality
        var score: Double
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
