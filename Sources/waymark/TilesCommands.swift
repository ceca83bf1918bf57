import Basemap
import Library
import ArgumentParser
import Formats
import Foundation

/// `waymark tiles`.
struct TilesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tiles",
        abstract: "Builds, extends and describes the basemap: the tiles under the stories.",
        discussion: "Example: waymark tiles add alabama.osm.pbf",
        subcommands: [Build.self, Info.self, Add.self, List.self, Remove.self]
    )
}

extension TilesCommand {
    /// `waymark tiles build`.
    struct Build: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Builds the tiles of the basemap in the cache, even if already built.",
            discussion: """
                Example: waymark tiles build

                'waymark serve' does the same in the background when it starts for the first time.
                """
        )

        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let files = BasemapFiles(folders: DataFolders(), logger: database.logger())
            let gazetteer = try loadGazetteer(database)
            for part in BasemapFiles.Part.allCases {
                Console.remark("Building \(part.rawValue) …", quiet: database.quiet)
                let archive = try files.compile(part, gazetteer: gazetteer).archive
                Console.line("\(try files.location(of: part).path): \(TilesCommand.summary(archive)).")
            }
        }
    }

    /// `waymark tiles info`.
    struct Info: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints what the basemap, or a PMTiles file, contains.",
            discussion: "Example: waymark tiles info"
        )

        @Argument(help: "PMTiles files; by default, the basemap.")
        var files: [String] = []
        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let archives = try files.isEmpty ? bundled() : files.map { ($0, try TilesCommand.open($0)) }
            switch format ?? (Console.isTerminal ? .text : .json) {
            case .json: Console.write(TilesCommand.json(archives) + Array("\n".utf8))
            case .text:
                for (name, archive) in archives { Console.line("\(name): \(TilesCommand.summary(archive)).") }
            }
        }

        private func bundled() throws -> [(name: String, archive: TileArchive)] {
            let files = BasemapFiles(folders: DataFolders(), logger: database.logger())
            return try BasemapFiles.Part.allCases.map { part in
                guard let basemap = try files.open(part) else {
                    throw CommandFailure.failed("The basemap \(part.rawValue) is not built. Run 'waymark tiles build'.")
                }
                return (part.rawValue, basemap.archive)
            }
        }
    }

    static func open(_ file: String) throws -> TileArchive {
        guard FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure.usage("\(file) does not exist; check the path.")
        }
        do {
            return try TileArchive(bytes: ArchiveFile(file))
        } catch let error as TileArchiveError {
            throw CommandFailure.usage("\(file): \(error).")
        } catch {
            throw CommandFailure.usage("\(file) cannot be read; check that it is a file, and its permissions.")
        }
    }

    /// The content of an archive as text.
    static func summary(_ archive: TileArchive) -> String {
        let zooms = archive.zooms
        let size = Double(archive.byteCount) / 1_048_576
        return "\(archive.tileCount) tiles of zoom \(zooms.lowerBound) to \(zooms.upperBound), "
            + "\(String(format: "%.1f", size)) MB, \(archive.kind.mediaType)"
    }

    static func json(_ archives: [(name: String, archive: TileArchive)]) -> [UInt8] {
        var json = JSONWriter(capacity: 500)
        json.beginArray()
        for (name, archive) in archives {
            json.beginObject()
            json.member("name", name)
            json.member("media_type", archive.kind.mediaType)
            json.member("tiles", Int(clamping: archive.tileCount))
            json.member("minzoom", archive.zooms.lowerBound)
            json.member("maxzoom", archive.zooms.upperBound)
            json.key("bounds")
            json.beginArray()
            for degrees in archive.bounds { json.value(degrees) }
            json.endArray()
            json.member("bytes", archive.byteCount)
            json.endObject()
        }
        json.endArray()
        return json.bytes
    }
}
