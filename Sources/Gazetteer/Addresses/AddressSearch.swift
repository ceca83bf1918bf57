import Geometry

/// Finds houses and streets by a postal address as people write it.
///
/// In "203-06 109th Ave, Queens Village, NY", it recognises the house number, the street name in any usual form, and
/// the names of surrounding places, which a gazetteer resolves; the postal city need not be the one in the text.
public struct AddressSearch: Sendable {
    let index: AddressIndex
    let places: GazetteerIndex
    let addedPlaces: GazetteerIndex?

    /// Creates a search for addresses in `index` whose cities and regions are in `places` and `addedPlaces`.
    public init(index: AddressIndex, places: GazetteerIndex, addedPlaces: GazetteerIndex? = nil) {
        self.index = index
        self.places = places
        self.addedPlaces = addedPlaces
    }

    /// The maximum number of streets with one name that are examined closely.
    private static let widest = 48
    /// The minimum radius in kilometres of a place that counts as a county or larger.
    private static let regionReach = 50.0
    /// The penalty for a city other than the one given.
    private static let elsewhere = 0.8
    /// The maximum difference between a house number and a neighbour from which its position is interpolated.
    private static let longestGap: UInt32 = 200

    /// Returns houses and streets, the likeliest first; empty if the text names no street.
    ///
    /// - Complexity: O(*s*) in the number of streets with that name, plus the search for the city.
    public func search(_ text: String, options: SearchOptions = SearchOptions()) -> [GazetteerMatch] {
        var query = AddressQuery(text, in: index)
        var found: [Candidate] = []
        // Most interpretations leave the same remaining words; the places named in these words are looked up only once.
        var anchors: [String: [Anchor]] = [:]
        func look() {
            for reading in query.readings {
                let around = anchors[reading.rest] ?? self.anchors(reading, options)
                anchors[reading.rest] = around
                found += candidates(for: reading, around, options)
                if found.contains(where: { $0.isHouse && $0.unmatched.isEmpty }) { break }
            }
        }
        look()
        if !found.contains(where: { $0.unmatched.isEmpty }) {
            query.readMisspelt(index)
            look()
        }
        found.sort(by: Self.isBetter)
        removeDuplicates(&found)
        return matches(Array(found.prefix(min(100, max(1, options.limit)))))
            .filter { $0.confidence >= options.minimumConfidence }
    }

    /// How a number was found.
    enum Precision: Double, Sendable {
        /// The exact number.
        case house = 3
        /// Interpolated between its neighbours.
        case interpolated = 1.6
        /// The street, as no number was given.
        case street = 1
        /// The street, without the number that was given.
        case numberless = 0
    }

    struct Candidate: Sendable {
        var street: AddressIndex.Street
        var precision: Precision
        var number: String?
        var latitude: Double
        var longitude: Double
        var score: Double
        var unmatched: [String]
        /// Whether the text names the city, the postal code or another place around the candidate.
        var isPlaced: Bool
        var isChanged: Bool
        var isMisspelt: Bool
        /// Whether the city of the candidate is not the one in the query but is near that city.
        var isElsewhere = false
        var isHouse: Bool { precision == .house }
    }

    /// A place near the street, named in the text.
    private struct Anchor: Sendable {
        var position: UnitVector
        var reach: Double
        var unmatched: [String]
        /// The named place, if it is a settlement or neighbourhood.
        var settlement: GazetteerMatch?
    }

    private static func isBetter(_ first: Candidate, _ second: Candidate) -> Bool {
        first.score != second.score ? first.score > second.score : first.street.number < second.street.number
    }

    private func anchors(_ reading: AddressQuery.Reading, _ options: SearchOptions) -> [Anchor] {
        if reading.rest.isEmpty {
            return options.near.map {
                [Anchor(position: UnitVector(latitude: $0.latitude, longitude: $0.longitude), reach: 50, unmatched: [])]
            } ?? []
        }
        var around = options
        around.limit = 4
        around.boundingBox = nil
        around.minimumConfidence = 0
        var found = places.search(reading.rest, options: around)
        if let addedPlaces { found += addedPlaces.search(reading.rest, options: around) }
        // Drops matches that explain fewer words than others: if Atlanta is named, all of Georgia is not considered.
        let least = found.map(\.unmatched.count).min() ?? 0
        return found.filter { $0.unmatched.count == least }
            .map { match in
                Anchor(
                    position: UnitVector(latitude: match.coordinate.latitude, longitude: match.coordinate.longitude),
                    reach: Self.reach(of: match),
                    unmatched: match.unmatched,
                    settlement: match.kind.isSettlement || match.kind == .neighbourhood ? match : nil
                )
            }
    }

