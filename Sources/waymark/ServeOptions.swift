import App
import ArgumentParser
import Logging
import Stories

/// The rate limits of `serve`.
struct LimitOptions: ParsableArguments {
    @Option(
        name: .customLong("rate-limit"),
        help:
            "How many units a user, or an address without a token, may use a second; 0 is no limit. A list is 5 units."
    )
    var unitsPerSecond = 500.0
    @Option(
        name: .customLong("rate-burst"),
        help: "How many units may be used at once; as much as twenty seconds bring unless given.",
        transform: givenNumber
    )
    var burst: Double?

    @Option(
        name: .customLong("connections-per-address"),
        help: "The most connections from one address at a time; behind --trusted-proxy there is no such limit."
    )
    var connectionsPerAddress = ConnectionLimits().perAddress

    /// The limit; `nil` for none.
    var rateLimit: RateLimit? {
        guard unitsPerSecond > 0 else { return nil }
        return RateLimit(unitsPerSecond: unitsPerSecond, burst: burst ?? unitsPerSecond * 20)
    }

    /// Rejects invalid numbers.
    func check() throws {
        guard unitsPerSecond == 0 || (1...1e9).contains(unitsPerSecond) else {
            throw CommandFailure.usage("--rate-limit must be 0 or between 1 and 1000000000.")
        }
        guard (1...100_000).contains(connectionsPerAddress) else {
            throw CommandFailure.usage("--connections-per-address must be between 1 and 100000.")
        }
        // The cost of the most expensive request must fit.
        guard burst.map({ (50...1e12).contains($0) }) ?? true else {
            throw CommandFailure.usage("--rate-burst must be between 50 and 1000000000000.")
        }
    }
}

/// The external token issuer that `serve` trusts in addition to itself.
struct IssuerOptions: ParsableArguments {
    @Option(help: "A file with the public keys (JWKS: Ed25519, P-256) of an issuer whose at+jwt tokens are good here.")
    var jwks: String?
    @Option(help: "What the claim iss of those tokens says.")
    var issuer: String?
    @Option(help: "What the claim aud of those tokens names.")
    var audience: String?
    @Flag(help: "Let that issuer hand out act-as and admin:ops in the claim scope, too.")
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
    func outsideIssuer(logger: Logger) throws -> KeySetFile? {
        guard let jwks, let issuer, let audience, !issuer.isEmpty, !audience.isEmpty else {
            guard jwks == nil, issuer == nil, audience == nil, !trustScopes else {
                throw CommandFailure.usage(
                    "--jwks, --issuer and --audience go together, --trust-scopes only with them."
                )
            }
            return nil
        }
        guard issuer != Accounts.issuer else {
            throw CommandFailure.usage(
                "--issuer: \(issuer) is the built-in issuer's name; the other one needs its own."
            )
        }
        do {
            return try KeySetFile(path: jwks, issuer: issuer, audience: audience, now: SystemClock.now, logger: logger)
        } catch let error as KeySet.Failure {
            throw CommandFailure.usage("--jwks: \(error.description)")
        }
    }
}
