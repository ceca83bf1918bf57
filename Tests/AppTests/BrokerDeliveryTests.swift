import App
import Formats
import Foundation
import HTTPTypes
import Library
import Messaging
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// DLV-03: from a notification to a topic of the operator's broker.
@Suite(
    "Notifications at a broker of messages (MQTT)",
    .enabled(if: TestBroker.isInstalled, "mosquitto is not installed")
)
struct BrokerDeliveryTests {
    /// A service that publishes at a broker.
    private struct Scene: Sendable {
        let broker: TestBroker
        let session: BrokerSession
        let delivery: DeliveryTests.Scene

        /// Waits until the broker confirms what is published.
        func ready() async throws {
            try await TestBroker.wait { (try? await session.publish([1], in: "waymark/ready")) != nil }
        }

        /// Makes a channel of ben's.
        func channel() async throws -> (id: String, topic: String) {
            let body = #"{"kind":"mqtt","name":"Kitchen","target":{}}"#
            let made = try await delivery.client.send(.post, "/v1/me/channels", as: "ben", body)
            #expect(made.status == 201 && made.json["state"]?.string == "active")
            return (try #require(made.json["id"]?.string), try #require(made.json["topic"]?.string))
        }

        /// Waits until the broker retains exactly these messages of Home Assistant's.
        func retained(_ topics: [String]) async throws {
            try await TestBroker.wait {
                try broker.retained(in: "homeassistant/#").map { String($0.prefix { $0 != " " }) }.sorted() == topics
            }
        }
    }

    private static func run(_ body: @escaping @Sendable (Scene) async throws -> Void) async throws {
        let (broker, fixture) = (try await TestBroker(), try await ServiceFixture())
        let options = try BrokerOptions(address: "mqtt://127.0.0.1:\(broker.port)", discovery: "homeassistant")
        var pace = BrokerPace()
        pace.firstPause = .milliseconds(50)
        pace.longestPause = .milliseconds(200)
        let session = BrokerPublisher().prepare(options, as: "waymark-out", pace: pace)
        let publishing = BrokerPublishing(
            session,
            discovery: BrokerDiscovery(prefix: "homeassistant", topics: "waymark"),
            library: fixture.library,
            interval: .milliseconds(100),
            logger: fixture.logger
        )
        // A group of services logs it.
        #expect("\(publishing)" == "BrokerPublishing")
        try await fixture.run { client async throws in
            let delivery = try await DeliveryTests.Scene(fixture, client)
            let scene = Scene(broker: broker, session: session, delivery: delivery)
            let none = try await client.send(.post, "/v1/me/channels", as: "ben", #"{"kind":"mqtt","target":{}}"#)
            #expect(none.status == 422, "without a broker there is no such channel")
            var credentials = ChannelCredentials()
            credentials.brokerPrefix = "waymark"
            fixture.library.delivery.open(
                BrokerSender(delivery.sender, publishing: session),
                writer: ChannelWriter(credentials: credentials),
                address: { "https://stories.example" }
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await publishing.run() }
                try await scene.ready()
                try await body(scene)
                group.cancelAll()
            }
        }
    }

    private static func parts(_ line: String) throws -> (topic: String, json: JSONValue) {
        let end = try #require(line.firstIndex(of: " "))
        return (String(line[..<end]), try JSONValue(parsing: Array(line[line.index(after: end)...].utf8)))
    }

