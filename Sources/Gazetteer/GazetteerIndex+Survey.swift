/// A place with data for measurement tools.
package struct SurveyedPlace: Sendable {
    /// The place as a match.
    package let match: GazetteerMatch
    /// The population, zero if unknown.
    package let population: Int
    /// Its index, which is its rank.
    package let number: Int
}

// Iteration over the whole gazetteer, for measurement tools.
extension GazetteerIndex {
    /// Returns a place by its index, the best known first, or `nil` past the last.
    package func surveyedPlace(_ number: Int) -> SurveyedPlace? {
        place(number).map { SurveyedPlace(match: describe($0), population: $0.population, number: number) }
    }

    /// Searches as if one place were missing from the gazetteer.
    package func search(_ text: String, without place: Int?) -> [GazetteerMatch] {
        var filter = SearchFilter(SearchOptions(), index: self)
        filter.missing = place
        return answer(ParsedQuery(text, index: self), filter, SearchOptions())
    }

    /// Returns the places with exactly this name, the best known first.
    package func places(named name: String, limit: Int = 2_000) -> [GazetteerMatch] {
        let text = FoldedText(name)
        guard !text.tokens.isEmpty, let range = postings(for: text.wholeKey) else { return [] }
        return range.prefix(limit).compactMap { place(posting($0).place).map { describe($0) } }
    }

    /// Returns a folded name by its index in sorted order, and the best-known place with that name.
    package func surveyedName(_ number: Int) -> (name: String, place: SurveyedPlace)? {
        guard number >= 0, number < nameCount, let first = postingRange(of: number).first else { return nil }
        return surveyedPlace(posting(first).place).map { (String(decoding: key(number), as: UTF8.self), $0) }
    }
}
