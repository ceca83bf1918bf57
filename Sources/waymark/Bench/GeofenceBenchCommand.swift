import ArgumentParser
import Foundation
import Geofencing

/// `waymark bench geofence`.
struct GeofenceBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "geofence",
        abstract: "Measures the accuracy, delay and speed of the evaluator, compared with common rules.",
        discussion: """
            Uses synthetic traces with known truth, for every mode of travel, noise and interval, or with --traces \
            those in a folder: pairs such as walk.gpx and walk.truth.json, as 'waymark simulate' writes them. The \
            other rules are: naive (the point is in the circle), once (the same, each place once), dwell (twenty \
            seconds in the circle), overlap (the accuracy circle touches it).

            alerts: their number. dup: percentage that repeat an alert. prec0, prec25: percentage of alerts for places \
            where the person truly was within the last minute, in the fence or at most 25 m outside it. recall: \
            percentage of visits at least 20 s long and 15 m deep that were announced; seen: percentage of visits \
            during which anything was reported. outside: percentage of people alerted although they were never in a \
            fence, only up to 40 m outside one for hours. late, late95: seconds from the receipt of the first report \
            inside to the alert, median and 95th percentile. dlat95, dlatmax: seconds from the receipt of the first \
            report that led to the decision, 95th percentile and maximum.
            Then it measures fixes per second on one core and microseconds per fix, with 100,000 places and 10,000 \
            people (2,000 without --full): with an index of fences, as in a phone app, and with the map of stories, as \
            in the service. Finally, it measures fixes per second that are evaluated and durably stored, in batches of \
            100 from 64 devices, without HTTP; scripts/bench-fixes measures them over HTTP.

            Examples: waymark bench geofence --full --require
                      waymark bench geofence --traces recorded --rules ours
            """
    )

    @Option(help: "A folder of traces with their ground truth, instead of synthetic ones.")
    var traces: String?
    @Flag(help: "Use 200 traces of each kind, more modes of travel, and the whole load; otherwise 30 traces.")
    var full = false
    @Option(parsing: .unconditional, help: "The number of traces of each kind instead, 1 to 10000.")
    var count: Int?
    @Option(parsing: .unconditional, help: "The seed.")
    var seed: UInt64 = 20_260_302
    @Option(help: "Only these rules, separated by commas: ours, naive, once, dwell, overlap.")
    var rules: String?
    @Option(help: "Only these modes of travel, separated by commas.")
    var modes: String?
    @Flag(
        help: """
            Fail if the required figures for synthetic traces are not reached; uses 200 traces of each kind, because \
            with 30 a single visit would decide.
            """
    )
    var require = false
    @Flag(inversion: .prefixedNo, help: "Also measure the speed.")
    var speed = true
    @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
    var format: BenchFormat?

    func validate() throws {
        guard count.map({ (1...10_000).contains($0) }) ?? true else {
            throw ValidationError("--count must be 1 to 10000.")
        }
        guard traces == nil || (modes == nil && !require && count == nil) else {
            throw ValidationError("--modes, --count and --require cannot be combined with --traces.")
        }
        _ = try chosenRules()
        _ = try chosenModes()
    }

    func run() async throws {
        let bench = GeofenceBench(rules: try chosenRules(), seed: seed)
        var results: [GeofenceBench.Result]
        if let traces {
            results = try await bench.run(TraceFolder(path: traces).load { Console.remark($0, quiet: false) })
        } else {
            let cells = GeofenceBench.cells(modes: try chosenModes())
            results = []
            for cell in cells { results += await bench.run(cell, count: count ?? (full || require ? 200 : 30)) }
        }
        var rows = results.map(\.row)
        if speed {
            let people = full ? 10_000 : 2_000
            rows += GeofenceSpeed(people: people, seed: seed).rows()
            rows += try await GeofenceServiceSpeed(people: people, batches: full ? 50 : 15, seed: seed).rows()
        }
        switch format ?? (isatty(STDOUT_FILENO) == 1 ? .text : .json) {
        case .text: print(BenchRow.table(rows))
        case .json: print(BenchRow.json(rows))
        }
        let misses = require ? results.flatMap(\.misses) : []
        guard misses.isEmpty else { throw CommandFailure.failed(misses.joined(separator: "\n")) }
    }

    private func chosenRules() throws -> [GeofenceBench.Rule] {
        guard let rules else { return GeofenceBench.Rule.all }
        return try rules.split(separator: ",")
            .map { name throws in
                guard let rule = GeofenceBench.Rule(String(name)) else {
                    throw ValidationError("--rules: \(name) is not a rule; use ours, naive, once, dwell or overlap.")
                }
                return rule
            }
    }

    private func chosenModes() throws -> [TravelMode] {
        guard let modes else { return full ? TravelMode.allCases : [.walk, .drive, .linger, .shuttle] }
        return try modes.split(separator: ",")
            .map { name throws in
                guard let mode = TravelMode(rawValue: String(name)) else {
                    throw ValidationError("--modes: \(name) is not a mode of travel; see 'waymark simulate --help'.")
                }
                return mode
            }
    }
}
