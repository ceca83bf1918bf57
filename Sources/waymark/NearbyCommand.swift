import Library
import App
import ArgumentParser
import Formats
import Geometry
import Storage
import Stories

/// `waymark nearby`.
struct NearbyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "Lists the stories nearest to a position, nearest first, with their distance in metres.",
        discussion: "Example: waymark nearby 33.7554 -84.3736 --limit 5 --kind interview"
    )

    @Argument(parsing: .allUnrecognized, help: "Latitude and longitude in degrees.")
    var position: [String]
    @Option(parsing: .unconditional, help: "The maximum number of stories.")
    var limit = 20
    @Option(
        help: "The output format: text, geojson, json or ndjson; by default, text on a terminal, otherwise geojson."
    )
    var format: MapFormat?
    @OptionGroup var search: SearchOptionsGroup
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let values = try numbers(position, named: ["LAT", "LON"])
        guard let coordinate = Coordinate(latitude: values[0], longitude: values[1]) else {
            throw CommandFailure.usage("LAT must be between -90 and 90, LON between -180 and 180.")
        }
        try checkLimit(limit)
        let wanted = try search.search()
        let library = try await database.library(.readOnly)
        let viewer = try await search.viewer(in: library)
        let stories = try await library.maps.stories(near: coordinate, limit: limit, search: wanted, viewer: viewer)
        let bytes = StoryListJSON.nearby(stories)
        try FeaturePrinter.print(bytes, format: format, whole: "nearby") { feature in
            let metres = feature["properties"]?["distance"]?.number ?? 0
            let distance = metres < 1_000 ? "\(Int(metres.rounded())) m" : "\((metres / 100).rounded() / 10) km"
            return distance + "  " + FeaturePrinter.storyLine(feature)
        }
    }
}

/// `waymark place`.
struct PlaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "place",
        abstract: "Lists the stories at one place, newest first.",
        discussion: """
            The id of a place is the place_id of stories and of single markers; the list is empty if no stories are \
            there.
            Example: waymark place p31ghkmp5kij --as ana
            """
    )

    @Argument(help: "The id of the place.")
    var id: String
    @Option(parsing: .unconditional, help: "The maximum number of stories.")
    var limit = 20
    @Option(
        help: "The output format: text, geojson, json or ndjson; by default, text on a terminal, otherwise geojson."
    )
    var format: MapFormat?
    @OptionGroup var search: SearchOptionsGroup
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        guard let place = PlaceID(id) else {
            throw CommandFailure.usage("\(given(id)) is not the id of a place; give a place_id from 'waymark stories'.")
        }
        try checkLimit(limit)
        let wanted = try search.search()
        let library = try await database.library(.readOnly)
        let viewer = try await search.viewer(in: library)
        let list = try await library.maps.stories(at: place, .init(limit: limit), search: wanted, viewer: viewer)
        let bytes = StoryListJSON.page(list)
        try FeaturePrinter.print(bytes, format: format, whole: "at this place", line: FeaturePrinter.storyLine)
    }
}

/// Checks that the option `--limit` of a list is in range.
func checkLimit(_ limit: Int) throws {
    guard (1...1_000_000).contains(limit) else {
        throw CommandFailure.usage("--limit must be between 1 and 1000000.")
    }
}
