import Library
import App
import ArgumentParser
import Formats
import Geometry
import Storage
import Stories
import StoryMap

/// The output format of stories and clusters.
enum MapFormat: String, ExpressibleByArgument, CaseIterable {
    case text, geojson, json, ndjson
}

/// `waymark stories`.
struct StoriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stories",
        abstract: "Lists stories, newest first.",
        discussion: """
            The newest are those that were added last, whatever their dates.

            Example: waymark stories --bbox -84.40,33.74,-84.36,33.77 --kind interview --limit 5
            """,
        subcommands: [Locate.self]
    )

    @Option(
        parsing: .unconditional,
        help: "Only stories in this box, west,south,east,north in degrees; by default all, even without a location."
    )
    var bbox: String?
    @Option(parsing: .unconditional, help: "The maximum number of stories.")
    var limit = 20
    @Option(
        help: "The output format: text, geojson, json or ndjson; by default, text on a terminal, otherwise geojson."
    )
    var format: MapFormat?
    @OptionGroup var search: SearchOptionsGroup
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        try checkLimit(limit)
        let box = try bbox.map { try boundingBox($0) }
        let wanted = try search.search()
        let library = try await database.library(.readOnly)
        let viewer = try await search.viewer(in: library)
        let list = try await library.maps.stories(.init(box: box, limit: limit), search: wanted, viewer: viewer)
        let bytes = StoryListJSON.page(list)
        try FeaturePrinter.print(bytes, format: format, whole: "in all", line: FeaturePrinter.storyLine)
    }
}

/// `waymark clusters`.
struct ClustersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clusters",
        abstract: "Lists the clusters and single stories in a viewport, with exact counts.",
        discussion: "Example: waymark clusters --bbox -180,-85,180,85 --zoom 3"
    )

    @Option(parsing: .unconditional, help: "west,south,east,north in degrees; west > east crosses the antimeridian.")
    var bbox: String
    @Option(
        parsing: .unconditional,
        help: "The zoom of 512-pixel tiles, 0 to 24; a fraction is rounded down.",
        transform: givenNumber
    )
    var zoom: Double
    @Option(parsing: .unconditional, help: "The tile size in pixels that the zoom refers to: 256 or 512.")
    var tileSize = 512
    @Option(
        help: "The output format: text, geojson, json or ndjson; by default, text on a terminal, otherwise geojson."
    )
    var format: MapFormat?
    @OptionGroup var search: SearchOptionsGroup
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        guard (0...24).contains(zoom) else { throw CommandFailure.usage("--zoom must be between 0 and 24.") }
        guard tileSize == 256 || tileSize == 512 else { throw CommandFailure.usage("--tile-size must be 256 or 512.") }
        let window = MapWindow(box: try boundingBox(bbox), zoom: zoom, tileSize: tileSize)
        let wanted = try search.search()
        let library = try await database.library(.readOnly)
        let viewer = try await search.viewer(in: library)
        let page = try await library.maps.markers(
            in: window,
            search: wanted,
            viewer: viewer,
            writtenBy: MarkerJSON.append
        )
        let bytes = MapJSON.page(page)
        try FeaturePrinter.print(bytes, format: format, whole: "in the box", line: FeaturePrinter.clusterLine)
    }
}

/// Prints a FeatureCollection for people or programs.
enum FeaturePrinter {
    static func print(_ bytes: [UInt8], format: MapFormat?, whole: String, line: (JSONValue) -> String) throws {
        switch format ?? (Console.isTerminal ? .text : .geojson) {
        case .geojson, .json:
            Console.write(bytes + Array("\n".utf8))
        case .ndjson:
            for feature in try features(bytes) {
                var json = JSONWriter()
                json.value(feature)
                Console.line(json.text)
            }
        case .text:
            let collection = try JSONValue(parsing: bytes, limits: .init(bytes: .max))
            for feature in collection["features"]?.array ?? [] { Console.line(line(feature)) }
            let shown = "\(collection["numberReturned"]?.integer ?? 0) shown"
            let matched = collection["numberMatched"]?.integer.map { ", \(counted($0, "story", "stories")) \(whole)" }
            Console.line(shown + (matched ?? ""))
        }
    }

    private static func features(_ bytes: [UInt8]) throws -> [JSONValue] {
        try JSONValue(parsing: bytes, limits: .init(bytes: .max))["features"]?.array ?? []
    }

    static func storyLine(_ feature: JSONValue) -> String {
        let properties = feature["properties"] ?? .null
        let location = properties["location"]
        // A town is often its own name, and a city its own state.
        var names: [String] = []
        for name in ["name", "city", "state"].compactMap({ location?[$0]?.string }) where !names.contains(name) {
            names.append(name)
        }
        let place = names.joined(separator: ", ")
        return [
            feature["id"]?.string ?? "", properties["date"]?.string ?? "undated", properties["kind"]?.string ?? "",
            properties["privacy"]?.string ?? "", properties["title"]?.string ?? "", place,
        ]
        .joined(separator: "  ")
    }

    static func clusterLine(_ feature: JSONValue) -> String {
        let point = feature["geometry"]?["coordinates"]
        let latitude = (point?[1]?.number).map(degrees) ?? ""
        let longitude = (point?[0]?.number).map(degrees) ?? ""
        let properties = feature["properties"] ?? .null
        guard properties["cluster"]?.bool == true else {
            return "\(latitude) \(longitude)  1  \(properties["title"]?.string ?? "")"
        }
        let zoom = properties["expansion_zoom"]?.integer ?? 0
        let splits =
            properties["stacked"]?.bool == true
            ? "at one place" : zoom > MapSnapshot.maximumZoom ? "never splits" : "splits at zoom \(zoom)"
        let places = (properties["places"]?.integer).map { "\($0) places, " } ?? ""
        return "\(latitude) \(longitude)  \(properties["point_count"]?.integer ?? 0)  \(places)\(splits)"
    }

    private static func degrees(_ value: Double) -> String { String((value * 10_000).rounded() / 10_000) }
}
