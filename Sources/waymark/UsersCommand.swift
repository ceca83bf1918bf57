import Library
import App
import ArgumentParser
import Formats
import Notifications
import Storage
import Stories

/// Parses the id of a user given as an argument.
func userID(_ text: String) throws -> UserID {
    guard let id = UserID(text) else {
        throw CommandFailure.usage(
            "\(given(text)) is not an id; use 1 to 64 characters of A-Z, a-z, 0-9, dot, underscore and hyphen."
        )
    }
    return id
}

/// `waymark users`.
struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Adds, lists and removes users, and turns their notifications on and off.",
        discussion: "Example: waymark users add ana --name \"Ana\"",
        subcommands: [
            Add.self, Invite.self, Link.self, List.self, Remove.self, OptIn.self, OptOut.self,
            Export.self, Passkeys.self,
        ]
    )

    /// `waymark users add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a user, or renames one.",
            discussion: "Example: waymark users add ana --name \"Ana\""
        )

        @Argument(help: "The id: 1 to 64 characters of A-Z, a-z, 0-9, dot, underscore and hyphen.")
        var user: String
        @Option(help: "The name shown to others; by default the id.")
        var name: String?
        @Option(help: "The person's own e-mail address: anybody who proves that it is theirs can sign in with it.")
        var email: String?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let id = try userID(user)
            let name = try DisplayName(name ?? user, in: "--name")
            guard email.map(Invitation.isEmail) ?? true else {
                throw CommandFailure.usage(
                    "--email must be an e-mail address of at most \(StoryLimits.emailLength) bytes."
                )
            }
            // Opening the library first applies the erasure list to a database restored from a backup.
            let store = try await database.library(.readWrite).store
            defer { try? store.close() }
            let record = User(id: id, name: name.text, email: email)
            try await store.write { transaction in
                try transaction.save(record, at: SystemClock.now)
                // The operator vouches for the address, so a provider that knows it may sign this person in.
                if let email { try transaction.saveProvenAddress(email, of: id, at: SystemClock.now) }
            }
            Console.remark("The user \(id) was saved.", quiet: database.quiet)
        }
    }

    /// `waymark users list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the users.",
            discussion: "Example: waymark users list"
        )

        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            let users = try await store.read { try $0.users() }
            guard format ?? (Console.isTerminal ? .text : .json) == .json else {
                for user in users { Console.line("\(user.id)  \(user.name)  \(user.email ?? "")") }
                return
            }
            var json = JSONWriter()
            json.beginArray()
            for user in users {
                json.beginObject()
                json.member("id", user.id.rawValue)
                json.member("name", user.name)
                json.member("email", user.email)
                json.endObject()
            }
            json.endArray()
            Console.line(json.text)
        }
    }

    /// `waymark users remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a user who owns no stories, with their feed, ledger, settings and family memberships.",
            discussion: """
                First asks for the user's name on standard input; --yes skips the question.

                Example: waymark users remove ana
                """
        )

        @Argument(help: "The id of the user.")
        var user: String
        @Flag(help: "Do not ask for the user's name first.")
        var yes = false
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let id = try userID(user)
            guard id != UserID.archive else {
                throw CommandFailure.usage("The user archive is built in and cannot be removed.")
            }
            let library = try await database.existingLibrary()
            defer { try? library.store.close() }
            if !yes, let record = try await library.store.read({ try $0.user(id) }) {
                let what = "\(record.name), with their feed and settings"
                try await Confirmation.ask(erasing: what, word: record.name, or: id.rawValue)
            }
            guard try await library.rights.erasures.removeUser(id) else {
                throw CommandFailure.usage("There is no user \(id). 'waymark users list' lists the users.")
            }
            Console.remark("The user \(id) was removed.", quiet: database.quiet)
        }
    }

    /// `waymark users opt-in`.
    struct OptIn: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turns a user's notifications on, only at their request after they have read the explanation.",
            discussion: Consent.explanation + "\n\nExample: waymark users opt-in ana --radius 200"
        )

        @Argument(help: "The id of the user.")
        var user: String
        @Option(
            parsing: .unconditional,
            help: "The radius in metres, 75 to 5000; by default unchanged, or 150.",
            transform: givenNumber
        )
        var radius: Double?
        @Option(help: "The kinds, separated by commas; by default unchanged, or all.")
        var kinds: String?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let settings = try await change(try userID(user), in: database) { settings in
                if let radius { settings.radius = radius }
                if let kinds {
                    settings.kinds = try NotificationSettings.kinds(named: kinds.split(separator: ",").map(String.init))
                }
                try settings.optIn(at: SystemClock.now, version: Consent.version)
            }
            Console.remark(
                "Notifications are on for \(user) (radius \(Int(settings.radius.rounded())) m).",
                quiet: database.quiet
            )
        }
    }

    /// `waymark users opt-out`.
    struct OptOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turns a user's notifications off at once.",
            discussion: "Example: waymark users opt-out ana"
        )

        @Argument(help: "The id of the user.")
        var user: String
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            _ = try await change(try userID(user), in: database) { $0.optOut() }
            Console.remark("Notifications are off for \(user).", quiet: database.quiet)
        }
    }

    private static func change(
        _ user: UserID,
        in database: DatabaseOptions,
        _ change: (inout NotificationSettings) throws -> Void
    ) async throws -> NotificationSettings {
        // Opening the library first applies the erasure list to a database restored from a backup.
        let store = try await database.existingLibrary().store
        defer { try? store.close() }
        let found = try await store.read { (try $0.user(user), try $0.notificationSettings(of: user)) }
        guard found.0 != nil else {
            throw CommandFailure.usage("There is no user \(user). 'waymark users list' lists the users.")
        }
        var settings = found.1
        do {
            try change(&settings)
            try settings.validate()
        } catch let error as NotificationSettingsError {
            throw CommandFailure.usage("--\(error).")
        }
        let changed = settings
        var generator = SystemRandomNumberGenerator()
        let (now, erasure) = (SystemClock.now, StoryID(using: &generator))
        try await store.write { transaction in
            try transaction.save(changed, of: user, at: now, source: .operator, erasure: erasure)
        }
        return changed
    }
}