    @Test("DLV-03 NTF-05 A place is announced once at the topic of the channel, with the feed's id and no position")
    func published() async throws {
        try await BrokerDeliveryTests.run { scene in
            let (delivery, client) = (scene.delivery, scene.delivery.client)
            _ = try await client.create(as: "ana", title: "Here")
            try scene.broker.keep("waymark/out/#")
            let channel = try await scene.channel()
            #expect(try await delivery.state(of: channel.id)["delivered_at"]?.string == nil)
            for _ in 0..<2 {
                try await delivery.enter()
                try await delivery.fixture.library.delivery.deliverDue()
            }
            // A test, so that a second announcement would come before it.
            _ = try await client.send(.post, "/v1/me/channels/\(channel.id)/test", as: "ben")
            try await delivery.fixture.library.delivery.deliverDue()
            let lines = try scene.broker.read(2, in: "waymark/out/#")
            let (first, second) = (try BrokerDeliveryTests.parts(lines[0]), try BrokerDeliveryTests.parts(lines[1]))
            #expect(first.topic == channel.topic && second.topic == channel.topic)
            let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]
            #expect(first.json["event_type"]?.string == "story.nearby")
            #expect(first.json["notification"]?["id"]?.string == feed?[0]?["id"]?.string)
            #expect(second.json["event_type"]?.string == "channel.test")
            #expect(!lines[0].contains("33.755") && !lines[0].contains("84.373"))
            #expect(try await delivery.state(of: channel.id)["delivered_at"]?.string != nil)
            #expect(try scene.broker.retained(in: "waymark/#").isEmpty)
            // The topic is shown once, and in parts from then on.
            let later = try await client.get("/v1/me/channels/\(channel.id)", as: "ben")
            let name = try #require(channel.topic.split(separator: "/").last)
            #expect(!String(decoding: later.bytes, as: UTF8.self).contains(name))
        }
    }

    @Test("DLV-06 What cannot be published while the broker is away is published when it is back, once")
    func away() async throws {
        try await BrokerDeliveryTests.run { scene in
            let delivery = scene.delivery
            _ = try await delivery.client.create(as: "ana", title: "Here")
            try scene.broker.keep("waymark/out/#")
            let channel = try await scene.channel()
            scene.broker.stop()
            await #expect(throws: POSIXError.self) {
                try await TestBroker.wait(atMost: .milliseconds(500)) {
                    (try? await scene.session.publish([1], in: "waymark/ready")) != nil
                }
            }
            try await delivery.enter()
            try await delivery.fixture.library.delivery.deliverDue()
            #expect(try await delivery.state(of: channel.id)["delivered_at"]?.string == nil)
            try await scene.broker.start()
            try await scene.ready()
            try await delivery.later(seconds: 60)
            try await delivery.later(seconds: 60)
            _ = try await delivery.client.send(.post, "/v1/me/channels/\(channel.id)/test", as: "ben")
            try await delivery.fixture.library.delivery.deliverDue()
            let events = try scene.broker.read(2, in: "waymark/out/#")
                .map { try BrokerDeliveryTests.parts($0).json["event_type"]?.string }
            #expect(events == ["story.nearby", "channel.test"])
        }
    }

    @Test("DLV-04 Home Assistant is shown the channels that are in use; what is gone is taken back, and no more")
    func discovery() async throws {
        try await BrokerDeliveryTests.run { scene in
            let client = scene.delivery.client
            let old = "homeassistant/event/waymark_00/config"
            let others = "homeassistant/event/waymark_01/config"
            let bell = "homeassistant/event/bell/config"
            try scene.broker.publish(bell, #"{"state_topic":"bell"}"#, isRetained: true)
            try scene.broker.publish(others, #"{"state_topic":"museum/out/x"}"#, isRetained: true)
            try scene.broker.publish(old, #"{"state_topic":"waymark/out/x"}"#, isRetained: true)
            try await scene.retained([bell, others])
            let channel = try await scene.channel()
            let topic = "homeassistant/event/waymark_\(channel.id)/config"
            try await scene.retained([bell, others, topic].sorted())
            let line = try scene.broker.retained(in: topic).first
            let message = try BrokerDeliveryTests.parts(try #require(line)).json
            #expect(message["state_topic"]?.string == channel.topic && message["name"]?.string == "Kitchen")
            let path = "/v1/me/channels/\(channel.id)"
            _ = try await client.send(.patch, path, as: "ben", #"{"enabled":false}"#)
            try await scene.retained([bell, others])
            _ = try await client.send(.patch, path, as: "ben", #"{"enabled":true}"#)
            try await scene.retained([bell, others, topic].sorted())
            #expect(try await client.send(.delete, path, as: "ben").status == 204)
            try await scene.retained([bell, others])
        }
    }
}
