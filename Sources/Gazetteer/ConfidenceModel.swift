import Geometry

/// Estimates the probability that a match is the intended place, from how it was found.
///
/// A logistic regression, fitted with `waymark bench geocode --fit` on 36,479 synthetic queries (exact, misspelt, bare,
/// ambiguous, with the place removed, nonsense) and validated on as many others: calibration error 0.019.
struct ConfidenceModel: Sendable {
    /// The number of features.
    static let count = 19

    /// The weights of ``features(of:share:in:)``.
    static let weights: [Double] = [
        0.677, 0.657, -0.030, 1.066, -2.118, -0.981, -4.198, 0.544, -0.011, -3.060, 2.025, 0.458, -1.854, 0.200, -1.541,
        -2.617, 0.347, -0.415, -3.377,
    ]

    /// The weights used by this model.
    let weights: [Double]

    /// The production model.
    static let standard = ConfidenceModel(weights: weights)

    /// Returns the features of a candidate; `share`, 0...1, is its share of the odds among the possible meanings.
    static func features(of candidate: SearchCandidate, share: Double, in query: ParsedQuery) -> [Double] {
        func flag(_ value: Bool) -> Double { value ? 1 : 0 }
        let share = min(0.98, max(0.02, share))
        let weight = min(7, max(2, candidate.place.importance * GazetteerFormat.fullImportance)) - 4.5
        let left = candidate.unmatched.nonzeroBitCount + query.text.tokens.count - query.count
        let isBare = candidate.contexts == 0
        let letters = candidate.words.reduce(0) { $0 + query.text.tokens[$1].range.count }
        let base = Double(candidate.edits) * 2.0
        let isMisspelt = candidate.edits > 0
        // Two letters can mean many places, unless the query marks them as the code of a state.
        let isCode = candidate.quality > .alias && letters < 3 && !query.isInParts
        return [
            1,
            Math.naturalLogarithm(share / (1 - share)),
            flag(candidate.edits == 1),
            flag(candidate.edits > 1),
            isMisspelt ? min(2, max(-1, candidate.editPenalty - base)) : 0,
            flag(candidate.quality == .alias || (candidate.quality > .alias && !isCode && !query.isInParts)),
            flag(isCode),
            isBare ? weight : 0,
            flag(isBare),
            flag(left > 0),
            flag(left > 0 && !isBare && candidate.place.kind.isLocal),
            (Double(min(12, letters)) - 7) / 5,
            flag(isMisspelt && isBare),
            isMisspelt ? weight : 0,
            flag(left > 0 && !candidate.place.kind.isLocal),
            flag(candidate.cost > 0 && left == 0),
            share,
            flag(share < 0.5),
            flag(candidate.edits > 1 && isBare),
        ]
    }

    /// The maximum confidence for the place around an unknown street.
    private static let insteadOfStreet = 0.6

    /// Returns the maximum confidence of a candidate: lower for a misspelt name than for an exact one.
    ///
    /// Without matching context, a short word is often one letter away from the name of some city.
    static func most(for candidate: SearchCandidate, in query: ParsedQuery) -> Double {
        // If an address was requested, the city around it is not the answer.
        if candidate.unmatchedWords.contains(where: query.isKindOfStreet) { return insteadOfStreet }
        guard candidate.editPenalty > 0 else { return 1 }
        let most = candidate.edits == 0 ? 1 : candidate.edits == 1 ? 0.97 : 0.94
        guard candidate.contexts == 0 else { return most }
        let letters = query.letters(candidate.words)
        // In a name that is long enough, different spacing alone does not count as a misspelling.
        return candidate.edits == 0 && letters > 5 ? most : min(most, 0.15 + 0.1 * Double(letters))
    }

    /// Returns the probability for a feature vector.
    func probability(_ features: [Double]) -> Double {
        var sum = 0.0
        for (feature, weight) in zip(features, weights) { sum += feature * weight }
        return 1 / (1 + Math.exponential(-sum))
    }
}

extension GazetteerIndex {
    /// Returns the first match for a text with its features, for fitting the model; `nil` if there is none.
    ///
    /// `place` is treated as missing.
    package func confidenceFeatures(
        _ text: String,
        without place: Int?
    ) -> (features: [Double], match: GazetteerMatch)? {
        var filter = SearchFilter(SearchOptions(), index: self)
        filter.missing = place
        guard let (query, candidates) = understood(ParsedQuery(text, index: self), filter),
            let first = candidates.first
        else { return nil }
        let share = shares(of: candidates).first?.share ?? 1
        return (ConfidenceModel.features(of: first, share: share, in: query), describe(first.place))
    }

    /// The weights of the current model, for comparison.
    package static var confidenceWeights: [Double] { ConfidenceModel.weights }
}
