import Library
import Logging
import Messaging
import Notifications
import Observing
import ServiceLifecycle
import Storage

// The operator's broker of messages (MQTT). While nothing can be stored, it is left alone: positions wait there.
extension WaymarkService {
    /// Returns a sender that also publishes at the broker, if there is one.
    func sendingToBroker(_ sender: any ChannelSender, _ options: Options) -> any ChannelSender {
        guard let broker = options.broker, library.store.isWritable else { return sender }
        let id = BrokerPositions.clientID(of: library, for: "o")
        return BrokerSender(sender, publishing: publisher.prepare(broker, as: id))
    }

    /// What keeps the connection open through which notifications leave; it must end after those that deliver.
    func brokerServices(_ options: Options) -> [any Service] {
        guard let broker = options.broker, let session = publisher.session else { return [] }
        let discovery = broker.discovery.map { BrokerDiscovery(prefix: $0, topics: broker.topics.prefix) }
        return [BrokerPublishing(session, discovery: discovery, library: library, logger: logger)]
    }

    /// What takes positions from the broker.
    func brokerIntake(_ options: Options) -> [any Service] {
        guard let broker = options.broker, library.store.isWritable else { return [] }
        return [
            BrokerPositions(
                broker,
                library: library,
                accounts: accounts,
                limit: options.rateLimit,
                metrics: BrokerMetrics(options.metrics),
                logger: logger
            )
        ]
    }
}
