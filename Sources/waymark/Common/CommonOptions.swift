import Library
import App
import ArgumentParser
import Foundation
import Gazetteer
import Geometry
import Logging
import Storage
import Stories

/// The database, and the verbosity.
struct DatabaseOptions: ParsableArguments {
    @Option(help: "The database file; by default $WAYMARK_DATABASE or, if that is not set, ./waymark.db.")
    var database: String?

    @Flag(help: "Print no progress bars and no remarks.")
    var quiet = false

    func validate() throws {
        if database == "" { throw ValidationError("--database must name a file.") }
    }

    /// The path of the database.
    var path: String {
        if let session = OperatorSession.current { return session.library.store.path }
        return database ?? ProcessInfo.processInfo.environment["WAYMARK_DATABASE"].flatMap { $0.isEmpty ? nil : $0 }
            ?? "waymark.db"
    }

    /// Returns the logger, which writes to standard error.
    func logger(level: Logger.Level = .warning) -> Logger {
        var logger = Logger(label: "waymark", factory: { StreamLogHandler.standardError(label: $0) })
        let named = ProcessInfo.processInfo.environment["WAYMARK_LOG"].flatMap(Logger.Level.init(rawValue:))
        logger.logLevel = quiet ? .error : named ?? level
        return logger
    }

    /// Opens the database for writing, without what stands on it.
    func openStore() throws -> StoryStore {
        try OperatorSession.current?.library.store
            ?? StoryStore(path: path, mode: .readWrite, logger: logger())
    }

    /// Opens the library of an existing database for writing; fails if there is none, because the path may be mistyped.
    func existingLibrary(holdsMap: Bool = true) async throws -> StoryLibrary {
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreError(.missing, "There is no database at \(path). Give the right one with --database.")
        }
        return try await library(.readWrite, holdsMap: holdsMap)
    }

    /// Opens the library; place names are derived only if the command passes a gazetteer.
    func library(
        _ mode: StoryStore.Mode,
        gazetteer: GazetteerIndex? = nil,
        additions: GazetteerAdditions? = nil,
        level: Logger.Level = .warning,
        retentionDays: Int = StoryLibrary.defaultRetentionDays,
        holdsMap: Bool = true
    ) async throws -> StoryLibrary {
        if mode == .readWrite, let session = OperatorSession.current { return session.library }
        return try await library(
            on: try StoryStore(path: path, mode: mode, logger: logger(level: level)),
            gazetteer: gazetteer,
            additions: additions,
            retentionDays: retentionDays,
            holdsMap: holdsMap
        )
    }

    /// Opens the library of a store.
    func library(
        on store: StoryStore,
        gazetteer: GazetteerIndex?,
        additions: GazetteerAdditions?,
        retentionDays: Int,
        holdsMap: Bool = true,
        progress: StartupProgress = StartupProgress()
    ) async throws -> StoryLibrary {
        try await StoryLibrary(
            store: store,
            gazetteer: gazetteer,
            additions: additions,
            now: { SystemClock.now },
            running: { SystemClock.running },
            boot: SystemClock.boot,
            retentionDays: retentionDays,
            holdsMap: holdsMap,
            progress: progress
        )
    }
}

/// The viewer, and the stories to search for.
struct SearchOptionsGroup: ParsableArguments {
    @Option(name: .customLong("as"), help: "Show what this user may see; by default only public stories.")
    var viewer: String?

    @Option(help: "Only stories of any of these kinds; family_object means photo, document and video_object.")
    var kind: [String] = []
    @Option(help: "Only stories with any of these topics.")
    var tag: [String] = []
    @Option(help: "Only stories about any of these people.")
    var person: [String] = []
    @Option(help: "Only stories owned by any of these users.")
    var owner: [String] = []
    @Option(help: "Only stories shared with any of these families of the viewer.")
    var family: [String] = []
    @Option(help: "Only stories in any of these collections, each given by title or id.")
    var collection: [String] = []
    @Option(help: "Only stories in any of these views: shared, family, mine.")
    var view: [String] = []
    @Option(help: "Only stories that are not before this day, month or year.")
    var from: String?
    @Option(help: "Only stories that are not after this day, month or year.")
    var to: String?
    @Option(
        help:
            "Only stories that happened on this day of any year, as MM-DD; those dated to a month or year do not match."
    )
    var on: String?
    @Option(name: .customLong("q"), parsing: .unconditional, help: "Words that must all occur in the text.")
    var text: String?
    @Flag(help: "Only the viewer's favourites.")
    var favourites = false

