import Library
import App
import ArgumentParser
import Foundation
import Gazetteer
import Importing
import Stories
import Storage

/// `waymark import`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Imports stories from tables, spreadsheets, GeoJSON, KML, GPX, GEDCOM or OHMS, plain or gzipped.",
        discussion: """
            --columns shows what each column is read as; --map and --ignore change that. A file named - is standard \
            input. FlatGeobuf, Parquet and TopoJSON are converted by GDAL's ogr2ogr, where it is installed.

            Each file is one transaction: a row with an error rejects the whole file unless --skip-bad-rows is given, \
            and importing a file again changes nothing.

            \(ImportCommand.levels)

            Example: waymark import photographs.csv.gz --kind photo
            """
    )

    /// The explanations of the privacy levels, one per line.
    private static let levels = Privacy.allCases.map { "\($0.rawValue): \($0.explanation.who)" }.joined(separator: "\n")

    @Argument(help: "The files; - is standard input.")
    var files: [String]
    @Option(help: "The kind for stories that specify none.")
    var kind = "interview"
    @Option(help: "The privacy for stories that specify none: public, family_only or private; by default public.")
    var privacy: String?
    @Option(help: "The owner of the stories; by default the built-in user archive.")
    var owner: String?
    @Option(help: "The name of the import; by default the file's base name.")
    var source: String?
    @Option(help: "The reference system of the coordinates, such as EPSG:26918.")
    var crs: String?
    @Option(help: "Read a field from a column of another name, such as lat=Breite; may be repeated.")
    var map: [String] = []
    @Option(help: "A column not to read; may be repeated.")
    var ignore: [String] = []
    @Option(
        help: "The encoding, for example windows-1251 or shift_jis; by default Unicode and western ones are recognised."
    )
    var encoding: String?
    @Flag(help: "Print what each column is read as, and store nothing.")
    var columns = false
    @Flag(help: "Read and check everything, store nothing.")
    var dryRun = false
    @Flag(help: "Keep the ids and times of stories that 'waymark export' wrote; only for a database without stories.")
    var keepIds = false
    @Flag(help: "Skip rows with errors instead of rejecting the file.")
    var skipBadRows = false
    @OptionGroup var geocoding: GeocodingOptions
    @OptionGroup var choices: ImportChoiceOptions
    @OptionGroup var space: SpaceOptions
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        var options = try importerOptions()
        try geocoding.choose(&options.columns)
        let isAtHome = OperatorSession.current == nil
        for file in files where file != ImportInput.standard && isAtHome { try checkReadable(file) }
        if columns { return try await printColumns(options) }
        let gazetteer = gazetteerIfPossible(database)
        let scratch = try scratchFolder()
        defer { scratch.map { try? FileManager.default.removeItem(at: $0) } }
        let library = try await openLibrary(scratch: scratch, gazetteer: gazetteer)
        // Beside a service the database cannot be opened, and the client of the service ends the import.
        if isAtHome { Interruption.explainImport(isDryRun: dryRun) }
        defer { try? library.store.close() }
        try checkSpace(of: library.store)
        try await checkOwner(options.owner, in: library)
        try await choices.checkKind(options.kind, in: library)
        options.knownKinds.insert(options.kind)
        if keepIds { try await checkIsEmpty(library) }
        let imports = library.imports
        let review = try geocoding.prepare(&options, gazetteer: gazetteer, imports: imports, database: database)
        defer { review?.discard() }
        choices.apply(to: &options, store: library.store)
        let report = try choices.openReport()
        if let report { options.onProblem = { report.add($0) } }
        var refused = 0
        for (index, file) in files.enumerated() {
            let isStored = try await store(file, index, options: options, into: library)
            if isStored { review?.keep() } else { review?.drop() }
            if !isStored { refused += 1 }
        }
        try report?.close()
        if let review { try geocoding.say(rows: review.finish(), quiet: database.quiet) }
        guard refused == 0 else {
            throw CommandFailure.usage(
                refused == 1 && files.count == 1
                    ? "Nothing was stored." : "\(refused) of \(files.count) files were rejected."
            )
        }
    }

    private func importerOptions() throws -> StoryImporter.Options {
        guard let owner = UserID(owner ?? UserID.archive.rawValue) else {
            throw CommandFailure.usage(
                "--owner must be 1 to 64 characters of A-Z, a-z, 0-9, dot, underscore and hyphen."
            )
        }
        guard let kind = StoryKind(kind) else {
            throw CommandFailure.usage("--kind must be 1 to 32 characters of a-z, 0-9 and _, such as interview.")
        }
        guard let privacy = Privacy(rawValue: privacy ?? "public") else {
            throw CommandFailure.usage("--privacy must be public, family_only or private.")
        }
        var options = StoryImporter.Options(owner: owner)
        options.kind = kind
        options.privacy = privacy
        options.privacyIsGiven = self.privacy != nil
        do throws(ImportProblem) {
            for text in map { try options.columns.map(text) }
            for column in ignore { options.columns.ignore(column) }
            if let encoding { try options.columns.setEncoding(encoding) }
        } catch {
            throw CommandFailure.usage("\(error.message).")
        }
        options.source = source
        options.referenceSystem = crs
        options.skipsBadRows = skipBadRows
        options.today = SystemClock.now.day
        options.databases = .geoPackages
        options.keepsIDs = keepIds
        return options
    }

    /// Creates a temporary folder for an empty database if the database of a dry run does not exist, because a dry run
    /// must not create it.
    ///
    /// The folder must exist until the command ends, because the store opens further connections to its file whenever
    /// two reads overlap.
    private func scratchFolder() throws -> URL? {
        guard dryRun, !FileManager.default.fileExists(atPath: database.path) else { return nil }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("waymark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func openLibrary(scratch: URL?, gazetteer: GazetteerIndex?) async throws -> StoryLibrary {
        // A dry run reads beside a running service.
        guard let scratch else {
            return try await database.library(dryRun ? .readOnly : .readWrite, gazetteer: gazetteer, holdsMap: false)
        }
        let store = try StoryStore(
            path: scratch.appendingPathComponent("dry.db").path,
            mode: .readWrite,
            logger: database.logger()
        )
        return try await StoryLibrary(store: store, gazetteer: gazetteer, now: { SystemClock.now }, holdsMap: false)
    }

    private func checkOwner(_ owner: UserID, in library: StoryLibrary) async throws {
        guard try await library.viewer(of: owner) == nil else { return }
        throw CommandFailure.usage("--owner: there is no user \(owner). 'waymark users add \(owner)' adds the user.")
    }

    /// Refuses to begin an import for which there is too little space, and warns if little is left.
    private func checkSpace(of store: StoryStore) throws {
        guard !dryRun, OperatorSession.current == nil else { return }
        store.watchSpace(space.limits)
        guard let shortage = store.diskShortage else { return }
        let words = SpaceOptions.words(shortage)
        guard !shortage.refusesWrites else { throw StoreError(.diskFull, words) }
        Console.remark(words, quiet: database.quiet)
    }

    /// Returns what `--replace` did, as the end of a line.
    private func replaced(_ outcome: ImportOutcome) -> String {
        guard choices.replace else { return "" }
        let kept = outcome.kept > 0 ? ", \(outcome.kept) kept that are not in the file but were edited since" : ""
        return ", \(outcome.removed) \(dryRun ? "would be " : "")removed\(kept)"
    }

    private func checkReadable(_ file: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) else {
            guard !file.isEmpty else { throw CommandFailure.usage("The name of a file must not be empty.") }
            throw CommandFailure.usage("\(file) does not exist; check the path.")
        }
        if isFolder.boolValue { return try checkPhotos(in: file) }
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw CommandFailure.usage("\(file) cannot be read; check its permissions.")
        }
    }

    /// Undoes an import whose command was interrupted, since without a service nothing of it would be left either.
    ///
    /// An import that was cancelled by its number is undone by the command that cancelled it.
    private func undone(_ cancelled: ImportCancelled, file: String, in library: StoryLibrary) async -> CommandFailure {
        if Task.isCancelled {
            // In a task of its own, because this one is cancelled.
            await Task {
                guard let stored = try? await library.importHistory.find(cancelled.number) else { return }
                _ = try? await library.importHistory.undo(stored)
            }
            .value
        }
        return .failed("\(file): The import was cancelled, and what it had stored is undone.")
    }

    /// Stores one file and reports the result; returns `false` if it was rejected.
    private func store(
        _ file: String,
        _ index: Int,
        options: StoryImporter.Options,
        into library: StoryLibrary
    ) async throws -> Bool {
        guard let input = try await self.input(file, index, options: options) else { return false }
        var chosen = options
        chosen.remarks = input.origin?.remarks ?? []
        chosen.members = input.photos?.names ?? []
        let bar = ProgressBar(file, quiet: database.quiet)
        let (result, outcome): (ImportResult, ImportOutcome)
        do {
            (result, outcome) = try await library.imports.add(
                reading: input.bytes,
                fileName: input.name,
                digest: input.origin?.digest,
                by: StoryImporter(options: chosen),
                choices: choices.choices(isSourceGiven: source != nil, isOwnerGiven: owner != nil),
                dryRun: dryRun,
                // Beside a running service others write as well.
                inPieces: OperatorSession.current != nil
            ) { progress in
                bar.show(done: progress.bytes, of: progress.totalBytes, count: progress.rows, unit: "stories stored")
            }
        } catch let conflict as ImportConflict {
            bar.end()
            Console.error(ImportChoiceOptions.words(conflict, file: input.name))
            return false
        } catch let cancelled as ImportCancelled {
            bar.end()
            throw await undone(cancelled, file: input.name, in: library)
        }
        bar.end()
        for line in result.warningSummary(limit: 5) { Console.remark(line, quiet: database.quiet) }
        for line in result.errorSummary() { Console.error(line) }
        if choices.report == nil, result.warningCount > 5 || result.errorCount > 20 {
            Console.remark("'--report FILE' lists all of them.", quiet: database.quiet)
        }
        guard !result.isRefused else { return false }
        try await storePictures(of: input, options: options, in: library)
        let left = result.badRows > 0 ? ", \(counted(result.badRows, "row", "rows")) skipped" : ""
        let prefix = dryRun ? "would be " : ""
        let located = geocoding.isWanted ? ", \(result.located) located by words, \(result.unlocated) not located" : ""
        Console.line(
            "\(input.name): \(outcome.created) \(prefix)new, \(outcome.updated) \(prefix)changed, "
                + "\(outcome.unchanged) unchanged\(left)\(located)\(replaced(outcome))"
        )
        return true
    }
}
