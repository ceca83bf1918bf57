import Web
import Library
import App
import ArgumentParser
import Logging
import Stories

/// The rate limits of `serve`.
struct LimitOptions: ParsableArguments {
    @Option(
        name: .customLong("rate-limit"),
        parsing: .unconditional,
        help:
            "Units per second for each user, or each address without a token; 0 means no limit. A list costs 5 units."
    )
    var unitsPerSecond = 500.0
    @Option(
        name: .customLong("rate-burst"),
        parsing: .unconditional,
        help: "The maximum number of units used at once; by default, 20 times --rate-limit.",
        transform: givenNumber
    )
    var burst: Double?

    @Option(
        name: .customLong("connections-per-address"),
        help: "The maximum number of concurrent connections from one address; not applied with --trusted-proxy."
    )
    var connectionsPerAddress = ConnectionLimits().perAddress

    /// The rate limit; `nil` if requests are not limited.
    var rateLimit: RateLimit? {
        guard unitsPerSecond > 0 else { return nil }
        return RateLimit(unitsPerSecond: unitsPerSecond, burst: burst ?? unitsPerSecond * 20)
    }

    /// The rules for the numbers.
    var rules: [() throws -> Void] { [checkRate, checkConnections, checkBurst] }

    private func checkRate() throws {
        guard unitsPerSecond == 0 || (1...1e9).contains(unitsPerSecond) else {
            throw CommandFailure.usage("--rate-limit must be 0 or between 1 and 1000000000.")
        }
    }

    private func checkConnections() throws {
        guard (1...100_000).contains(connectionsPerAddress) else {
            throw CommandFailure.usage("--connections-per-address must be between 1 and 100000.")
        }
    }

    private func checkBurst() throws {
        // The burst must be large enough for the most expensive request.
        guard burst.map({ (50...1e12).contains($0) }) ?? true else {
            throw CommandFailure.usage("--rate-burst must be between 50 and 1000000000000.")
        }
    }
}

/// The external token issuer that `serve` trusts in addition to itself.
struct IssuerOptions: ParsableArguments {
    @Option(help: "A file with the public keys (JWKS: Ed25519, P-256) of an issuer whose at+jwt tokens are accepted.")
    var jwks: String?
    @Option(help: "The required iss claim of those tokens.")
    var issuer: String?
    @Option(help: "The required aud claim of those tokens.")
    var audience: String?
    @Flag(help: "Also accept act-as and admin:ops in the scope claim from that issuer.")
    var trustScopes = false

    /// Returns the accounts of a library, with the external issuer if there is one.
    func accounts(on library: StoryLibrary, outsideIssuer: KeySetFile?, logger: Logger) async -> Accounts {
        await Accounts(
            store: library.store,
            now: library.now,
            random: library.random,
            outsideIssuer: outsideIssuer,
            trustsScopes: trustScopes,
            logger: logger
        )
    }

    /// Loads the keys of the external issuer, if there is one.
    ///
    /// - Throws: ``CommandFailure`` if the options are inconsistent or the keys cannot be read.
    func outsideIssuer(logger: Logger) async throws -> KeySetFile? {
        guard let jwks, let issuer, let audience, !issuer.isEmpty, !audience.isEmpty else {
            guard jwks == nil, issuer == nil, audience == nil, !trustScopes else {
                throw CommandFailure.usage(
                    "--jwks, --issuer and --audience must be given together; --trust-scopes needs all three."
                )
            }
            return nil
        }
        guard issuer != Accounts.issuer else {
            throw CommandFailure.usage(
                "--issuer: \(issuer) is the name of the built-in issuer; give the name of the other issuer."
            )
        }
        do {
            return try await KeySetFile(
                path: jwks,
                issuer: issuer,
                audience: audience,
                now: SystemClock.now,
                logger: logger
            )
        } catch let error as KeySet.Failure {
            throw CommandFailure.usage("--jwks: \(error.description)")
        }
    }
}
