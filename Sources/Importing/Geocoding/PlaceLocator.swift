public import Gazetteer
import Geometry

/// Finds the places that words may mean.
public protocol PlaceLocator: Sendable {
    /// Returns at most `limit` places, those that explain more of the words first.
    func candidates(for words: PlaceWords, limit: Int) -> [PlaceCandidate]
}

/// Finds places in the gazetteer, with what the operator added to it.
public struct GazetteerLocator: PlaceLocator {
    private let search: PlaceSearch
    /// Whether streets and houses can be found at all.
    private let knowsStreets: Bool

    /// The most that a result is trusted if the words name a part of the address that it does not contain.
    private static let mostWithLeftOver = 0.6
    /// The most that a village is trusted if the words are not its name, but a misspelling or another name of it.
    ///
    /// As often they name a place nearby that the gazetteer lacks: measured on villages of Alaska.
    private static let mostByLikeness = 0.85
    /// How far an airport may lie from the middle of the city that its row names, in metres.
    private static let mostToAirport = 50_000.0
    /// The distance in metres beyond which the city is no answer for its airport.
    private static let mostInCity = 25_000.0

    /// Creates a locator.
    public init(_ search: PlaceSearch) {
        self.search = search
        knowsStreets = search.addresses != nil || search.addedPlaces != nil
    }

    /// Returns at most `limit` places: a house or street if it is known, else the place named, its city, its county,
    /// and so on.
    ///
    /// A street that nobody knows does not make its city less sure: the result is the city, and says so by its kind.
    public func candidates(for words: PlaceWords, limit: Int) -> [PlaceCandidate] {
        var found: [PlaceCandidate] = []
        func add(_ matches: [GazetteerMatch], _ accepts: (GazetteerMatch) -> Bool = { _ in true }) {
            for match in matches where found.count < limit && accepts(match) {
                var candidate = PlaceCandidate(match)
                if found.contains(where: { $0.id == candidate.id && $0.coordinate == candidate.coordinate }) {
                    continue
                }
                candidate.confidence = min(candidate.confidence, Self.mostConfidence(in: match, for: words))
                found.append(candidate)
            }
        }
        let options = SearchOptions(limit: limit)
        if !words.text.isEmpty { add(search.search(words.text, options: options)) }
        if knowsStreets, !words.street.isEmpty {
            add(search.search(PlaceQuery(parts: words.parts(withStreet: true), options: options))) {
                PlaceExtent($0.kind) <= .street && $0.unmatched.isEmpty
            }
        }
        let airport = words.city.isEmpty ? nil : AirportName.whole(words.name)
        if !words.name.isEmpty, airport == nil {
            let text = [words.name, words.city, words.state, words.country].filter { !$0.isEmpty }
            let isWhole = words.city.isEmpty && words.county.isEmpty
            add(search.search(text.joined(separator: ", "), options: options)) { match in
                // Within a city, only a part of it; alone, whatever the name means.
                isWhole || (match.unmatched.isEmpty && Self.isPart(match))
            }
        }
        guard found.count < limit, words.hasAreas else { return found }
        add(counties(words))
        let whole = search.search(PlaceQuery(parts: words.parts(withStreet: false), options: options))
        if let airport {
            let airports = airports(called: airport, words, around: whole.first)
            add(airports.map(\.match))
            let isFar =
                airports.isEmpty
                ? Self.mayHaveFarAirport(whole.first) : !airports.contains { $0.metres <= Self.mostInCity }
            add(isFar ? Self.doubted(whole) : whole)
        } else {
            add(whole)
        }
        // A county that does not fit its city leaves doubt, but not about what to suggest.
        if !words.city.isEmpty, !words.county.isEmpty, whole.first?.unmatched.isEmpty != true {
            var fewer = words
            fewer.county = ""
            let others = search.search(PlaceQuery(parts: fewer.parts(withStreet: false), options: options))
            add(Self.doubted(others))
        }
        return found
    }
}

extension GazetteerLocator {
    /// The countries whose states and territories the post of the USA abbreviates.
    private static let postalCountries: Set<String> = ["us", "as", "gu", "mp", "pr", "vi"]

