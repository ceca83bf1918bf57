import ArgumentParser
import Foundation
import Gazetteer

/// `waymark bench geocode`.
struct GeocodeBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "geocode",
        abstract: "Measures the geocoder: accuracy, misspellings, keystrokes, confidence and times.",
        discussion: """
            Queries are generated from the gazetteer itself; the same seed gives the same queries. A result within \
            25 km counts as right. With --cases, it uses the cases in a table instead, with the columns query, \
            expected_name, expected_lat, expected_lon, tolerance_km, country, source, kind, layer, expected_admin1, \
            focus_or_input_lat and focus_or_input_lon; cases without a position are compared by name. Cases whose \
            place is not in the gazetteer are counted separately.
            Uses one thread and no network; times are those of this thread, in microseconds.

            Example: waymark bench geocode --cases cases.csv --misses
            """
    )

    @Option(help: "A table of cases.")
    var cases: String?
    @Flag(help: "With --cases: also list the cases with wrong results, and those not in the gazetteer.")
    var misses = false
    @Flag(help: "Fit the weights of the confidence instead, and print them.")
    var fit = false
    @Option(parsing: .unconditional, help: "The number of queries of each kind, 100 to 100000.")
    var queries = 1_000
    @Option(parsing: .unconditional, help: "The seed of the queries.")
    var seed: UInt64 = 1
    @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
    var format: BenchFormat?

    func validate() throws {
        guard (100...100_000).contains(queries) else { throw ValidationError("--queries must be 100 to 100000.") }
        guard !misses || cases != nil else { throw ValidationError("--misses needs --cases.") }
    }

    func run() async throws {
        let start = Date()
        let index = try loadGazetteer(try DatabaseOptions.parse([]))
        let opening = Date().timeIntervalSince(start)
        if fit {
            let calibration = GeocodeCalibration(index: index, queries: made(index))
            print(GeocodeFit(calibration: calibration).report())
            return
        }
        var rows: [BenchRow]
        if let cases {
            rows = try answered(cases, index)
        } else {
            rows = [BenchRow("opening the compiled file", (opening * 1_000).rounded(), unit: "ms")]
            rows += GeocodeBench(index: index, queries: made(index)).run { Console.remark($0, quiet: false) }
            rows.append(BenchRow("memory held in the end", Double(BenchClock.memory / 1_048_576), unit: "MB"))
        }
        switch format ?? (isatty(STDOUT_FILENO) == 1 ? .text : .json) {
        case .text: print(BenchRow.table(rows))
        case .json: print(BenchRow.json(rows))
        }
    }

    private func made(_ index: GazetteerIndex) -> GeocodeQueries {
        GeocodeQueries(index: index, seed: seed, count: queries)
    }

    private func answered(_ path: String, _ index: GazetteerIndex) throws -> [BenchRow] {
        guard let bytes = try? contents(of: path) else {
            throw CommandFailure.usage("\(path) cannot be read; check the path and its permissions.")
        }
        let accuracy = GeocodeAccuracy(index: index)
        let outcomes = accuracy.outcomes(try GeocodeCase.read(bytes))
        if misses { for outcome in outcomes where outcome.rank != 0 { Console.error(outcome.remark) } }
        let calibration = GeocodeCalibration(index: index, queries: GeocodeQueries(index: index, seed: seed, count: 1))
        return accuracy.rows(outcomes) + [calibration.row(outcomes)]
    }
}
