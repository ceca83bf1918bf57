import Library
import App
import ArgumentParser
import Foundation
import Storage
import Stories

extension UsersCommand {
    /// `waymark users invite`.
    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints a code, a link and a QR code that sign a person in once; also while the service runs.",
            discussion: """
                Using the code makes the account if there is none, and adds it to the family. The code is shown only \
                now; only its digest is stored.

                Example: waymark users invite olga --name "Aunt Olga" --family whitfield \
                --public-url https://stories.example.org
                """
        )

        @Argument(help: "The id: 1 to 64 characters of A-Z, a-z, 0-9, dot, underscore and hyphen.")
        var user: String
        @Option(help: "The name shown to others, if the account is new; by default the id.")
        var name: String?
        @Option(help: "The id of a family that the person joins.")
        var family: String?
        @Option(name: .customLong("as"), help: "The role in the family: owner, admin or member.")
        var role = FamilyRole.member.rawValue
        @Option(parsing: .unconditional, help: "How many minutes the code is valid, 15 to 10080.")
        var minutes = 60
        @Option(
            name: .customLong("public-url"),
            help: "The URL of the service, as given to serve."
        )
        var publicURL = "http://127.0.0.1:8080"
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let id = try userID(user)
            guard id != UserID.archive else {
                throw CommandFailure.usage("The user archive is built in; nobody signs in as this user.")
            }
            guard SignInService.minutes.contains(minutes) else {
                throw CommandFailure.usage("--minutes must be between 15 and 10080, which is seven days.")
            }
            let name = try name.map { try DisplayName($0, in: "--name") }
            let address = try ServeCommand.address(publicURL)
            // Reading needs no lock, so the service may be running; it takes the code over when it is used.
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            defer { try? store.close() }
            guard store.keys.arePermanent else {
                throw CommandFailure.failed(
                    "\(database.path).keys is missing. Start the service once to create its keys, then invite."
                )
            }
            let membership = try await membership(in: store)
            let known = try await store.read { try $0.user(id) }
            let code = try SignInService.leave(
                .init(user: id, name: name, membership: membership, minutes: minutes),
                beside: store,
                at: SystemClock.now
            )
            show(code, link: "\(address)/#sign-in=\(code.text)")
            let whom = known.map { "The code signs in as \($0.name)" } ?? "The code makes the account \(id)"
            Console.remark("\(whom), once, within \(minutes) minutes. It is not shown again.", quiet: database.quiet)
        }

        private func show(_ code: SignInCode, link: String) {
            Console.line("code \(code.shown)")
            Console.line("link \(link)")
            guard Console.isTerminal, let drawing = QRCode(link) else { return }
            // Light on dark, whatever the colours of the terminal are: not every reader reads the reverse.
            for line in drawing.lines { Console.write(Array("\u{1B}[97;40m\(line)\u{1B}[0m\n".utf8)) }
        }

        private func membership(in store: StoryStore) async throws -> StoredSignInCode.Membership? {
            guard let family else { return nil }
            guard let role = FamilyRole(rawValue: role) else {
                throw CommandFailure.usage("--as must be owner, admin or member.")
            }
            guard let id = FamilyID(family), try await store.read({ try $0.family(id) }) != nil else {
                throw CommandFailure.usage(
                    "There is no family \(given(family)). 'waymark families list' lists the families."
                )
            }
            return .init(family: id, role: role)
        }
    }
}
