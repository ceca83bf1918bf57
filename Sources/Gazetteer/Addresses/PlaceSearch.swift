import Geometry

/// The program's gazetteer combined with the operator's added places, streets and addresses.
///
/// Each query goes to all of them, and the results are merged into one list.
public struct PlaceSearch: Sendable {
    /// The program's places.
    public let places: GazetteerIndex
    /// Added places, if any.
    public let addedPlaces: GazetteerIndex?
    /// Added addresses, if any.
    public let addresses: AddressIndex?
    /// Added names of places by language, if any.
    public let spellings: SpellingIndex?

    /// Combines the sources.
    public init(
        places: GazetteerIndex,
        addedPlaces: GazetteerIndex? = nil,
        addresses: AddressIndex? = nil,
        spellings: SpellingIndex? = nil
    ) {
        self.places = places
        self.addedPlaces = addedPlaces
        self.addresses = addresses
        self.spellings = spellings
    }

    /// Finds the places, streets and houses that a text may refer to, the likeliest first.
    public func search(_ text: String, options: SearchOptions = SearchOptions()) -> [GazetteerMatch] {
        search(PlaceQuery(text, options: options))
    }

    /// Finds the places, streets and houses that a query may refer to, the likeliest first.
    ///
    /// If an address is unknown, its postal code or city is returned, with the words that were not matched.
    public func search(_ query: PlaceQuery) -> [GazetteerMatch] {
        var found = places.search(query)
        if let addedPlaces {
            let added = addedPlaces.search(query)
            let ranking = MergeRanking(query.options)
            if !added.isEmpty { found = Self.sharing(Self.merged(found, added, by: ranking)) }
        }
        if let addresses, let text = AddressText.text(of: query) {
            let search = AddressSearch(index: addresses, places: places, addedPlaces: addedPlaces)
            // An unlikely street may be the only result.
            var options = query.options
            options.minimumConfidence = 0
            let houses = search.search(text, options: options)
            if !houses.isEmpty { found = Self.sharing(Self.joined(found, houses)) }
            found.removeAll { $0.confidence < query.options.minimumConfidence }
        }
        return shown(found, query.options)
    }

    /// Completes a prefix to the best-known places, and to added streets.
    ///
    /// Streets take up to a third of the list, and the rest of it if there are too few places. They come first if the
    /// text looks like an address, or if no place matches the whole text.
    public func suggest(_ prefix: String, options: SearchOptions = SearchOptions()) -> [GazetteerMatch] {
        var found = places.suggest(prefix, options: options)
        if let addedPlaces {
            found = Self.visibleFirst(
                Self.merged(found, addedPlaces.suggest(prefix, options: options), by: MergeRanking(options))
            )
        }
        if let addresses {
            let search = AddressSearch(index: addresses, places: places, addedPlaces: addedPlaces)
            let streets = search.suggest(prefix, options: options)
            // A name that starts with the prefix is a better guess than a place that merely resembles it.
            if AddressSearch.isAddress(prefix) || found.allSatisfy({ $0.matchType == .fallback }) {
                found = streets + found
            } else {
                let limit = min(100, max(1, options.limit))
                let room = max(limit - found.count, min(streets.count, limit / 3))
                found =
                    Array(found.prefix(limit - min(limit, room)) + streets.prefix(room)) + found.dropFirst(limit - room)
            }
        }
        guard let language = options.language, let spellings else { return shown(found, options) }
        // A name displayed in another language may start with other letters.
        let key = FoldedText(prefix, limit: 200).wholeKey
        let localized = found.map { match in
            var match = spellings.localized(match, language: language)
            if FoldedText(match.name).starts(withAnyOf: [key]) { match.matchedName = nil }
            return match
        }
        return Array(Self.visibleFirst(localized).prefix(min(100, max(1, options.limit))))
    }

    /// Returns the matches reordered: those whose displayed name starts with the prefix, then those found by an alias.
    private static func visibleFirst(_ matches: [GazetteerMatch]) -> [GazetteerMatch] {
        func isVisible(_ match: GazetteerMatch) -> Bool {
            match.matchedName == nil && match.matchType != .fuzzy && match.matchType != .fallback
        }
        return matches.filter(isVisible) + matches.filter { !isVisible($0) }
    }

