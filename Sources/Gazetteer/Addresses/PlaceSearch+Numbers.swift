extension PlaceSearch {
    /// Returns the places with a number, with names in a language where available.
    public func matches(number: Int, language: String? = nil) -> [GazetteerMatch] {
        let added = addedPlaces?.matches(number: number) ?? []
        let own = places.matches(number: number).filter { match in !added.contains { $0.id == match.id } }
        return (added + own).map { localized($0, language) }
    }

    /// Returns the place with an identifier, with its name in a language where available.
    public func match(id: String, language: String? = nil) -> GazetteerMatch? {
        (addedPlaces?.match(id: id) ?? places.match(id: id)).map { localized($0, language) }
    }

    private func localized(_ match: GazetteerMatch, _ language: String?) -> GazetteerMatch {
        guard let language, let spellings else { return match }
        return spellings.localized(match, language: language)
    }
}
