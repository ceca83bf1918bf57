import Library
import App
import ArgumentParser
import Formats
import Storage
import Stories

/// `waymark collections`.
struct CollectionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collections",
        abstract: "Lists, creates and removes collections, such as trips; stories name a collection by its title.",
        discussion: "Example: waymark collections add \"Delta 1936\" --owner ana --privacy public",
        subcommands: [List.self, Add.self, Remove.self]
    )

    /// `waymark collections list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Lists the collections that a viewer may see, newest first, with their visible story counts.",
            discussion: "Example: waymark collections list --as ana"
        )

        @Option(name: .customLong("as"), help: "Show what this user may see; by default only public ones.")
        var viewer: String?
        @Option(parsing: .unconditional, help: "The maximum number of collections.")
        var limit = 100
        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            try checkLimit(limit)
            let library = try await database.library(.readOnly)
            let eyes = try await namedViewer(viewer, in: library)
            let views = try await library.collections.collections(visibleTo: eyes, limit: limit)
            switch format ?? (Console.isTerminal ? .text : .json) {
            case .json: Console.write(CollectionJSON.page(views) + Array("\n".utf8))
            case .text:
                for view in views {
                    let (collection, count) = (view.collection, counted(view.storyCount, "story", "stories"))
                    Console.line(
                        "\(collection.id)  \(collection.privacy.rawValue)  \(collection.owner)  \(collection.title)  \(count)"
                    )
                }
            }
        }
    }

    /// `waymark collections add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a collection and prints its id, for the filter --collection.",
            discussion:
                "Example: waymark collections add \"Delta 1936\" --owner ana --privacy family_only --family whitfield"
        )

        @Argument(help: "The title, by which stories name the collection.")
        var title: String
        @Option(help: "The owner of the collection.")
        var owner: String
        @Option(help: "A description.")
        var text: String?
        @Option(help: "Who may see it: public, family_only or private. Its stories keep their own privacy levels.")
        var privacy = Privacy.private.rawValue
        @Option(help: "With family_only: the only family; by default all the owner's families.")
        var family: String?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard let level = Privacy(rawValue: privacy) else {
                throw CommandFailure.usage("--privacy must be public, family_only or private.")
            }
            let group = try family.map { text in
                guard let id = FamilyID(text) else {
                    throw CommandFailure.usage(
                        "--family: \(given(text)) is not the id of a family; 'waymark families list' shows the ids."
                    )
                }
                return id
            }
            let user = try userID(owner)
            let library = try await database.library(.readWrite)
            defer { try? library.store.close() }
            guard try await library.viewer(of: user) != nil else {
                throw CommandFailure.usage(
                    "--owner: there is no user \(owner). 'waymark users list' lists the users."
                )
            }
            do {
                let made = try await library.collections.addCollection(
                    title: title,
                    text: text,
                    privacy: level,
                    family: group,
                    owner: user
                )
                Console.line(made.id.rawValue)
            } catch let refusal as CollectionRefusal {
                let (field, message) = refusal.problem
                throw CommandFailure.usage((field == "title" ? "The title " : "--\(field) ") + message + ".")
            }
        }
    }

    /// `waymark collections remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a collection; its stories stay as they are.",
            discussion: "Example: waymark collections remove 0123456789abcdef0123456789abcdef"
        )

        @Argument(help: "The id of the collection.")
        var id: String
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard let collection = CollectionID(id) else {
                throw CommandFailure.usage(
                    "\(given(id)) is not the id of a collection; 'waymark collections list' shows the ids."
                )
            }
            let library = try await database.existingLibrary()
            defer { try? library.store.close() }
            let now = library.now()
            guard try await library.store.write({ try $0.endCollection(collection, at: now) }) else {
                throw CommandFailure.usage(
                    "There is no collection \(id). 'waymark collections list' lists the collections."
                )
            }
            Console.remark("The collection was removed; its stories are unchanged.", quiet: database.quiet)
        }
    }
}
