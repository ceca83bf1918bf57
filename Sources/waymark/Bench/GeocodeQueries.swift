import Gazetteer
import Geometry

/// A synthetic query with the place it was generated from.
struct GeneratedQuery: Sendable {
    let text: String
    /// The position of the place; `nil` if there is no such place.
    let expected: Coordinate?
    /// The index of a place treated as missing.
    var without: Int?
}

/// The data from which queries are generated: a subset of the data about a place.
struct QueriedPlace: Sendable {
    let name: String
    let region: String?
    let coordinate: Coordinate
    let population: Int
    let number: Int

    init(_ place: SurveyedPlace) {
        name = place.match.name
        region = place.match.admin1
        coordinate = place.match.coordinate
        population = place.population
        number = place.number
    }
}

/// Generates queries from the gazetteer; the same seed gives the same queries.
struct GeocodeQueries {
    let index: GazetteerIndex
    let seed: UInt64
    let count: Int

    /// Settlements in the USA with the postal code of their state.
    private let american: [(place: QueriedPlace, state: String)]
    /// All settlements with a population of 100,000 or more.
    private let large: [QueriedPlace]
    /// Every eighth settlement with a population of a thousand or more.
    private let settlements: [QueriedPlace]

    init(index: GazetteerIndex, seed: UInt64, count: Int) {
        self.index = index
        self.seed = seed
        self.count = count
        var codes: [String: String] = [:]
        let letters = "abcdefghijklmnopqrstuvwxyz"
        for code in letters.flatMap({ first in letters.map { "\(first)\($0)" } }) {
            let state = index.places(named: code).first { $0.kind == .admin1 && $0.countryCode == "us" }
            if let state { codes[state.name] = code.uppercased() }
        }
        var american: [(QueriedPlace, String)] = []
        var large: [QueriedPlace] = []
        var settlements: [QueriedPlace] = []
        // If several places in one state, or several large cities, share a name, the name means the largest, which
        // comes first.
        var known: Set<String> = []
        for number in 0..<index.placeCount {
            guard let survey = index.surveyedPlace(number), survey.match.kind.isLocal else { continue }
            let place = QueriedPlace(survey)
            if number % 8 == 0, place.population >= 1_000 { settlements.append(place) }
            let key = NameFolding.key(of: place.name)
            if place.population >= 100_000, known.insert(key).inserted { large.append(place) }
            guard survey.match.countryCode == "us", let state = survey.match.admin1.flatMap({ codes[$0] }) else {
                continue
            }
            if known.insert("\(key), \(state)").inserted { american.append((place, state)) }
        }
        self.american = american
        self.large = large
        self.settlements = settlements
    }

    private func generator(_ salt: UInt64) -> SplitMix64 { SplitMix64(seed: SplitMix64.mix(seed) &+ salt) }

    /// Returns "City, ST" with `edits` random edits in the city, for uniformly drawn settlements.
    ///
    /// `isAnywhere` allows edits in the comma and the state code too.
    func american(edits: Int, shortest: Int = 3, isAnywhere: Bool = false, salt: UInt64) -> [GeneratedQuery] {
        var generator = generator(salt)
        var queries: [GeneratedQuery] = []
        while queries.count < count, !american.isEmpty {
            let (place, state) = american[generator.below(american.count)]
            guard place.name.count >= shortest else { continue }
            var text = isAnywhere ? "\(place.name), \(state)" : place.name
            for _ in 0..<edits { text = Typo.random(in: text, &generator) }
            if !isAnywhere { text += ", \(state)" }
            queries.append(GeneratedQuery(text: text, expected: place.coordinate))
        }
        return queries
    }

    /// Returns bare names of cities with a population of at least `population`, with `edits` random edits.
    func world(population: Int, edits: Int, salt: UInt64) -> [GeneratedQuery] {
        var generator = generator(salt)
        let cities = large.filter { $0.population >= population }
        guard !cities.isEmpty else { return [] }
        return (0..<count)
            .map { _ in
                let place = cities[generator.below(cities.count)]
                var name = place.name
                for _ in 0..<edits { name = Typo.random(in: name, &generator) }
                return GeneratedQuery(text: name, expected: place.coordinate)
            }
    }

    /// Returns names in any language of places with at least `importance`.
    func names(importance: Double, salt: UInt64) -> [GeneratedQuery] {
        var generator = generator(salt)
        var queries: [GeneratedQuery] = []
        for _ in 0..<(count * 400) where queries.count < count {
            guard let (name, place) = index.surveyedName(generator.below(index.nameCount)) else { continue }
            guard place.match.importance >= importance, name.utf8.count > 3 else { continue }
            queries.append(GeneratedQuery(text: name, expected: place.match.coordinate))
        }
        return queries
    }

    /// Returns bare names of settlements in the USA, each drawn with a probability proportional to its population.
    func bare(salt: UInt64) -> [GeneratedQuery] {
        var generator = generator(salt)
        var sums: [Int] = []
        var sum = 0
        for (place, _) in american {
            sum += place.population
            sums.append(sum)
        }
        guard sum > 0 else { return [] }
        return (0..<count)
            .map { _ in
                let drawn = generator.below(sum)
                let place = american[sums.partitioningIndex { $0 > drawn }].place
                return GeneratedQuery(text: place.name, expected: place.coordinate)
            }
    }

