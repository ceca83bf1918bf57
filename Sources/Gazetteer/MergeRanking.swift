import Geometry

/// The order of matches from different gazetteers.
///
/// A match's confidence is relative to its own gazetteer: the only Springfield in an added list has the same confidence
/// there as the largest Springfield elsewhere.
struct MergeRanking: Sendable {
    private let options: SearchOptions

    init(_ options: SearchOptions) { self.options = options }

    /// Returns whether `match` comes before `other`: if it explains more of the query or, failing that, is better known
    /// or nearer.
    func isBetter(_ match: GazetteerMatch, than other: GazetteerMatch) -> Bool {
        let (own, others) = (Self.understanding(of: match), Self.understanding(of: other))
        if own != others { return own < others }
        return worth(of: match) > worth(of: other)
    }

    /// Returns how poorly the query matches: words left over first, then how the name was found.
    private static func understanding(of match: GazetteerMatch) -> (words: Int, manner: Int) {
        let manner =
            switch match.matchType {
            case .coordinate, .postcode, .exact, .interpolated: 0
            case .alias: 1
            case .fuzzy, .fallback: 2
            }
        return (match.unmatched.count, manner)
    }

    /// Returns the preference for a place apart from its name, in orders of magnitude of population, as in a search.
    private func worth(of match: GazetteerMatch) -> Double {
        var worth = match.importance * GazetteerFormat.fullImportance
        if let preferred = options.preferredCountry, match.countryCode == preferred.lowercased() {
            worth += SearchWeights.preferredCountry
        }
        if let near = options.near {
            let reach = GreatCircle.distance(near, match.coordinate) / 1_000 / SearchWeights.nearRange
            worth += SearchWeights.near * Math.exponential(-reach * reach / 2)
        }
        return worth
    }
}