    /// Returns whether a place can be a part of a city that its name stands beside.
    private static func isPart(_ match: GazetteerMatch) -> Bool {
        match.kind == .neighbourhood || match.kind == .landmark
    }

    /// Returns the counties of which a row names one as its city: "Fulton County", where no settlement is called that.
    private func counties(_ words: PlaceWords) -> [GazetteerMatch] {
        guard words.county.isEmpty, words.postalCode.isEmpty, CountyName.isName(words.city) else { return [] }
        let options = SearchOptions(limit: Self.mostCounties)
        let settlements = search.search(PlaceQuery(parts: words.parts(withStreet: false), options: options))
        if settlements.contains(where: { $0.kind.isSettlement && $0.name.lowercased() == words.city.lowercased() }) {
            return []
        }
        var larger = words
        (larger.county, larger.city) = (words.city, "")
        return search.search(PlaceQuery(parts: larger.parts(withStreet: false), options: options))
            .filter { $0.kind == .county && $0.unmatched.isEmpty && $0.matchType != .fuzzy }
    }

    /// The most counties that share a name and are offered.
    private static let mostCounties = 5

    /// Returns the airports that the words name and that lie around their city, with the distances from its middle.
    ///
    /// An airport lies as far as 50 km from the middle of its city, so it is worth more than the city. Many lie beyond what
    /// belongs to a city, so the city is not a part of what is looked for. Their names resemble each other too much for a
    /// misspelling to be trusted.
    private func airports(
        called name: String,
        _ words: PlaceWords,
        around city: GazetteerMatch?
    ) -> [(match: GazetteerMatch, metres: Double)] {
        guard let city, city.unmatched.isEmpty, PlaceExtent(city.kind) == .settlement else { return [] }
        var options = SearchOptions()
        options.allowsMisspellings = false
        let text = [name, words.state, words.country].filter { !$0.isEmpty }.joined(separator: ", ")
        return search.search(text, options: options)
            .compactMap { match -> (match: GazetteerMatch, metres: Double)? in
                guard match.kind == .airport, match.matchType != .fuzzy, match.unmatched.isEmpty else { return nil }
                let metres = GreatCircle.distance(match.coordinate, city.coordinate)
                return metres <= Self.mostToAirport ? (match: match, metres: metres) : nil
            }
    }

    /// Returns whether an airport that nobody knows may well lie beyond its city, because that is large.
    ///
    /// Measured on airports of the USA: of 107 that name a city of half a million people, 22 lie more than 25 km from its
    /// middle; of 2,827 that name a smaller one, as many.
    private static func mayHaveFarAirport(_ city: GazetteerMatch?) -> Bool {
        guard let city, city.unmatched.isEmpty, PlaceExtent(city.kind) == .settlement else { return false }
        return PlaceCandidate(city).radius >= SettlementRadius.largest * 1_000
    }

    /// Returns results that are trusted no more than those with words left over.
    private static func doubted(_ matches: [GazetteerMatch]) -> [GazetteerMatch] {
        matches.map { match in
            var match = match
            match.confidence = min(match.confidence, mostWithLeftOver)
            return match
        }
    }

    /// Returns the most that a result is trusted.
    private static func mostConfidence(in match: GazetteerMatch, for words: PlaceWords) -> Double {
        if !match.unmatched.isEmpty { return mostWithLeftOver }
        // "CA" is California and "WA" Washington, unless a country or a whole name says that it is Canada or Australia.
        let isCode = words.state.utf8.count == 2 && words.country.isEmpty
        if isCode, !postalCountries.contains(match.countryCode ?? "") { return mostWithLeftOver }
        // A county that fits leaves no doubt.
        let isLike = (match.matchType == .fuzzy || match.matchType == .alias) && words.county.isEmpty
        return isLike && match.kind == .village ? mostByLikeness : 1
    }
}

extension PlaceWords {
    /// Whether a city, county, state, country or postal code is named.
    fileprivate var hasAreas: Bool {
        !(city.isEmpty && county.isEmpty && state.isEmpty && country.isEmpty && postalCode.isEmpty)
    }

    fileprivate func parts(withStreet: Bool) -> PlaceParts {
        PlaceParts(
            street: withStreet ? street : "",
            city: city,
            county: county,
            state: state,
            country: country,
            postalCode: postalCode
        )
    }
}
