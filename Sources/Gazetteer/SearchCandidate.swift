/// A place that a part of the query names, and how well the rest fits to it.
struct SearchCandidate: Sendable {
    var place: PlaceRecord
    var quality: NameQuality
    var words: Range<Int>
    /// The words that neither name the place nor something it lies in.
    var unmatched: [Int]
    /// The cost of those words.
    var cost: Double
    /// The number of names around it that hold the place.
    var contexts: Int
    /// Orders of magnitude of population that speak for the place, less what speaks against it.
    var score: Double
}

/// What moves a candidate up or down, in orders of magnitude of population.
enum SearchWeights: Sendable {
    /// A word that was not understood.
    static let unmatchedWord = 6.0
    /// A place of the preferred country.
    static let preferredCountry = 0.5
    /// A place right at the point of interest; half as much after `nearRange` times 1.18.
    static let near = 1.5
    /// The reach of the preference for near places, in kilometres.
    static let nearRange = 150.0
    /// The query is written exactly like the name, accents and full stops included.
    static let asWritten = 0.4
    /// Another place of the same region may have the name as its main one.
    static let aliasInContext = 0.7
    /// A country named by its ISO code, which may rather be the code of a state.
    static let countryCodeContext = 2.0
    /// The larger place was named before the smaller one.
    static let reversedOrder = 0.5

    /// What is taken off for a name that is not the main one.
    static func penalty(_ quality: NameQuality) -> Double {
        switch quality {
        case .primary: 0
        case .variant: 0.3
        case .alias: 1.3
        case .short: 1.5
        case .code: 2
        case .countryCode: 3.5
        }
    }
}

/// Evaluates how the words around a name fit to the place of that name.
struct ContextMatcher: Sendable {
    let index: GazetteerIndex
    let query: PlaceQuery
    /// Spans by their first word.
    private let starting: [[Int]]

    init(index: GazetteerIndex, query: PlaceQuery) {
        self.index = index
        self.query = query
        var starting = [[Int]](repeating: [], count: query.count)
        for (number, span) in query.spans.enumerated() { starting[span.words.lowerBound].append(number) }
        self.starting = starting
    }

    /// The words left over by the best way to explain a stretch of words, and the number of names that explain it.
    struct Cover: Sendable {
        var cost = 0.0
        var unmatched: [Int] = []
        var contexts = 0
        /// What is taken off for doubtful names among them.
        var penalty = 0.0
    }

    /// Explains the words in `range` as names of what `place` lies in, leaving out as little as possible.
    func cover(_ range: Range<Int>, of place: PlaceRecord) -> Cover {
        guard !range.isEmpty else { return Cover() }
        let holders = [index.countryPlace(of: place)?.number, place.admin1, place.admin2, place.city]
            .compactMap { $0 }.filter { $0 != place.number }
        // best[i] explains the words from i to the end of the range.
        var best = [Cover](repeating: Cover(), count: range.count + 1)
        for word in range.reversed() {
            let step = word - range.lowerBound
            var chosen = best[step + 1]
            chosen.cost += query.costs[word]
            if query.costs[word] == 1 { chosen.unmatched.insert(word, at: 0) }
            for number in starting[word] {
                let span = query.spans[number]
                guard span.words.upperBound <= range.upperBound else { continue }
                let rest = best[span.words.upperBound - range.lowerBound]
                guard rest.cost < chosen.cost, let penalty = penalty(place, span, holders) else { continue }
                chosen = rest
                chosen.contexts += 1
                chosen.penalty += penalty
            }
            best[step] = chosen
        }
        return best[0]
    }

    /// Returns what is taken off when `span` names something that holds the place, or `nil` when it does not.
    private func penalty(_ place: PlaceRecord, _ span: PlaceQuery.Span, _ holders: [Int]) -> Double? {
        let qualities = holders.compactMap { index.quality(of: $0, in: span.postings) }
        if let best = qualities.min() { return best == .countryCode ? SearchWeights.countryCodeContext : 0 }
        return isInCity(place, span) ? 0 : nil
    }

    private func isInCity(_ place: PlaceRecord, _ span: PlaceQuery.Span) -> Bool {
        guard place.kind.isSettlement || place.kind == .neighbourhood else { return false }
        return span.cities.contains { city in
            guard city.country == place.country, city.number < place.number else { return false }
            let centre = UnitVector(latitude: city.latitude, longitude: city.longitude)
            let distance = centre.kilometres(to: UnitVector(latitude: place.latitude, longitude: place.longitude))
            return distance <= SettlementRadius.kilometres(population: city.population) + 15
        }
    }
}
