import Library
import App
import ArgumentParser
import Formats
import Storage
import Stories

/// `waymark imports`.
struct ImportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "imports",
        abstract: "Lists, shows, cancels and undoes imports.",
        discussion: "Example: waymark imports list",
        subcommands: [List.self, Show.self, Cancel.self, Undo.self]
    )

    /// `waymark imports list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists imports, newest first.",
            discussion: "Example: waymark imports list --owner ana"
        )

        @Option(help: "Only the imports of this user.")
        var owner: String?
        @Option(parsing: .unconditional, help: "How many at most.")
        var limit = 50
        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard (1...10_000).contains(limit) else {
                throw CommandFailure.usage("--limit must be between 1 and 10000.")
            }
            let (user, most) = (try owner.map { try userID($0) }, limit)
            let (imports, isHeld) = try await ImportsCommand.reading(database) { store in
                try await store.read { try $0.imports(of: user, limit: most) }
            }
            guard format ?? (Console.isTerminal ? .text : .json) == .json else {
                for stored in imports { Console.line(ImportsCommand.line(stored, isHeld: isHeld)) }
                return
            }
            var json = JSONWriter()
            json.beginArray()
            for stored in imports { ImportsCommand.write(stored, isHeld: isHeld, to: &json) }
            json.endArray()
            Console.line(json.text)
        }
    }

    /// `waymark imports show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows an import, and what undoing it would do now.",
            discussion: "Example: waymark imports show 3"
        )

        @Argument(help: "The number of the import, as listed by 'waymark imports list'.")
        var number: Int64
        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let number = number
            let (found, isHeld) = try await ImportsCommand.reading(database) { store in
                try await store.read { reader -> (StoredImport, UndoPlan)? in
                    guard let stored = try reader.storedImport(number) else { return nil }
                    return (stored, try reader.undoPlan(of: stored))
                }
            }
            guard let (stored, plan) = found else { throw ImportsCommand.unknown(number) }
            guard format ?? (Console.isTerminal ? .text : .json) == .json else {
                Console.line(ImportsCommand.line(stored, isHeld: isHeld))
                for problem in ImportsCommand.problems(of: stored).prefix(20) { Console.line("  " + problem) }
                for line in ImportsCommand.lines(plan, would: true) { Console.line(line) }
                return
            }
            var json = JSONWriter()
            ImportsCommand.write(stored, isHeld: isHeld, plan: plan, to: &json)
            Console.line(json.text)
        }
    }

    /// `waymark imports undo`.
    struct Undo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Undoes an import.",
            discussion: """
                The stories that it created are deleted, as their owner would delete them; those that it changed are as \
                before; those that it removed come back. Stories that somebody edited since stay as they are and are named, \
                and so do those that a later import changed: undo that one first. An undoing that was interrupted goes on \
                when it is repeated.

                Example: waymark imports undo 3 --dry-run
                """
        )

        @Argument(help: "The number of the import, as listed by 'waymark imports list'.")
        var number: Int64
        @Flag(help: "Print what would be done, and change nothing.")
        var dryRun = false
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            if dryRun { return try await printPlan() }
            let library = try await database.existingLibrary(holdsMap: false)
            defer { try? library.store.close() }
            guard let stored = try await library.importHistory.find(number) else {
                throw ImportsCommand.unknown(number)
            }
            let plan = try await library.importHistory.plan(stored)
            if plan.isEmpty, stored.state == .undone {
                Console.line(ImportsCommand.wasUndone(stored))
            } else {
                let bar = ProgressBar("import \(number)", quiet: database.quiet)
                let total = plan.removed + plan.restored + plan.returned
                let done: UndoPlan
                do {
                    done = try await library.importHistory.undo(stored) { count in
                        bar.show(done: count, of: total, count: count, unit: "stories")
                    }
                } catch let error as any RefusalConvertible {
                    throw CommandFailure.failed(error.refusal.detail)
                }
                bar.end()
                Console.line(ImportsCommand.lines(done, would: false).joined(separator: "; "))
            }
            try await name(library.importHistory.editedSince(stored, limit: 21))
        }

        private func printPlan() async throws {
            let number = number
            let (found, _) = try await ImportsCommand.reading(database) { store in
                try await store.read { reader -> (StoredImport, UndoPlan, [String])? in
                    guard let stored = try reader.storedImport(number) else { return nil }
                    let edited = try reader.editedSince(stored, limit: 21).map { "\($0.id)  \($0.title)" }
                    return (stored, try reader.undoPlan(of: stored), edited)
                }
            }
            guard let (stored, plan, edited) = found else { throw ImportsCommand.unknown(number) }
            if plan.isEmpty, stored.state == .undone { Console.line(ImportsCommand.wasUndone(stored)) }
            Console.line(ImportsCommand.lines(plan, would: true).joined(separator: "; "))
            ImportsCommand.name(edited, quiet: database.quiet)
        }

        private func name(_ edited: [(id: StoryID, title: String)]) throws {
            ImportsCommand.name(edited.map { "\($0.id)  \($0.title)" }, quiet: database.quiet)
        }
    }
}

