package import Library
package import Messaging
package import Notifications

/// Publishes notifications at the operator's broker, and leaves everything else to another sender.
package final class BrokerSender: ChannelSender {
    private let others: any ChannelSender
    private let session: BrokerSession

    /// Creates a sender.
    package init(_ others: any ChannelSender, publishing session: BrokerSession) {
        (self.others, self.session) = (others, session)
    }

    package func send(_ message: OutgoingMessage) async throws -> ChannelAnswer {
        guard case .publication(let publication) = message else { return try await others.send(message) }
        do {
            try await session.publish(publication.payload, in: publication.topic)
            return ChannelAnswer(status: 200)
        } catch let failure as PublishingFailure {
            switch failure {
            case .busy: throw SendingDelay()
            case .away: throw SendingError(.unreachable, "the broker is away", mayHaveArrived: false)
            case .refused: throw SendingError(.badMessage, "the message cannot be published", mayHaveArrived: false)
            case .unconfirmed:
                throw SendingError(.timedOut, "the broker did not confirm the message", mayHaveArrived: true)
            }
        }
    }

    package func refusal(of url: String) -> String? { others.refusal(of: url) }
}
