import Library
import App
import ArgumentParser
import Formats
import Foundation
import Importing
import Storage
import Stories

/// `waymark areas`.
struct AreasCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "areas",
        abstract: "Manages the list of sensitive areas, in which only the owner of a story sees its exact point.",
        discussion: "Example: waymark areas load burial-grounds.geojson",
        subcommands: [Load.self, List.self, Clear.self]
    )

    /// `waymark areas load`.
    struct Load: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replaces the list with the areas in GeoJSON files and applies it to all stories immediately.",
            discussion: """
                A feature is a Polygon or MultiPolygon on WGS 84 with the properties precision (approximate or \
                hidden), cell (0.01, 0.1 or 1 degrees; by default 0.01) and name. Everyone except its owner sees a \
                story inside the area at this precision or coarser, even if the owner chose a finer one. The areas of \
                several files form one list; if any file has an error, nothing is changed.

                Example: waymark areas load burial-grounds.geojson nests.geojson
                """
        )

        @Argument(help: "The files; - is standard input.")
        var files: [String]
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            var areas: [SensitiveArea] = []
            for (index, file) in files.enumerated() { areas += try await read(file, index) }
            guard areas.count <= StoryLimits.areas else {
                throw CommandFailure.usage(
                    "The files contain more than the maximum of \(StoryLimits.areas) areas. Nothing was changed."
                )
            }
            let held = try await replace(areas, in: database)
            Console.line("\(counted(areas.count, "area", "areas")), affecting \(counted(held, "story", "stories"))")
        }

        private func read(_ file: String, _ index: Int) async throws -> [SensitiveArea] {
            guard let bytes = try? await contents(of: file, index: index, limit: 256 << 20) else {
                throw CommandFailure.usage("\(file) cannot be read. Give a GeoJSON file of polygons.")
            }
            let (areas, problems) = SensitiveAreaReader().read(bytes, fileName: file)
            for problem in problems.prefix(10) { Console.error(problem.description) }
            guard problems.isEmpty else { throw CommandFailure.usage("Nothing was changed.") }
            return areas
        }
    }

    /// `waymark areas list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the sensitive areas.",
            discussion: "Example: waymark areas list"
        )

        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            let (areas, held) = try await store.read { (try $0.areas(), try $0.countHeldStories()) }
            guard format ?? (Console.isTerminal ? .text : .json) == .json else {
                for area in areas {
                    let cell = area.precision.cell.map { " \($0.degrees)" } ?? ""
                    Console.line("\(area.precision.name)\(cell)  \(area.corners) corners  \(area.name)")
                }
                Console.line(
                    "\(counted(areas.count, "area", "areas")), affecting \(counted(held, "story", "stories"))"
                )
                return
            }
            Console.line(json(of: areas, held: held))
        }

        private func json(of areas: [ListedArea], held: Int) -> String {
            var json = JSONWriter()
            json.beginObject()
            json.key("areas")
            json.beginArray()
            for area in areas {
                json.beginObject()
                json.member("name", area.name)
                json.member("precision", area.precision.name)
                json.member("cell", area.precision.cell?.degrees)
                json.member("corners", area.corners)
                json.endObject()
            }
            json.endArray()
            json.member("stories_held", held)
            json.endObject()
            return json.text
        }
    }

    /// `waymark areas clear`.
    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Empties the list; every story is again shown with the precision its owner chose.",
            discussion: "Example: waymark areas clear"
        )

        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            _ = try await replace([], in: database)
            Console.remark("There are no sensitive areas now.", quiet: database.quiet)
        }
    }

    /// Replaces the list of areas; returns how many stories they affect.
    private static func replace(_ areas: [SensitiveArea], in database: DatabaseOptions) async throws -> Int {
        // Loading areas may create the database; clearing them requires an existing one.
        let library =
            try await areas.isEmpty ? database.existingLibrary() : database.library(.readWrite)
        defer { try? library.store.close() }
        let bar = ProgressBar(database.path, quiet: database.quiet)
        _ = try await library.moderation.areas.replace(areas) { done, total in
            bar.show(done: done, of: total, count: done, unit: "stories")
        }
        bar.end()
        return try await library.store.read { try $0.countHeldStories() }
    }
}
