import Geometry

extension GazetteerIndex {
    /// Finds the places that a text may refer to, the likeliest first.
    ///
    /// Understands names with or without the places that contain them, in any order ("mound bayou mississippi"),
    /// abbreviations, names in other languages, US ZIP codes, positions, and names with one or two typos.
    /// - Complexity: O(*s* · *p*): runs of words that are names, times places with those names; bounded for any text.
    public func search(_ text: String, options: SearchOptions = SearchOptions()) -> [GazetteerMatch] {
        if let reading = CoordinateText.read(text), reading.coordinate != nil {
            return matches(for: reading).filter { $0.confidence >= options.minimumConfidence }
        }
        if let short = PlusCode.short(in: text),
            let locality = answer(
                ParsedQuery(short.locality, index: self),
                SearchFilter(options, index: self),
                SearchOptions(limit: 1)
            )
            .first, let coordinate = PlusCode.recover(short, near: locality.coordinate)
        {
            return [match(for: coordinate)]
        }
        let filter = SearchFilter(options, index: self)
        var query = ParsedQuery(text, index: self)
        // "Celin,a OH": a comma between letters may be a typo, so the text is also tried without it; the better result
        // is used.
        if let plain = FoldedText.withoutCommasInWords(text),
            !isSatisfying(rankedCandidates(for: query, filter).first, 2)
        {
            let other = ParsedQuery(plain, index: self)
            let scores = [query, other].map { understood($0, filter)?.1.first?.score ?? -.infinity }
            if scores[1] > scores[0] { query = other }
        }
        return answer(query, filter, options)
    }

    /// Finds the places that a query may refer to and describes them.
    func answer(_ query: ParsedQuery, _ filter: SearchFilter, _ options: SearchOptions) -> [GazetteerMatch] {
        guard let (query, candidates) = understood(query, filter) else { return [] }
        let confidences = self.confidences(of: candidates, in: query)
        return zip(candidates, confidences).prefix(min(100, max(1, options.limit)))
            .filter { $1.value >= options.minimumConfidence }
            .map { match(for: $0, confidence: $1.value, isAmbiguous: $1.isAmbiguous, in: query, year: options.year) }
    }

    /// Returns the places that a query may refer to, the likeliest first, with the query, to which misspellings are
    /// added if needed; `nil` if the query has no words.
    func understood(_ query: ParsedQuery, _ filter: SearchFilter) -> (ParsedQuery, [SearchCandidate])? {
        var query = query
        guard query.count > 0 else { return nil }
        var candidates = rankedCandidates(for: query, filter)
        for edits in 1...2 where filter.allowsMisspellings && !isSatisfying(candidates.first, edits) {
            query.addMisspelt(edits: edits, filter, index: self)
            candidates = rankedCandidates(for: query, filter)
        }
        candidates = Array(candidates.prefix(64))
        removeDuplicates(&candidates)
        return (query, candidates)
    }

    /// Returns the places named in a query, the likeliest first.
    func rankedCandidates(for query: ParsedQuery, _ filter: SearchFilter) -> [SearchCandidate] {
        guard !query.spans.isEmpty else { return [] }
        var candidates = self.candidates(for: query, filter)
        putCitiesBeforeTheirRegions(&candidates)
        candidates.sort(by: Self.isBetter)
        return candidates
    }

    /// Returns whether no misspelling with the given number of typos could beat the best result so far.
    private func isSatisfying(_ best: SearchCandidate?, _ edits: Int) -> Bool {
        guard let best, best.unmatched == 0 else { return false }
        if edits > 1 || best.contexts > 0 { return true }
        return best.score >= 5
    }

    private static func isBetter(_ first: SearchCandidate, _ second: SearchCandidate) -> Bool {
        first.score != second.score ? first.score > second.score : first.place.number < second.place.number
    }

    /// Puts cities before their namesake regions: "New York" means the city first.
    ///
    /// The order is unchanged if words are left over: "Nowhere, New York" is somewhere in the state.
    private func putCitiesBeforeTheirRegions(_ candidates: inout [SearchCandidate]) {
        for index in candidates.indices where candidates[index].place.kind == .admin1 && candidates[index].cost < 1 {
            let region = candidates[index]
            let city = candidates.indices.first {
                let other = candidates[$0]
                return other.place.kind.isSettlement && other.place.admin1 == region.place.number
                    && other.words == region.words && other.cost <= region.cost
                    && Self.standsFor(region.place, city: other.place, named: other.quality)
            }
            guard let city, candidates[city].score < region.score else { continue }
            candidates[city].score = region.score
            candidates[index].score -= 0.01
        }
    }

    /// Returns whether the shared name means the city rather than the region.
    ///
    /// The name does not mean a hamlet, nor a city that has it only as an alias, unless the city makes up most of the
    /// region or is one of the great cities: Oklahoma is the state, New York is the city.
    private static func standsFor(_ region: PlaceRecord, city: PlaceRecord, named quality: NameQuality) -> Bool {
        let share = Double(city.population) / Double(max(1, region.population))
        switch quality {
        case .primary, .variant: return share >= 0.01
        case .alias: return share >= 0.35 || (share >= 0.1 && city.population >= 2_000_000)
        case .short, .code, .countryCode: return false
        }
    }

    /// Keeps the best of several records of one place: same kind, name and region, within 10 km.
    private func removeDuplicates(_ candidates: inout [SearchCandidate]) {
        var kept: [SearchCandidate] = []
        for candidate in candidates {
            let isKnown = kept.contains { other in
                other.place.kind.isLocal && candidate.place.kind.isLocal
                    && other.place.admin1 == candidate.place.admin1 && other.place.country == candidate.place.country
                    && isNear(other.place, candidate.place, kilometres: 10)
                    && name(of: other.place) == name(of: candidate.place)
            }
            if !isKnown { kept.append(candidate) }
        }
        candidates = kept
    }

    func isNear(_ first: PlaceRecord, _ second: PlaceRecord, kilometres: Double) -> Bool {
        let a = UnitVector(latitude: first.latitude, longitude: first.longitude)
        return a.kilometres(to: UnitVector(latitude: second.latitude, longitude: second.longitude)) <= kilometres
    }
}
