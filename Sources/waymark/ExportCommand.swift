import Library
import App
import ArgumentParser
import Geometry
import Storage
import Stories

/// `waymark export`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes all stories that a viewer may see, newest first.",
        discussion: """
            CSV has the columns that 'waymark import' reads. To export all data of one person, use 'waymark users \
            export'.
            Example: waymark export --as ana --bbox -85,33,-84,34 --format csv > atlanta.csv
            """
    )

    @Option(
        parsing: .unconditional,
        help: "Only stories in this box, west,south,east,north in degrees; by default all, even without a location."
    )
    var bbox: String?
    @Option(help: "The output format: geojson, csv or ndjson.")
    var format = ExportFormat.geojson.rawValue
    @OptionGroup var search: SearchOptionsGroup
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        guard let format = ExportFormat(rawValue: format) else {
            throw CommandFailure.usage("--format must be geojson, csv or ndjson.")
        }
        let box = try bbox.map { try boundingBox($0) }
        let wanted = try search.search()
        let library = try await database.library(.readOnly)
        let viewer = try await search.viewer(in: library)
        let bar = ProgressBar("export", quiet: database.quiet || Console.isTerminal)
        let written = try await StoryExport(maps: library.maps)
            .write(
                format,
                in: box,
                search: wanted,
                viewer: viewer,
                progress: { bar.show(done: $0, of: $1, count: $0, unit: "stories") },
                to: Console.write
            )
        bar.end()
        Console.remark("\(counted(written, "story", "stories")) written.", quiet: database.quiet)
    }
}