extension ImportsCommand {
    /// `waymark imports cancel`.
    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Cancels an import that a service has under way, and undoes it.",
            discussion: """
                It ends between two transactions, or leaves its line if it still waits. Then what it had stored is undone, as \
                by 'waymark imports undo'.

                Example: waymark imports cancel 3
                """
        )

        @Argument(help: "The number of the import, as listed by 'waymark imports list'.")
        var number: Int64
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let library = try await database.existingLibrary(holdsMap: false)
            defer { try? library.store.close() }
            guard let stored = try await library.importHistory.find(number) else {
                throw ImportsCommand.unknown(number)
            }
            let isRunning = library.importHistory.isRunningHere(stored)
            guard isRunning else {
                let state = ImportsCommand.state(stored, isHeld: false)
                throw CommandFailure.usage(
                    "Import \(number) is not under way, but \(state). 'waymark imports undo \(number)' undoes it."
                )
            }
            do {
                let done = try await library.importHistory.cancel(stored)
                Console.line("cancelled; " + ImportsCommand.lines(done, would: false).joined(separator: "; "))
            } catch let error as any RefusalConvertible {
                throw CommandFailure.failed(error.refusal.detail)
            }
        }
    }
}

// What the subcommands share.
extension ImportsCommand {
    /// Reads from a database, also beside a running service, and says whether one holds it.
    fileprivate static func reading<Value: Sendable>(
        _ database: DatabaseOptions,
        _ body: (StoryStore) async throws -> Value
    ) async throws -> (Value, isHeld: Bool) {
        let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
        defer { try? store.close() }
        return (try await body(store), StoryStore.isHeld(database.path))
    }

    fileprivate static func unknown(_ number: Int64) -> CommandFailure {
        .usage("There is no import \(number). 'waymark imports list' lists the imports.")
    }

    fileprivate static func wasUndone(_ stored: StoredImport) -> String {
        let time = stored.times.undone.map { " at " + RFC3339.format($0) } ?? ""
        return "Import \(stored.number) was undone already\(time)."
    }

    fileprivate static func name(_ edited: [String], quiet: Bool) {
        guard !edited.isEmpty else { return }
        Console.remark("Kept, because somebody edited them since:", quiet: quiet)
        for line in edited.prefix(20) { Console.remark("  " + line, quiet: quiet) }
        if edited.count > 20 { Console.remark("  … and more", quiet: quiet) }
    }

    /// Returns the state in a word; what runs nowhere was interrupted.
    fileprivate static func state(_ stored: StoredImport, isHeld: Bool) -> String {
        stored.state == .running && !isHeld ? StoredImport.State.interrupted.rawValue : stored.state.rawValue
    }

    fileprivate static func line(_ stored: StoredImport, isHeld: Bool) -> String {
        let counts = stored.counts
        let numbers = [
            (counts.created, "new"), (counts.changed, "changed"), (counts.unchanged, "unchanged"),
            (counts.refused, "refused"), (counts.removed, "removed"),
        ]
        let words = numbers.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return [
            String(stored.number), RFC3339.format(stored.times.started), state(stored, isHeld: isHeld),
            stored.origin.owner.rawValue, stored.origin.file, "source \(stored.origin.source)", words,
        ]
        .filter { !$0.isEmpty }.joined(separator: "  ")
    }

    fileprivate static func problems(of stored: StoredImport) -> [String] {
        guard let text = stored.problems,
            let json = try? JSONValue(parsing: Array(text.utf8), limits: .init(bytes: .max))
        else { return [] }
        return (json.array ?? [])
            .map { problem in
                let place = problem["row"]?.integer.map { "\(stored.origin.file):\($0): " } ?? ""
                let field = problem["field"]?.string.map { $0 + ": " } ?? ""
                return place + field + (problem["message"]?.string ?? "")
            }
    }

    fileprivate static func lines(_ plan: UndoPlan, would: Bool) -> [String] {
        let verb = would ? "would be " : ""
        var lines = [
            "\(counted(plan.removed, "story", "stories")) \(verb)deleted", "\(plan.restored) \(verb)put back",
        ]
        if plan.returned > 0 { lines.append("\(plan.returned) \(verb)brought back") }
        if plan.edited > 0 { lines.append("\(plan.edited) kept, edited since") }
        if plan.changedLater > 0 {
            lines.append("\(plan.changedLater) kept, changed by a later import: undo that first")
        }
        if plan.lost > 0 { lines.append("\(plan.lost) kept, because their earlier content is no longer stored") }
        return lines
    }

    fileprivate static func write(
        _ stored: StoredImport,
        isHeld: Bool,
        plan: UndoPlan? = nil,
        to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("number", Int(stored.number))
        json.member("owner", stored.origin.owner.rawValue)
        ImportJSON.members(of: stored, state: state(stored, isHeld: isHeld), to: &json)
        if let plan { ImportJSON.member(plan, to: &json) }
        json.endObject()
    }
}
