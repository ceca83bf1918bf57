import ArgumentParser
import Formats
import Foundation
import Library
import Logging
import Storage
import Stories

/// `waymark check`.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract:
            "Checks the database in all its parts: checksums of pages, structure, schema, stories, relations, keys.",
        discussion: """
            Changes nothing and works beside a running service. With --repair, stop the service first: flipped bits are \
            corrected, and indexes and other derived data are made anew; the original is kept as PATH.recovery-DATE-TIME.

            Exit codes: 0 healthy or repaired, 1 something needs attention, 2 wrong usage or no database.

            Example: waymark check --database waymark.db
            """
    )

    @Flag(help: "Repair what can be repaired, after keeping a copy of the original; the service must be stopped.")
    var repair = false
    @Flag(
        help: """
            Take the file as it is after another program wrote it on purpose, if SQLite finds its structure sound; the \
            service must be stopped.
            """
    )
    var accept = false
    @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
    var format: PlaceFormat?
    @OptionGroup var database: DatabaseOptions

    func validate() throws {
        if repair && accept { throw ValidationError("Give --repair or --accept, not both.") }
    }

    func run() async throws {
        guard FileManager.default.fileExists(atPath: database.path) else {
            throw StoreError(.missing, "There is no database at \(database.path). Give the right one with --database.")
        }
        if accept { try await acceptFile() }
        let (report, copy) = try await outcome()
        write(report, copy: copy)
        guard report.outcome == .attention else { return }
        Console.error("The database needs attention.")
        throw ExitCode(ExitStatus.failed.rawValue)
    }

    private func checks(of store: StoryStore) -> CheckService {
        CheckService(store: store, now: { SystemClock.now })
    }

    private func note(_ part: String) {
        if Console.isTerminal { Console.remark("Checking: \(part)", quiet: database.quiet) }
    }

    private func outcome() async throws -> (CheckReport, copy: String?) {
        if repair { return try await repaired() }
        return (try await checked(), nil)
    }

    /// Checks all parts; a file that SQLite cannot read at all is a finding as well.
    private func checked() async throws -> CheckReport {
        do {
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger(level: .critical))
            defer { try? store.close() }
            return try await checks(of: store).check(progress: note)
        } catch let error as StoreError where error.code == .damaged {
            return CheckReport.unreadable(database: database.path)
        }
    }

    private func repaired() async throws -> (CheckReport, copy: String?) {
        let found = try await checked()
        guard found.findings.contains(where: { $0.remedy == .repair }) else { return (found, nil) }
        let name = RFC3339.format(SystemClock.now).prefix(19).filter { $0 != "-" && $0 != ":" }
            .replacing("T", with: "-")
        let copy = try StoryStore.keepOriginal(ofDatabase: database.path, named: String(name))
        let store = try StoryStore(path: database.path, mode: .readWrite, logger: database.logger(level: .critical))
        defer { try? store.close() }
        return (try await checks(of: store).repair(progress: note), copy)
    }

    private func acceptFile() async throws {
        let problems: [String]
        do {
            let store = try StoryStore(path: database.path, mode: .readWrite, logger: database.logger(level: .critical))
            defer { try? store.close() }
            problems = try await store.acceptPages()
        } catch let error as StoreError where error.code == .damaged {
            throw CommandFailure.failed(
                "\(database.path) is not accepted, because SQLite cannot read it. Restore a backup with 'waymark restore'."
            )
        }
        guard problems.isEmpty else {
            throw CommandFailure.failed(
                "\(database.path) is not accepted, because SQLite finds its structure damaged "
                    + "(\(problems.joined(separator: "; "))). Restore a backup with 'waymark restore'."
            )
        }
    }

    private func write(_ report: CheckReport, copy: String?) {
        let isText = format ?? (Console.isTerminal ? .text : .json) == .text
        guard isText else { return Console.line(json(report, copy: copy)) }
        switch report.outcome {
        case .healthy:
            Console.line(
                "The database is healthy: \(report.figures["pages"] ?? 0) pages, "
                    + "\(report.figures["stories"] ?? 0) stories."
            )
        case .repaired: Console.line("The database was damaged and is repaired.")
        case .attention: break
        }
        for finding in report.repaired { Console.line("Repaired: \(finding.detail)") }
        for finding in report.findings {
            Console.line("Wrong: \(finding.detail)")
            if !finding.stories.isEmpty { Console.line("  Stories: \(finding.stories.joined(separator: " "))") }
            Console.line("  What to do: \(CheckCommand.advice(finding.remedy)).")
        }
        if let copy { Console.line("The original is kept as \(copy). Remove it when you no longer need it.") }
    }

    private static func advice(_ remedy: CheckFinding.Remedy) -> String {
        switch remedy {
        case .repair: "Stop the service and run 'waymark check --repair'"
        case .byHand(let words): words
        }
    }

    private func json(_ report: CheckReport, copy: String?) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.member("outcome", report.outcome.rawValue)
        for (name, findings) in [("findings", report.findings), ("repaired", report.repaired)] {
            json.key(name)
            json.beginArray()
            for finding in findings {
                json.beginObject()
                json.member("code", finding.code)
                json.member("detail", finding.detail)
                if name == "findings" { json.member("remedy", CheckCommand.advice(finding.remedy)) }
                json.member("stories", finding.stories)
                json.endObject()
            }
            json.endArray()
        }
        json.key("figures")
        json.beginObject()
        for (name, figure) in report.figures.sorted(by: { $0.key < $1.key }) { json.member(name, figure) }
        json.endObject()
        json.member("recovery_file", copy)
        json.endObject()
        return json.text
    }
}
