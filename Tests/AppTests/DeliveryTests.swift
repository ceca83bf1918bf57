import Library
import App
import Formats
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories
import Testing
import TestSupport

/// DLV-03 to DLV-06: from a notification to a channel, or not.
@Suite("Deliveries")
struct DeliveryTests {
    static let settings = "/v1/me/notification-settings"

    /// A service whose sender is a recording, with stories of ana at one place and ben who wants to be told.
    struct Scene {
        let fixture: ServiceFixture
        let sender = RecordingSender()
        let client: Client

        init(_ fixture: ServiceFixture, _ client: Client) async throws {
            self.fixture = fixture
            self.client = client
            fixture.library.delivery.open(sender, writer: ChannelWriter(), address: { "https://stories.example" })
            _ = try await client.send(.put, DeliveryTests.settings, as: "ben", "{\"enabled\":true}")
        }

        /// Makes a webhook of ben's and lets its end prove itself.
        func webhook(_ path: String = "hook") async throws -> String {
            let body = "{\"kind\":\"webhook\",\"target\":{\"url\":\"https://example.org/\(path)\"}}"
            let made = try await client.send(.post, "/v1/me/channels", as: "ben", body)
            #expect(made.status == 201 && made.json["state"]?.string == "unproven")
            #expect(made.json["secret"]?.string?.hasPrefix("whsec_") == true)
            try await fixture.library.delivery.deliverDue()
            return try #require(made.json["id"]?.string)
        }

        /// Sends ben's phone into the place where the stories are, until the evaluator is sure.
        func enter(latitude: Double = 33.7554, fixes: Int = 3) async throws {
            for _ in 0..<fixes {
                let time = RFC3339.format(fixture.clock.now)
                let fix = "{\"t\":\"\(time)\",\"lat\":\(latitude),\"lon\":-84.3736,\"acc\":8}"
                _ = try await client.send(.post, "/v1/fixes", as: "ben", "{\"device\":\"phone\",\"fixes\":[\(fix)]}")
                fixture.clock.advance(seconds: 6)
            }
            for _ in 0..<3 {
                fixture.clock.advance(seconds: 6)
                _ = try await fixture.library.fences.fireTimers()
            }
        }

        func settings(_ body: String) async throws {
            let reply = try await client.send(.put, DeliveryTests.settings, as: "ben", body)
            #expect(reply.status == 200, "\(String(decoding: reply.bytes, as: UTF8.self))")
        }

        func state(of channel: String) async throws -> JSONValue {
            try await client.get("/v1/me/channels/\(channel)", as: "ben").json
        }

        func entries(_ state: OutboxEntry.State?) async throws -> [OutboxEntry] {
            try await fixture.library.store.read { try $0.outbox(state: state, limit: 100) }
                .filter { $0.type != .verification }
        }

        /// The next attempts as the clock goes on.
        func later(seconds: Double) async throws {
            fixture.clock.advance(seconds: seconds)
            try await fixture.library.delivery.deliverDue()
        }
    }

