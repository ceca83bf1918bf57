import Foundation
import Gazetteer
import Geometry

/// Fits the weights of the geocoder's confidence to synthetic queries.
struct GeocodeFit {
    let calibration: GeocodeCalibration

    /// The features of a first result, and whether it is correct.
    private struct Sample {
        let features: [Double]
        let isRight: Bool
    }

    /// Fits the weights on one set of queries; reports them with the error on another set.
    func report() -> String {
        let (learn, check) = (samples(salt: 500), samples(salt: 900))
        let weights = fit(learn)
        let shown = weights.map { String(format: "%.3f", $0) }.joined(separator: ", ")
        return """
            \(learn.count) answers to fit, \(check.count) to check.
            weights: [\(shown)]
            calibration error, fitted: \(error(learn, weights)), checked: \(error(check, weights)), \
            in force: \(error(check, GazetteerIndex.confidenceWeights))
            """
    }

    private func samples(salt: UInt64) -> [Sample] {
        calibration.sets(salt: salt).flatMap(\.queries)
            .compactMap { query in
                let answer = calibration.index.confidenceFeatures(query.text, without: query.without)
                guard let (features, match) = answer else { return nil }
                let distance = query.expected.map { GreatCircle.distance(match.coordinate, $0) }
                return Sample(features: features, isRight: distance.map { $0 <= 25_000 } ?? false)
            }
    }

    private func probability(_ features: [Double], _ weights: [Double]) -> Double {
        1 / (1 + exp(-zip(features, weights).reduce(0) { $0 + $1.0 * $1.1 }))
    }

    private func error(_ samples: [Sample], _ weights: [Double]) -> Double {
        GeocodeCalibration.error(
            samples.map { .init(confidence: probability($0.features, weights), isRight: $0.isRight) }
        )
    }

    /// The strength of the regularisation towards zero.
    private static let pull = 5.0

    /// Returns the maximum-likelihood weights by Newton's method, slightly regularised.
    private func fit(_ samples: [Sample]) -> [Double] {
        let count = samples.first?.features.count ?? 0
        var weights = [Double](repeating: 0, count: count)
        for _ in 0..<25 {
            var gradient = weights.map { -Self.pull * $0 }
            var matrix = (0..<count).map { row in (0..<count).map { $0 == row ? Self.pull : 0 } }
            for sample in samples {
                let share = probability(sample.features, weights)
                let slope = max(1e-6, share * (1 - share))
                for row in 0..<count where sample.features[row] != 0 {
                    gradient[row] += ((sample.isRight ? 1 : 0) - share) * sample.features[row]
                    for column in 0..<count {
                        matrix[row][column] += slope * sample.features[row] * sample.features[column]
                    }
                }
            }
            let step = solve(matrix, gradient)
            for index in 0..<count { weights[index] += step[index] }
            if step.allSatisfy({ abs($0) < 1e-6 }) { break }
        }
        return weights
    }

    /// Solves linear equations by Gaussian elimination with pivoting.
    private func solve(_ matrix: [[Double]], _ values: [Double]) -> [Double] {
        var (rows, result) = (matrix, values)
        let count = values.count
        for column in 0..<count {
            let pivot = (column..<count).max { abs(rows[$0][column]) < abs(rows[$1][column]) } ?? column
            rows.swapAt(column, pivot)
            result.swapAt(column, pivot)
            guard abs(rows[column][column]) > 1e-12 else { continue }
            for row in 0..<count where row != column {
                let factor = rows[row][column] / rows[column][column]
                guard factor != 0 else { continue }
                for other in column..<count { rows[row][other] -= factor * rows[column][other] }
                result[row] -= factor * result[column]
            }
        }
        return (0..<count).map { abs(rows[$0][$0]) > 1e-12 ? result[$0] / rows[$0][$0] : 0 }
    }
}
