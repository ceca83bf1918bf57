import Library
import App
import ArgumentParser
import Foundation
import Gazetteer
import Logging
import Storage

extension DatabaseOptions {
    /// Says that a running service reads the added data when it starts.
    fileprivate func remarkOnAddedData() {
        guard StoryStore.isHeld(path) else { return }
        Console.remark("The running service uses it from its next start.", quiet: quiet)
    }
}

extension GazetteerCommand {
    /// `waymark gazetteer build`.
    struct Build: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compiles the geodata into the cache and recompiles the added data, even if already compiled.",
            discussion: "Example: waymark gazetteer build"
        )

        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let loader = GazetteerLoader(folders: DataFolders(), logger: database.logger())
            Console.line("The gazetteer is at \(try loader.rebuild().path).")
            guard FileManager.default.fileExists(atPath: GazetteerAdditions.staging(beside: database.path)) else {
                return
            }
            let addition = try GazetteerImport(database: database.path, loader: loader) { text in
                Console.remark(text, quiet: database.quiet)
            }
            let summary = try addition.compile()
            try addition.close()
            Console.line("The added data is at \(GazetteerAdditions.file(beside: database.path)): \(summary).")
        }
    }

    /// `waymark gazetteer info`.
    struct Info: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the number of places, names and addresses.",
            discussion: "Example: waymark gazetteer info"
        )

        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let index = try loadGazetteer(database)
            let additions = try GazetteerAdditions.load(beside: database.path)
            let files = try GazetteerImport.sources(beside: database.path)
            switch format ?? (Console.isTerminal ? .text : .json) {
            case .json: Console.write(GazetteerAdditions.json(index, additions, files) + Array("\n".utf8))
            case .text:
                let size = index.byteCount / 1_048_576
                Console.line("\(index.placeCount) places, \(index.nameCount) names, \(size) MB mapped.")
                guard let additions else { return }
                Console.line("Added data next to \(database.path): \(additions.summary).")
                for file in files { Console.line(file.description) }
            }
        }
    }

    /// `waymark gazetteer add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds the places and addresses in files; they are stored with the database.",
            discussion: """
                Example: waymark gazetteer add new-york.osm.pbf openaddresses-alameda.zip

                Reads OpenStreetMap extracts (.osm.pbf), OpenAddresses (.csv, .geojson, .zip), GeoNames' dumps
                (allCountries, alternateNamesV2, postal codes; .txt, .zip) and tables of your own with the columns name,
                lat, lon and, optionally, id, aliases, kind, population, country, state, city, from_year, to_year.
                All may be compressed with gzip. If a run is interrupted, the next one continues where it stopped.
                """
        )

        @Argument(help: "The files.")
        var files: [String]
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let loader = GazetteerLoader(folders: DataFolders(), logger: database.logger(level: .notice))
            let addition = try GazetteerImport(database: database.path, loader: loader) { text in
                Console.remark(text, quiet: database.quiet)
            }
            var refusals: [String] = []
            for file in files {
                do {
                    try addition.add(file)
                } catch let refusal as GazetteerImport.Refusal {
                    refusals.append(refusal.description)
                }
            }
            // Files that cannot be read do not prevent the others from being added.
            if refusals.count < files.count {
                let summary = try addition.compile()
                Console.line("The added data is at \(GazetteerAdditions.file(beside: database.path)): \(summary).")
                database.remarkOnAddedData()
            }
            try addition.close()
            guard refusals.isEmpty else { throw CommandFailure.usage(refusals.joined(separator: "\n")) }
        }
    }
    /// `waymark gazetteer remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes the data added from files; 'waymark gazetteer info' lists the files.",
            discussion: "Example: waymark gazetteer remove openaddresses-alameda.zip"
        )

        @Argument(help: "The names of the files as added; the files themselves are not needed.")
        var files: [String]
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard FileManager.default.fileExists(atPath: GazetteerAdditions.staging(beside: database.path)) else {
                throw CommandFailure.usage(
                    "No data was added next to \(database.path). Give the right database with --database."
                )
            }
            let loader = GazetteerLoader(folders: DataFolders(), logger: database.logger(level: .notice))
            let addition = try GazetteerImport(database: database.path, loader: loader) { text in
                Console.remark(text, quiet: database.quiet)
            }
            defer { try? addition.close() }
            for file in files { try addition.remove(file) }
            Console.line("The remaining added data: \(try addition.compile()).")
            database.remarkOnAddedData()
        }
    }
}
