import Library
import App
import ArgumentParser
import Storage
import Stories

/// `waymark tokens`.
struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Issues tokens and keys, lists keys and revokes them.",
        discussion: "Example: waymark tokens issue --user ana",
        subcommands: [Issue.self, Key.self, Keys.self, Revoke.self]
    )

    /// `waymark tokens issue`.
    struct Issue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints a token for a user, for the header 'Authorization: Bearer TOKEN'.",
            discussion: """
                With --refresh it prints JSON with an access token of 15 minutes and a refresh token of 30 days, which \
                POST /v1/tokens/refresh exchanges for the next pair.

                Example: waymark tokens issue --user ana --hours 12 --scopes stories:read,geocode:read
                """
        )

        @Option(help: "The user.")
        var user: String
        @Option(parsing: .unconditional, help: "How many hours it is valid, 1 to 8760; by default 1.")
        var hours: Int?
        @Option(help: "The scopes, separated by commas; by default all scopes of a user.")
        var scopes: String?
        @Flag(help: "Sign the user in, and print an access token and a refresh token as JSON.")
        var refresh = false
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard (1...8_760).contains(hours ?? 1) else {
                throw CommandFailure.usage("--hours must be between 1 and 8760.")
            }
            guard hours == nil || !refresh else {
                throw CommandFailure.usage("--hours cannot be combined with --refresh: such a token lasts 15 minutes.")
            }
            let id = try userID(user)
            let scopes = try scopes.map { try tokenScopes($0) } ?? Scope.user
            guard !scopes.contains(.actAs) else {
                throw CommandFailure.usage(
                    "--scopes: act-as is for services; 'waymark tokens key --service NAME' creates a key."
                )
            }
            // Opening a library for writing first applies the erasure list to a database restored from a backup.
            let store =
                refresh
                ? try await database.library(.readWrite).store
                : try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            defer { try? store.close() }
            try await checkUser(id, in: store)
            guard store.keys.arePermanent else {
                throw CommandFailure.failed(
                    "\(database.path).keys is missing. Start the service once to create its keys, then issue tokens."
                )
            }
            let accounts = await Accounts(store: store, now: { SystemClock.now })
            guard refresh else {
                return Console.line(
                    try await accounts.issueToken(for: id, seconds: (hours ?? 1) * 3_600, scopes: scopes)
                )
            }
            let pair = try await accounts.signIn(id, scopes: scopes)
            Console.line(String(decoding: AccountJSON.pair(pair), as: UTF8.self))
        }
    }
}

/// Fails if the user does not exist.
func checkUser(_ id: UserID, in store: StoryStore) async throws {
    guard try await store.read({ try $0.user(id) }) != nil else {
        throw CommandFailure.usage("There is no user \(id). 'waymark users add \(id)' adds the user.")
    }
}

/// Parses the scopes given as an option.
func tokenScopes(_ text: String) throws -> Set<Scope> {
    let scopes = try commaSeparated(text)
        .map { name in
            guard let scope = Scope(rawValue: name) else {
                let known = Scope.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure.usage("--scopes: \(name) is not a scope; use \(known).")
            }
            return scope
        }
    guard !scopes.isEmpty else { throw CommandFailure.usage("--scopes must name at least one scope.") }
    return Set(scopes)
}
