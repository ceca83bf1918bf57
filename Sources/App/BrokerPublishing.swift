package import Library
package import Logging
package import Messaging
package import Notifications
import ServiceLifecycle
import Storage
import Synchronization

/// The connection through which notifications leave to the operator's broker (MQTT), shared by the sender and the service
/// that keeps it open.
package final class BrokerPublisher: Sendable {
    private let current = Mutex<BrokerSession?>(nil)

    /// Creates a publisher without a connection.
    package init() {}

    /// The connection; `nil` without a broker.
    package var session: BrokerSession? { current.withLock { $0 } }

    /// Makes the connection; ``BrokerPublishing`` opens it.
    package func prepare(
        _ options: BrokerOptions,
        as clientID: String,
        pace: BrokerPace = BrokerPace()
    ) -> BrokerSession {
        let filters = options.discovery.map { BrokerDiscovery(prefix: $0, topics: options.topics.prefix).filter }
        let role = BrokerRole.publishing(reading: filters.map { [$0] } ?? [], as: clientID)
        let session = BrokerSession(options, role: role, pace: pace)
        current.withLock { $0 = session }
        return session
    }
}

/// Keeps the connection open, and shows Home Assistant which channels there are.
package struct BrokerPublishing: NamedService {
    private let session: BrokerSession
    private let discovery: BrokerDiscovery?
    private let library: StoryLibrary
    private let interval: Duration
    private let logger: Logger
    private let shown = ShownChannels()

    /// Creates the service; every `interval` it looks which channels there are.
    package init(
        _ session: BrokerSession,
        discovery: BrokerDiscovery?,
        library: StoryLibrary,
        interval: Duration = .seconds(5),
        logger: Logger
    ) {
        (self.session, self.discovery, self.library) = (session, discovery, library)
        (self.interval, self.logger) = (interval, logger)
    }

    package func run() async throws {
        session.start()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await followState() }
            group.addTask { await followRetained() }
            group.addTask { await showChannels() }
        }
        await session.stop()
    }

    private func followState() async {
        for await state in session.states.cancelOnGracefulShutdown() {
            guard case .away(let trouble) = state else { continue }
            // Another broker may be there next.
            shown.forget()
            logger.warning("no notifications can leave to the broker of messages", metadata: ["why": "\(trouble)"])
        }
    }

    /// Notes what the broker has retained, so that channels that went while the service was stopped are taken back.
    private func followRetained() async {
        for await message in session.messages.cancelOnGracefulShutdown() {
            if let payload = message.payload, discovery?.isOwn(payload, in: message.topic) == true {
                shown.note(payload, in: message.topic)
            }
            message.settle(.taken)
        }
    }

    private func showChannels() async {
        guard let discovery else { return }
        for await _ in AsyncTimerSequence(every: interval).cancelOnGracefulShutdown() {
            do {
                let wanted = try await wanted(by: discovery)
                for (topic, payload) in shown.changes(to: wanted) {
                    try await session.publish(payload, in: topic, isRetained: true)
                    shown.note(payload, in: topic)
                }
            } catch PublishingFailure.away {
                continue
            } catch is CancellationError {
                return
            } catch {
                logger.warning("the channels could not be shown at the broker", metadata: ["why": "\(error)"])
            }
        }
    }

    /// Returns the messages that the broker should retain, by topic.
    private func wanted(by discovery: BrokerDiscovery) async throws -> [String: [UInt8]] {
        let channels = try await library.store.read { try $0.channels(of: .mqtt) }
        var wanted: [String: [UInt8]] = [:]
        for channel in channels where channel.state == .active && channel.isEnabled {
            guard let target = library.channels.seal.target(of: channel),
                let topic = library.delivery.egress.writer.topic(of: target)
            else { continue }
            wanted[discovery.topic(of: channel.id)] = discovery.message(
                for: channel.id,
                name: channel.name,
                topic: topic,
                version: Release.version
            )
        }
        return wanted
    }
}

/// What the broker retains of this service, as far as is known.
private final class ShownChannels: Sendable {
    private let messages = Mutex<[String: [UInt8]]>([:])

    /// Notes that the broker retains a message; an empty one takes the former one back.
    func note(_ payload: [UInt8], in topic: String) {
        messages.withLock { $0[topic] = payload.isEmpty ? nil : payload }
    }

    /// Forgets everything.
    func forget() { messages.withLock { $0 = [:] } }

    /// Returns what is to be published, sorted by topic; empty messages for what is no longer wanted.
    func changes(to wanted: [String: [UInt8]]) -> [(topic: String, payload: [UInt8])] {
        let known = messages.withLock { $0 }
        let gone = known.keys.filter { wanted[$0] == nil }.map { (topic: $0, payload: [UInt8]()) }
        let new = wanted.filter { known[$0.key] != $0.value }.map { (topic: $0.key, payload: $0.value) }
        return (gone + new).sorted { $0.topic < $1.topic }
    }
}
