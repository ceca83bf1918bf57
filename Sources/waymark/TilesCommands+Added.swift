import Basemap
import Library
import ArgumentParser
import Foundation

extension TilesCommand {
    /// `waymark tiles add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds tiles from a file; they are stored with the database.",
            discussion: """
                Example: waymark tiles add alabama.osm.pbf
                Example: waymark tiles add harlem-1911.mbtiles --attribution "New York Public Library"

                Draws the streets, water, parks, buildings and names of an OpenStreetMap extract (.osm.pbf or .osm), in
                about seven times as much memory as the file has. Tiles that exist (.mbtiles, .pmtiles) are vector tiles
                in the OpenMapTiles schema, or images, such as those of an old map, which the page lays over the others.
                A running service notices added and removed tiles within seconds.
                """
        )

        @Argument(help: "The file.")
        var file: String
        @Option(
            help:
                "The name of the tiles in addresses; by default, the name of the file. Tiles of that name are replaced."
        )
        var name: String?
        @Option(help: "The source to be named on the map; by default, what the file says.")
        var attribution: String?
        @OptionGroup var database: DatabaseOptions

        func validate() throws {
            if attribution?.isEmpty == true { throw ValidationError("--attribution must not be empty.") }
        }

        func run() async throws {
            let quiet = database.quiet
            let addition = TilesAddition(to: AddedTiles(beside: database.path)) { Console.remark($0, quiet: quiet) }
            do {
                let outcome = try addition.add(file, name: name, attribution: attribution)
                Console.line("\(outcome.tiles.name): \(TilesCommand.summary(outcome.tiles.archive)).")
                for remark in outcome.remarks { Console.line(remark) }
                if outcome.tiles.attribution.isEmpty {
                    Console.remark("The file names no source; name it with --attribution.", quiet: quiet)
                }
            } catch let failure as BasemapFiles.Failure {
                throw CommandFailure.usage(failure.description)
            }
        }
    }

    /// `waymark tiles list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the added tiles.",
            discussion: "Example: waymark tiles list"
        )

        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let added = AddedTiles(beside: database.path)
            let archives = try added.versions()
                .map { name, version in
                    do {
                        return (name: name, archive: try added.open(name, version: version).archive)
                    } catch {
                        throw CommandFailure.failed(
                            "\(added.file(name).path): \(error). Add the tiles again, or remove them."
                        )
                    }
                }
            switch format ?? (Console.isTerminal ? .text : .json) {
            case .json: Console.write(TilesCommand.json(archives) + Array("\n".utf8))
            case .text:
                if archives.isEmpty { Console.line("No tiles have been added next to \(database.path).") }
                for (name, archive) in archives { Console.line("\(name): \(TilesCommand.summary(archive)).") }
            }
        }
    }

    /// `waymark tiles remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes added tiles; 'waymark tiles list' lists them.",
            discussion: "Example: waymark tiles remove alabama"
        )

        @Argument(help: "The names.")
        var names: [String]
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let added = AddedTiles(beside: database.path)
            do {
                for name in names {
                    try added.remove(name)
                    Console.line("\(name): removed.")
                }
            } catch let failure as BasemapFiles.Failure {
                throw CommandFailure.usage(failure.description)
            }
        }
    }
}
