import Library
import App
import ArgumentParser
import Formats
import Storage
import Stories

/// `waymark retained`.
struct RetainedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retained",
        abstract: "Lists, restores and purges deleted stories that are still retained in encrypted form.",
        discussion: "Example: waymark retained list",
        subcommands: [List.self, Restore.self, Purge.self]
    )

    /// `waymark retained list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the retained stories, oldest deletion first, without reading their content.",
            discussion: "Example: waymark retained list"
        )

        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            defer { try? store.close() }
            let isText = format ?? (Console.isTerminal ? .text : .json) == .text
            let lines = try await store.read { transaction in
                var (lines, json) = ([String](), JSONWriter())
                json.beginArray()
                try transaction.forEachSealedStory { id, owner, deletedAt, bytes in
                    if isText {
                        lines.append("\(id)  \(owner)  \(RFC3339.format(deletedAt))  \(bytes) bytes")
                    } else {
                        json.beginObject()
                        json.member("id", id.description)
                        json.member("owner", owner.rawValue)
                        json.member("deleted_at", RFC3339.format(deletedAt))
                        json.member("bytes", bytes)
                        json.endObject()
                    }
                }
                json.endArray()
                return isText ? lines : [json.text]
            }
            for line in lines { Console.line(line) }
        }
    }

    /// `waymark retained restore`.
    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Brings a deleted story back as it was.",
            discussion: "Example: waymark retained restore 0123456789abcdef0123456789abcdef"
        )

        @Argument(help: "The story's id.")
        var story: String
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard let id = StoryID(story) else {
                throw CommandFailure.usage(
                    "\(given(story)) is not the id of a story, which has 32 digits of 0-9 and a-f."
                )
            }
            let library = try await database.existingLibrary()
            defer { try? library.store.close() }
            let isRestored: Bool
            do {
                isRestored = try await library.rights.retention.restore(id)
            } catch let error as StoreError where error.code == .conflict {
                throw CommandFailure.failed(
                    "\(story) cannot be restored: its owner has since stored another story with the same client id or "
                        + "source."
                )
            }
            guard isRestored else {
                throw CommandFailure.usage(
                    "There is no retained story \(story). 'waymark retained list' lists the retained stories."
                )
            }
            Console.remark("The story \(story) was restored.", quiet: database.quiet)
        }
    }

    /// `waymark retained purge`.
    struct Purge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Permanently destroys stories deleted more than a given number of days ago.",
            discussion: """
                The service does this itself once a day, according to its own --retention-days; use this command to do \
                it sooner. First asks for the word "purge" on standard input; --yes skips the question.

                Example: waymark retained purge --older-than 365
                """
        )

        @Option(parsing: .unconditional, help: "The number of days; 0 destroys all retained stories.")
        var olderThan: Int
        @Flag(help: "Do not ask first.")
        var yes = false
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard (0...100_000).contains(olderThan) else {
                throw CommandFailure.usage("--older-than must be between 0 and 100000 days.")
            }
            let library = try await database.existingLibrary()
            defer { try? library.store.close() }
            let missing = library.time.millisecondsUntilCertain
            guard olderThan == 0 || missing == 0 else {
                let hours = (missing + 3_599_999) / 3_600_000
                throw CommandFailure.failed(
                    "This machine's clock is far ahead of the time at which the service last ran, so no story is "
                        + "destroyed because of its age yet. Check 'date'; if the time is right, the service confirms "
                        + "it by running for \(counted(Int(hours), "hour", "hours"))."
                )
            }
            if !yes {
                let age = counted(olderThan, "day", "days")
                let what = olderThan == 0 ? "all retained stories" : "the stories deleted more than \(age) ago"
                try await Confirmation.ask(erasing: what, word: "purge")
            }
            let count = try await library.rights.retention.purge(olderThanDays: olderThan)
            Console.remark(
                "\(counted(count, "story was", "stories were")) permanently destroyed.",
                quiet: database.quiet
            )
        }
    }
}
