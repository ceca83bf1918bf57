import Crypto
import Formats
package import Library
package import Logging
package import Messaging
package import Observing
import ServiceLifecycle
import Storage
import Stories
package import Web

/// Takes positions of OwnTracks from the operator's broker (MQTT), by the same way as those that come over HTTP.
///
/// A topic says nothing about who published in it. So the topic of a device holds its device key, which can send
/// positions and nothing else; every other key and every other topic is refused. A message is acknowledged when what
/// follows from it is stored. The log names no topics, people and places.
package struct BrokerPositions: NamedService {
    private let session: BrokerSession
    private let topics: BrokerTopics
    private let library: StoryLibrary
    private let accounts: Accounts
    private let limits: TokenBuckets?
    private let metrics: BrokerMetrics
    private let logger: Logger

    /// After so many attempts, which take about an hour, a message is given up: by then its positions notify nobody, and
    /// those behind it still may.
    private static let mostAttempts = 60

    /// Creates the service.
    package init(
        _ options: BrokerOptions,
        library: StoryLibrary,
        accounts: Accounts,
        limit: RateLimit? = nil,
        metrics: BrokerMetrics = BrokerMetrics(nil),
        pace: BrokerPace = BrokerPace(),
        logger: Logger
    ) {
        (self.library, self.accounts, self.metrics, self.logger) = (library, accounts, metrics, logger)
        topics = options.topics
        limits = limit.map { TokenBuckets(unitsPerSecond: $0.unitsPerSecond, burst: $0.burst) }
        let id = BrokerPositions.clientID(of: library, for: "i")
        session = BrokerSession(options, role: .reading(options.topics.positions, as: id), pace: pace)
    }

    /// Returns the id by which the broker knows the service of a database across restarts, for one purpose.
    static func clientID(of library: StoryLibrary, for purpose: Character) -> String {
        let key = SymmetricKey(data: library.store.keys[.versions])
        let code = HMAC<SHA256>.authenticationCode(for: Array("waymark mqtt client 1".utf8), using: key)
        return "waymark-\(Array(code.prefix(6)).hexDigits)-\(purpose)"
    }

    package func run() async throws {
        metrics.note(isConnected: false)
        session.start()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await followState() }
            group.addTask { await takeMessages() }
        }
        await session.stop()
        metrics.note(isConnected: false)
    }

    private func followState() async {
        for await state in session.states.cancelOnGracefulShutdown() {
            switch state {
            case .connected:
                metrics.note(isConnected: true)
                library.context.board.set([], of: "mqtt")
                logger.info("the broker of messages is connected")
            case .away(let trouble):
                metrics.note(isConnected: false)
                library.context.board.set([BrokerPositions.warning(trouble)], of: "mqtt")
                logger.warning("the broker of messages is away; it is tried again", metadata: ["why": "\(trouble)"])
            }
        }
    }

    private static func warning(_ trouble: BrokerTrouble) -> ReadinessWarning {
        ReadinessWarning(
            code: "mqtt-away",
            detail: "The broker of messages (--mqtt) is away: \(trouble). It is tried again each minute at the latest; "
                + "until then no positions come from it."
        )
    }

    private func takeMessages() async {
        // Of the message that could not be stored: how often in a row.
        var failing: (message: SHA256.Digest, times: Int)?
        for await message in session.messages.cancelOnGracefulShutdown() {
            do {
                metrics.count(try await outcome(of: message))
                failing = nil
                message.settle(.taken)
            } catch {
                let digest = SHA256.hash(data: Array(message.topic.utf8) + (message.payload ?? []))
                let times = failing.map { $0.message == digest ? $0.times + 1 : 1 } ?? 1
                failing = (digest, times)
                message.settle(fail(after: times, error))
            }
        }
    }

    private func fail(after times: Int, _ error: any Error) -> BrokerMessage.Verdict {
        guard times < BrokerPositions.mostAttempts else {
            metrics.count(.givenUp)
            logger.error("a message of the broker could not be stored and is given up", metadata: ["why": "\(error)"])
            return .taken
        }
        metrics.count(.handedBack)
        logger.warning(
            "a message could not be stored and goes back to the broker of messages",
            metadata: ["why": "\(error)"]
        )
        return .again
    }

    /// Evaluates the positions in a message.
    ///
    /// - Throws: an error if they could not be stored for the time being.
    private func outcome(of message: BrokerMessage) async throws -> BrokerMetrics.Outcome {
        // Tokens are longer and can do more, so only keys are tried at all.
        guard let text = topics.key(in: message.topic), let key = SecretText(parsing: text, kind: .key) else {
            return .refused
        }
        let principal: Principal
        do {
            principal = try await accounts.principal(
                Credentials(authorization: "Bearer \(key.text)"),
                isWriting: true
            )
        } catch is Refusal {
            return .refused
        }
        // A key that can do more than send positions does not belong in a topic, which others may read.
        guard let user = principal.viewer.user, let device = principal.device, principal.scopes == [.fixesWrite] else {
            return .refused
        }
        func ignore(_ code: String, _ sentence: String) {
            library.fences.counts.addIgnored(1)
            library.fences.journal.note(ignored: code, sentence, of: user, device: device, at: library.now())
        }
        guard !isOverLimit(principal) else {
            ignore("too-many", "It came with too many others.")
            return .limited
        }
        guard let payload = message.payload, let read = try? OwnTracksMessage.read(payload) else {
            ignore("bad-json", "It is not JSON of at most 64 KB.")
            return .ignored
        }
        do {
            try await library.fences.take(read, of: user, device: device, named: nil)
        } catch is Refusal {
            return .refused
        }
        await library.delivery.settled()
        return read.reports.isEmpty ? .ignored : .taken
    }

    /// Counts a message, at the price of a request that brings the same.
    private func isOverLimit(_ principal: Principal) -> Bool {
        guard let limits, let account = principal.account else { return false }
        let now = library.time.lasting().milliseconds
        return limits.take(Double(Endpoint.Cost.normal.rawValue), from: account, now: now) != nil
    }
}
