import ArgumentParser
import Formats
import Foundation
import Library
import Logging
import Storage
import Stories

/// `waymark keys`.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Lists the secrets that the service keeps beside its database, and replaces them.",
        discussion: "Example: waymark keys list",
        subcommands: [List.self, Rotate.self],
        defaultSubcommand: List.self
    )

    /// `waymark keys list`, the default.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the kinds of keys, what each protects, and since when; never a key (the default).",
            discussion: """
                Works beside a running service. The time is that of the file: when the key was made, rotated or restored.

                Example: waymark keys list --format json
                """
        )

        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let store = try StoryStore(
                path: database.path,
                mode: .readOnly,
                logger: database.logger(level: .critical)
            )
            defer { try? store.close() }
            guard format ?? (Console.isTerminal ? .text : .json) == .json else {
                for name in StoreKeys.Name.allCases { List.write(name, of: store) }
                return
            }
            var json = JSONWriter()
            json.beginArray()
            for name in StoreKeys.Name.allCases { List.write(name, of: store, to: &json) }
            json.endArray()
            Console.line(json.text)
        }

        private static func write(_ name: StoreKeys.Name, of store: StoryStore) {
            let time = store.keyTime(name).map { "since \(RFC3339.format($0))" }
            let place = time ?? (name.rotation.isPossible ? "missing" : "inside the database")
            Console.line("\(name.rawValue)  \(place)")
            Console.line("  \(name.use)")
            for former in store.keys.formers(name) {
                Console.line(
                    "  a former key, replaced \(RFC3339.format(former.replacedAt)), accepted until "
                        + RFC3339.format(former.until)
                )
            }
            if case .never(let reason) = name.rotation { Console.line("  cannot be rotated: \(reason)") }
        }

        private static func write(_ name: StoreKeys.Name, of store: StoryStore, to json: inout JSONWriter) {
            json.beginObject()
            json.member("kind", name.rawValue)
            json.member("use", name.use)
            json.member("since", store.keyTime(name).map { RFC3339.format($0) })
            json.member("can_rotate", name.rotation.isPossible)
            if case .never(let reason) = name.rotation { json.member("reason", reason) }
            if case .overlap(let days) = name.rotation { json.member("overlap_days", days) }
            json.key("former")
            json.beginArray()
            for former in store.keys.formers(name) {
                json.beginObject()
                json.member("replaced_at", RFC3339.format(former.replacedAt))
                json.member("accepted_until", RFC3339.format(former.until))
                json.endObject()
            }
            json.endArray()
            json.endObject()
        }
    }

    /// `waymark keys rotate`.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replaces a key by a new one; what the old one made stays valid for a time.",
            discussion: """
                The service must be stopped. Kinds: tokens, cursors, versions, channels, sealing, vapid. The others of \
                'waymark keys list' cannot be rotated, and say why. A kill at any moment leaves either the old key or the \
                new one in use, and both known; repeat the command then.

                After a leak, --overlap 0 ends at once what the old key made: tokens and codes are invalid, browsers must \
                be added again. A backup from before still contains the old key.

                Example: waymark keys rotate tokens --overlap 7
                """
        )

        @Argument(help: "The kind of key.")
        var kind: String
        @Option(
            name: .customLong("overlap"),
            parsing: .unconditional,
            help: "For how many days what the old key made stays valid, from 0 to 366; by default 2 to 90, by kind."
        )
        var days: Int?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard let name = StoreKeys.Name(rawValue: kind) else {
                let kinds = StoreKeys.Name.allCases.filter(\.rotation.isPossible).map(\.rawValue)
                throw CommandFailure.usage(
                    "\(excerpt(kind)) is not a kind of key. Use one of \(kinds.joined(separator: ", "))."
                )
            }
            guard FileManager.default.fileExists(atPath: database.path) else {
                throw StoreError(
                    .missing,
                    "There is no database at \(database.path). Give the right one with --database."
                )
            }
            let store = try StoryStore(path: database.path, mode: .readWrite, logger: database.logger())
            let until: Timestamp?
            do {
                until = try store.rotateKey(name, days: days, at: SystemClock.now)
            } catch {
                try? store.close()
                throw error
            }
            try store.close()
            let end = until.map { "; what the old one made is accepted until \(RFC3339.format($0))" } ?? ""
            Console.line("The key \(name.rawValue) was replaced\(end).")
            let outcome = try await finish()
            Console.remark(name.rotationNote, quiet: database.quiet)
            if outcome.resealed > 0 {
                Console.remark(
                    "\(counted(outcome.resealed, "row was", "rows were")) sealed anew.",
                    quiet: database.quiet
                )
            }
            if outcome.endedSubscriptions > 0 {
                Console.remark(
                    "\(counted(outcome.endedSubscriptions, "browser was", "browsers were")) switched off.",
                    quiet: database.quiet
                )
            }
            Console.remark(
                "Backups from before contain the old key. Make a new one: 'waymark backup FOLDER --passphrase-file FILE'.",
                quiet: database.quiet
            )
        }

        /// Opens the database with the new key, and seals the rows with it.
        ///
        /// - Throws: ``CommandFailure`` if that fails; the old key stays known then.
        private func finish() async throws -> KeyRotations.Outcome {
            do {
                let library = try await database.existingLibrary()
                defer { try? library.store.close() }
                return try await KeyRotations(of: library).finish()
            } catch {
                throw CommandFailure.failed(
                    "Not all rows could be sealed with the new key (\(error)). They can still be read, because the old key "
                        + "stays known; the service seals them within a day of its next start."
                )
            }
        }
    }
}

extension KeyRotation.Rule {
    /// Whether the key can be rotated.
    fileprivate var isPossible: Bool {
        if case .never = self { false } else { true }
    }
}
