import Geometry

extension GazetteerIndex {
    /// The maximum numbers of places examined for a name, for a misspelt name, and outside every place that the query
    /// names.
    private static let deepest = 4_000
    private static let deepestMisspelt = 400
    private static let deepestOutside = 12

    /// Returns the places named in a query, best first.
    func candidates(for query: ParsedQuery, _ filter: SearchFilter) -> [SearchCandidate] {
        let matcher = ContextMatcher(index: self, query: query)
        var found: [SearchCandidate] = []
        for span in query.spans {
            for reading in span.readings { collect(reading, span, matcher, filter, &found) }
        }
        guard let least = found.map(\.cost).min() else { return [] }
        // A candidate that explains two words fewer than the best is not a result.
        found.removeAll { $0.cost > least + 1.5 }
        found.sort {
            $0.place.number != $1.place.number ? $0.place.number < $1.place.number : $0.score > $1.score
        }
        var kept: [SearchCandidate] = []
        for candidate in found where candidate.place.number != kept.last?.place.number { kept.append(candidate) }
        return kept
    }

    private func collect(
        _ reading: ParsedQuery.Reading,
        _ span: ParsedQuery.Span,
        _ matcher: ContextMatcher,
        _ filter: SearchFilter,
        _ found: inout [SearchCandidate]
    ) {
        guard !reading.isCode else { return }
        var outside = 0
        for number in reading.postings.prefix(reading.edits > 0 ? Self.deepestMisspelt : Self.deepest) {
            let posting = posting(number)
            guard let place = place(posting.place), filter.admits(place) else { continue }
            if reading.edits > 0, posting.quality >= .code { continue }
            guard matcher.query.admits(span.words, place.kind) else { continue }
            let cover = matcher.cover(span.words, of: place)
            if cover.names == 0, !filter.ranksByPlace {
                // Postings are sorted by importance.
                outside += 1
                if outside > Self.deepestOutside { continue }
            }
            if let candidate = candidate(place, posting.quality, span, reading, cover, matcher.query, filter) {
                found.append(candidate)
            }
        }
    }

    private func candidate(
        _ place: PlaceRecord,
        _ quality: NameQuality,
        _ span: ParsedQuery.Span,
        _ reading: ParsedQuery.Reading,
        _ cover: ContextMatcher.Cover,
        _ query: ParsedQuery,
        _ filter: SearchFilter
    ) -> SearchCandidate? {
        let explained = cover.matched | ContextMatcher.mask(span.words)
        var unmatched: UInt32 = 0
        var cost = 0.0
        for word in 0..<query.count where explained & (1 << UInt32(word)) == 0 {
            cost += query.costs[word]
            if query.costs[word] == 1 { unmatched |= 1 << UInt32(word) }
        }
        // Filler words alone name no place by an alias, a code or a misspelling: "the" is not an airport code.
        if cover.names == 0, quality >= .alias || reading.edits > 0, span.words.allSatisfy({ query.costs[$0] < 1 }) {
            return nil
        }
        // Most three-letter aliases are codes; a text of four letters is not a misspelling of one.
        if cover.names == 0, quality == .alias, reading.edits > 0, query.letters(span.words) < 5 { return nil }
        if unmatched != 0, isNameOfStreet(span, leaving: unmatched, query) { return nil }
        if unmatched != 0, place.kind.isPart || reading.edits > 0, isOfAnotherPlace(span, leaving: unmatched, query) {
            // "Boulevard de la Liberte, Rennes" is in Rennes, even if the rest resembles the name of another place.
            if reading.edits > 0 { return nil }
            cost += SearchWeights.otherPlace
        }
        if unmatched != 0 {
            guard isWorthKeeping(place, quality, span, leaving: unmatched, query) else { return nil }
            // If other words have no meaning, a similarity to a town's name is a coincidence.
            let isKnown = place.importance * GazetteerFormat.fullImportance >= 5 && reading.edits < 2
            if reading.edits > 0, cover.names == 0, !isKnown { return nil }
        }
        var score = weight(of: place, leaving: cost, isBare: cover.names == 0) - SearchWeights.penalty(quality)
        score -= SearchWeights.unmatchedWord * cost
        score -= reading.penalty + cover.penalty
        if span.fillsSegment, reading.edits == 0, quality <= .alias, query.isWritten(like: place, span, self) {
            score += SearchWeights.asWritten
        }
        if quality == .alias {
            if cover.names > 0 { score -= SearchWeights.aliasInContext }
            // Any three letters are a name in some language.
            score -= SearchWeights.shortAlias * Double(max(0, 5 - query.letters(span.words)))
        }
        if query.hasMarks,
            query.marks(span).allMatch(in: names.part(offset: place.nameOffset, length: place.nameLength))
        {
            score += SearchWeights.sameMarks
        }
        if cover.namesBefore > 0 { score -= SearchWeights.reversedOrder }
        if reading.edits > 0 {
            if quality >= .alias { score -= SearchWeights.misspeltAlias }
            if cost >= 1 { score -= SearchWeights.misspeltAndUnmatched }
            let fame = place.kind.isLocal ? SearchWeights.misspeltFame : SearchWeights.misspeltRegionFame
            score -= fame * max(0, place.importance * GazetteerFormat.fullImportance - 5)
        }
        score += filter.preference(for: place)
        if let year = filter.year, reading.edits == 0 {
            score += preference(for: place, named: query.text.key(span.words, canonical: false), quality, in: year)
        }
        return SearchCandidate(
            place: place,
            quality: quality,
            words: span.words,
            edits: reading.edits + cover.edits,
            editPenalty: reading.penalty + cover.penalty,
            unmatched: unmatched,
            cost: cost,
            contexts: cover.names,
            score: score
        )
    }

