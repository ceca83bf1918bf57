import Geometry

/// The probability that an answer is what was meant, from how it was found.
///
/// A logistic regression, fitted with `waymark bench geocode --fit` on 33,553 made-up queries (exact, misspelt, bare,
/// ambiguous, of places that are taken for missing, nonsense) and checked on as many others: calibration error 0.023.
struct ConfidenceModel: Sendable {
    /// The number of features.
    static let count = 19

    /// The weights of ``features(of:share:in:)``.
    static let weights: [Double] = [
        0.902, 0.583, 0.329, 0.865, -1.345, -1.071, -4.062, 0.470, -0.374, -3.104, 1.631, 0.537, -1.330, 0.477, -1.937,
        -2.110, 0.638, -0.583, -3.565,
    ]

    /// The weights in force.
    let weights: [Double]

    /// The weights of the product.
    static let standard = ConfidenceModel(weights: weights)

    /// Returns what speaks for or against a candidate with a share, 0...1, of the odds among what may have been meant.
    static func features(of candidate: SearchCandidate, share: Double, in query: ParsedQuery) -> [Double] {
        func flag(_ value: Bool) -> Double { value ? 1 : 0 }
        let share = min(0.98, max(0.02, share))
        let weight = min(7, max(2, candidate.place.importance * GazetteerFormat.fullImportance)) - 4.5
        let left = candidate.unmatched.nonzeroBitCount + query.text.tokens.count - query.count
        let isBare = candidate.contexts == 0
        let letters = candidate.words.reduce(0) { $0 + query.text.tokens[$1].range.count }
        let base = Double(candidate.edits) * 2.2
        let isMisspelt = candidate.edits > 0
        return [
            1,
            Math.naturalLogarithm(share / (1 - share)),
            flag(candidate.edits == 1),
            flag(candidate.edits > 1),
            isMisspelt ? min(2, max(-1, candidate.editPenalty - base)) : 0,
            flag(candidate.quality == .alias),
            flag(candidate.quality > .alias),
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

    /// A misspelt name is never as sure as a name: with one letter wrong, and with more.
    static let mostMisspelt = (one: 0.97, more: 0.94)

    /// Returns the probability for some features.
    func probability(_ features: [Double]) -> Double {
        var sum = 0.0
        for (feature, weight) in zip(features, weights) { sum += feature * weight }
        return 1 / (1 + Math.exponential(-sum))
    }
}

extension GazetteerIndex {
    /// Returns the first answer to a text with what its confidence is made of, for fitting the model; `nil` without one.
    ///
    /// `place` is taken for missing.
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

    /// The weights of the model in force, for comparing.
    package static var confidenceWeights: [Double] { ConfidenceModel.weights }
}
