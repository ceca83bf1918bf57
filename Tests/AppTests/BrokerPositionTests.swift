import App
import Formats
import Foundation
import HTTPTypes
import Library
import Messaging
import Observing
import Storage
import Stories
import Synchronization
import TestSupport
import Testing
import Web

@Suite(
    "Positions from a broker of messages (MQTT)",
    .enabled(if: TestBroker.isInstalled, "mosquitto is not installed")
)
struct BrokerPositionTests {
    private static let seconds = 1_795_262_400

    /// A service that reads from a broker.
    private struct Scene: Sendable {
        let fixture: ServiceFixture
        let broker: TestBroker
        let client: Client
        let registry: MetricRegistry

        /// Whether the metrics hold a line.
        func counts(_ line: String) -> Bool {
            String(decoding: PrometheusText.write(registry.families), as: UTF8.self).split(separator: "\n")
                .contains { $0 == line }
        }

        /// Waits until so many messages ended so.
        func wait(for count: Int, _ outcome: BrokerMetrics.Outcome) async throws {
            try await TestBroker.wait {
                counts("waymark_mqtt_messages_total{outcome=\"\(outcome.rawValue)\"} \(count)")
            }
        }

        /// Opts ben in and returns a key for his device `phone`.
        func device() async throws -> (id: String, text: String) {
            _ = try await client.create(as: "ana", title: "Here")
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "ben", "{\"enabled\":true}")
            return try await KeyTests.make("{\"name\":\"My phone\",\"device\":\"phone\"}", as: "ben", client)
        }

