import Formats
import Geometry
import Notifications
import Stories
import Testing

@Suite("Channels at a broker (MQTT)")
struct BrokerChannelTests {
    private let now = ChannelSamples.now

    @Test("DLV-10 The service alone chooses a topic, which nobody can guess; it is shown in parts")
    func topics() throws {
        var generator = SystemRandomNumberGenerator()
        let targets = try (0..<100)
            .map { _ in
                try ChannelTarget(kind: .mqtt, completing: [:], using: &generator)
            }
        let writer = try ChannelSamples.writer()
        let topics = targets.compactMap { writer.topic(of: $0) }
        #expect(
            Set(topics).count == 100 && topics.allSatisfy { $0.wholeMatch(of: /waymark\/out\/[a-z2-7]{26}/) != nil }
        )
        #expect(targets[0].publicFields["topic"]?.count == 5)
        for topic in ["zigbee2mqtt/lamp/set", "aaaaaaaaaaaaaaaaaaaaaaaaaa", ""] {
            let error = #expect(throws: ChannelTargetError.self) {
                try ChannelTarget(kind: .mqtt, completing: ["topic": topic], using: &generator)
            }
            #expect(error?.problems.map(\.field) == ["topic"])
        }
        #expect(ChannelWriter().topic(of: targets[0]) == nil)
        #expect(writer.topic(of: try ChannelSamples.target(.ntfy)) == nil)
    }

    @Test("DLV-03 A publication names its event, its id and the notification, and no position")
    func publication() throws {
        var generator = SplitMix64(seed: 1)
        let target = try ChannelSamples.target(.mqtt)
        let writer = try ChannelSamples.writer()
        let written = try writer.write(ChannelSamples.message(), to: target, at: now, using: &generator)
        guard case .publication(let publication) = written else {
            Issue.record("it is written in another way")
            return
        }
        #expect(publication.topic == "waymark/out/verysecrettopic22222222222")
        let json = try JSONValue(parsing: publication.payload)
        #expect(json["event_type"]?.string == "story.nearby")
        #expect(json["notification"]?["id"]?.string == ChannelSamples.message().id)
        #expect(json["notification"]?["title"]?.string == "Auburn Avenue")
        #expect(json["notification"]?["lat"] == nil && json["notification"]?["place"]?["lat"] == nil)
    }

    @Test(
        "DLV-07 Home Assistant gets only types of events that it knows from before",
        arguments: [
            ("story.nearby", "story.nearby"), ("channel.test", "channel.test"), ("digest", "digest"),
            ("quiz.won", "other"), ("other", "other"),
        ]
    )
    func events(type: String, event: String) throws {
        var generator = SplitMix64(seed: 1)
        let message = ChannelMessage(id: "n_1", type: type, title: "T", body: "B", occurredAt: now)
        let target = try ChannelSamples.target(.mqtt)
        let written = try ChannelSamples.writer().write(message, to: target, at: now, using: &generator)
        guard case .publication(let publication) = written else {
            Issue.record("it is written in another way")
            return
        }
        let json = try JSONValue(parsing: publication.payload)
        #expect(json["event_type"]?.string == event && ChannelWriter.events.contains(event))
        #expect(json["notification"]?["type"]?.string == type)
    }

    @Test("The message by which Home Assistant finds a channel, to the byte")
    func discovery() {
        let discovery = BrokerDiscovery(prefix: "homeassistant", topics: "home/waymark")
        let message = discovery.message(for: "0a1b", name: nil, topic: "home/waymark/out/abc", version: "0.1.0")
        #expect(
            String(decoding: message, as: UTF8.self) == """
                {"name":"Notifications","unique_id":"waymark_0a1b","state_topic":"home/waymark/out/abc",\
                "event_types":["story.nearby","family.new_story","family.invitation","family.invitation_answer",\
                "family.deleted","sync.finished","sync.failed","channel.disabled","channel.test","digest","other"],\
                "device":{"identifiers":["waymark_home_waymark"],"name":"Waymark","sw_version":"0.1.0"},\
                "origin":{"name":"Waymark","sw_version":"0.1.0"}}
                """
        )
        let topic = discovery.topic(of: "0a1b")
        #expect(topic == "homeassistant/event/waymark_0a1b/config")
        #expect(discovery.filter == "homeassistant/event/+/config")
        #expect(discovery.isOwn(message, in: topic))
        // What is somebody else's stays.
        #expect(!discovery.isOwn(message, in: "homeassistant/event/doorbell/config"))
        #expect(!BrokerDiscovery(prefix: "homeassistant", topics: "waymark").isOwn(message, in: topic))
        #expect(!discovery.isOwn(Array("{}".utf8), in: topic) && !discovery.isOwn([], in: topic))
    }
}
