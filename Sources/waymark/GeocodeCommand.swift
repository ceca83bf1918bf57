import App
import ArgumentParser
import Foundation
import Gazetteer
import Geometry
import Logging

/// How places are printed.
enum PlaceFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// Loads the gazetteer with the folders of this program.
func loadGazetteer(_ database: DatabaseOptions) throws -> GazetteerIndex {
    try GazetteerLoader(folders: DataFolders(), logger: database.logger(level: .notice)).load()
}

/// Loads the gazetteer with what the operator added to it.
func loadPlaceSearch(_ database: DatabaseOptions) throws -> PlaceSearch {
    let additions = try GazetteerAdditions.load(beside: database.path)
    return PlaceSearch(places: try loadGazetteer(database), additions: additions)
}

/// Loads the gazetteer for a command that can do without names of places; says so when it has to.
func gazetteerIfPossible(_ database: DatabaseOptions) -> GazetteerIndex? {
    do {
        return try loadGazetteer(database)
    } catch {
        Console.error("Going on without the names of places: \(error)")
        return nil
    }
}

/// `waymark geocode`.
struct GeocodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "geocode",
        abstract: "Finds places for a text, best first; ends with 3 when there is none.",
        discussion: "Example: waymark geocode \"mound bayou mississippi\""
    )

    @Argument(
        parsing: .allUnrecognized,
        help: "What somebody would type: a city, \"City, ST\", a ZIP code, a country …"
    )
    var query: [String]
    @Option(help: "The most places.")
    var limit = 5
    @Option(parsing: .unconditional, help: "LAT,LON: places near it come earlier.")
    var near: String?
    @Option(help: "Only in these countries, two-letter codes with commas between.")
    var country: String?
    @Option(parsing: .unconditional, help: "Only in this box: west,south,east,north.")
    var bbox: String?
    @Option(help: "Only places at least this certain, 0 to 1.")
    var minConfidence = 0.0
    @Option(help: "text or json; text on a terminal, else json.")
    var format: PlaceFormat?
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        if let option = query.first(where: { $0.hasPrefix("--") && $0 != "--" }) {
            throw CommandFailure.usage("\(option) is not an option of this command; --help shows them.")
        }
        let text = query.filter { $0 != "--" }.joined(separator: " ")
        guard text.contains(where: { !$0.isWhitespace }) else { throw CommandFailure.usage("Say what to look for.") }
        guard (1...1_000).contains(limit) else { throw CommandFailure.usage("--limit must be between 1 and 1000.") }
        guard (0...1).contains(minConfidence) else {
            throw CommandFailure.usage("--min-confidence must be between 0 and 1.")
        }
        var options = SearchOptions(limit: limit)
        options.near = try near.map { text in
            guard let coordinate = Coordinate(parsing: text) else {
                throw CommandFailure.usage("--near must be LAT,LON in degrees.")
            }
            return coordinate
        }
        options.countries = try country.map(countries) ?? []
        options.boundingBox = try bbox.map { try boundingBox($0) }
        options.minimumConfidence = minConfidence
        let matches = try loadPlaceSearch(database).search(text, options: options)
        guard !matches.isEmpty else { throw CommandFailure.notFound("Nothing was found for \"\(text)\".") }
        switch format ?? (Console.isTerminal ? .text : .json) {
        case .json: Console.write(GazetteerJSON.list(matches) + Array("\n".utf8))
        case .text: for match in matches { Console.line(PlaceText.line(match)) }
        }
    }

    private func countries(_ text: String) throws -> [String] {
        let codes = text.split(separator: ",").map { $0.uppercased() }
        guard !codes.isEmpty, codes.allSatisfy({ $0.utf8.count == 2 }) else {
            throw CommandFailure.usage("--country must be two-letter codes with commas between, such as us,ca.")
        }
        return codes
    }
}

/// `waymark reverse`.
struct ReverseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reverse",
        abstract: "Says which settlement a position belongs to; ends with 3 far from all of them.",
        discussion: "Example: waymark reverse 33.7554 -84.3736"
    )

    @Argument(parsing: .allUnrecognized, help: "Latitude and longitude in degrees.")
    var position: [String]
    @Option(help: "text or json; text on a terminal, else json.")
    var format: PlaceFormat?
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let values = try numbers(position, named: ["LAT", "LON"])
        guard let coordinate = Coordinate(latitude: values[0], longitude: values[1]) else {
            throw CommandFailure.usage("LAT must lie between -90 and 90, LON between -180 and 180.")
        }
        guard let match = try loadGazetteer(database).reverse(coordinate) else {
            throw CommandFailure.notFound("No settlement lies near this position.")
        }
        switch format ?? (Console.isTerminal ? .text : .json) {
        case .json: Console.write(GazetteerJSON.reverse(match) + Array("\n".utf8))
        case .text: Console.line(match.label)
        }
    }
}

/// A place in one line.
enum PlaceText {
    static func line(_ match: GazetteerMatch) -> String {
        let latitude = (match.coordinate.latitude * 10_000).rounded() / 10_000
        let longitude = (match.coordinate.longitude * 10_000).rounded() / 10_000
        let confidence = Int((match.confidence * 100).rounded())
        let rest = match.unmatched.isEmpty ? "" : "  (not matched: \(match.unmatched.joined(separator: " ")))"
        return "\(match.label)  \(match.kind.name)  \(latitude) \(longitude)  \(confidence) %\(rest)"
    }
}

/// `waymark gazetteer`.
struct GazetteerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gazetteer",
        abstract: "Compiles the gazetteer, adds places and addresses to it, or says what is in it.",
        discussion: "Example: waymark gazetteer add new-york.osm.pbf",
        subcommands: [Build.self, Info.self, Add.self]
    )
}