        func notified() async throws -> Int? {
            try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array?.count
        }
    }

    private static func position(_ turn: Int) -> String {
        #"{"_type":"location","lat":33.7554,"lon":-84.3736,"acc":8,"tst":\#(seconds + turn * 6)}"#
    }

    private static func run(
        limit: RateLimit? = nil,
        logger: LogLines = LogLines(),
        _ body: @escaping @Sendable (Scene) async throws -> Void
    ) async throws {
        let broker = try await TestBroker()
        let fixture = try await ServiceFixture(logger: logger.logger)
        let registry = MetricRegistry()
        var pace = BrokerPace()
        pace.firstPause = .milliseconds(50)
        pace.longestPause = .milliseconds(200)
        let positions = BrokerPositions(
            try BrokerOptions(address: "mqtt://127.0.0.1:\(broker.port)"),
            library: fixture.library,
            accounts: fixture.accounts,
            limit: limit,
            metrics: BrokerMetrics(registry),
            pace: pace,
            logger: logger.logger
        )
        try await fixture.run { client async throws in
            let scene = Scene(fixture: fixture, broker: broker, client: client, registry: registry)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await positions.run() }
                try await TestBroker.wait { scene.counts("waymark_mqtt_connected 1") }
                try await body(scene)
                group.cancelAll()
            }
        }
    }

    @Test("NTF-05 NTF-10 OwnTracks by MQTT with a device key in its topic: announced once, also when all comes twice")
    func announcedOnce() async throws {
        let log = LogLines()
        try await BrokerPositionTests.run(logger: log) { scene in
            let key = try await scene.device().text
            for turn in 0..<4 {
                try scene.broker.publish("waymark/in/\(key)", BrokerPositionTests.position(turn))
                try await scene.wait(for: turn + 1, .taken)
                scene.fixture.clock.advance(seconds: 6)
            }
            #expect(try await scene.notified() == 1)
            for turn in 0..<4 {
                try scene.broker.publish("waymark/in/\(key)/event", BrokerPositionTests.position(turn))
            }
            try await scene.wait(for: 8, .taken)
            #expect(try await scene.notified() == 1)
            // The device is that of the key, whatever a message says.
            #expect(try scene.fixture.library.store.inspectDevices() == ["phone"])
            let lines = log.beginning(with: "")
            #expect(!lines.contains { $0.contains(key) || $0.contains("33.755") || $0.contains("phone") })
        }
    }

    @Test("NTF-12 Odd messages are acknowledged and change nothing; what comes behind them is evaluated")
    func oddMessages() async throws {
        try await BrokerPositionTests.run { scene in
            let key = try await scene.device().text
            let messages = [
                "", "{", "[", "null", "[]", "17", "\"text\"", #"{"_type":"lwt","tst":1}"#,
                #"{"_type":"encrypted","data":"x"}"#,
                #"{"_type":"location"}"#, #"{"_type":"location","lat":95,"lon":0,"tst":1795262400}"#,
                #"{"_type":"location","lat":1e999,"lon":0,"tst":1795262400}"#,
                #"{"_type":"location","lat":33.7,"lon":-84.3,"tst":"soon"}"#,
                #"{"_type":"location","lat":33.7,"lon":-84.3}"#,
                String(repeating: "[", count: 30_000), String(repeating: "x", count: 65_537),
                #"[{"_type":"card"},{"_type":"waypoints","waypoints":[]}]"#,
            ]
            let folder = try TemporaryFolder()
            for message in messages {
                if message.utf8.count < 1_000 {
                    try scene.broker.publish("waymark/in/\(key)", message)
                } else {
                    // An argument of a program may not be so long.
                    try Data(message.utf8).write(to: folder.url.appending(path: "message"))
                    try scene.broker.publish("waymark/in/\(key)", file: folder.path("message"))
                }
            }
            try await scene.wait(for: messages.count, .ignored)
            #expect(try scene.fixture.library.store.inspectDevices().isEmpty)
            let device = try await scene.client.get("/v1/me/devices/phone", as: "ben")
            #expect(device.json["ignored"]?["why"]?.string == "other_type")
            try scene.broker.publish("waymark/in/\(key)", BrokerPositionTests.position(0))
            try await scene.wait(for: 1, .taken)
            #expect(try scene.fixture.library.store.inspectDevices() == ["phone"])
        }
    }

    @Test("REL-09 Only a valid device key in the topic counts: no other key, no token, no name")
    func refusedTopics() async throws {
        try await BrokerPositionTests.run { scene in
            let (client, accounts) = (scene.client, scene.fixture.accounts)
            let revoked = try await scene.device()
            #expect(try await client.send(.delete, "/v1/me/keys/\(revoked.id)", as: "ben").status == 204)
            let user = try await KeyTests.make(
                #"{"name":"All","scopes":["fixes:write","stories:read"]}"#,
                as: "ben",
                client
            )
            let sending = try await KeyTests.make(#"{"name":"Fixes","scopes":["fixes:write"]}"#, as: "ben", client)
            let token = try await accounts.issueToken(for: try #require(UserID("ben")), seconds: 3_600)
            let topics = [
                revoked.text, String(revoked.text.dropLast()), user.text, sending.text, token, "ben", "phone", "$SYS",
                "wm_live_", String(repeating: "k", count: 1_000),
            ]
            for topic in topics {
                try scene.broker.publish("waymark/in/\(topic)", BrokerPositionTests.position(0))
            }
            try await scene.wait(for: topics.count, .refused)
            #expect(try scene.fixture.library.store.inspectDevices().isEmpty)
        }
    }

    @Test("NTF-01 Who has not opted in leaves no trace at all")
    func notOptedIn() async throws {
        try await BrokerPositionTests.run { scene in
            let key = try await KeyTests.make(#"{"name":"P","device":"phone"}"#, as: "cora", scene.client).text
            try scene.broker.publish("waymark/in/\(key)", BrokerPositionTests.position(0))
            try await scene.wait(for: 1, .taken)
            #expect(try scene.fixture.library.store.inspectDevices().isEmpty)
        }
    }

    @Test("REL-02 REL-03 What cannot be stored stays at the broker and is evaluated when it can")
    func fullDisk() async throws {
        try await BrokerPositionTests.run { scene in
            let key = try await scene.device().text
            let free = Mutex(150_000_000)
            let clock = scene.fixture.clock
            scene.fixture.library.store.watchSpace(
                .standard,
                measuring: { free.withLock { $0 } },
                now: { clock.now.milliseconds }
            )
            try scene.broker.publish("waymark/in/\(key)", BrokerPositionTests.position(0))
            try await scene.wait(for: 2, .handedBack)
            #expect(try scene.fixture.library.store.inspectDevices().isEmpty)
            free.withLock { $0 = 2_000_000_000 }
            clock.advance(seconds: 1)
            try await scene.wait(for: 1, .taken)
            #expect(try scene.fixture.library.store.inspectDevices() == ["phone"])
        }
    }

    @Test("REL-10 Nobody can send more than the limit of requests allows; the device's owner learns why it was ignored")
    func limited() async throws {
        try await BrokerPositionTests.run(limit: RateLimit(unitsPerSecond: 1, burst: 10)) { scene in
            let key = try await scene.device().text
            for turn in 0..<3 { try scene.broker.publish("waymark/in/\(key)", BrokerPositionTests.position(turn)) }
            try await scene.wait(for: 1, .limited)
            try await scene.wait(for: 2, .taken)
            let device = try await scene.client.get("/v1/me/devices/phone", as: "ben")
            #expect(device.json["ignored"]?["why"]?.string == "too-many")
        }
    }

    @Test("A broker that is away is a warning for operators, in /readyz and as a metric, until it is back")
    func away() async throws {
        try await BrokerPositionTests.run { scene in
            func codes() async throws -> [String]? {
                try await scene.client.get("/readyz").json["warnings"]?.array?.compactMap { $0["code"]?.string }
            }
            #expect(try await codes()?.contains("mqtt-away") != true)
            let key = try await scene.device().text
            scene.broker.stop()
            try await TestBroker.wait { scene.counts("waymark_mqtt_connected 0") }
            try await TestBroker.wait { try await codes()?.contains("mqtt-away") == true }
            try await scene.broker.start()
            try await TestBroker.wait { scene.counts("waymark_mqtt_connected 1") }
            #expect(try await codes()?.contains("mqtt-away") != true)
            try scene.broker.publish("waymark/in/\(key)", BrokerPositionTests.position(0))
            try await scene.wait(for: 1, .taken)
        }
    }
}
