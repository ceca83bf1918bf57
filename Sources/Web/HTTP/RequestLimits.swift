package import Library
import Crypto
import HTTPTypes
package import Stories

/// The allowed rate of requests: per user or key, and per address for anonymous callers.
///
/// Every limit depends only on the caller's own requests.
public struct RateLimit: Hashable, Sendable {
    /// The units restored per second; a light request costs one, a list or a map five, an export fifty.
    public var unitsPerSecond: Double
    /// The number of units that can be used at once.
    public var burst: Double

    /// Creates a limit; both values are raised to at least one unit.
    public init(unitsPerSecond: Double, burst: Double) {
        self.unitsPerSecond = max(1, unitsPerSecond)
        self.burst = max(1, burst)
    }
}

/// Counts requests and rejects those over the limit.
package final class RequestLimits: Sendable {
    /// The number of wrong guesses of a secret allowed per user or address, and the number of seconds in which all of
    /// them are restored.
    package static let guesses = (count: 10.0, seconds: 3_600.0)
    /// The number of units that a failed authentication costs the address it came from.
    static let failureCost = 10.0
    /// The factor by which an app's backend has more units than a user, because it acts for many users.
    static let serviceFactor = 20.0

    private let users: TokenBuckets
    private let services: TokenBuckets
    private let addresses: TokenBuckets
    private let guessing: TokenBuckets
    /// Counts the different wrong keys from each address; `sameKeys` recognizes repetitions of a key.
    private let wrongKeys: TokenBuckets
    private let sameKeys: TokenBuckets
    private let now: @Sendable () -> Timestamp

    package init(_ limit: RateLimit, now: @escaping @Sendable () -> Timestamp) {
        let (rate, burst) = (limit.unitsPerSecond, limit.burst)
        users = TokenBuckets(unitsPerSecond: rate, burst: burst)
        services = TokenBuckets(
            unitsPerSecond: rate * RequestLimits.serviceFactor,
            burst: burst * RequestLimits.serviceFactor
        )
        addresses = TokenBuckets(unitsPerSecond: rate, burst: burst)
        let guesses = RequestLimits.guesses
        guessing = TokenBuckets(unitsPerSecond: guesses.count / guesses.seconds, burst: guesses.count)
        wrongKeys = TokenBuckets(unitsPerSecond: guesses.count / guesses.seconds, burst: guesses.count)
        sameKeys = TokenBuckets(unitsPerSecond: 1 / guesses.seconds, burst: 1)
        self.now = now
    }

    /// Counts a request of a caller.
    ///
    /// - Throws: ``Problem`` (429) if it exceeds the limit.
    package func count(_ cost: Endpoint.Cost, of principal: Principal, address: String?) throws {
        guard cost != .free else { return }
        try charge(Double(cost.rawValue), of: principal, address: address)
    }

    /// Charges a caller; an amount above the burst is reduced to it.
    ///
    /// - Throws: ``Problem`` (429) if fewer units are left.
    package func charge(_ units: Double, of principal: Principal, address: String?) throws {
        if let account = principal.account {
            try refuse(after: (principal.isService ? services : users).take(units, from: account, now: time))
        } else if let address {
            try refuse(after: addresses.take(units, from: address, now: time))
        }
    }

    /// Counts a failed authentication; a valid token or key is never rejected because of the failures of others.
    ///
    /// An address may use ten different wrong keys an hour. A repeated key is no guess: a phone that does not know that
    /// its key was revoked must not use up the attempts of others in the house. Expired tokens do not count either.
    ///
    /// - Throws: ``Problem`` (429) if there are too many.
    func countFailure(address: String?, authorization: String?) throws {
        guard let address else { return }
        try refuse(after: addresses.take(RequestLimits.failureCost, from: address, now: time))
        guard let key = authorization?.split(separator: " ").last, key.hasPrefix(SecretText.Kind.key.rawValue) else {
            return
        }
        let digest = SHA256.hash(data: Array("\(address)|\(key)".utf8)).hexDigits
        guard sameKeys.take(1, from: digest, now: time) == nil else { return }
        try refuse(after: wrongKeys.take(1, from: address, now: time))
    }

    /// Runs `body`, which checks a secret that could be guessed; failures are counted, and rejected beyond the limit.
    ///
    /// A correct secret always works, however many wrong ones came from the same user or address. So this alone does
    /// not stop a persistent guesser: a secret needs 128 random bits, or a maximum number of attempts of its own, as
    /// codes have.
    package func guess<Value: Sendable>(by guesser: String?, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let problem as Problem where [401, 403, 404, 409, 410].contains(problem.status.code) {
            guard let guesser else { throw problem }
            try refuse(after: guessing.take(1, from: guesser, now: time))
            throw problem
        }
    }

    private var time: Int64 { now().milliseconds }

    private func refuse(after seconds: Int?) throws {
        guard let seconds else { return }
        throw Problem.tooManyRequests(seconds: seconds)
    }
}
