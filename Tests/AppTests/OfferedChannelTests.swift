import Formats
import HTTPTypes
import Library
import Notifications
import Testing

/// DLV-03: from what the service offers, the page learns which channels it can let people add.
@Suite("Offered channels")
struct OfferedChannelTests {
    private static func offered(_ scene: DeliveryTests.Scene) async throws -> Set<String> {
        let reply = try await scene.client.get("/v1/me/channels", as: "ben")
        return Set((reply.json["offered"]?.array ?? []).compactMap(\.string))
    }

    @Test("DLV-03 A channel at a broker is offered once the operator has one, and its topic is shown at creation alone")
    func broker() async throws {
        try await DeliveryTests.run { scene async throws in
            let body = #"{"kind":"mqtt","name":"Kitchen","target":{}}"#
            let without = try await OfferedChannelTests.offered(scene)
            #expect(without == ["webhook", "ntfy", "gotify", "apprise"])
            #expect(try await scene.client.send(.post, "/v1/me/channels", as: "ben", body).status == 422)
            var credentials = ChannelCredentials()
            credentials.brokerPrefix = "house/way"
            scene.fixture.library.delivery.open(
                scene.sender,
                writer: ChannelWriter(credentials: credentials),
                address: { "https://stories.example" }
            )
            #expect(try await OfferedChannelTests.offered(scene) == without.union(["mqtt"]))
            let made = try await scene.client.send(.post, "/v1/me/channels", as: "ben", body)
            #expect(made.status == 201 && made.json["name"]?.string == "Kitchen")
            let topic = try #require(made.json["topic"]?.string)
            let name = try #require(topic.split(separator: "/").last)
            #expect(topic.hasPrefix("house/way/out/") && name.count == 26)
            let list = String(decoding: try await scene.client.get("/v1/me/channels", as: "ben").bytes, as: UTF8.self)
            #expect(list.contains("Kitchen") && !list.contains(name) && !list.contains("house/way"))
        }
    }
}
