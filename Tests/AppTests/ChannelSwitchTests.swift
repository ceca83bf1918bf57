import App
import Library
import Formats
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// DLV-04, DLV-05, NTF-08: switches and settings that two devices share.
@Suite("Channel switches and shared settings")
struct ChannelSwitchTests {
    private static func tell(_ scene: DeliveryTests.Scene, _ title: String) async throws {
        let service = KeyTests.bearer(try await scene.service())
        let body = "{\"users\":[\"ben\"],\"type\":\"comment.new\",\"title\":\"\(title)\"}"
        let told = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
        #expect(told.json["told"]?.array?.count == 1)
    }

    @Test("DLV-04 A channel can be switched off and on by itself; its pending messages are not sent later")
    func channel() async throws {
        try await DeliveryTests.run { scene async throws in
            let (one, two) = (try await scene.webhook("one"), try await scene.webhook("two"))
            func change(_ body: String) async throws -> JSONValue {
                let reply = try await scene.client.send(.patch, "/v1/me/channels/\(one)", as: "ben", body)
                #expect(reply.status == 200)
                return reply.json
            }
            func sent(_ path: String) -> [String] {
                scene.sender.sent.compactMap { message in
                    guard case .http(let http) = message, http.url.hasSuffix(path) else { return nil }
                    let json = try? JSONValue(parsing: http.body)
                    return json?["type"]?.string == "comment.new" ? json?["data"]?["title"]?.string : nil
                }
            }
            try await ChannelSwitchTests.tell(scene, "waits")
            let off = try await change(#"{"enabled":false,"name":"Mine"}"#)
            #expect(off["enabled"]?.bool == false && off["state"]?.string == "active" && off["name"]?.string == "Mine")
            #expect(off["waiting"]?.integer == 0)
            try await ChannelSwitchTests.tell(scene, "off")
            // Nothing is noted for a channel that is off: it would wait there for it to be on again.
            #expect(try await scene.state(of: one)["waiting"]?.integer == 0)
            try await scene.later(seconds: 1)
            #expect(sent("one").isEmpty && Set(sent("two")) == ["waits", "off"])
            let test = try await scene.client.send(.post, "/v1/me/channels/\(one)/test", as: "ben")
            #expect(test.status == 409)
            #expect(try await change(#"{"enabled":true}"#)["enabled"]?.bool == true)
            try await ChannelSwitchTests.tell(scene, "on")
            try await scene.later(seconds: 1)
            #expect(sent("one") == ["on"])
            #expect(try await scene.state(of: two)["enabled"]?.bool == true)
            let other = try await scene.client.send(.patch, "/v1/me/channels/\(one)", as: "ana", #"{"enabled":true}"#)
            #expect(other.status == 404)
        }
    }

    @Test("DLV-05 Choosing a digest over single e-mails is one setting; other channels are not delayed")
    func digestInstead() async throws {
        try await DeliveryTests.run { scene async throws in
            let credentials = ChannelCredentials(sender: try MailSender(address: "waymark@example.org"))
            let writer = ChannelWriter(credentials: credentials)
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            try await scene.activeMailbox()
            _ = try await scene.webhook()
            scene.sender.forget()
            try await scene.settings(
                #"{"time_zone":"America/New_York","language":"en-US","digest":{"every":"weekly","instead":true}}"#
            )
            _ = try await scene.fixture.library.delivery.digests.writeDigests()
            try await ChannelSwitchTests.tell(scene, "Ana wrote")
            try await ChannelSwitchTests.tell(scene, "Cora wrote")
            #expect(try await ChannelSwitchTests.letters(scene, .pending) == 0)
            try await scene.later(seconds: 1)
            #expect(try await ChannelSwitchTests.letters(scene, nil) == 0)
            #expect(try scene.mails().isEmpty && scene.sender.webhooks("comment.new").count >= 1)
            _ = try await scene.client.invite(
                [#"{"user":"ben"}"#],
                into: try await scene.client.makeFamily(of: "ana", "Lake"),
                as: "ana"
            )
            try await scene.later(seconds: 1)
            #expect(try scene.mails().count == 1)
            scene.sender.forget()
            // The window ends on Monday at eight in New York.
            scene.fixture.clock.advance(seconds: 2 * 86_400 + 7_200)
            #expect(try await scene.fixture.library.delivery.digests.writeDigests() == 1)
            try await scene.later(seconds: 1)
            let mails = try scene.mails()
            #expect(mails.count == 1 && mails[0].contains("Ana wrote") && mails[0].contains("Cora wrote"))
            let subject = Base64.encode(Array("Your week on Waymark: 3 notifications".utf8))
            #expect(mails[0].contains("Subject: =?utf-8?B?\(subject)?"))
            // The fixture's clock begins at noon UTC, which is seven in New York.
            #expect(mails[0].contains("Saturday, November 21, 2026 at 7:00 AM"), "\(mails[0])")
        }
    }

    @Test("DLV-05 Choosing a digest moves pending single messages into the digest")
    func digestChosenMeanwhile() async throws {
        try await DeliveryTests.run { scene async throws in
            let writer = ChannelWriter(credentials: .init(sender: try MailSender(address: "waymark@example.org")))
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            try await scene.activeMailbox()
            scene.sender.forget()
            try await ChannelSwitchTests.tell(scene, "Ana wrote")
            #expect(try await ChannelSwitchTests.letters(scene, .pending) == 1)
            try await scene.settings(#"{"digest":{"every":"weekly","instead":true}}"#)
            try await scene.later(seconds: 1)
            #expect(try scene.mails().isEmpty)
            let entries = try await scene.entries(.cancelled)
            #expect(entries.map(\.reason) == ["in_digest"])
        }
    }

    /// How many letters about comments are noted, in this state or in any.
    private static func letters(_ scene: DeliveryTests.Scene, _ state: OutboxEntry.State?) async throws -> Int {
        let types = try await scene.fixture.library.store.read { transaction in
            try transaction.outbox(state: state, limit: 100)
                .filter { try transaction.channel($0.channel)?.kind == .email }.map(\.type.rawValue)
        }
        return types.count { $0 == "comment.new" }
    }

    @Test("NTF-08 Two devices muting places keep both changes: settings have an ETag and obey If-Match")
    func ifMatch() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let path = DeliveryTests.settings
                func places(_ numbers: [Int]) -> String {
                    let places = numbers.map { "{\"place_id\":\"\(LocatedSettings.place($0))\",\"enabled\":false}" }
                    return "{\"places\":[\(places.joined(separator: ","))]}"
                }
                let read = try await client.get(path, as: "ben")
                let tag = try #require(read.headers[.eTag])
                #expect(try await client.get(path, as: "ben").headers[.eTag] == tag)
                let headers: HTTPFields = [.ifMatch: tag]
                let first = try await client.send(.put, path, as: "ben", places([1]), headers: headers)
                #expect(first.status == 200)
                let second = try await client.send(.put, path, as: "ben", places([2]), headers: headers)
                #expect(second.status == 412)
                let current = try #require(second.headers[.eTag])
                #expect(current == first.headers[.eTag] && current != tag)
                let again: HTTPFields = [.ifMatch: current]
                #expect(try await client.send(.put, path, as: "ben", places([1, 2]), headers: again).status == 200)
                let now = try await client.get(path, as: "ben").json["places"]?.array
                #expect(now?.count == 2)
                #expect(try await client.send(.put, path, as: "ben", places([])).status == 200)
            }
    }

    @Test("NTF-08 A place with settings has the name it was announced by, as far as still visible")
    func names() async throws {
        try await DeliveryTests.run { scene async throws in
            let client = scene.client
            let story = try await client.create(as: "ana", title: "Here")
            let location = #"{"lat":33.7554,"lon":-84.3736,"name":"Big Bethel"}"#
            _ = try await client.send(.put, "/v1/stories/\(story)/location", as: "ana", location)
            try await scene.enter()
            let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]?[0]
            let place = try #require(feed?["place"]?["id"]?.string)
            try await scene.settings("{\"places\":[{\"place_id\":\"\(place)\",\"enabled\":true}]}")
            func shown() async throws -> JSONValue? {
                try await client.get(DeliveryTests.settings, as: "ben").json["places"]?[0]
            }
            #expect(try await shown()?["name"]?.string == "Big Bethel")
            #expect(try await shown()?["last_announced"]?.string != nil)
            _ = try await client.send(.put, "/v1/stories/\(story)/privacy", as: "ana", #"{"privacy":"private"}"#)
            #expect(try await shown()?["name"]?.isNull == true)
        }
    }

    @Test("DLV-01 Everything is marked read without a body or with an empty object; later items stay unread")
    func readAll() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let ana = try #require(UserID("ana"))
            let path = "/v1/notifications/read-all"
            #expect(try await client.send(.post, path, as: "ana").json["marked"]?.integer == 0)
            for body in [nil, "{}"] as [String?] {
                for _ in 0..<3 { _ = try await FeedWorld.tell(ana, in: fixture.library) }
                let reply = try await client.send(.post, path, as: "ana", body)
                #expect(reply.status == 200 && reply.json["marked"]?.integer == 3)
                #expect(try await client.get("/v1/notifications/badge", as: "ana").json["unread"]?.integer == 0)
            }
            _ = try await FeedWorld.tell(ana, in: fixture.library)
            #expect(try await client.get("/v1/notifications/badge", as: "ana").json["unread"]?.integer == 1)
            #expect(try await client.send(.post, path, as: "ana", "{").status == 400)
        }
    }
}

/// Places for settings.
enum LocatedSettings: Sendable {
    static func place(_ number: Int) -> String {
        PlaceID(Coordinate(wrappingLatitude: 10 + Double(number), longitude: 20)).description
    }
}
