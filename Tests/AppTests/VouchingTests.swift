import App
import Formats
import HTTPTypes
import Library
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// DLV-03: endpoints that cannot answer a challenge.
@Suite("Webhooks that an operator vouches for")
struct VouchingTests {
    /// Home Assistant takes everything and answers with an empty body.
    private static func takeAll(_ scene: DeliveryTests.Scene) {
        scene.sender.behave { _ in ChannelAnswer(status: 200) }
    }

    private static func make(_ kind: String, _ target: String, _ scene: DeliveryTests.Scene) async throws -> String {
        let made = try await scene.client.send(
            .post,
            "/v1/me/channels",
            as: "ben",
            #"{"kind":"\#(kind)","target":\#(target)}"#
        )
        #expect(made.status == 201)
        return try #require(made.json["id"]?.string)
    }

    private static func say(_ key: Int, _ scene: DeliveryTests.Scene) async throws {
        let service = KeyTests.bearer(try await scene.service())
        let body = #"{"users":["ben"],"type":"comment.new","title":"Comment","key":"\#(key)"}"#
        _ = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
        try await scene.later(seconds: 10)
    }

    private static let hook = #"{"url":"https://Home.example.org/api/webhook/abc"}"#

    @Test("DLV-03 Nothing goes to an endpoint that answers no challenge until the operator vouches for its host")
    func vouched() async throws {
        try await DeliveryTests.run { scene async throws in
            VouchingTests.takeAll(scene)
            let id = try await VouchingTests.make("webhook", VouchingTests.hook, scene)
            try await scene.later(seconds: 10)
            #expect(try await scene.state(of: id)["state"]?.string == "unproven")
            try await VouchingTests.say(1, scene)
            #expect(scene.sender.webhooks("comment.new").isEmpty)
            let channels = scene.fixture.library.channels
            for host in ["other.example.org", "example.org", ""] {
                await #expect(throws: Refusal.self, "\(host)") { try await channels.vouch(for: id, at: host) }
            }
            #expect(try await scene.state(of: id)["state"]?.string == "unproven")
            #expect(try await channels.vouch(for: id, at: "HOME.example.org").state == .active)
            try await VouchingTests.say(2, scene)
            #expect(scene.sender.webhooks("comment.new").count == 1)
            // Once more changes nothing, and no challenge goes there any more.
            #expect(try await channels.vouch(for: id, at: "home.example.org").state == .active)
            try await scene.later(seconds: 100_000)
            #expect(scene.sender.webhooks("endpoint.verification").count == 1)
        }
    }

    @Test("DLV-03 A challenge that still waits is dropped when the operator vouches")
    func waiting() async throws {
        try await DeliveryTests.run { scene async throws in
            VouchingTests.takeAll(scene)
            let id = try await VouchingTests.make("webhook", VouchingTests.hook, scene)
            _ = try await scene.fixture.library.channels.vouch(for: id, at: "home.example.org")
            try await scene.later(seconds: 10)
            #expect(scene.sender.webhooks("endpoint.verification").isEmpty)
            #expect(try await scene.state(of: id)["state"]?.string == "active")
        }
    }

    @Test("DLV-03 A webhook that is gone needs the operator again; nobody vouches for what is no webhook")
    func again() async throws {
        try await DeliveryTests.run { scene async throws in
            let channels = scene.fixture.library.channels
            VouchingTests.takeAll(scene)
            let id = try await VouchingTests.make("webhook", VouchingTests.hook, scene)
            _ = try await channels.vouch(for: id, at: "home.example.org")
            scene.sender.answer(410)
            try await VouchingTests.say(1, scene)
            #expect(try await scene.state(of: id)["reason"]?.string == "gone")
            let again = try await scene.client.send(.post, "/v1/me/channels/\(id)/verify", as: "ben", "{}")
            #expect(again.json["state"]?.string == "unproven")
            VouchingTests.takeAll(scene)
            try await scene.later(seconds: 10)
            #expect(try await scene.state(of: id)["state"]?.string == "unproven")
            #expect(try await channels.vouch(for: id, at: "home.example.org").state == .active)
            let topic = #"{"url":"https://ntfy.example.org","topic":"stories"}"#
            let ntfy = try await VouchingTests.make("ntfy", topic, scene)
            await #expect(throws: Refusal.self) { try await channels.vouch(for: ntfy, at: "ntfy.example.org") }
            let unknown = String(repeating: "0", count: 32)
            await #expect(throws: Refusal.notFound) { try await channels.vouch(for: unknown, at: "home.example.org") }
        }
    }
}