    /// Returns how far a place extends around its point, in kilometres.
    private static func reach(of match: GazetteerMatch) -> Double {
        switch match.kind {
        case .country: 3000
        case .admin1: 500
        case .county: 50
        case .postcode: 8
        case .city, .town, .village, .neighbourhood, .street, .landmark, .address, .coordinate, .water, .river,
            .island, .mountain, .park, .area, .airport:
            // Importance is a tenth of the decimal logarithm of the population; 23.02585 is 10 ln 10.
            6 + 1.5 * SettlementRadius.kilometres(population: Int(Math.exponential(match.importance * 23.02585)))
        }
    }

    private func candidates(
        for reading: AddressQuery.Reading,
        _ anchors: [Anchor],
        _ options: SearchOptions
    ) -> [Candidate] {
        var numbers = Array(reading.streets)
        if numbers.count > Self.widest {
            // Considers the streets nearest to any of the possible places; without a place, the first ones.
            let ordered = numbers.map { number -> (number: Int, distance: Double) in
                let position = index.position(ofStreet: number)
                return (number, anchors.map { $0.position.kilometres(to: position) - $0.reach }.min() ?? 0)
            }
            numbers = ordered.sorted { ($0.distance, $0.number) < ($1.distance, $1.number) }.prefix(Self.widest)
                .map(\.number)
        }
        return numbers.compactMap { candidate(index.street($0), reading, anchors, options) }
    }

    private func candidate(
        _ street: AddressIndex.Street,
        _ reading: AddressQuery.Reading,
        _ anchors: [Anchor],
        _ options: SearchOptions
    ) -> Candidate? {
        var candidate = Candidate(
            street: street,
            precision: .street,
            latitude: street.latitude,
            longitude: street.longitude,
            score: 0,
            unmatched: [],
            isPlaced: false,
            isChanged: reading.penalty > 0,
            isMisspelt: reading.isMisspelt
        )
        if let number = reading.number { find(number, in: street, &candidate) }
        guard admits(candidate, options) else { return nil }
        candidate.score = candidate.precision.rawValue - reading.penalty
        // "12a" for "12" loses to another street with the exact number.
        if candidate.isChanged, reading.penalty == 0 { candidate.score -= 0.3 }
        if !reading.restWords.isEmpty, !place(&candidate, reading, anchors) { return nil }
        if reading.restWords.isEmpty, let near = anchors.first {
            let away = near.position.kilometres(to: position(of: candidate))
            candidate.score += Math.exponential(-away / near.reach)
        }
        return candidate
    }

    private func position(of candidate: Candidate) -> UnitVector {
        UnitVector(latitude: candidate.latitude, longitude: candidate.longitude)
    }

    func admits(_ candidate: Candidate, _ options: SearchOptions) -> Bool {
        let codes = options.countries.map { $0.lowercased() }
        if !codes.isEmpty, !candidate.street.country.isEmpty, !codes.contains(candidate.street.country) { return false }
        guard let box = options.boundingBox else { return true }
        return box.contains(Coordinate(wrappingLatitude: candidate.latitude, longitude: candidate.longitude))
    }