    /// Returns whether the part after the last comma names a settlement that does not contain the place.
    ///
    /// "Auburn Ave, Selma" is somewhere in Selma, not a street with that name elsewhere.
    private func isOfAnotherPlace(_ span: ParsedQuery.Span, leaving unmatched: UInt32, _ query: ParsedQuery) -> Bool {
        let last = query.lastSegment
        guard !last.isEmpty, span.words.upperBound <= last.lowerBound else { return false }
        guard ContextMatcher.mask(last) & ~unmatched == 0 else { return false }
        return query.spans.contains { other in
            other.words == last
                && other.readings.contains { reading in
                    reading.edits == 0
                        && reading.postings.prefix(8)
                            .contains {
                                posting($0).quality <= .variant && kind(of: posting($0).place).isSettlement
                            }
                }
        }
    }

    /// Returns whether words are the name of an unknown street in a place that the query also names.
    ///
    /// "1216 Santa Clara Ave, Los Angeles" is not in Santa Clara: a street type follows the name, and a house number or
    /// nothing precedes it.
    private func isNameOfStreet(_ span: ParsedQuery.Span, leaving unmatched: UInt32, _ query: ParsedQuery) -> Bool {
        guard let address = query.streetAddress(around: span.words, leaving: unmatched) else { return false }
        return query.spans.contains { other in
            !other.words.overlaps(address)
                && other.readings.contains { reading in
                    reading.edits == 0
                        && reading.postings.prefix(8)
                            .contains {
                                let kind = kind(of: posting($0).place)
                                return posting($0).quality <= .alias && (kind.isSettlement || kind == .postcode)
                            }
                }
        }
    }

    /// Returns how well known a place is, as an order of magnitude of population.
    private func weight(of place: PlaceRecord, leaving cost: Double, isBare: Bool) -> Double {
        let weight = place.importance * GazetteerFormat.fullImportance
        switch place.kind {
        // If a region is returned for an unknown place within it, the region's population does not matter.
        case .country, .admin1: return cost >= 1 ? min(weight, SearchWeights.regionInstead) : weight
        case .neighbourhood: return isBare ? weight - SearchWeights.bareNeighbourhood : weight
        default: return weight
        }
    }

    /// Returns whether a place may match a query that has words left over.
    private func isWorthKeeping(
        _ place: PlaceRecord,
        _ quality: NameQuality,
        _ span: ParsedQuery.Span,
        leaving unmatched: UInt32,
        _ query: ParsedQuery
    ) -> Bool {
        let endsQuery = unmatched >> UInt32(span.words.upperBound) == 0
        if quality == .countryCode || (quality == .code && !endsQuery) { return false }
        if span.fillsSegment { return true }
        // A stray word among many is not the place requested, unless it ends an address.
        let significant = query.costs.count { $0 == 1 }
        if (significant - unmatched.nonzeroBitCount) * 2 >= significant { return true }
        let weight = place.importance * GazetteerFormat.fullImportance
        return endsQuery && weight >= (quality == .alias ? 6.5 : 4.5)
    }
}

/// The filters and preferences derived from the options.
struct SearchFilter: Sendable {
    let countries: [Int]?
    private let box: BoundingBox?
    private let preferred: Int?
    private let near: UnitVector?
    /// The year that the query is about.
    let year: Int?
    let allowsMisspellings: Bool
    /// A place to treat as missing.
    var missing: Int?

    /// Whether the position of a place affects its rank, so that less well-known ones may come first.
    var ranksByPlace: Bool { near != nil }
    /// Whether the results are limited to countries or to a box, which may exclude nearly all places.
    var isNarrow: Bool { countries != nil || box != nil }
    /// The maximum part of a place's score that does not depend on its name.
    var mostPreference: Double {
        (preferred == nil ? 0 : SearchWeights.preferredCountry) + (near == nil ? 0 : SearchWeights.near)
    }

    init(_ options: SearchOptions, index: GazetteerIndex) {
        countries = options.countries.isEmpty ? nil : options.countries.compactMap { index.countryNumber(code: $0) }
        box = options.boundingBox
        year = options.year
        allowsMisspellings = options.allowsMisspellings
        preferred = options.preferredCountry.flatMap { index.countryNumber(code: $0) }
        near = options.near.map { UnitVector(latitude: $0.latitude, longitude: $0.longitude) }
    }

    /// Returns whether a place may be in the results.
    func admits(_ place: PlaceRecord) -> Bool {
        if place.number == missing { return false }
        if let countries, !countries.contains(place.country) { return false }
        if let box, !box.contains(place.coordinate) { return false }
        return true
    }

    /// Returns the part of a place's score that does not depend on its name.
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
