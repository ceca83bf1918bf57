import Library
import App
import ArgumentParser
import Foundation
import Gazetteer
import Geometry

/// The output format of places.
enum PlaceFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// `waymark reverse`.
struct ReverseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reverse",
        abstract: "Names a position: settlement, county, region and country, or a sea.",
        discussion: """
            With --batch, reads a CSV file and writes its rows with the names of their positions; with --output as \
            well, an interrupted run continues where it stopped.
            Examples: waymark reverse 33.7554 -84.3736
                      waymark reverse --batch photos.csv --output named.csv
            """
    )

    @Argument(parsing: .allUnrecognized, help: "Latitude and longitude in degrees.")
    var position: [String] = []
    @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
    var format: PlaceFormat?
    @Option(help: "A CSV file with the positions to name; - is standard input.")
    var batch: String?
    @Option(help: "With --batch: the column of latitudes.")
    var latitude = "lat"
    @Option(help: "With --batch: the column of longitudes.")
    var longitude = "lon"
    @Option(name: .shortAndLong, help: "With --batch: the file to write; by default, and for -, standard output.")
    var output: String?
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        if let batch { return try await run(batch: batch) }
        guard output == nil else { throw CommandFailure.usage("--output needs --batch.") }
        let values = try numbers(position, named: ["LAT", "LON"])
        guard let coordinate = Coordinate(latitude: values[0], longitude: values[1]) else {
            throw CommandFailure.usage("LAT must be between -90 and 90, LON between -180 and 180.")
        }
        guard let match = try loadPlaceSearch(database).reverse(coordinate) else {
            throw CommandFailure.notFound("Nothing is known about this position.")
        }
        switch format ?? (Console.isTerminal ? .text : .json) {
        case .json: Console.write(GazetteerJSON.reverse(match) + Array("\n".utf8))
        case .text: Console.line(match.label)
        }
    }

    private func run(batch: String) async throws {
        guard position.isEmpty else {
            throw CommandFailure.usage("--batch reads the positions from the file; leave out LAT and LON.")
        }
        let file = output == standardStream ? nil : output
        let job = ReverseBatch(input: batch, columns: [latitude, longitude], output: file)
        let index = try loadPlaceSearch(database)
        let counts = try await job.run(index, bar: ProgressBar(batch, quiet: database.quiet || file == nil))
        Console.remark(
            "\(counted(counts.rows, "row", "rows")) processed, \(counted(counts.found, "position", "positions")) named.",
            quiet: database.quiet
        )
    }
}

/// The one-line text of a place.
enum PlaceText {
    /// The names by which a place was found or was known, if its label does not show them.
    private static func names(_ match: GazetteerMatch) -> String {
        var names: [String] = []
        if let name = match.matchedName {
            let years = match.matchedYears?.text ?? ""
            names.append(years.isEmpty ? name : "\(name), \(years)")
        }
        if let then = match.nameThen, then != match.matchedName { names.append("then \(then)") }
        let span = YearSpan(from: match.fromYear, to: match.toYear).text
        if !span.isEmpty { names.append(span) }
        return names.isEmpty ? "" : "  (\(names.joined(separator: "; ")))"
    }

    static func line(_ match: GazetteerMatch) -> String {
        let latitude = (match.coordinate.latitude * 10_000).rounded() / 10_000
        let longitude = (match.coordinate.longitude * 10_000).rounded() / 10_000
        let confidence = Int((match.confidence * 100).rounded())
        let rest = match.unmatched.isEmpty ? "" : "  (not matched: \(match.unmatched.joined(separator: " ")))"
        return "\(match.label)  \(match.kind.name)  \(latitude) \(longitude)  \(confidence) %\(names(match))\(rest)"
    }
}

/// `waymark gazetteer`.
struct GazetteerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gazetteer",
        abstract: "Compiles the gazetteer, adds places and addresses to it, or describes its contents.",
        discussion: "Example: waymark gazetteer add new-york.osm.pbf",
        subcommands: [Build.self, Info.self, Add.self, Remove.self]
    )
}
