import Library
import ArgumentParser
import OpenID
import Storage
import Stories

extension UsersCommand {
    /// `waymark users link`.
    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets a person's account at an OpenID Connect provider sign in as a user.",
            discussion: """
                The subject is the provider's own name for the person (the claim sub), which its administration shows.

                Example: waymark users link ana --oidc-issuer https://login.example.org --subject 248289761001
                """
        )

        @Argument(help: "The id of the user.")
        var user: String
        @Option(help: "The person's subject at the provider: 1 to 255 printable ASCII characters without blanks.")
        var subject: String
        @Option(name: .customLong("oidc-issuer"), help: "The URL of the provider, as given to serve.")
        var issuer: String
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let id = try userID(user)
            guard ProviderIdentity.isSubject(subject) else {
                throw CommandFailure.usage("--subject must be 1 to 255 printable ASCII characters without blanks.")
            }
            guard id != UserID.archive else {
                throw CommandFailure.usage("The user archive is built in; nobody signs in as this user.")
            }
            let identity = ProviderIdentity(issuer: try ProviderOptions.issuer(issuer).text, subject: subject)
            let library = try await database.existingLibrary()
            defer { try? library.store.close() }
            guard try await library.store.read({ try $0.user(id) }) != nil else {
                throw CommandFailure.usage("There is no user \(id). 'waymark users list' lists the users.")
            }
            do {
                try await library.signIns.byProvider.link(identity, to: id)
            } catch let refusal as Refusal {
                throw CommandFailure.usage(refusal.detail)
            }
            Console.remark("That account at the provider signs in as \(id) now.", quiet: database.quiet)
        }
    }
}

extension UsersCommand.Link: DoneOverHTTP {
    var overHTTP: String {
        "While the service runs, the person can sign in to the page and link the account under Devices."
    }
}
