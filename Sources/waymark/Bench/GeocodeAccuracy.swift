import Gazetteer
import Geometry

/// Runs the cases of a file and counts the hits.
struct GeocodeAccuracy {
    let index: GazetteerIndex

    /// The cases and hits of one group.
    struct Tally {
        var cases = 0
        var known = 0
        var first = 0
        var five = 0
        var close = 0

        mutating func count(_ outcome: Outcome) {
            cases += 1
            guard outcome.isKnown else { return }
            known += 1
            if outcome.rank == 0 { first += 1 }
            if outcome.rank != nil { five += 1 }
            if outcome.isClose { close += 1 }
        }

        func row(_ name: String) -> BenchRow {
            func share(_ part: Int) -> Double { known == 0 ? 0 : 100 * Double(part) / Double(known) }
            return BenchRow(
                name,
                unit: "%",
                values: [
                    ("cases", Double(cases)), ("known", Double(known)), ("top1", share(first)), ("top5", share(five)),
                    ("top1 to the case's own tolerance", share(close)),
                ]
            )
        }
    }

    /// The result of one case.
    struct Outcome {
        let expectation: GeocodeCase
        /// The rank of the expected result among the first five.
        let rank: Int?
        /// Whether the first result is within the case's own tolerance.
        let isClose: Bool
        let isKnown: Bool
        let first: GazetteerMatch?

        /// The query with its expected and its actual result, in one line.
        var remark: String {
            let verdict = isKnown ? "\(rank.map { "answer \($0 + 1)" } ?? "missed")" : "not in the gazetteer"
            let answer = first.map { "\($0.label) (\($0.kind.name), \(Int(($0.confidence * 100).rounded())) %)" }
            return "\(verdict): \(expectation.kind) \(expectation.layer) \"\(expectation.query)\", expected "
                + "\(expectation.expectedName) \(expectation.admin1) \(expectation.country), got \(answer ?? "nothing")"
        }
    }

    func outcomes(_ cases: [GeocodeCase]) -> [Outcome] {
        let judge = GeocodeJudge(index: index)
        return cases.map { expectation in
            let answers = answers(expectation)
            let rank = answers.firstIndex { judge.accepts($0, expectation) }
            let isKnown = rank != nil || judge.knows(expectation)
            return Outcome(
                expectation: expectation,
                rank: rank,
                isClose: answers.first.map { judge.accepts($0, expectation, strictly: true) } ?? false,
                isKnown: isKnown,
                first: answers.first
            )
        }
    }

    private func answers(_ expectation: GeocodeCase) -> [GazetteerMatch] {
        switch expectation.kind {
        case "reverse":
            guard let position = expectation.focus ?? expectation.expected else { return [] }
            return index.reverse(position)
                .map { found in
                    var place = found.place
                    place.label = "\(found.label), \(place.label), \(found.water ?? "")"
                    return [place]
                } ?? []
        case "autocomplete":
            return index.suggest(expectation.query, options: SearchOptions(near: expectation.focus))
        default:
            return index.search(expectation.query, options: SearchOptions(limit: 5, near: expectation.focus))
        }
    }

    /// Returns the table by source, kind and layer, with the most important totals first.
    func rows(_ outcomes: [Outcome]) -> [BenchRow] {
        var sums: [String: Tally] = [:]
        for outcome in outcomes {
            let expectation = outcome.expectation
            var groups = ["\(expectation.source), \(expectation.kind), \(expectation.layer)"]
            if expectation.isContext {
                groups.append("= corpora, forward with context")
            } else if expectation.kind != "reverse" {
                let level = expectation.isCityOrRegion ? "city and region level" : "below and between"
                groups.append("= tests of geocoders, \(expectation.kind), \(level)")
            } else {
                groups.append("= tests of geocoders, reverse")
            }
            for group in groups { sums[group, default: Tally()].count(outcome) }
        }
        return sums.sorted { $0.key < $1.key }.map { $0.value.row($0.key) }
    }
}
