import ArgumentParser
import Foundation
import Importing
import Library
import Storage
import Stories
import Synchronization

/// The options of an import that say what becomes of stored stories, and where problems are listed.
struct ImportChoiceOptions: ParsableArguments {
    @Flag(
        help: """
            Remove the stories of the source that the file no longer contains. Stories edited since stay and are counted. \
            If more than half would go, --yes is needed.
            """
    )
    var replace = false
    @Flag(help: "Let --replace remove more than half of the source's stories.")
    var yes = false
    @Flag(help: "Accept kinds of stories that are new here; otherwise a row with an unknown kind is refused.")
    var newKinds = false
    @Option(
        help: "Write every warning and error to this file: CSV, or a JSON object a line if its name ends in .ndjson."
    )
    var report: String?

    /// Returns the choices for a file of which the source and the owner were named on the command line or not.
    func choices(isSourceGiven: Bool, isOwnerGiven: Bool) -> ImportChoices {
        var choices = ImportChoices()
        choices.replaces = replace
        choices.mayRemoveMost = yes
        choices.isSourceGiven = isSourceGiven
        choices.isOwnerGiven = isOwnerGiven
        return choices
    }

    /// Lets an importer accept the kinds of stories in a database, and new ones if the user said so.
    func apply(to options: inout StoryImporter.Options, store: StoryStore?) {
        options.kinds.allowsNew = newKinds
        guard let store, !newKinds else { return }
        options.kinds.inUse = {
            // On the thread that reads the file, which may wait.
            let (found, done) = (FoundKinds(), DispatchSemaphore(value: 0))
            Task {
                found.set((try? await store.read { try $0.storyKinds(of: nil) }) ?? [])
                done.signal()
            }
            done.wait()
            return found.kinds
        }
    }

    /// Refuses a kind for a whole file that no story has so far, because it may be mistyped.
    ///
    /// - Throws: ``CommandFailure``.
    func checkKind(_ kind: StoryKind, in library: StoryLibrary) async throws {
        guard !newKinds, !StoryKind.known.contains(kind) else { return }
        var kinds = KindChoices()
        kinds.allowsNew = false
        let inUse = try await library.store.read { try $0.storyKinds(of: nil) }
        guard let refusal = kinds.refusal(ofGiven: kind, inUse: inUse) else { return }
        throw CommandFailure.usage("--kind: \(refusal).")
    }

    /// Opens the report; `nil` if none was asked for.
    ///
    /// - Throws: ``CommandFailure`` for a name without a known ending, or a file that cannot be written.
    func openReport() throws -> ImportReport? { try report.map { try ImportReport($0) } }

    /// Returns why a file was not stored, in the words of the command line.
    static func words(_ conflict: ImportConflict, file: String) -> String {
        switch conflict {
        case .sameContent(let stored):
            "\(file) has the same content as import \(stored.number) (\(stored.origin.file)). Nothing was stored. Give "
                + "--source '\(stored.origin.source)' to import it again, or another --source to store its stories twice."
        case .sameContentOfOther(let stored):
            "\(file) has the same content as import \(stored.number) (\(stored.origin.file)), whose stories belong to "
                + "\(stored.origin.owner). Nothing was stored. Give --owner \(stored.origin.owner) to import it again, or "
                + "--owner \(UserID.archive) to store its stories twice."
        case .sameRows(let source):
            "Most rows of \(file) have the ids and titles of stories of the source \(source). Nothing was stored. Give "
                + "--source '\(source)' to change these, or another --source to store them twice."
        case .removesMost(let removed, let all):
            "\(removed) of the \(all) stories of the source of \(file) are not in it and would be removed. Nothing was "
                + "stored. Give --yes if the file is complete."
        case .skipsRows(let count):
            "\(file) has \(counted(count, "row", "rows")) with errors. With --replace, a skipped row would count as one that "
                + "is gone, so nothing was stored. Correct these rows, or leave out --replace."
        case .underWay:
            "Another import of this owner is under way. Wait until it is complete."
        }
    }
}

/// The kinds that a task found for a thread that waits.
private final class FoundKinds: Sendable {
    private let state = Mutex<Set<StoryKind>>([])

    var kinds: Set<StoryKind> { state.withLock(\.self) }

    func set(_ kinds: Set<StoryKind>) { state.withLock { $0 = kinds } }
}

/// A file with every problem of an import: `file`, `row`, `field`, `severity`, `problem` and `remedy`.
final class ImportReport: Sendable {
    private struct State {
        var isFirst = true
        var failed = false
    }

    private let path: String
    private let isTable: Bool
    /// Used only under the lock of `state`; `nil` if the operator's program has the file.
    private let handle: FileHandle?
    private let session = OperatorSession.current
    private let state = Mutex(State())

    /// Creates the file, with permissions for its owner alone: problems quote rows.
    init(_ path: String) throws {
        let ending = path.split(separator: ".").last?.lowercased()
        switch ending {
        case "csv": isTable = true
        case "ndjson", "jsonl": isTable = false
        default: throw CommandFailure.usage("--report: the name of \(excerpt(path)) must end in .csv or .ndjson.")
        }
        self.path = path
        guard session == nil else {
            handle = nil
            return
        }
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw CommandFailure.usage("--report: \(excerpt(path)) cannot be written; check its folder.") }
        self.handle = handle
    }

    /// Adds a problem.
    func add(_ problem: ImportProblem) {
        state.withLock { state in
            var bytes: [UInt8] = []
            if state.isFirst, isTable { bytes += ImportReport.head }
            state.isFirst = false
            bytes += isTable ? ImportReport.row(problem) : ImportReport.line(problem)
            do { try write(bytes) } catch { state.failed = true }
        }
    }

    private func write(_ bytes: [UInt8]) throws {
        session?.write(.report(bytes))
        try handle?.write(contentsOf: Data(bytes))
    }

    /// Closes the file.
    ///
    /// - Throws: ``CommandFailure`` if something could not be written.
    func close() throws {
        let failed = state.withLock { state in
            if state.isFirst, isTable { try? write(ImportReport.head) }
            state.isFirst = false
            return state.failed
        }
        try? handle?.close()
        guard !failed else { throw CommandFailure.failed("\(path) could not be written completely; is the disk full?") }
    }
}