    /// Compares the names given with the street's surroundings; returns `false` if they name another place.
    private func place(_ candidate: inout Candidate, _ reading: AddressQuery.Reading, _ anchors: [Anchor]) -> Bool {
        let words = Set(reading.restWords)
        func isNamed(_ text: String) -> Bool {
            let parts = AddressWord.words(of: text).map(\.text)
            return !parts.isEmpty && parts.allSatisfy(words.contains)
        }
        let isInCity = isNamed(candidate.street.city)
        let isInCode = isNamed(candidate.street.postcode)
        let position = position(of: candidate)
        let distances = anchors.map { (anchor: $0, away: $0.position.kilometres(to: position)) }
        let around = distances.filter { $0.away <= $0.anchor.reach }
        let fitting = around.min { ($0.anchor.unmatched.count, $0.away) < ($1.anchor.unmatched.count, $1.away) }
        guard isInCity || isInCode || fitting != nil else { return false }
        candidate.isPlaced = true
        var known = Set<String>()
        for text in [
            candidate.street.city, candidate.street.region, candidate.street.postcode, candidate.street.country,
        ] {
            known.formUnion(AddressWord.words(of: text).map(\.text))
        }
        if let fitting {
            // A word counts as understood if one of the surrounding places has it in its name.
            let unknown = around.dropFirst()
                .reduce(Set(around[0].anchor.unmatched)) { $0.intersection($1.anchor.unmatched) }
            candidate.unmatched += fitting.anchor.unmatched.filter { !known.contains($0) && unknown.contains($0) }
            candidate.score -= min(1, fitting.away / max(1, fitting.anchor.reach))
        } else {
            candidate.unmatched += reading.restWords.filter { !known.contains($0) }
        }
        // An address anywhere in the state does not match a query that also names a city.
        if let fitting, !isInCity, !isInCode, fitting.anchor.reach >= Self.regionReach,
            candidate.unmatched.contains(where: words.contains)
        {
            return false
        }
        if let fitting, !isInCity, !isInCode {
            // Applies only if every possible meaning of the names is another city: "New York" may also mean the state.
            let named = around.filter { $0.anchor.unmatched.count == fitting.anchor.unmatched.count }
                .map(\.anchor.settlement)
            if named.allSatisfy({ $0.map { !isPart(candidate.street, of: $0) } ?? false }) {
                let name = Set(AddressWord.words(of: fitting.anchor.settlement?.name ?? "").map(\.text))
                let typed = reading.restWords.filter(name.contains)
                candidate.unmatched += typed.isEmpty ? Array(reading.restWords.prefix(1)) : typed
                candidate.isElsewhere = true
                candidate.score -= Self.elsewhere
            }
        }
        if isInCity { candidate.score += 0.5 }
        if isInCode { candidate.score += 0.7 }
        candidate.score -= 0.4 * Double(candidate.unmatched.count)
        return true
    }

    /// Returns whether a street may lie in the settlement `named`, although the name of its own city is different.
    ///
    /// Parts of a city have their own names, as do cities served by another city's post office; a name missing from the
    /// gazetteer may be either.
    private func isPart(_ street: AddressIndex.Street, of named: GazetteerMatch) -> Bool {
        guard !street.city.isEmpty else { return true }
        let coordinate = Coordinate(wrappingLatitude: street.latitude, longitude: street.longitude)
        let own = places.search("\(street.city), \(street.region)", options: SearchOptions(limit: 3))
            .first {
                $0.unmatched.isEmpty && $0.matchType != .fuzzy
                    && GreatCircle.distance($0.coordinate, coordinate) < Self.regionReach * 1000
            }
        guard let own else { return true }
        let name = FoldedText(named.name).wholeKey
        func isNamed(_ other: String?) -> Bool { other.map { FoldedText($0).wholeKey == name } ?? false }
        if own.id == named.id || isNamed(own.city) { return true }
        // People may use the name of one part of a city for a neighbouring part.
        if named.city.map({ FoldedText($0).wholeKey == FoldedText(own.name).wholeKey }) ?? false { return true }
        if let county = own.admin2,
            Set(AddressWord.words(of: county).map(\.text))
                .isSuperset(
                    of: AddressWord.words(of: named.name).map(\.text)
                )
        {
            return true
        }
        guard !street.postcode.isEmpty, street.country == "us" else { return false }
        let post = places.search(String(street.postcode.prefix(5)), options: SearchOptions(limit: 1, countries: ["us"]))
        return post.first.map { $0.kind == .postcode && isNamed($0.city) } ?? false
    }

