import Library
import App
import ArgumentParser
import Foundation
import Gazetteer
import Importing
import Storage
import Stories

extension StoriesCommand {
    /// `waymark stories locate`.
    struct Locate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Finds places for stories without a location, from the words of their rows.",
            discussion: """
                Stories keep what their row said about its place. With a table that --review wrote, the command gives \
                stories the places chosen there instead. The column choice takes the number of a candidate, a position \
                such as "33.75, -84.39", or none. A table with a mistake changes nothing.

                A place larger than a building is shown to others as an area.

                Example: waymark stories locate --source greenbook --review unsure.csv
                         waymark stories locate unsure.csv
                """
        )

        @Argument(help: "A table that --review wrote, with the column choice filled in.")
        var table: String?
        @Option(help: "Only stories of this user.")
        var owner: String?
        @Option(help: "Only stories of this import.")
        var source: String?
        @Flag(help: "Say what would be located, and store nothing.")
        var dryRun = false
        @OptionGroup var placing: PlacingOptions
        @OptionGroup var database: DatabaseOptions
        @ParentCommand var list: StoriesCommand

        func run() async throws {
            let rules = try placing.rules()
            let owner = try chosenOwner()
            guard FileManager.default.fileExists(atPath: database.path) else {
                throw StoreError(
                    .missing,
                    "There is no database at \(database.path). Give the right one with --database."
                )
            }
            // Before anything is opened, so that a mistake is found at once.
            var reading: ReviewReader?
            if let table { reading = try await read(table) }
            let gazetteer = try loadGazetteer(database)
            let additions = try GazetteerAdditions.load(beside: database.path)
            let library = try await database.library(
                .readWrite,
                gazetteer: gazetteer,
                additions: additions,
                holdsMap: false
            )
            defer { try? library.store.close() }
            let service = LocatingService(library.imports)
            if let reading {
                guard owner == nil, source == nil else {
                    throw CommandFailure.usage("--owner and --source choose stories without a table; leave them out.")
                }
                return try await apply(reading, by: service)
            }
            try await check(owner, in: library.store)
            let search = PlaceSearch(places: gazetteer, additions: additions)
            try await locate(of: owner, by: service, RowGeocoding(locator: GazetteerLocator(search), rules: rules))
        }

        /// Returns the user whose stories are to be located, if one was named.
        ///
        /// `waymark stories` has an option of this name, a list, and ArgumentParser gives the value to that one.
        private func chosenOwner() throws -> UserID? {
            let named = list.search.owner + [owner].compactMap(\.self)
            guard named.count <= 1 else { throw CommandFailure.usage("--owner must be given only once.") }
            return try named.first.map { try userID($0) }
        }

        /// Rejects an owner that does not exist and an import without stories: the name is probably mistyped.
        private func check(_ owner: UserID?, in store: StoryStore) async throws {
            let source = source
            let (hasOwner, hasSource) = try await store.read { transaction in
                (
                    try owner.map { try transaction.user($0) != nil } ?? true,
                    try source.map { try transaction.hasStories(of: owner, source: $0) } ?? true
                )
            }
            if let owner, !hasOwner {
                throw CommandFailure.usage("--owner: there is no user \(owner). 'waymark users list' lists the users.")
            }
            if let source, !hasSource {
                throw CommandFailure.usage(
                    "--source: no story is from an import named \(excerpt(source)). 'waymark imports list' lists the imports."
                )
            }
        }

        private func locate(of owner: UserID?, by service: LocatingService, _ geocoding: RowGeocoding) async throws {
            let review = try placing.review.map { try ReviewFile(path: $0) }
            let (outcome, left, wordless) = try await service.locate(
                of: owner,
                source: source,
                by: geocoding,
                dryRun: dryRun
            ) { story, placement in
                review?.add(ReviewTable.Row(story, placement))
            }
            review?.keep()
            try review?.finish()
            say(outcome, open: left)
            if wordless > 0 {
                let stories = counted(wordless, "story has", "stories have")
                Console.remark(
                    "\(stories) neither a location nor words about a place; import their file again with --geocode.",
                    quiet: database.quiet
                )
            }
        }

        /// The maximum length of a table in bytes when a running service reads it.
        private static let longest = 500 * 1_024 * 1_024

        private func read(_ path: String) async throws -> ReviewReader {
            guard let bytes = try? await contents(of: path, index: 0, limit: Self.longest) else {
                throw CommandFailure.usage("\(path) cannot be read; check the path and its permissions.")
            }
            do throws(ReviewReader.Failure) {
                return try ReviewReader(bytes, fileName: path)
            } catch {
                for problem in error.problems.prefix(20) { Console.error(problem.description) }
                let more = error.problems.count - 20
                if more > 0 { Console.error("… and \(more) more") }
                throw CommandFailure.usage("Nothing was changed.")
            }
        }

        private func apply(_ reading: ReviewReader, by service: LocatingService) async throws {
            let open = reading.rows.filter { $0.choice == .open }
            let review = try placing.review.map { try ReviewFile(path: $0, header: reading.header) }
            do {
                let outcome = try await service.apply(reading.rows, dryRun: dryRun)
                if !outcome.missing.isEmpty { throw LocatingService.Missing(lines: outcome.missing) }
                // As they stand in the table, byte for byte.
                for row in open { review?.add(row.bytes) }
                review?.keep()
                try review?.finish()
                say(outcome, open: open.count)
            } catch let missing as LocatingService.Missing {
                review?.discard()
                let name = table ?? ""
                for line in missing.lines.prefix(20) {
                    Console.error("\(name):\(line): story: there is no such story; remove the row")
                }
                if missing.lines.count > 20 { Console.error("… and \(missing.lines.count - 20) more") }
                throw CommandFailure.usage("Nothing was changed.")
            }
        }

        private func say(_ outcome: LocatingOutcome, open: Int) {
            let prefix = dryRun ? "would be " : ""
            var parts = ["\(counted(outcome.located, "story", "stories")) \(prefix)located"]
            if outcome.proposed > 0 { parts.append("\(outcome.proposed) \(prefix)proposed to their owners") }
            if outcome.without > 0 { parts.append("\(outcome.without) without a place") }
            if outcome.kept > 0 { parts.append("\(outcome.kept) kept as they are") }
            parts.append("\(open) open")
            Console.line(parts.joined(separator: ", "))
        }
    }
}

extension ReviewTable.Row {
    /// Creates a row of a stored story.
    fileprivate init(_ story: UnlocatedStory, _ placement: RowPlacement) {
        self.init(
            row: nil,
            story: story.id,
            owner: story.owner,
            source: story.source,
            sourceID: story.sourceID,
            title: story.title,
            words: placement.words,
            candidates: placement.candidates
        )
    }
}

extension StoriesCommand.Locate: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: PATCH /v1/stories/ID, with a location, and with the owner's token, or with a service key and 'Waymark-User: …'."
    }
}
