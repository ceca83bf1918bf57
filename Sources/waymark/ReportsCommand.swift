import Library
import App
import ArgumentParser
import Formats
import Storage
import Stories

/// `waymark reports`.
struct ReportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports",
        abstract: "Lists users' reports and records decisions on them.",
        discussion: """
            A story is withheld from everyone but its owner as long as a report of it is actioned; reviewing or \
            dismissing that report shows the story again.

            Example: waymark reports list --status pending
            """,
        subcommands: [List.self, Show.self, Review.self, Action.self, Dismiss.self]
    )

    /// `waymark reports list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists reports, oldest first.",
            discussion: "Example: waymark reports list --status pending,reviewed"
        )

        @Option(help: "Only reports in any of these states: pending, reviewed, actioned, dismissed; by default all.")
        var status: [String] = []
        @Option(parsing: .unconditional, help: "The maximum number of reports.")
        var limit = 100
        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard (1...1_000_000).contains(limit) else {
                throw CommandFailure.usage("--limit must be between 1 and 1000000.")
            }
            let statuses = try status.flatMap(commaSeparated)
                .map { name in
                    guard let status = ReportStatus(rawValue: name) else {
                        throw CommandFailure.usage(
                            "--status: \(name) is not a status; use pending, reviewed, actioned or dismissed."
                        )
                    }
                    return status
                }
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            defer { try? store.close() }
            let most = limit
            let found = try await store.read { try $0.reportEntries(statuses: statuses, after: nil, limit: most) }
            try ReportPrinter.print(found, format: format)
        }
    }

    /// `waymark reports show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows one report.",
            discussion: "Example: waymark reports show 0123456789abcdef0123456789abcdef"
        )

        @Argument(help: "The tracking id.")
        var report: String
        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let id = try ReportPrinter.id(report)
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            defer { try? store.close() }
            guard let found = try await store.read({ try $0.reportEntry(id) }) else {
                throw ReportPrinter.unknown(report)
            }
            try ReportPrinter.print([found], format: format)
        }
    }

    /// The options shared by the subcommands that decide reports.
    struct Decision: ParsableArguments {
        @Argument(help: "The tracking id.")
        var report: String
        @Option(help: "A note for the operators, at most 2000 bytes; by default the existing one is kept.")
        var note: String?
        @OptionGroup var database: DatabaseOptions

        func decide(_ status: ReportStatus, _ words: String) async throws {
            let id = try ReportPrinter.id(report)
            guard (note?.utf8.count ?? 0) <= StoryLimits.reportLength else {
                throw CommandFailure.usage("--note must have at most \(StoryLimits.reportLength) bytes.")
            }
            let library = try await database.existingLibrary()
            defer { try? library.store.close() }
            guard let entry = try await library.moderation.reports.setStatus(status, note: note, of: id) else {
                throw ReportPrinter.unknown(report)
            }
            Console.remark("The report of story \(entry.report.story) is \(words).", quiet: database.quiet)
        }
    }

    /// `waymark reports review`.
    struct Review: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Marks a report as reviewed but not yet decided.",
            discussion: "Example: waymark reports review 0123456789abcdef0123456789abcdef --note \"asked the owner\""
        )

        @OptionGroup var decision: Decision

        func run() async throws { try await decision.decide(.reviewed, "marked as reviewed") }
    }

    /// `waymark reports action`.
    struct Action: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Withholds the reported story from everyone but its owner.",
            discussion: "Example: waymark reports action 0123456789abcdef0123456789abcdef"
        )

        @OptionGroup var decision: Decision

        func run() async throws { try await decision.decide(.actioned, "actioned, and the story is withheld") }
    }

    /// `waymark reports dismiss`.
    struct Dismiss: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Leaves the reported story unchanged; shows it again if this report withheld it.",
            discussion: "Example: waymark reports dismiss 0123456789abcdef0123456789abcdef"
        )

        @OptionGroup var decision: Decision

        func run() async throws { try await decision.decide(.dismissed, "dismissed") }
    }
}

/// Prints reports for people or programs.
private enum ReportPrinter: Sendable {
    static func id(_ text: String) throws -> StoryID {
        guard let id = StoryID(text) else {
            throw CommandFailure.usage("\(text) is not a tracking id, which has 32 digits of 0-9 and a-f.")
        }
        return id
    }

    static func unknown(_ text: String) -> CommandFailure {
        .usage("There is no report \(text). 'waymark reports list' lists the reports.")
    }

    static func print(_ entries: [ReportEntry], format: PlaceFormat?) throws {
        guard format ?? (Console.isTerminal ? .text : .json) == .json else {
            for entry in entries {
                let report = entry.report
                let words = [report.text.map { "“\($0)”" }, report.note.map { "note: \($0)" }].compactMap(\.self)
                Console.line(
                    [
                        report.id.description, RFC3339.format(report.createdAt), report.status.rawValue,
                        report.reason.rawValue, "story \(report.story)",
                        "of \(entry.owner?.rawValue ?? "a removed user")",
                        "reported by \(entry.count)",
                    ]
                    .joined(separator: "  ") + words.map { "  " + $0 }.joined()
                )
            }
            return
        }
        var json = JSONWriter()
        json.beginArray()
        for entry in entries { PrivacyJSON.write(entry, to: &json) }
        json.endArray()
        Console.line(json.text)
    }
}
