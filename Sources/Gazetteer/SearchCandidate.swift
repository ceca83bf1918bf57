/// A place that a part of the query names, and how well the rest fits to it.
struct SearchCandidate: Sendable {
    var place: PlaceRecord
    var quality: NameQuality
    var words: Range<Int>
    /// The mistakes in its name and in the names around it.
    var edits: Int
    /// What is taken off for them.
    var editPenalty: Double
    /// The words that neither name the place nor something it lies in, as bits.
    var unmatched: UInt32
    /// The cost of those words, and of the words that say nothing.
    var cost: Double
    /// The number of names around it that hold the place.
    var contexts: Int
    /// Orders of magnitude of population that speak for the place, less what speaks against it.
    var score: Double

    /// The numbers of the words left over, in order.
    var unmatchedWords: [Int] { (0..<ParsedQuery.longest).filter { unmatched & (1 << UInt32($0)) != 0 } }
}

/// What moves a candidate up or down, in orders of magnitude of population.
enum SearchWeights: Sendable {
    /// A word that was not understood.
    static let unmatchedWord = 8.0
    /// What more a part of a city costs, in words, where another city was named.
    static let otherPlace = 1.5
    /// A place of the preferred country.
    static let preferredCountry = 0.5
    /// What a region counts, at most, when a name in it was not understood.
    static let regionInstead = 6.0
    /// A part of a city whose name stands alone, compared with a place of its own.
    static let bareNeighbourhood = 0.3
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
    /// A byname, misspelt: of the many bynames one is easily hit by chance.
    static let misspeltAlias = 0.7
    /// Of a misspelt name, what a place counts less for each order of magnitude beyond 100,000 people.
    static let misspeltFame = 0.05
    /// The same for countries and regions, which are looked for less often than their people are many.
    static let misspeltRegionFame = 0.6
    /// A byname with one letter less than five.
    static let shortAlias = 0.6
    /// The accents that were typed are those of the name.
    static let sameMarks = 0.4
    /// Misspelt, and still words are left over.
    static let misspeltAndUnmatched = 4.0
    /// The place around is misspelt too.
    static let misspeltContext = 0.5

    /// What is taken off for a name that is not the main one.
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
