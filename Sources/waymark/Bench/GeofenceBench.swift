import Geofencing
import Geometry

/// Measures the evaluator and the baseline rules on traces with known ground truth.
struct GeofenceBench: Sendable {
    /// The rule to measure.
    enum Rule: Hashable, Sendable {
        case ours
        case baseline(BaselineRule)

        static let all: [Rule] = [.ours] + BaselineRule.allCases.map(Rule.baseline)

        init?(_ name: String) {
            guard name != "ours" else {
                self = .ours
                return
            }
            guard let rule = BaselineRule(rawValue: name) else { return nil }
            self = .baseline(rule)
        }

        var name: String {
            switch self {
            case .ours: "ours"
            case .baseline(let rule): rule.rawValue
            }
        }

        func alerts(in world: TraceWorld) -> [PlaceAlert] {
            switch self {
            case .ours: world.alerts(FenceEvaluator()).told
            case .baseline(let rule): rule.alerts(in: world)
            }
        }
    }

    /// The result of one rule for one kind of trace.
    struct Result: Sendable {
        let name: String
        let cell: TraceScenario?
        let rule: Rule
        let score: FenceScore
    }

    let rules: [Rule]
    let seed: UInt64

    /// Returns every kind of synthetic trace.
    static func cells(modes: [TravelMode]) -> [TraceScenario] {
        modes.flatMap { mode in
            [FixSampling.every(5), .every(30), .duty]
                .flatMap { sampling in
                    SkyView.allCases.map { sky in
                        var cell = TraceScenario(mode, sky, sampling)
                        if mode == .linger { cell.radius = 100 }
                        return cell
                    }
                }
        }
    }

    /// Measures one kind of synthetic trace, around Atlanta.
    func run(_ cell: TraceScenario, count: Int) async -> [Result] {
        let name = "\(cell.mode.rawValue) \(cell.sky.rawValue) \(cell.sampling.name)"
        let anchor = Coordinate(wrappingLatitude: 33.755, longitude: -84.38)
        let scores = await scores(count) { number in
            TraceWorld(cell, around: anchor, seed: SplitMix64.mix(seed) &+ UInt64(number))
        }
        return zip(rules, scores).map { Result(name: name, cell: cell, rule: $0, score: $1) }
    }

    /// Measures existing traces, grouping those with the same labels.
    func run(_ worlds: [(name: String, world: TraceWorld)]) async throws -> [Result] {
        var results: [Result] = []
        for name in Set(worlds.map(\.name)).sorted() {
            let group = worlds.filter { $0.name == name }.map(\.world)
            let scores = await scores(group.count) { group[$0] }
            results += zip(rules, scores).map { Result(name: name, cell: nil, rule: $0, score: $1) }
        }
        return results
    }

    /// Returns the scores of the rules, with the worlds divided between two tasks.
    private func scores(_ count: Int, _ world: @escaping @Sendable (Int) -> TraceWorld) async -> [FenceScore] {
        let rules = rules
        return await withTaskGroup(of: (Int, [FenceScore]).self) { group in
            for part in 0..<2 {
                group.addTask {
                    var scores = rules.map { _ in FenceScore() }
                    for number in stride(from: part, to: count, by: 2) {
                        let world = world(number)
                        for (index, rule) in rules.enumerated() { scores[index].add(rule.alerts(in: world), in: world) }
                    }
                    return (part, scores)
                }
            }
            var parts: [Int: [FenceScore]] = [:]
            for await (part, scores) in group { parts[part] = scores }
            var sum = rules.map { _ in FenceScore() }
            for part in 0..<2 {
                for (index, score) in (parts[part] ?? []).enumerated() { sum[index].add(score) }
            }
            return sum
        }
    }
}

extension GeofenceBench.Result {
    /// The row of the table.
    var row: BenchRow {
        func at(_ share: Double, _ values: [Double]) -> Double { FenceScore.percentile(values, share) }
        var values: [(name: String, value: Double)] = [
            ("alerts", Double(score.alerts)),
            ("dup", 100 * score.repeatShare),
            ("prec0", 100 * score.precision),
            ("prec25", 100 * score.precision25),
            ("recall", 100 * score.recall),
            ("seen", 100 * score.seenShare),
            ("late", at(0.5, score.sinceReport)),
            ("late95", at(0.95, score.sinceReport)),
        ]
        if score.outsideWorlds > 0 { values.append(("outside", 100 * score.outsideShare)) }
        if !score.sinceQualified.isEmpty {
            values.append(("dlat95", at(0.95, score.sinceQualified)))
            values.append(("dlatmax", score.sinceQualified.max() ?? 0))
        }
        return BenchRow("\(name) \(rule.name)", unit: "%, s", values: values)
    }

    /// The requirements that our figures miss, as sentences.
    var misses: [String] {
        guard rule == .ours, let cell else { return [] }
        let demand = FenceDemand(cell)
        func miss(_ what: String, _ figure: Double, atLeast least: Double?) -> String? {
            guard let least, figure < least else { return nil }
            return "\(name): \(what) is \(figure), but must be at least \(least)."
        }
        var found = [
            miss("prec0", score.precision, atLeast: demand.precision),
            miss("prec25", score.precision25, atLeast: demand.precision25),
            miss("recall", score.recall, atLeast: demand.recall),
            miss("recall of what was seen", score.seenRecall, atLeast: demand.seenRecall),
        ]
        .compactMap(\.self)
        if score.repeats > 0 { found.append("\(name): \(score.repeats) alerts are repeated.") }
        if FenceScore.percentile(score.sinceQualified, 0.95) > 15 { found.append("\(name): dlat95 is above 15 s.") }
        if score.sinceQualified.max() ?? 0 > 25 { found.append("\(name): dlatmax is above 25 s.") }
        if let most = demand.outside, score.outsideShare > most {
            found.append(
                "\(name): the share of people outside who are notified is \(score.outsideShare), but must be at most "
                    + "\(most)."
            )
        }
        if demand.isOneAlert, score.mostAlerts > 1 { found.append("\(name): more than one alert.") }
        return found
    }
}

/// The required figures for a kind of trace.
struct FenceDemand: Sendable {
    var precision: Double?
    var precision25: Double?
    var recall: Double?
    var seenRecall: Double?
    var isOneAlert = false
    /// The maximum fraction of people staying just outside who may be notified.
    var outside: Double?

    init(_ cell: TraceScenario) {
        let sky = SkyView.allCases.firstIndex(of: cell.sky) ?? 0
        switch (cell.mode, cell.sampling) {
        case (.walk, .every):
            precision = [0.99, 0.93, 0.88][sky]
            precision25 = [0.995, 0.97, 0.95][sky]
            seenRecall = [0.99, 0.97, 0.91][sky]
        case (.drive, .every(30)):
            precision25 = [0.998, 0.988, 0.98][sky]
            recall = [0.92, 0.90, 0.82][sky]
        case (.drive, .every):
            precision25 = [0.998, 0.988, 0.98][sky]
            seenRecall = [0.965, 0.96, 0.88][sky]
        case (.linger, .every(5)):
            isOneAlert = true
            // Between tower blocks, it is impossible to tell on which side of the edge a person is.
            outside = [0.05, 0.05, nil][sky]
        case (.linger, _): isOneAlert = true
        default: break
        }
    }
}
