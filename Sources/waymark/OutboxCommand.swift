import App
import ArgumentParser
import Formats
import Notifications
import Storage
import Stories

/// `waymark outbox`.
struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Lists notifications to be sent and their outcomes, and queues dead letters again.",
        discussion: """
            The lists never contain texts, addresses or positions. All of it works while the service runs, which \
            then carries out replaying itself.

            Example: waymark outbox list --state dead
            """,
        subcommands: [Counts.self, List.self, Show.self, Replay.self]
    )

    /// `waymark outbox counts`.
    struct Counts: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Counts the entries in each state.",
            discussion: "Example: waymark outbox counts"
        )

        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            defer { try? store.close() }
            let counts = try await store.read { try $0.outboxCounts() }
            for state in OutboxEntry.State.allCases { Console.line("\(state.rawValue) \(counts[state] ?? 0)") }
        }
    }

    /// `waymark outbox list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists entries, newest first.",
            discussion: "Example: waymark outbox list --state dead --limit 20 --format json"
        )

        @Option(help: "Only entries in this state: pending, done, dead or cancelled; by default all.")
        var state: String?
        @Option(help: "Only entries of the channel with this id.")
        var channel: String?
        @Option(help: "Only entries with lower numbers than this.")
        var before: Int64?
        @Option(parsing: .unconditional, help: "The maximum number of entries.")
        var limit = 100
        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard (1...1_000_000).contains(limit) else {
                throw CommandFailure.usage("--limit must be between 1 and 1000000.")
            }
            let wanted = try state.map { name in
                guard let state = OutboxEntry.State(rawValue: name) else {
                    throw CommandFailure.usage("--state: \(name) is not a state; use pending, done, dead or cancelled.")
                }
                return state
            }
            if let channel, !OutboxPrinter.isID(channel) {
                throw CommandFailure.usage(
                    "--channel: \(given(channel)) is not the id of a channel: 32 hexadecimal digits."
                )
            }
            guard before.map({ $0 >= 1 }) ?? true else { throw CommandFailure.usage("--before must be at least 1.") }
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            defer { try? store.close() }
            let (channel, before, limit) = (channel, before, limit)
            let entries = try await store.read {
                try $0.outbox(state: wanted, channel: channel, before: before, limit: limit)
            }
            if OutboxPrinter.isText(format) {
                for entry in entries { Console.line(OutboxPrinter.line(entry)) }
                return
            }
            var json = JSONWriter(capacity: 300 * (entries.count + 1))
            json.beginArray()
            for entry in entries { OutboxJSON.write(entry, attempts: nil, withUser: true, to: &json) }
            json.endArray()
            Console.write(json.bytes + [10])
        }
    }

    /// `waymark outbox show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows one entry with its attempts.",
            discussion: "Example: waymark outbox show 17"
        )

        @Argument(help: "The entry's number.")
        var entry: Int64
        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            defer { try? store.close() }
            let number = entry
            let (found, attempts) = try await store.read { (try $0.outboxEntry(number), try $0.attempts(of: number)) }
            guard let found else {
                throw CommandFailure.usage(
                    "There is no entry \(number) in the outbox. 'waymark outbox list' lists the entries."
                )
            }
            if OutboxPrinter.isText(format) {
                Console.line(OutboxPrinter.line(found))
                for attempt in attempts { Console.line("  " + OutboxPrinter.line(attempt)) }
                return
            }
            var json = JSONWriter(capacity: 800)
            OutboxJSON.write(found, attempts: attempts, withUser: true, to: &json)
            Console.write(json.bytes + [10])
        }
    }

    /// `waymark outbox replay`.
    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Queues dead letters for another delivery by the service, with their old ids.",
            discussion: "Example: waymark outbox replay 17 18, or waymark outbox replay --all"
        )

        @Argument(help: "The numbers of entries.")
        var entries: [Int64] = []
        @Flag(help: "Every dead letter.")
        var all = false
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard all != !entries.isEmpty else {
                throw CommandFailure.usage("Give either the numbers of entries or --all.")
            }
            let store = try database.openStore()
            defer { try? store.close() }
            let (numbers, all, now) = (entries, all, SystemClock.now)
            let count = try await store.write { transaction in
                let dead = all ? try transaction.outbox(state: .dead, limit: 1_000_000).map(\.number).sorted() : numbers
                // All or none: the command fails if any number is not a dead letter.
                for number in dead where try !transaction.replay(number, at: now) {
                    throw CommandFailure.usage(
                        "Entry \(number) is not a dead letter; nothing was changed. 'waymark outbox list --state "
                            + "dead' lists them."
                    )
                }
                return dead.count
            }
            Console.remark(
                "\(counted(count, "entry is", "entries are")) queued again; a running service sends \(count == 1 ? "it" : "them") at once.",
                quiet: database.quiet
            )
        }
    }
}

/// Formats outbox entries for people and programs.
enum OutboxPrinter: Sendable {
    static func isText(_ format: PlaceFormat?) -> Bool { format.map { $0 == .text } ?? Console.isTerminal }

    /// Returns whether a text has the form of a channel id.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    static func line(_ entry: OutboxEntry) -> String {
        var words = [
            String(entry.number), entry.state.rawValue, entry.type.rawValue, RFC3339.format(entry.createdAt),
            "channel \(entry.channel)", "\(entry.attempts) \(entry.attempts == 1 ? "attempt" : "attempts")",
        ]
        if let reason = entry.reason { words.append(reason) }
        if let status = entry.status { words.append("status \(status)") }
        if entry.state == .pending { words.append("not before \(RFC3339.format(entry.notBefore))") }
        return words.joined(separator: "  ")
    }

    static func line(_ attempt: AttemptRow) -> String {
        let status = attempt.status.map { "status \($0)" } ?? "no response"
        return "\(attempt.number)  \(RFC3339.format(attempt.at))  \(attempt.outcome)  \(status)  \(attempt.tookMs) ms"
    }
}
