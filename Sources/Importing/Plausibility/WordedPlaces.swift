import Gazetteer
import Geometry

/// The places that the words of a row may mean.
struct WordedPlaces {
    /// If the words leave little doubt that they mean one of these: the place or those that share its name, the
    /// likeliest first.
    let sure: [PlaceCandidate]
    /// If the words only name a settlement: those of that name that are known.
    ///
    /// Another one may be meant.
    let possible: [PlaceCandidate]
    /// The words that ``sure`` was found by: all, or those of the larger places.
    let words: PlaceWords

    /// No words.
    static let none = WordedPlaces(sure: [], possible: [], words: PlaceWords())

    /// The least confidence of all places of ``sure`` together.
    private static let leastSure = 0.9
    private static let mostSure = 5
    /// What is less likely than that is hardly of that name.
    private static let leastPossible = 0.01
    private static let mostPossible = 10

    private init(sure: [PlaceCandidate], possible: [PlaceCandidate], words: PlaceWords) {
        (self.sure, self.possible, self.words) = (sure, possible, words)
    }

    /// Finds the places that words mean; a village that nobody knows still lies in its state.
    init(_ words: PlaceWords, _ locator: any PlaceLocator) {
        guard !words.state.isEmpty || !words.country.isEmpty else {
            // A name alone can mean places on every continent.
            let found = locator.candidates(for: words, limit: Self.mostPossible)
            let possible = found.filter { $0.confidence >= Self.leastPossible }
            self.init(sure: [], possible: possible, words: words)
            return
        }
        var words = words
        var sure = WordedPlaces.sure(words, locator)
        for part in [\PlaceWords.city, \.state] where sure.isEmpty && !words[keyPath: part].isEmpty {
            words[keyPath: part] = ""
            sure = words.isEmpty ? [] : WordedPlaces.sure(words, locator)
        }
        self.init(sure: sure, possible: [], words: words)
    }

    /// Returns the fewest places of which one is meant almost certainly; Georgia is a state and a country.
    private static func sure(_ words: PlaceWords, _ locator: any PlaceLocator) -> [PlaceCandidate] {
        var sum = 0.0
        var found: [PlaceCandidate] = []
        for candidate in locator.candidates(for: words, limit: mostSure) {
            found.append(candidate)
            sum += candidate.confidence
            if sum >= leastSure { return found }
        }
        return []
    }
}

extension WordedPlaces {
    /// Returns how a position in a region fits the best of some places.
    static func fit(_ places: [PlaceCandidate], _ position: Coordinate, _ region: MapRegion) -> PlaceFit {
        let fits = places.map { $0.fit(position, in: region) }
        return fits.contains(.near) ? .near : fits.contains(.atSea) ? .atSea : .far
    }
}

/// How a position and a place fit.
enum PlaceFit {
    case near, far
    /// At sea, where no outline says whose waters these are.
    case atSea
}

extension PlaceCandidate {
    /// Returns how a position in a region fits the place.
    ///
    /// The box of a country says little: that of France reaches from the Caribbean to the Indian Ocean.
    func fit(_ position: Coordinate, in region: MapRegion) -> PlaceFit {
        guard kind == .country, let countryCode else { return isNear(position) ? .near : .far }
        guard region.isLand else { return box?.expanded(byMetres: 60_000).contains(position) == true ? .atSea : .far }
        return Territories.areRelated(countryCode, region.country) ? .near : .far
    }

    /// Returns whether a position may well be in or around the place.
    ///
    /// Generous: names of settlements also stand for what lies around them, and boxes are rough.
    func isNear(_ position: Coordinate) -> Bool {
        if let box, extent >= .county { return box.expanded(byMetres: 60_000).contains(position) }
        let reach = extent <= .settlement ? 60_000 + 2 * radius : 100_000 + 1.5 * radius
        return GreatCircle.distance(coordinate, position) <= reach
    }

    /// Returns whether a position lies far beyond what a rough outline or a wide meaning of the name explains.
    func isFar(_ position: Coordinate) -> Bool {
        GreatCircle.distance(coordinate, position) > radius + 300_000
    }
}