    /// Returns unknown names in a known town: "Tevaro Hall, Selma, AL".
    func inside(salt: UInt64) -> [GeneratedQuery] {
        var generator = generator(salt)
        let kinds = ["Hall", "Church", "School", "Museum", "Street", "Ave", "Hotel", "Park"]
        guard !american.isEmpty else { return [] }
        return bare(salt: salt).enumerated()
            .map { number, city in
                let name = "\(Self.word(&generator)) \(kinds[generator.below(kinds.count)])"
                guard number % 2 == 0 else {
                    return GeneratedQuery(text: "\(name), \(city.text)", expected: city.expected)
                }
                let (place, state) = american[generator.below(american.count)]
                return GeneratedQuery(text: "\(name), \(place.name), \(state)", expected: place.coordinate)
            }
    }

    /// Returns bare names of settlements everywhere, drawn uniformly.
    func anywhere(salt: UInt64) -> [GeneratedQuery] {
        var generator = generator(salt)
        return (0..<count)
            .map { _ in
                let place = settlements[generator.below(settlements.count)]
                return GeneratedQuery(text: place.name, expected: place.coordinate)
            }
    }

    /// Returns a pronounceable word.
    private static func word(_ generator: inout SplitMix64) -> String {
        let consonants = Array("bcdfghjklmnpqrstvwxz")
        let vowels = Array("aeiouy")
        var word = ""
        for _ in 0..<(3 + generator.below(3)) {
            word.append(consonants[generator.below(consonants.count)])
            word.append(vowels[generator.below(vowels.count)])
            if generator.below(3) == 0 { word.append(consonants[generator.below(consonants.count)]) }
        }
        return word
    }

    /// Returns pronounceable words that are not names.
    func nonsense(words: Int = 3, salt: UInt64) -> [GeneratedQuery] {
        var generator = generator(salt)
        var queries: [GeneratedQuery] = []
        while queries.count < count {
            let text = (0..<(1 + generator.below(words))).map { _ in Self.word(&generator) }.joined(separator: " ")
            if index.places(named: text).isEmpty { queries.append(GeneratedQuery(text: text, expected: nil)) }
        }
        return queries
    }

    /// Returns names of settlements treated as missing, every other one with its state.
    func missing(salt: UInt64) -> [GeneratedQuery] {
        var generator = generator(salt)
        return (0..<count)
            .map { number in
                guard number % 2 == 0 else {
                    let place = settlements[generator.below(settlements.count)]
                    return GeneratedQuery(text: place.name, expected: nil, without: place.number)
                }
                let (place, state) = american[generator.below(american.count)]
                return GeneratedQuery(text: "\(place.name), \(state)", expected: nil, without: place.number)
            }
    }

    /// Returns real towns with a state that has no town of that name.
    func misplaced(salt: UInt64) -> [GeneratedQuery] {
        var generator = generator(salt)
        var queries: [GeneratedQuery] = []
        while queries.count < count, !american.isEmpty {
            let name = american[generator.below(american.count)].place.name
            let (other, state) = american[generator.below(american.count)]
            let known = index.places(named: name).contains { $0.admin1 == other.region }
            if !known { queries.append(GeneratedQuery(text: "\(name), \(state)", expected: nil)) }
        }
        return queries
    }

    /// Returns all large cities of the world, or all towns in one country, with a population of at least `population`.
    func all(country: String?, population: Int) -> [QueriedPlace] {
        (country == "us" ? american.map(\.place) : large).filter { $0.population >= population }
    }

    /// Returns the places for typing tests: the large cities of the world, or the towns in one country.
    func typed(country: String?, population: Int) -> [QueriedPlace] {
        var generator = generator(90)
        let pool = (country == "us" ? american.map(\.place) : large).filter { $0.population >= population }
        guard !pool.isEmpty else { return [] }
        return (0..<count).map { _ in pool[generator.below(pool.count)] }
    }
}

/// Random typing errors.
enum Typo {
    /// Omits, adds, replaces or swaps one letter with equal probability; the result differs from `text`.
    static func random(in text: String, _ generator: inout SplitMix64) -> String {
        let letters = Array(text)
        guard letters.count > 1 else { return text + "x" }
        while true {
            var changed = letters
            let position = generator.below(letters.count)
            let letter = Character(Unicode.Scalar(UInt8(97 + generator.below(26))))
            switch generator.below(4) {
            case 0: changed.remove(at: position)
            case 1: changed.insert(letter, at: position)
            case 2: changed[position] = letter
            default: changed.swapAt(position, min(position + 1, letters.count - 1))
            }
            if String(changed).lowercased() != text.lowercased() { return String(changed) }
        }
    }
}

extension SplitMix64 {
    /// Returns a number from zero up to but excluding `bound`.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}

extension [Int] {
    /// Returns the first index whose element, like all later ones, satisfies a predicate.
    func partitioningIndex(_ belongs: (Int) -> Bool) -> Int {
        var (low, high) = (0, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
