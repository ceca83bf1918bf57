/// A place named by part of the query, and how well the rest matches it.
struct SearchCandidate: Sendable {
    var place: PlaceRecord
    var quality: NameQuality
    var words: Range<Int>
    /// The number of typos in its name and in the names around it.
    var edits: Int
    /// The penalty for these typos.
    var editPenalty: Double
    /// The words that name neither the place nor its surroundings, as a bit mask.
    var unmatched: UInt32
    /// The cost of the unmatched words, and of the words without meaning.
    var cost: Double
    /// The number of other names in the query that contain the place.
    var contexts: Int
    /// The total score, in orders of magnitude of population.
    var score: Double

    /// The indices of the unmatched words, in order.
    var unmatchedWords: [Int] { (0..<ParsedQuery.longest).filter { unmatched & (1 << UInt32($0)) != 0 } }
}

/// The weights that raise or lower a candidate, in orders of magnitude of population.
enum SearchWeights: Sendable {
    /// The cost of a word that was not understood.
    static let unmatchedWord = 8.0
    /// The extra cost, in words, of a part of a city if another city was named.
    static let otherPlace = 1.5
    /// The bonus of a place in the preferred country.
    static let preferredCountry = 0.5
    /// The maximum weight of a region if a name within it was not understood.
    static let regionInstead = 6.0
    /// The cost of a part of a city whose name stands alone, compared with an independent place.
    static let bareNeighbourhood = 0.3
    /// The bonus of a place exactly at ``SearchOptions/near``; half as much at a distance of 1.18 times ``nearRange``.
    static let near = 1.5
    /// The reach of the preference for near places, in kilometres.
    static let nearRange = 150.0
    /// The bonus if the query is written exactly like the name, accents and full stops included.
    static let asWritten = 0.4
    /// The penalty for an alias with context, because another place in the same region may have it as its main name.
    static let aliasInContext = 0.7
    /// The cost of a country named by its ISO code, because the code more likely means a state.
    static let countryCodeContext = 2.0
    /// The cost if the larger place was named before the smaller one.
    static let reversedOrder = 0.5
    /// The cost of a misspelt alias: with so many aliases, coincidences are common.
    static let misspeltAlias = 0.7
    /// For a misspelt name, the reduction for each order of magnitude beyond a population of 100,000.
    static let misspeltFame = 0.05
    /// The reduction for each order of magnitude of population for a misspelt name of a country or region; these are
    /// searched for less often than their population suggests.
    static let misspeltRegionFame = 0.6
    /// The cost of an alias for each letter fewer than five.
    static let shortAlias = 0.6
    /// The bonus if the typed accents match those of the name.
    static let sameMarks = 0.4
    /// The cost of a misspelt name with words left over.
    static let misspeltAndUnmatched = 4.0
    /// The bonus for a name that was in use in ``SearchOptions/year``, and the cost of one that was not.
    static let nameOfYear = 1.5
    /// The cost of a misspelt surrounding place.
    static let misspeltContext = 0.5

    /// Returns the penalty for a name that is not the main one.
    static func penalty(_ quality: NameQuality) -> Double {
        switch quality {
        case .primary: 0
        case .variant: 0.3
        case .alias: 1.3
        case .short: 1.3
        case .code: 2
        case .countryCode: 3.5
        }
    }
}
