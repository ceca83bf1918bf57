import App
import Library
import Crypto
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing
import Transport

/// DLV-06: ends that are gone or fail for long, and what their owners learn of it.
@Suite("Disabled channels")
struct ChannelEndTests {
    private func feed(_ scene: DeliveryTests.Scene, _ user: String = "ben") async throws -> [JSONValue] {
        let items =
            try await scene.client.get("/v1/notifications?limit=100", as: user).json["notifications"]?.array ?? []
        return items.filter { $0["type"]?.string == "channel.disabled" }
    }

    private func tell(_ scene: DeliveryTests.Scene, _ key: Int) async throws {
        let service = KeyTests.bearer(try await scene.service())
        let body = #"{"users":["ben"],"type":"comment.new","title":"Comment","key":"\#(key)"}"#
        _ = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
    }

    /// A webhook whose end answers 410 to everything but its challenge.
    private func goneWebhook(_ scene: DeliveryTests.Scene) async throws -> String {
        let body =
            "{\"kind\":\"webhook\",\"name\":\"Door\u{202E}\\nbell\",\"target\":{\"url\":\"https://example.org/gone\"}}"
        let made = try await scene.client.send(.post, "/v1/me/channels", as: "ben", body)
        scene.sender.behave { message in
            guard case .http(let http) = message else { return ChannelAnswer(status: 200) }
            let body = try JSONValue(parsing: http.body)["data"]?["challenge"]?.string ?? ""
            return ChannelAnswer(
                status: http.url.hasSuffix("gone") && body.isEmpty ? 410 : 200,
                body: Array(body.utf8)
            )
        }
        try await scene.fixture.library.delivery.deliverDue()
        return try #require(made.json["id"]?.string)
    }

