import Library
import Crypto
import HTTPTypes
import Stories

/// How many requests there may be: per user or key, and per address for those who name none.
///
/// Every limit depends on the caller's own requests alone.
public struct RateLimit: Hashable, Sendable {
    /// How many units come back in a second; a light request is one, a list or a map five, an export fifty.
    public var unitsPerSecond: Double
    /// How many units may be used at once.
    public var burst: Double

    /// Creates a limit; both at least one unit.
    public init(unitsPerSecond: Double, burst: Double) {
        self.unitsPerSecond = max(1, unitsPerSecond)
        self.burst = max(1, burst)
    }
}

/// Counts requests and refuses what is too many.
final class RequestLimits: Sendable {
    /// How many wrong guesses of a secret a user or an address has, and in how many seconds they come back.
    static let guesses = (count: 10.0, seconds: 3_600.0)
    /// What a failed authentication costs the address, in units.
    static let failureCost = 10.0
    /// How many times the units of a user an app's backend has, which works for many.
    static let serviceFactor = 20.0

    private let users: TokenBuckets
    private let services: TokenBuckets
    private let addresses: TokenBuckets
    private let guessing: TokenBuckets
    /// Wrong keys by address, and each of them by itself.
    private let wrongKeys: TokenBuckets
    private let sameKeys: TokenBuckets
    private let now: @Sendable () -> Timestamp

    init(_ limit: RateLimit, now: @escaping @Sendable () -> Timestamp) {
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

    /// Counts a request of somebody.
    ///
    /// - Throws: ``Problem`` (429) when it is too many.
    func count(_ cost: Endpoint.Cost, of principal: Principal, address: String?) throws {
        guard cost != .free else { return }
        try charge(Double(cost.rawValue), of: principal, address: address)
    }

    /// Takes units off somebody; more than they can have at once is as much as they can have.
    ///
    /// - Throws: ``Problem`` (429) when they have fewer.
    func charge(_ units: Double, of principal: Principal, address: String?) throws {
        if let account = principal.account {
            try refuse(after: (principal.isService ? services : users).take(units, from: account, now: time))
        } else if let address {
            try refuse(after: addresses.take(units, from: address, now: time))
        }
    }

    /// Counts a failed authentication; a token or key that is good is never refused for others that were not.
    ///
    /// An address has ten different keys wrong in an hour. The same one again is no guess: the phone that was not told
    /// of its key's end does not use up what the others in the house have. A token that has run out is no guess either.
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

    /// Runs `body`, which looks at a secret somebody may be guessing; only what fails is counted, and refused when it is
    /// too much.
    ///
    /// A secret that is right always works, however many wrong ones came from the same house. So this alone stops nobody
    /// who keeps guessing: a secret needs 128 random bits, or a count of its own after which it ends, as a code has.
    func guess<Value: Sendable>(by guesser: String?, _ body: () async throws -> Value) async throws -> Value {
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
