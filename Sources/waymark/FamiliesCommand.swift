import Library
import App
import ArgumentParser
import Formats
import Storage
import Stories

/// `waymark families`.
struct FamiliesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "families",
        abstract: "Adds, lists and removes families and members. Changes take effect at once, without invitations.",
        discussion: "Example: waymark families add whitfield --name \"Whitfield\" --owner ana",
        subcommands: [Add.self, List.self, Members.self, Join.self, Leave.self, Remove.self]
    )

    /// `waymark families add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a family with its owner, or renames one.",
            discussion: "Example: waymark families add whitfield --name \"Whitfield\" --owner ana"
        )

        @Argument(help: "The id: 1 to 64 characters of A-Z, a-z, 0-9, dot, underscore and hyphen.")
        var family: String
        @Option(help: "The name shown to its members; by default the id.")
        var name: String?
        @Option(help: "The owner; required for a new family.")
        var owner: String?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let (id, owner) = (try familyID(family), try owner.map(userID))
            let name = try DisplayName(name ?? family, in: "--name")
            try await FamiliesCommand.change(in: database) { library, transaction in
                guard try owner != nil || transaction.memberCount(of: id) > 0 else {
                    throw CommandFailure.usage("--owner is missing; a new family needs an owner.")
                }
                if let owner { try FamiliesCommand.check(owner, transaction, option: "--owner: ") }
                try transaction.saveFamily(id, name: name, at: library.now())
                if let owner { try library.families.setMember(owner, of: id, role: .owner, in: transaction) }
            }
            Console.remark("The family \(id) was saved.", quiet: database.quiet)
        }
    }

    /// `waymark families list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the families.",
            discussion: "Example: waymark families list"
        )

        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            let families = try await store.read { transaction in
                try transaction.families().map { ($0, try transaction.memberCount(of: $0.id)) }
            }
            guard format ?? (Console.isTerminal ? .text : .json) == .json else {
                for (family, count) in families {
                    Console.line("\(family.id)  \(family.name)  \(counted(count, "member", "members"))")
                }
                return
            }
            var json = JSONWriter()
            json.beginArray()
            for (family, count) in families {
                json.beginObject()
                json.member("id", family.id.rawValue)
                json.member("name", family.name)
                json.member("member_count", count)
                json.endObject()
            }
            json.endArray()
            Console.line(json.text)
        }
    }

    /// `waymark families members`.
    struct Members: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the members of a family, longest-standing first.",
            discussion: "Example: waymark families members whitfield"
        )

        @Argument(help: "The id of the family.")
        var family: String
        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let id = try familyID(family)
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            let members = try await store.read { transaction in
                try FamiliesCommand.check(id, transaction)
                return try transaction.members(of: id)
            }
            guard format ?? (Console.isTerminal ? .text : .json) == .json else {
                for member in members { Console.line("\(member.user)  \(member.role.rawValue)") }
                return
            }
            var json = JSONWriter()
            json.beginArray()
            for member in members {
                json.beginObject()
                json.member("user", member.user.rawValue)
                json.member("role", member.role.rawValue)
                json.member("since", RFC3339.format(member.since))
                json.endObject()
            }
            json.endArray()
            Console.line(json.text)
        }
    }

    /// `waymark families join`.
    struct Join: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a user to a family, or changes a member's role.",
            discussion: "Example: waymark families join whitfield ben --role admin"
        )

        @Argument(help: "The id of the family.")
        var family: String
        @Argument(help: "The id of the user.")
        var user: String
        @Option(help: "The role: owner, admin or member; by default unchanged, or member for a new member.")
        var role: String?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let (family, user) = (try familyID(family), try userID(user))
            let chosen = try role.map { name in
                guard let role = FamilyRole(rawValue: name) else {
                    throw CommandFailure.usage("--role must be owner, admin or member.")
                }
                return role
            }
            try await FamiliesCommand.change(in: database) { library, transaction in
                try FamiliesCommand.check(family, transaction)
                try FamiliesCommand.check(user, transaction)
                let role = try chosen ?? transaction.role(of: user, in: family) ?? .member
                try library.families.setMember(user, of: family, role: role, in: transaction)
            }
            Console.remark("\(user) is now a member of \(family).", quiet: database.quiet)
        }
    }

    /// `waymark families leave`.
    struct Leave: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a user from a family; stories they shared only with it become private.",
            discussion: "Example: waymark families leave whitfield ben"
        )

        @Argument(help: "The id of the family.")
        var family: String
        @Argument(help: "The id of the user.")
        var user: String
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let (family, user) = (try familyID(family), try userID(user))
            try await FamiliesCommand.change(in: database) { library, transaction in
                try FamiliesCommand.check(family, transaction)
                guard try library.families.endMembership(of: user, in: family, in: transaction) else {
                    throw CommandFailure.usage(
                        "\(user) is not a member of \(family). 'waymark families members \(family)' lists the members."
                    )
                }
            }
            Console.remark("\(user) is no longer a member of \(family).", quiet: database.quiet)
        }
    }

    /// `waymark families remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a family; stories shared only with it become private, and its owners are notified.",
            discussion: "Example: waymark families remove whitfield"
        )

        @Argument(help: "The id of the family.")
        var family: String
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let id = try familyID(family)
            try await FamiliesCommand.change(in: database) { library, transaction in
                try FamiliesCommand.check(id, transaction)
                _ = try library.families.deleteFamily(id, by: nil, in: transaction)
            }
            Console.remark("The family \(id) was removed.", quiet: database.quiet)
        }
    }

    /// Opens the library, applies a change in one transaction, and closes the library.
    private static func change(
        in database: DatabaseOptions,
        _ body: @escaping @Sendable (StoryLibrary, StoreTransaction) throws -> Void
    ) async throws {
        let library = try await database.library(.readWrite)
        defer { try? library.store.close() }
        do {
            try await library.store.write { try body(library, $0) }
        } catch let refusal as FamilyRefusal {
            throw CommandFailure.failed(refusal.description)
        }
    }

    private static func check(_ family: FamilyID, _ transaction: StoreReader) throws {
        guard try transaction.family(family) != nil else {
            throw CommandFailure.usage("There is no family \(family). 'waymark families list' lists the families.")
        }
    }

    private static func check(_ user: UserID, _ transaction: StoreReader, option: String = "") throws {
        guard try transaction.user(user) != nil else {
            let begin = option.isEmpty ? "There" : "\(option)there"
            throw CommandFailure.usage("\(begin) is no user \(user). 'waymark users list' lists the users.")
        }
    }
}

/// Parses the id of a family given as an argument.
private func familyID(_ text: String) throws -> FamilyID {
    guard let id = FamilyID(text) else {
        throw CommandFailure.usage(
            "\(given(text)) is not an id; use 1 to 64 characters of A-Z, a-z, 0-9, dot, underscore and hyphen."
        )
    }
    return id
}
