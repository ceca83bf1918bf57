import Library
import App
import ArgumentParser
import Formats
import Storage
import Stories
import StoryMap

/// `waymark cluster`.
struct ClusterCommand: AsyncParsableCommand {
    /// The additional data requested for a cluster.
    enum Part: String, EnumerableFlag {
        case children, expansionZoom

        static func help(for part: Part) -> ArgumentHelp? {
            switch part {
            case .children:
                "List instead the markers with its stories at the zoom where it splits; they can include neighbours."
            case .expansionZoom: "Print instead the first deeper zoom at which it splits; 21 if it never does."
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract:
            "Lists the stories in a cluster, newest first; exits with 3 if there is no such cluster.",
        discussion: """
            Use the same viewer and filters as for the 'waymark clusters' command that printed the id.
            Example: waymark cluster 1688858013991304 --limit 5
            """
    )

    @Argument(help: "The id of the cluster: the cluster_id of 'waymark clusters'.")
    var id: String
    @Flag var part: Part?
    @Option(parsing: .unconditional, help: "The maximum number of stories; by default 20.")
    var limit: Int?
    @Option(
        help: "The output format: text, geojson, json or ndjson; by default, text on a terminal, otherwise geojson."
    )
    var format: MapFormat?
    @OptionGroup var search: SearchOptionsGroup
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        guard let cluster = ClusterID(id) else {
            throw CommandFailure.usage(
                "\(given(id)) is not the id of a cluster; give a cluster_id from 'waymark clusters'."
            )
        }
        try checkLimit(limit ?? 20)
        if part != nil, limit != nil { throw CommandFailure.usage("--limit applies only to the list of stories.") }
        let wanted = try search.search()
        let library = try await database.library(.readOnly)
        let viewer = try await search.viewer(in: library)
        switch part {
        case nil:
            let window = ListWindow(limit: limit ?? 20)
            let found = try await library.maps.stories(of: cluster, window, search: wanted, viewer: viewer)
            try printFeatures(found.map { StoryListJSON.page($0) }, line: FeaturePrinter.storyLine)
        case .children:
            let found = try await library.maps.split(of: cluster, search: wanted, viewer: viewer)
            try printFeatures(found.map(MapJSON.split), line: FeaturePrinter.clusterLine)
        case .expansionZoom:
            guard let zoom = try await library.maps.expansionZoom(of: cluster, search: wanted, viewer: viewer) else {
                throw ClusterCommand.absent
            }
            let isText = (format ?? (Console.isTerminal ? .text : .json)) == .text
            Console.line(isText ? "\(zoom)" : "{\"expansion_zoom\":\(zoom)}")
        }
    }

    private func printFeatures(_ found: [UInt8]?, line: (JSONValue) -> String) throws {
        guard let found else { throw ClusterCommand.absent }
        try FeaturePrinter.print(found, format: format, whole: "in the cluster", line: line)
    }

    private static let absent = CommandFailure.notFound(
        "There is no such cluster for this viewer and these filters. Take an id from 'waymark clusters' with the same "
            + "options."
    )
}