    /// Finds a number: exactly, without its letter, or between its neighbours.
    func find(_ number: HouseNumber, in street: AddressIndex.Street, _ candidate: inout Candidate) {
        var position = index.firstNumber(from: number.value, in: street.numbers)
        let first = position
        var nearly: AddressIndex.House?
        while position < street.numbers.upperBound {
            let house = index.house(position)
            guard house.value == number.value else { break }
            if house.text == number.text { return take(house, .house, &candidate) }
            if nearly == nil { nearly = house }
            position += 1
        }
        if let nearly { return take(nearly, .house, &candidate, keeping: number.text == nearly.text) }
        // "9412" for "94-12".
        if !number.text.contains("-"), number.value >= 1000 {
            let joined = HouseNumber("\(number.value / 100)-\(twoDigits(number.value % 100))")
            if let joined {
                let other = index.firstNumber(from: joined.value, in: street.numbers)
                if other < street.numbers.upperBound, index.house(other).text == joined.text {
                    return take(index.house(other), .house, &candidate)
                }
            }
        }
        if !interpolate(number, first, street, &candidate) {
            candidate.precision = .numberless
            candidate.unmatched.append(number.text)
        }
    }

    private func twoDigits(_ value: UInt32) -> String { value < 10 ? "0\(value)" : "\(value)" }

    private func take(
        _ house: AddressIndex.House,
        _ precision: Precision,
        _ candidate: inout Candidate,
        keeping isExact: Bool = true
    ) {
        candidate.precision = precision
        candidate.number = house.text
        candidate.latitude = house.latitude
        candidate.longitude = house.longitude
        if !isExact { candidate.isChanged = true }
    }

    /// Interpolates a number between the nearest ones below and above it, on its own side of the street if possible.
    private func interpolate(
        _ number: HouseNumber,
        _ first: Int,
        _ street: AddressIndex.Street,
        _ candidate: inout Candidate
    ) -> Bool {
        func neighbour(_ range: some Sequence<Int>, sameSide: Bool) -> AddressIndex.House? {
            for position in range {
                let house = index.house(position)
                let gap = house.value > number.value ? house.value - number.value : number.value - house.value
                guard gap <= Self.longestGap else { return nil }
                if !sameSide || house.value % 2 == number.value % 2 { return house }
            }
            return nil
        }
        for sameSide in [true, false] {
            let below = neighbour((street.numbers.lowerBound..<first).reversed().prefix(40), sameSide: sameSide)
            let above = neighbour((first..<street.numbers.upperBound).prefix(40), sameSide: sameSide)
            // In a damaged file, house numbers may be in any order.
            guard let below, let above, below.value < above.value,
                (below.value...above.value).contains(number.value)
            else { continue }
            let a = UnitVector(latitude: below.latitude, longitude: below.longitude)
            let b = UnitVector(latitude: above.latitude, longitude: above.longitude)
            // Neighbours a kilometre or more apart say too little about the houses between them.
            guard a.kilometres(to: b) < 1 else { continue }
            let share = Double(number.value - below.value) / Double(above.value - below.value)
            candidate.precision = .interpolated
            candidate.number = number.text
            candidate.latitude = below.latitude + share * (above.latitude - below.latitude)
            candidate.longitude = below.longitude + share * (above.longitude - below.longitude)
            return true
        }
        return false
    }

    /// Keeps the best of several records of one house or one street.
    private func removeDuplicates(_ candidates: inout [Candidate]) {
        var kept: [Candidate] = []
        for candidate in candidates {
            let reach = candidate.precision == .house || candidate.precision == .interpolated ? 0.15 : 3
            let isKnown = kept.contains { other in
                StreetName.key(other.street.name) == StreetName.key(candidate.street.name)
                    && (other.number == candidate.number || candidate.precision == .numberless)
                    && position(of: other).kilometres(to: position(of: candidate)) < max(reach, 0.15)
            }
            if !isKnown { kept.append(candidate) }
            if kept.count == 100 { break }
        }
        // If the query has a number and a house was found, streets without that number are useless.
        if kept.contains(where: { $0.precision == .house }) {
            kept.removeAll { $0.precision == .numberless }
        }
        candidates = kept
    }
}