    /// Returns the first matches up to the requested number, named in the requested language.
    private func shown(_ found: [GazetteerMatch], _ options: SearchOptions) -> [GazetteerMatch] {
        let kept = found.prefix(min(100, max(1, options.limit)))
        guard let language = options.language, let spellings else { return Array(kept) }
        return kept.map { spellings.localized($0, language: language) }
    }

    /// Merges two lists, keeping the order of each; if both contain a record of the same place, the first list's is
    /// kept.
    static func merged(
        _ first: [GazetteerMatch],
        _ second: [GazetteerMatch],
        by ranking: MergeRanking
    ) -> [GazetteerMatch] {
        let new = second.filter { match in
            !first.contains { known in
                known.id == match.id || (isSameSort(known, match) && isNear(known, match, kilometres: 5))
            }
        }
        guard !new.isEmpty else { return first }
        // Each list is already sorted; matches that explain less of the query go last.
        var (a, b) = (first[...], new[...])
        var merged: [GazetteerMatch] = []
        while let left = a.first, let right = b.first {
            let isLeft = !ranking.isBetter(right, than: left)
            merged.append(isLeft ? a.removeFirst() : b.removeFirst())
        }
        return merged + a + b
    }

    /// Merges houses and streets into a list of places.
    ///
    /// Places come first if any of them explains more of the text than the best house or street. Otherwise the houses
    /// and streets come first if the best of them is a house, and after the leading places that match the whole text if
    /// it is a street.
    static func joined(_ places: [GazetteerMatch], _ houses: [GazetteerMatch]) -> [GazetteerMatch] {
        guard let best = houses.first else { return places }
        let whole = places.prefix { $0.unmatched.isEmpty && $0.confidence >= 0.3 }
        let isUnderstood = best.unmatched.isEmpty || places.allSatisfy { $0.unmatched.count >= best.unmatched.count }
        guard isUnderstood else { return places + houses }
        if !whole.isEmpty, best.kind != .address { return whole + houses + places.dropFirst(whole.count) }
        return houses + places
    }

    /// Returns the matches with descending confidences whose sum is at most one.
    ///
    /// Each source assumes that it contains the intended place, but only one of them can be right.
    static func sharing(_ matches: [GazetteerMatch]) -> [GazetteerMatch] {
        var rest = 1.0
        var last = 1.0
        return matches.map { match in
            var match = match
            match.confidence = min(match.confidence, rest, last)
            last = match.confidence
            rest = max(0, rest - last)
            return match
        }
    }

    /// Returns whether two records have the same name and the same kind; settlements and neighbourhoods count as one
    /// kind, because sources may classify the same place differently.
    private static func isSameSort(_ first: GazetteerMatch, _ second: GazetteerMatch) -> Bool {
        func isInhabited(_ kind: PlaceKind) -> Bool { kind.isSettlement || kind == .neighbourhood }
        let isSame = first.kind == second.kind || (isInhabited(first.kind) && isInhabited(second.kind))
        return isSame && FoldedText(first.name).wholeKey == FoldedText(second.name).wholeKey
    }

    private static func isNear(_ first: GazetteerMatch, _ second: GazetteerMatch, kilometres: Double) -> Bool {
        GreatCircle.distance(first.coordinate, second.coordinate) <= kilometres * 1000
    }
}

/// Distinguishes texts that may be addresses from those that cannot.
enum AddressText: Sendable {
    /// Returns the text to search for among the addresses; `nil` if it names no street.
    static func text(of query: PlaceQuery) -> String? {
        let text =
            switch query.subject {
            case .text(let text): text
            case .parts(let parts):
                parts.street.isEmpty
                    ? "" : parts.ordered.map(\.text).filter { !$0.isEmpty }.joined(separator: ", ")
            }
        // An address has at least two words, and at least one of them does not begin with a digit.
        let words = AddressWord.words(of: text)
        guard words.count >= 2, words.contains(where: { !AddressWord.startsWithDigit($0.text) }) else { return nil }
        return text
    }
}
