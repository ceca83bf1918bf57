import Geometry

extension GazetteerIndex {
    /// The most places of one name that are looked at.
    private static let deepest = 4000

    /// Finds the places that a text may mean, the likeliest first.
    ///
    /// Understands names with or without what they lie in, in any order ("mound bayou mississippi"), abbreviations,
    /// names in other languages, US ZIP codes and decimal coordinates. There is no tolerance for misspellings.
    /// - Complexity: O(*s* · *p*): runs of words that name something, times places of those names.
    public func search(_ text: String, options: SearchOptions = SearchOptions()) -> [GazetteerMatch] {
        if let coordinate = CoordinateText.parse(text) {
            return [match(for: coordinate)]
        }
        let query = PlaceQuery(text, index: self)
        guard !query.spans.isEmpty else { return [] }
        var candidates = self.candidates(for: query, options)
        guard !candidates.isEmpty else { return [] }
        putCitiesBeforeTheirRegions(&candidates)
        candidates.sort(by: Self.isBetter)
        candidates = Array(candidates.prefix(64))
        removeDuplicates(&candidates)
        let confidences = self.confidences(of: candidates, in: query)
        return zip(candidates, confidences).prefix(min(100, max(1, options.limit)))
            .filter { $1.value >= options.minimumConfidence }
            .map { match(for: $0, confidence: $1.value, isAmbiguous: $1.isAmbiguous, in: query) }
    }

    private static func isBetter(_ first: SearchCandidate, _ second: SearchCandidate) -> Bool {
        first.score != second.score ? first.score > second.score : first.place.number < second.place.number
    }

    private func candidates(for query: PlaceQuery, _ options: SearchOptions) -> [SearchCandidate] {
        let filter = SearchFilter(options, index: self)
        let matcher = ContextMatcher(index: self, query: query)
        var best: [Int: SearchCandidate] = [:]
        for span in query.spans {
            for number in span.postings.prefix(Self.deepest) {
                let posting = posting(number)
                guard let place = place(posting.place), filter.admits(place) else { continue }
                let candidate = candidate(place, posting.quality, span, matcher, filter)
                guard let candidate else { continue }
                if let known = best[posting.place], known.score >= candidate.score { continue }
                best[posting.place] = candidate
            }
        }
        let kept = best.values.sorted(by: Self.isBetter)
        // What explains two words less than the best does is no answer.
        guard let least = kept.map(\.cost).min() else { return [] }
        return kept.filter { $0.cost <= least + 1.5 }
    }

    private func candidate(
        _ place: PlaceRecord,
        _ quality: NameQuality,
        _ span: PlaceQuery.Span,
        _ matcher: ContextMatcher,
        _ filter: SearchFilter
    ) -> SearchCandidate? {
        let query = matcher.query
        let before = matcher.cover(0..<span.words.lowerBound, of: place)
        let after = matcher.cover(span.words.upperBound..<query.count, of: place)
        let unmatched = before.unmatched + after.unmatched
        let contexts = before.contexts + after.contexts
        if !unmatched.isEmpty, !isWorthKeeping(place, quality, span, leaving: unmatched, query) { return nil }
        let cost = before.cost + after.cost
        var score = place.importance * GazetteerFormat.fullImportance - SearchWeights.penalty(quality)
        score -= SearchWeights.unmatchedWord * cost
        score -= before.penalty + after.penalty
        if span.fillsSegment, quality <= .alias, query.isWritten(like: place, span, self) {
            score += SearchWeights.asWritten
        }
        if contexts > 0, quality == .alias { score -= SearchWeights.aliasInContext }
        if before.contexts > 0 { score -= SearchWeights.reversedOrder }
        score += filter.preference(for: place)
        return SearchCandidate(
            place: place,
            quality: quality,
            words: span.words,
            unmatched: unmatched,
            cost: cost,
            contexts: contexts,
            score: score
        )
    }

    /// Whether a place may answer a query of which some words are left over.
    private func isWorthKeeping(
        _ place: PlaceRecord,
        _ quality: NameQuality,
        _ span: PlaceQuery.Span,
        leaving unmatched: [Int],
        _ query: PlaceQuery
    ) -> Bool {
        let endsQuery = !unmatched.contains { $0 >= span.words.upperBound }
        if quality == .countryCode || (quality == .code && !endsQuery) { return false }
        if span.fillsSegment { return true }
        // A stray word among many is not a place that somebody asked for, unless an address ends in it.
        let significant = query.costs.count { $0 == 1 }
        if (significant - unmatched.count) * 2 >= significant { return true }
        let weight = place.importance * GazetteerFormat.fullImportance
        return endsQuery && weight >= (quality == .alias ? 6.5 : 4.5)
    }

    /// "New York" is the city first: a city named like the region it lies in takes the region's place in the order.
    ///
    /// Not where words are left over: "Nowhere, New York" is somewhere in the state.
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

    /// Whether the name they share means the city rather than the region.
    ///
    /// A hamlet does not, nor a city that shares only a byname unless it is the greater part of the region, or one of
    /// the great cities: Oklahoma is the state, New York is the city.
    private static func standsFor(_ region: PlaceRecord, city: PlaceRecord, named quality: NameQuality) -> Bool {
        let share = Double(city.population) / Double(max(1, region.population))
        switch quality {
        case .primary, .variant: return share >= 0.01
        case .alias: return share >= 0.35 || (share >= 0.1 && city.population >= 2_000_000)
        case .short, .code, .countryCode: return false
        }
    }

    /// Keeps the best of several records of one place: same kind of thing, same name and region, within 10 km.
    private func removeDuplicates(_ candidates: inout [SearchCandidate]) {
        var kept: [SearchCandidate] = []
        for candidate in candidates {
            let isKnown = kept.contains { other in
                other.place.kind.isSettlement && candidate.place.kind.isSettlement
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

/// What the options let through and prefer.
struct SearchFilter: Sendable {
    private let countries: [Int]?
    private let box: BoundingBox?
    private let preferred: Int?
    private let near: UnitVector?

    init(_ options: SearchOptions, index: GazetteerIndex) {
        countries = options.countries.isEmpty ? nil : options.countries.compactMap { index.countryNumber(code: $0) }
        box = options.boundingBox
        preferred = options.preferredCountry.flatMap { index.countryNumber(code: $0) }
        near = options.near.map { UnitVector(latitude: $0.latitude, longitude: $0.longitude) }
    }

    func admits(_ place: PlaceRecord) -> Bool {
        if let countries, !countries.contains(place.country) { return false }
        if let box, !box.contains(place.coordinate) { return false }
        return true
    }

    func preference(for place: PlaceRecord) -> Double {
        var preference = place.country == preferred ? SearchWeights.preferredCountry : 0
        if let near {
            let distance = near.kilometres(to: UnitVector(latitude: place.latitude, longitude: place.longitude))
            let reach = distance / SearchWeights.nearRange
            preference += SearchWeights.near * Math.exponential(-reach * reach / 2)
        }
        return preference
    }
}
