import Library
import App
import ArgumentParser
import Formats
import Storage
import Stories

extension UsersCommand {
    /// `waymark users passkeys`.
    struct Passkeys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the passkeys of a user, or removes one, as of a lost phone.",
            discussion: """
                Sessions that a removed passkey began go on: the person ends them on the page, under Devices, or signs \
                out everywhere there.

                Example: waymark users passkeys olga --remove 5d4f0c1b7a2e98360f1e2d3c4b5a6978
                """
        )

        @Argument(help: "The id of the user.")
        var user: String
        @Option(help: "The id of a passkey to remove.")
        var remove: String?
        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let user = try userID(user)
            guard let remove else { return try await list(user) }
            guard let id = StoryID(remove) else {
                throw CommandFailure.usage("--remove: \(excerpt(remove)) is not the id of a passkey: \(hint(user))")
            }
            // Opening the library first applies the erasure list to a database restored from a backup.
            let library = try await database.existingLibrary()
            defer { try? library.store.close() }
            do {
                try await library.passkeys.remove(id, of: user)
            } catch let error as Refusal where error.kind == .notFound {
                throw CommandFailure.usage("The user \(user) has no passkey \(id): \(hint(user))")
            }
            Console.remark("The passkey \(id) was removed.", quiet: database.quiet)
        }

        private func hint(_ user: UserID) -> String { "'waymark users passkeys \(user)' lists them." }

        private func list(_ user: UserID) async throws {
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            let (known, passkeys) = try await store.read { (try $0.user(user), try $0.passkeys(of: user)) }
            guard known != nil else {
                throw CommandFailure.usage("There is no user \(user). 'waymark users list' lists the users.")
            }
            guard format ?? (Console.isTerminal ? .text : .json) == .json else {
                for passkey in passkeys {
                    let used = passkey.usedAt.map { RFC3339.format($0) } ?? "never used"
                    Console.line("\(passkey.id)  \(passkey.name)  \(passkey.party)  \(used)")
                }
                return
            }
            var json = JSONWriter()
            json.beginArray()
            for passkey in passkeys {
                json.beginObject()
                json.member("id", passkey.id.description)
                json.member("name", passkey.name)
                json.member("party", passkey.party)
                json.member("synced", passkey.isSynced)
                json.member("created_at", RFC3339.format(passkey.createdAt))
                json.member("last_used_at", passkey.usedAt.map { RFC3339.format($0) })
                json.endObject()
            }
            json.endArray()
            Console.line(json.text)
        }
    }
}