    static func run(_ body: @escaping @Sendable (Scene) async throws -> Void) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in try await body(try await Scene(fixture, client)) }
    }

    @Test("DLV-03 NTF-04 A verified webhook is notified of a place once, with the feed's id and a link")
    func webhook() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            let channel = try await scene.webhook()
            #expect(scene.sender.webhooks("endpoint.verification").count == 1)
            #expect(try await scene.state(of: channel)["state"]?.string == "active")
            try await scene.enter()
            try await scene.fixture.library.delivery.deliverDue()
            let sent = scene.sender.webhooks("story.nearby")
            let feed = try await scene.client.get("/v1/notifications", as: "ben").json["notifications"]?.array ?? []
            #expect(sent.count == 1 && feed.count == 1)
            #expect(sent.first?.id == feed.first?["id"]?.string)
            #expect(sent.first?.data["counts"]?["total"]?.integer == 1)
            #expect(sent.first?.data["url"]?.string?.hasPrefix("https://stories.example/") == true)
            try await scene.enter()
            try await scene.fixture.library.delivery.deliverDue()
            #expect(scene.sender.webhooks("story.nearby").count == 1)
            #expect(try await scene.state(of: channel)["delivered_at"]?.string != nil)
        }
    }

    @Test("DLV-03 An endpoint that does not answer the challenge is sent nothing else")
    func unproven() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            scene.sender.behave { _ in ChannelAnswer(status: 200, body: Array("hello".utf8)) }
            let channel = try await scene.webhook()
            try await scene.enter()
            try await scene.later(seconds: 90_000)
            #expect(try await scene.state(of: channel)["state"]?.string == "unproven")
            #expect(scene.sender.webhooks("story.nearby").isEmpty)
            #expect(try await scene.entries(nil).isEmpty)
        }
    }

    @Test("DLV-03 A user can trigger twenty verifications an hour, even by creating and removing channels")
    func questions() async throws {
        try await DeliveryTests.run { scene async throws in
            for number in 0..<21 {
                let body = "{\"kind\":\"webhook\",\"target\":{\"url\":\"https://example.org/\(number)\"}}"
                let made = try await scene.client.send(.post, "/v1/me/channels", as: "ben", body)
                #expect(made.status == (number < 20 ? 201 : 429))
                guard let id = made.json["id"]?.string else { continue }
                _ = try await scene.client.send(.delete, "/v1/me/channels/\(id)", as: "ben")
            }
            scene.fixture.clock.advance(seconds: 3_601)
            _ = try await scene.webhook()
        }
    }

    @Test("DLV-06 A failing endpoint is retried on schedule under one id until a dead letter, which can be replayed")
    func retries() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            let channel = try await scene.webhook()
            try await scene.enter()
            scene.sender.answer(500)
            try await scene.fixture.library.delivery.deliverDue()
            for wait in [5.0, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] {
                let before = scene.sender.webhooks("story.nearby").count
                try await scene.later(seconds: wait - 1)
                #expect(scene.sender.webhooks("story.nearby").count == before)
                try await scene.later(seconds: wait / 10 + 2)
                #expect(scene.sender.webhooks("story.nearby").count == before + 1)
            }
            let sent = scene.sender.webhooks("story.nearby")
            #expect(sent.count == 10 && Set(sent.map(\.id)).count == 1)
            try await scene.later(seconds: 1_000_000)
            #expect(scene.sender.webhooks("story.nearby").count == 10)
            let dead = try #require(try await scene.entries(.dead).first)
            #expect(dead.reason == "server_error" && dead.status == 500 && dead.attempts == 10)
            #expect(try await scene.state(of: channel)["failing_since"]?.string != nil)
            scene.sender.answer(204)
            let now = scene.fixture.clock.now
            #expect(try await scene.fixture.library.store.write { try $0.replay(dead.number, at: now) })
            try await scene.later(seconds: 70)
            #expect(scene.sender.webhooks("story.nearby").count == 11)
            #expect(try await scene.entries(.done).count == 1)
            #expect(try await scene.state(of: channel)["failing_since"]?.isNull == true)
        }
    }

    @Test("DLV-06 An endpoint that is gone is disabled, and one that asks for a delay is left alone")
    func goneAndThrottled() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            let (gone, busy) = (try await scene.webhook("gone"), try await scene.webhook("busy"))
            scene.sender.behave { message in
                guard case .http(let http) = message else { return ChannelAnswer(status: 200) }
                return http.url.hasSuffix("gone")
                    ? ChannelAnswer(status: 410) : ChannelAnswer(status: 429, retryAfter: "120")
            }
            try await scene.enter()
            try await scene.fixture.library.delivery.deliverDue()
            #expect(try await scene.state(of: gone)["state"]?.string == "disabled")
            #expect(try await scene.state(of: gone)["reason"]?.string == "gone")
            #expect(scene.sender.webhooks("story.nearby").count == 2)
            try await scene.later(seconds: 118)
            #expect(scene.sender.webhooks("story.nearby").count == 2)
            scene.sender.answer(200)
            try await scene.later(seconds: 4)
            #expect(scene.sender.webhooks("story.nearby").count == 3)
            #expect(try await scene.state(of: busy)["waiting"]?.integer == 0)
        }
    }

    @Test(
        "NTF-01 NTF-08 PRV-07 DLV-04 Anything withdrawn between the commit and the attempt is not sent",
        arguments: [
            "opt out", "type off", "channel off", "everything off", "story deleted", "story private", "story hidden",
            "place muted", "channel removed", "location data erased", "account erased",
        ]
    )
    func withdrawn(_ how: String) async throws {
        try await DeliveryTests.run { scene async throws in
            let story = try await scene.client.create(as: "ana", title: "Here")
            let channel = try await scene.webhook()
            try await scene.enter()
            let waiting = try await scene.entries(.pending)
            #expect(waiting.count == 1)
            try await DeliveryTests.withdraw(how, story, channel, scene)
            try await scene.later(seconds: 1)
            #expect(scene.sender.webhooks("story.nearby").isEmpty)
            #expect(try await scene.entries(.pending).isEmpty)
            // Of what was erased not even the time of an attempt is left.
            if how.contains("erased") { #expect(try await scene.entries(nil).isEmpty) }
        }
    }

    static func withdraw(_ how: String, _ story: String, _ channel: String, _ scene: Scene) async throws {
        let client = scene.client
        let place = PlaceID(Coordinate(wrappingLatitude: 33.7554, longitude: -84.3736))
        switch how {
        case "opt out": try await scene.settings("{\"enabled\":false}")
        case "type off": try await scene.settings("{\"types\":[{\"type\":\"story.nearby\",\"enabled\":false}]}")
        case "channel off": try await scene.settings("{\"channels\":{\"webhook\":false}}")
        case "quiet hours":
            try await scene.settings("{\"quiet_hours\":[{\"from\":\"00:00\",\"to\":\"24:00\"}]}")
        case "everything off": try await scene.settings("{\"everything\":false}")
        case "story deleted": _ = try await client.send(.delete, "/v1/stories/\(story)", as: "ana")
        case "story private":
            _ = try await client.send(.put, "/v1/stories/\(story)/privacy", as: "ana", "{\"privacy\":\"private\"}")
        case "story hidden": _ = try await client.send(.put, "/v1/stories/\(story)/hide", as: "ben")
        case "place muted":
            try await scene.settings("{\"places\":[{\"place_id\":\"\(place)\",\"enabled\":false}]}")
        case "channel removed": _ = try await client.send(.delete, "/v1/me/channels/\(channel)", as: "ben")
        case "location data erased": _ = try await client.send(.delete, "/v1/me/location-data", as: "ben")
        default: _ = try await client.send(.delete, "/v1/me", as: "ben")
        }
    }

    @Test("NTF-01 An attempt in progress when a user opts out ends before they are answered")
    func calledOff() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            _ = try await scene.webhook()
            try await scene.enter()
            let (started, ended) = (Signal(), Signal())
            scene.sender.behave { _ in
                started.give()
                // An end that takes the connection and says nothing; called off, it takes a moment to close.
                try? await Task.sleep(for: .seconds(3_600))
                for _ in 0..<200 { await Task.yield() }
                ended.give()
                throw CancellationError()
            }
            async let delivery = scene.fixture.library.delivery.deliverDue()
            await started.wait()
            try await scene.settings("{\"enabled\":false}")
            #expect(ended.isGiven)
            _ = try await delivery
            #expect(try await scene.entries(.cancelled).map(\.reason) == ["opted_out"])
        }
    }

    @Test("DLV-07 A backend's key notifies its users once and cannot impersonate the service")
    func backend() async throws {
        try await DeliveryTests.run { scene async throws in
            let service = KeyTests.bearer(try await scene.service())
            func tell(_ body: String) async throws -> Client.Reply {
                try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
            }
            let body = #"{"users":["ben","nobody"],"type":"comment.new","title":"Hi","link":"/s/1","key":"k"}"#
            let first = try await tell(body)
            #expect(first.json["told"]?.array?.count == 1 && first.json["unknown"]?.array?.count == 1)
            let second = try await tell(body)
            #expect(second.json["told"]?.array?.isEmpty == true)
            #expect(second.json["told_before"]?.array?.first?.string == "ben")
            let item = try await scene.client.get("/v1/notifications", as: "ben").json["notifications"]?[0]
            #expect(item?["type"]?.string == "comment.new" && item?["url"]?.string == "/s/1")
            for (bad, field) in [
                (#"{"users":["ben"],"type":"story.nearby","title":"x"}"#, "type"),
                (#"{"users":["ben"],"type":"Bad Type","title":"x"}"#, "type"),
                (#"{"users":[],"type":"a.b","title":"x"}"#, "users"),
                (#"{"users":["ben"],"type":"a.b","title":"x","link":"javascript:alert(1)"}"#, "link"),
                (#"{"users":["ben"],"type":"a.b","title":"x","link":"//evil.example"}"#, "link"),
                (#"{"users":["ben"],"type":"a.b","title":"x","details":{"n":1}}"#, "details.n"),
            ] {
                let reply = try await tell(bad)
                #expect(reply.status == 422 && reply.json["errors"]?[0]?["field"]?.string == field, "\(bad)")
            }
            #expect(try await scene.client.send(.post, "/v1/notifications", as: "ana", body).status == 403)
        }
    }

    @Test("DLV-06 Two workers on one outbox send each entry once")
    func twoWorkers() async throws {
        try await DeliveryTests.run { scene async throws in
            for number in 0..<5 { _ = try await scene.webhook("hook\(number)") }
            let service = KeyTests.bearer(try await scene.service())
            for number in 0..<8 {
                let body = #"{"users":["ben"],"type":"comment.new","title":"Comment","key":"\#(number)"}"#
                _ = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 { group.addTask { try await scene.fixture.library.delivery.deliverDue() } }
                for try await _ in group {}
            }
            let sent = scene.sender.webhooks("comment.new").map(\.id)
            #expect(sent.count == 40 && Set(sent).count == 8)
            #expect(try await scene.entries(.done).count == 40)
        }
    }

    @Test("DLV-06 The entry of a dead worker goes to the next one when the lease ends")
    func lease() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            _ = try await scene.webhook()
            try await scene.enter()
            try await scene.takeAndForget()
            try await scene.later(seconds: 59)
            #expect(scene.sender.webhooks("story.nearby").isEmpty)
            try await scene.later(seconds: 2)
            #expect(scene.sender.webhooks("story.nearby").count == 1)
        }
    }
}

extension DeliveryTests.Scene {
    /// The key of an app's backend.
    func service() async throws -> String {
        let request = Accounts.KeyRequest(holder: .service(Accounts.serviceScopes), name: "app", days: nil)
        return try await client.accounts.makeKey(request).text
    }

    /// Takes what is due as a worker does that then dies.
    func takeAndForget() async throws {
        let now = fixture.clock.now
        try await fixture.library.store.write { try DeliveryTests.Scene.takeAndForget(in: $0, at: now) }
    }

    static func takeAndForget(in transaction: StoreTransaction, at now: Timestamp) throws {
        for channel in try transaction.dueChannels(at: now, working: 10, failing: 10) {
            guard let entry = try transaction.nextEntry(of: channel, at: now) else { continue }
            try transaction.lease(entry, token: "gone", until: Timestamp(milliseconds: now.milliseconds + 60_000))
        }
    }
}