    /// Returns the search specified by the options.
    func search() throws -> StorySearch {
        var values: [String: [String]] = [:]
        let lists = [
            "kind": kind, "tag": tag, "person": person, "owner": owner, "family": family, "collection": collection,
            "view": view,
        ]
        for (name, given) in lists where !given.isEmpty {
            // An empty value usually comes from an unset variable, and would match everything.
            guard !given.contains("") else { throw CommandFailure.usage("--\(name) must not be empty.") }
            values[name] = given.flatMap(commaSeparated)
        }
        for (name, given) in [("from", from), ("to", to), ("on", on), ("q", text)] {
            guard let given else { continue }
            guard !given.isEmpty else { throw CommandFailure.usage("--\(name) must not be empty.") }
            values[name] = [given]
        }
        if favourites { values["favourites"] = ["true"] }
        do {
            return try StorySearch(values)
        } catch {
            throw CommandFailure.usage("--\(error.name): \(error.message).")
        }
    }

    /// Returns the viewer specified by the options.
    func viewer(in library: StoryLibrary) async throws -> Viewer { try await namedViewer(viewer, in: library) }
}

/// Returns the viewer specified by the option `--as`; the anonymous viewer without it.
func namedViewer(_ name: String?, in library: StoryLibrary) async throws -> Viewer {
    guard let name else { return .anonymous }
    guard let user = UserID(name), let found = try await library.viewer(of: user) else {
        throw CommandFailure.usage("--as: there is no user \(given(name)). 'waymark users list' lists the users.")
    }
    return found
}

/// Splits the value of an option at commas; `\,` is a comma within a value.
func commaSeparated(_ text: String) -> [String] {
    var values = [""]
    var isEscaped = false
    for character in text {
        if character == ",", !isEscaped {
            values.append("")
        } else if character == "\\", !isEscaped {
            isEscaped = true
            continue
        } else {
            values[values.count - 1].append(character)
        }
        isEscaped = false
    }
    return values.filter { !$0.isEmpty }
}

/// Parses a box given as an option.
func boundingBox(_ text: String, option: String = "--bbox") throws -> BoundingBox {
    do {
        return try BoundingBox(parsing: text)
    } catch {
        throw CommandFailure.usage("\(option): \(error.description).")
    }
}

/// Parses a number given as an option.
@Sendable
func givenNumber(_ text: String) throws -> Double {
    guard let number = DecimalText.number(text) else {
        throw ValidationError("\(excerpt(text)) is not a number.")
    }
    return number
}

/// Parses arguments that may be negative numbers: exactly `names.count` of them, and no unknown option.
func numbers(_ given: [String], named names: [String]) throws -> [Double] {
    // `LAT,LON` in one argument is equivalent to two arguments, and `--` only marks the end of the options.
    let arguments = given.filter { $0 != "--" }.flatMap { $0.split(separator: ",").map(String.init) }
    if let option = arguments.first(where: { $0.hasPrefix("-") && DecimalText.number($0) == nil }) {
        throw CommandFailure.usage("\(excerpt(option)) is not an option of this command; --help lists the options.")
    }
    guard arguments.count == names.count else {
        throw CommandFailure.usage(
            "Expected \(names.joined(separator: " ")), found \(counted(arguments.count, "number", "numbers"))."
        )
    }
    return try zip(names, arguments)
        .map { name, text in
            guard let number = DecimalText.number(text) else {
                throw CommandFailure.usage("\(name): \(excerpt(text)) is not a number.")
            }
            return number
        }
}
