import Formats

/// How Home Assistant finds the channels at a broker by itself: one retained message for each, which makes an event entity
/// (https://www.home-assistant.io/integrations/event.mqtt/).
public struct BrokerDiscovery: Hashable, Sendable {
    /// The beginning of the topics in which Home Assistant looks.
    public let prefix: String
    /// The beginning of the topics of this service.
    public let topics: String
    private static let ending = "/config"

    /// Creates a value from both prefixes.
    public init(prefix: String, topics: String) {
        (self.prefix, self.topics) = (prefix, topics)
    }

    /// What to subscribe to in order to learn what the broker has retained.
    public var filter: String { "\(prefix)/event/+\(BrokerDiscovery.ending)" }

    private var beginning: String { "\(prefix)/event/waymark_" }

    /// Returns the topic of the message for a channel.
    public func topic(of channel: String) -> String { beginning + channel + BrokerDiscovery.ending }

    /// Returns the message for a channel.
    ///
    /// - Parameters:
    ///   - channel: its id.
    ///   - name: its owner's name for it, or `nil`.
    ///   - topic: where its notifications are published.
    ///   - version: the version of the program.
    /// - Returns: the message, to be retained.
    public func message(for channel: String, name: String?, topic: String, version: String) -> [UInt8] {
        var json = JSONWriter(capacity: 700)
        json.beginObject()
        json.member("name", name ?? "Notifications")
        json.member("unique_id", "waymark_" + channel)
        json.member("state_topic", topic)
        json.member("event_types", ChannelWriter.events)
        json.key("device")
        json.beginObject()
        json.member("identifiers", ["waymark_" + topics.replacing("/", with: "_")])
        json.member("name", "Waymark")
        json.member("sw_version", version)
        json.endObject()
        json.key("origin")
        json.beginObject()
        json.member("name", "Waymark")
        json.member("sw_version", version)
        json.endObject()
        json.endObject()
        return json.bytes
    }

    /// Returns whether a retained message is one that this service has published; others are left alone.
    public func isOwn(_ payload: [UInt8], in topic: String) -> Bool {
        guard topic.hasPrefix(beginning), topic.hasSuffix(BrokerDiscovery.ending),
            let json = try? JSONValue(parsing: payload)
        else { return false }
        return json["state_topic"]?.string?.hasPrefix("\(topics)/out/") ?? false
    }
}