    @Test("DLV-06 The owner of a disabled channel is notified once each time, in the feed and by other channels")
    func gone() async throws {
        try await DeliveryTests.run { scene async throws in
            let (gone, _) = (try await goneWebhook(scene), try await scene.webhook("other"))
            let number = scene.sender.sent.count
            for key in 0..<3 {
                try await tell(scene, key)
                try await scene.later(seconds: 10)
            }
            #expect(try await scene.state(of: gone)["state"]?.string == "disabled")
            let told = try await feed(scene)
            #expect(told.count == 1)
            #expect(told.first?["details"]?["channel"]?.string == gone)
            #expect(told.first?["details"]?["reason"]?.string == "gone")
            #expect(
                told.first?["body"]?.string
                    == "Notifications are no longer sent to your webhook “Door bell”: its server reported that it no "
                    + "longer exists. Once it works again, verify this channel in your app to switch it on."
            )
            let sent = scene.sender.sent.dropFirst(number)
                .compactMap { message -> String? in
                    guard case .http(let http) = message else { return nil }
                    let type = try? JSONValue(parsing: http.body)["type"]?.string
                    return "\(http.url.split(separator: "/").last ?? "") \(type ?? "")"
                }
            #expect(sent.filter { $0.hasPrefix("gone") } == ["gone comment.new"])
            #expect(sent.filter { $0 == "other channel.disabled" }.count == 1)
            #expect(sent.filter { $0 == "other comment.new" }.count == 3)
            let written = try await scene.entries(nil).filter { $0.type == .channelDisabled }.map(\.channel)
            #expect(written.count == 1 && !written.contains(gone))
            // Switched on again and gone again: that is news.
            let again = try await scene.client.send(.post, "/v1/me/channels/\(gone)/verify", as: "ben", "{}")
            #expect(again.json["state"]?.string == "unproven")
            try await scene.later(seconds: 10)
            #expect(try await scene.state(of: gone)["state"]?.string == "active")
            try await tell(scene, 9)
            try await scene.later(seconds: 10)
            #expect(try await feed(scene).count == 2)
        }
    }

    @Test("DLV-06 An endpoint failing for five days is disabled, not before, and its user gets the reason")
    func failing() async throws {
        try await DeliveryTests.run { scene async throws in
            let channel = try await scene.webhook()
            scene.sender.answer(500)
            let begin = scene.fixture.clock.now.milliseconds
            var key = 0
            while scene.fixture.clock.now.milliseconds - begin <= 5 * 86_400_000 {
                #expect(try await feed(scene).isEmpty)
                #expect(try await scene.state(of: channel)["state"]?.string == "active")
                try await tell(scene, key)
                key += 1
                try await scene.later(seconds: 10_800)
            }
            for _ in 0..<4 { try await scene.later(seconds: 10_800) }
            #expect(try await scene.state(of: channel)["reason"]?.string == "failing")
            let told = try await feed(scene)
            #expect(told.count == 1 && told.first?["details"]?["reason"]?.string == "failing")
            #expect(told.first?["body"]?.string?.contains("nothing could be delivered for five days") == true)
        }
    }

    @Test("DLV-06 An operator's mail server that is down for a week disables no one's address")
    func mailServerDown() async throws {
        try await DeliveryTests.run { scene async throws in
            let credentials = ChannelCredentials(sender: try MailSender(address: "waymark@example.org"))
            let writer = ChannelWriter(credentials: credentials)
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            try await scene.activeMailbox()
            scene.sender.behave { _ in throw SendingError(.unreachable, "the connection to the address failed") }
            for key in 0..<(7 * 8) {
                try await tell(scene, key)
                try await scene.later(seconds: 10_800)
            }
            let channels = try await scene.client.get("/v1/me/channels", as: "ben").json["channels"]
            #expect(channels?[0]?["state"]?.string == "active" && channels?[0]?["failing_since"]?.isNull == false)
            #expect(try await feed(scene).isEmpty)
            scene.sender.answer(250)
            try await scene.later(seconds: 100_000)
            #expect(try await scene.entries(.done).isEmpty == false)
        }
    }

    @Test("DLV-06 An endpoint that keeps asking for a delay does not hold back its queue forever")
    func endlessPatience() async throws {
        try await DeliveryTests.run { scene async throws in
            let channel = try await scene.webhook()
            scene.sender.answer(503, retryAfter: "3600")
            try await tell(scene, 1)
            for _ in 0..<(5 * 24 - 1) { try await scene.later(seconds: 3_601) }
            #expect(try await scene.entries(.pending).count == 1)
            for _ in 0..<2 { try await scene.later(seconds: 3_601) }
            let dead = try await scene.entries(.dead)
            #expect(dead.map(\.reason) == ["throttled"])
            #expect(try await scene.state(of: channel)["state"]?.string == "active")
            // Sent again it has its patience again.
            let (number, now) = (try #require(dead.first).number, scene.fixture.clock.now)
            #expect(try await scene.fixture.library.store.write { try $0.replay(number, at: now) })
            try await scene.later(seconds: 3_601)
            #expect(try await scene.entries(.pending).map(\.attempts) == [1])
        }
    }

    @Test("DLV-04 With such notifications off none is sent, but the channel is still disabled")
    func unwanted() async throws {
        try await DeliveryTests.run { scene async throws in
            let gone = try await goneWebhook(scene)
            try await scene.settings(#"{"types":[{"type":"channel.disabled","enabled":false}]}"#)
            try await tell(scene, 1)
            try await scene.later(seconds: 10)
            #expect(try await scene.state(of: gone)["state"]?.string == "disabled")
            #expect(try await feed(scene).isEmpty)
        }
    }

    @Test("PRV-04 An invitation to a nonexistent address reveals nothing to the inviter")
    func bouncedInvitation() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let scene = try await DeliveryTests.Scene(fixture, client)
            let credentials = ChannelCredentials(sender: try MailSender(address: "waymark@example.org"))
            let writer = ChannelWriter(credentials: credentials)
            fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            scene.sender.behave { _ in ChannelAnswer(status: 550, body: Array("550 5.1.1 unknown".utf8)) }
            let people = #"{"invitations":[{"email":"dan@example.org"}]}"#
            _ = try await client.send(.post, "/v1/families/whitfield/invitations", as: "ana", people)
            try await scene.later(seconds: 1)
            #expect(try await scene.entries(.dead).count == 1)
            #expect(try await client.get("/v1/me/channels", as: "ana").json["channels"]?.array?.isEmpty == true)
            #expect(try await feed(scene, "ana").isEmpty)
        }
    }

    @Test("DLV-06 A send without a free connection is no failure: it uses no attempt and is retried soon")
    func busy() async throws {
        try await DeliveryTests.run { scene async throws in
            let channel = try await scene.webhook()
            scene.sender.behave { _ in throw SendingDelay() }
            try await tell(scene, 1)
            // More often than any schedule would allow.
            for _ in 0..<30 { try await scene.later(seconds: 3) }
            let waiting = try #require(try await scene.entries(.pending).first)
            #expect(waiting.attempts == 0 && waiting.reason == "busy")
            let number = waiting.number
            #expect(try await scene.fixture.library.store.read { try $0.attempts(of: number) }.isEmpty)
            let state = try await scene.state(of: channel)
            #expect(state["failing_since"]?.isNull == true && state["paused_until"]?.isNull == true)
            #expect(scene.sender.webhooks("comment.new").count == 30)
            scene.sender.answer(200)
            try await scene.later(seconds: 3)
            #expect(try await scene.entries(.done).count == 1)
        }
    }

    @Test("DLV-03 A channel that cannot be verified gives the reason")
    func unprovable() async throws {
        try await DeliveryTests.run { scene async throws in
            scene.sender.behave { _ in
                throw SendingError(.refusedAddress, "connections to the host's address are not allowed")
            }
            let channel = try await scene.webhook()
            let state = try await scene.state(of: channel)
            #expect(state["state"]?.string == "unproven" && state["reason"]?.string == "refused_address")
        }
    }

    @Test("DLV-03 After a vendor rejects the operator's token, the next attempt has a new one")
    func newToken() async throws {
        try await DeliveryTests.run { scene async throws in
            let pem = P256.Signing.PrivateKey().pemRepresentation
            let key = try APNsKey(teamID: "ABCDEFGHIJ", keyID: "KLMNOPQRST", p8: pem)
            let writer = ChannelWriter(credentials: ChannelCredentials(apns: key))
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            let token = String(repeating: "0a", count: 32)
            let body = "{\"kind\":\"apns\",\"target\":{\"token\":\"\(token)\",\"topic\":\"org.example.app\"}}"
            _ = try await scene.client.send(.post, "/v1/me/channels", as: "ben", body)
            func tokens() -> [String] {
                scene.sender.sent.compactMap { message in
                    guard case .http(let http) = message else { return nil }
                    return http[header: "authorization"]
                }
            }
            scene.sender.behave { _ in
                ChannelAnswer(status: 403, body: Array(#"{"reason":"ExpiredProviderToken"}"#.utf8))
            }
            try await tell(scene, 1)
            try await scene.later(seconds: 1)
            scene.sender.answer(200)
            try await scene.later(seconds: 6)
            try await tell(scene, 2)
            try await scene.later(seconds: 6)
            // Of three attempts the last two have one in common.
            #expect(tokens().count == 3 && tokens()[0] != tokens()[1] && tokens()[1] == tokens()[2])
        }
    }

    @Test("DLV-06 A full connection pool is reported as such, not as a problem of the endpoint")
    func fullPool() async throws {
        let sender = try OutboundSender(OutboundSender.Options()) { $0.mostWaiting = 0 }
        let message = OutgoingMessage.http(OutgoingHTTP(url: "https://example.org/", headers: [], body: []))
        await #expect(throws: SendingDelay.self) { try await sender.send(message) }
        await sender.close()
    }
}
