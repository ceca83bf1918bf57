import Geometry

/// Which of two matches of different gazetteers comes first.
///
/// The confidence of each says only how it stands among those of its own gazetteer: the one Springfield of an added list
/// is as sure there as the largest of all Springfields is elsewhere.
struct MergeRanking: Sendable {
    private let options: SearchOptions

    init(_ options: SearchOptions) { self.options = options }

    /// Whether `match` comes before `other`: what was understood better, else what is better known or nearer.
    func isBetter(_ match: GazetteerMatch, than other: GazetteerMatch) -> Bool {
        let (own, others) = (Self.understanding(of: match), Self.understanding(of: other))
        if own != others { return own < others }
        return worth(of: match) > worth(of: other)
    }

    /// How little of the query stands for a match: words left over first, then how its name was found.
    private static func understanding(of match: GazetteerMatch) -> (words: Int, manner: Int) {
        let manner =
            switch match.matchType {
            case .coordinate, .postcode, .exact, .interpolated: 0
            case .alias: 1
            case .fuzzy, .fallback: 2
            }
        return (match.unmatched.count, manner)
    }

    /// What speaks for a place besides its name, in orders of magnitude of population, as in a search.
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
