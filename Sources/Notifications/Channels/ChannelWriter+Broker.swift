import Formats

// What is published at the operator's broker (MQTT), in the form of Home Assistant's event entities.
extension ChannelWriter {
    /// The types that are published as such, for those who must know them before; every other one is ``otherEvent``.
    public static let events = (NoticeType.own + [.test, .digest]).map(\.rawValue) + [otherEvent]
    /// Stands for a type that a calling backend made up.
    static let otherEvent = "other"

    /// Returns the topic of a channel; `nil` for another kind of channel, and without a broker.
    public func topic(of target: ChannelTarget) -> String? {
        guard case .mqtt(let broker) = target.settings, let prefix = credentials.brokerPrefix else { return nil }
        return "\(prefix)/out/\(broker.topic)"
    }

    /// Writes a publication: the type of the event, and the notification as programs get it.
    func publication(_ message: ChannelMessage, to broker: BrokerTarget) throws -> OutgoingPublication {
        guard let prefix = credentials.brokerPrefix else { throw ChannelError.noCredentials(.mqtt) }
        let event = ChannelWriter.events.contains(message.type) ? message.type : ChannelWriter.otherEvent
        let payload = Payload.fitted(message, most: ChannelWriter.mostPushBytes) { payload in
            var json = JSONWriter(capacity: 1_024)
            json.beginObject()
            json.key("event_type")
            json.value(event)
            json.key("notification")
            payload.facts(in: &json)
            json.endObject()
            return json.bytes
        }
        return OutgoingPublication(topic: "\(prefix)/out/\(broker.topic)", payload: payload)
    }
}
