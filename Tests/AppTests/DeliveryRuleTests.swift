import App
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

/// DLV-06, NTF-07: the rules that decide about one entry at one moment, each by itself.
@Suite("Delivery rules")
struct DeliveryRuleTests {
    /// Has a backend tell ben something; returns the notification's id.
    static func tell(_ scene: DeliveryTests.Scene, _ key: String) async throws -> String {
        let service = KeyTests.bearer(try await scene.service())
        let body = #"{"users":["ben"],"type":"comment.new","title":"\#(key)","key":"\#(key)"}"#
        let told = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
        return try #require(told.json["told"]?[0]?["notification_id"]?.string)
    }

    /// A topic of ben's, a channel that expires.
    private func ntfy(_ scene: DeliveryTests.Scene) async throws -> String {
        let body = #"{"kind":"ntfy","target":{"url":"https://ntfy.example","topic":"bens"}}"#
        let made = try await scene.client.send(.post, "/v1/me/channels", as: "ben", body)
        #expect(made.json["state"]?.string == "active")
        return try #require(made.json["id"]?.string)
    }

    private func topics(_ scene: DeliveryTests.Scene) -> [String] {
        scene.sender.sent.compactMap { message in
            guard case .http(let http) = message, http.url == "https://ntfy.example/" else { return nil }
            return try? JSONValue(parsing: http.body)["title"]?.string
        }
    }

    private func titles(_ scene: DeliveryTests.Scene) -> [String] {
        scene.sender.webhooks("comment.new").compactMap { $0.data["title"]?.string }
    }

    @Test("DLV-06 An endpoint gets messages in the order of their creation, one at a time")
    func order() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            let open = Mutex((now: 0, most: 0))
            scene.sender.behave { _ in
                open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                for _ in 0..<20 { await Task.yield() }
                open.withLock { $0.now -= 1 }
                return ChannelAnswer(status: 200)
            }
            for number in 0..<6 {
                _ = try await DeliveryRuleTests.tell(scene, "\(number)")
                scene.fixture.clock.advance(seconds: 1)
            }
            async let other = scene.fixture.library.delivery.deliverDue()
            _ = try await (scene.fixture.library.delivery.deliverDue(), other)
            #expect(titles(scene) == (0..<6).map(String.init))
            #expect(open.withLock { $0.most } == 1)
        }
    }

    @Test("DLV-06 A cancelled attempt of a message that is still wanted does not count")
    func calledOffIsNoAttempt() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            _ = try await DeliveryRuleTests.tell(scene, "a")
            let started = Signal()
            let times = Mutex(0)
            scene.sender.behave { _ in
                guard
                    times.withLock({
                        $0 += 1; return $0
                    }) == 1
                else { return ChannelAnswer(status: 200) }
                started.give()
                try await Task.sleep(for: .seconds(3_600))
                return ChannelAnswer(status: 500)
            }
            async let delivery = scene.fixture.library.delivery.deliverDue()
            await started.wait()
            try await scene.settings(#"{"radius":300}"#)
            _ = try await delivery
            try await scene.later(seconds: 1)
            let done = try #require(try await scene.entries(.done).first)
            #expect(done.attempts == 1 && titles(scene).count == 2)
        }
    }

    @Test("DLV-06 Results after the end of a worker's lease do not count: another worker has the entry")
    func staleWorker() async throws {
        try await DeliveryTests.run { scene async throws in
            let channel = try await scene.webhook()
            _ = try await DeliveryRuleTests.tell(scene, "a")
            let (started, release) = (Signal(), Signal())
            let times = Mutex(0)
            scene.sender.behave { _ in
                guard
                    times.withLock({
                        $0 += 1; return $0
                    }) == 1
                else { return ChannelAnswer(status: 200) }
                started.give()
                await release.wait()
                return ChannelAnswer(status: 410)
            }
            async let slow = scene.fixture.library.delivery.deliverDue()
            await started.wait()
            try await scene.later(seconds: 61)
            #expect(try await scene.entries(.done).count == 1)
            release.give()
            _ = try await slow
            #expect(try await scene.state(of: channel)["state"]?.string == "active")
            #expect(try await scene.entries(.done).count == 1)
        }
    }

    @Test("NTF-07 A push about a place is not sent a quarter of an hour late; a webhook is")
    func expiry() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            _ = (try await ntfy(scene), try await scene.webhook())
            try await scene.enter()
            try await scene.later(seconds: 901)
            #expect(topics(scene).isEmpty && scene.sender.webhooks("story.nearby").count == 1)
            #expect(try await scene.entries(.cancelled).map(\.reason) == ["expired"])
        }
    }

    @Test("NTF-07 DLV-06 A failing push about a place is given up once no attempt fits before its expiry")
    func retryBeforeExpiry() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            _ = try await ntfy(scene)
            try await scene.enter()
            scene.sender.answer(500)
            try await scene.fixture.library.delivery.deliverDue()
            try await scene.later(seconds: 6)
            #expect(try await scene.entries(.pending).count == 1)
            try await scene.later(seconds: 340)
            // The next would be half an hour later.
            let dead = try #require(try await scene.entries(.dead).first)
            #expect(dead.attempts == 3 && dead.reason == "server_error" && topics(scene).count == 3)
        }
    }

    @Test("DLV-05 A message held back by quiet hours is sent after them, even past its expiry")
    func deferredOutlivesExpiry() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            _ = try await ntfy(scene)
            try await scene.settings(#"{"time_zone":"UTC","quiet_hours":[{"from":"11:00","to":"14:00"}]}"#)
            try await scene.enter()
            try await scene.later(seconds: 1)
            #expect(topics(scene).isEmpty)
            try await scene.later(seconds: 7_200)
            #expect(topics(scene).count == 1)
        }
    }

    @Test(
        "NTF-01 An entry of another consent, or of none, is not sent, however it got there",
        arguments: [true, false]
    )
    func consent(_ isOn: Bool) async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            try await scene.enter()
            let channel = try await scene.webhook()
            if !isOn { try await scene.settings(#"{"enabled":false}"#) }
            let feed = try await scene.client.get("/v1/notifications", as: "ben").json["notifications"]
            let (id, ben) = (try #require(feed?[0]?["id"]?.string), try #require(UserID("ben")))
            let now = scene.fixture.clock.now
            try await scene.fixture.library.store.write { transaction in
                let row = try #require(try transaction.channel(channel))
                let epoch = try transaction.notificationSettings(of: ben).consentEpoch
                try transaction.enqueue(id, type: .nearby, through: row, epoch: isOn ? epoch - 1 : epoch, at: now)
            }
            try await scene.later(seconds: 1)
            #expect(scene.sender.webhooks("story.nearby").isEmpty)
            #expect(try await scene.entries(.cancelled).map(\.reason) == ["opted_out"])
        }
    }

    @Test(
        "DLV-03 Nothing goes to an endpoint that is off or no longer verified",
        arguments: [ChannelRow.State.disabled, .unproven]
    )
    func inactive(_ state: ChannelRow.State) async throws {
        try await DeliveryTests.run { scene async throws in
            let channel = try await scene.webhook()
            _ = try await DeliveryRuleTests.tell(scene, "a")
            try await scene.fixture.library.store.write { transaction in
                var row = try #require(try transaction.channel(channel))
                row.state = state
                try transaction.save(row)
            }
            try await scene.later(seconds: 1)
            #expect(titles(scene).isEmpty)
            #expect(try await scene.entries(.dead).map(\.reason) == ["channel_disabled"])
        }
    }

    @Test("NTF-01 Locations announced under an earlier consent are not in a combined message either")
    func consentOfSeveral() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            _ = try await scene.webhook()
            try await scene.settings(#"{"time_zone":"UTC","quiet_hours":[{"from":"11:00","to":"13:00"}]}"#)
            try await scene.enter()
            _ = try await DeliveryRuleTests.tell(scene, "a")
            try await scene.later(seconds: 1)
            scene.sender.answer(500)
            try await scene.later(seconds: 3_600)
            let first = try #require(scene.sender.webhooks("digest").last?.data["body"]?.string)
            #expect(first.hasPrefix("2 notifications:"))
            for isOn in [false, true] { try await scene.settings("{\"enabled\":\(isOn)}") }
            try await scene.later(seconds: 6)
            #expect(scene.sender.webhooks("digest").count == 2)
            #expect(scene.sender.webhooks("digest").last?.data["body"]?.string == "a")
        }
    }

    @Test("NTF-10 Announcements of a trace go only to the feed by default", arguments: [false, true])
    func simulated(_ delivers: Bool) async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            let now = scene.fixture.clock.now
            let item = FeedItem(
                id: String(repeating: "0", count: 32),
                user: try #require(UserID("ben")),
                at: now,
                createdAt: now,
                subject: .message(.init(type: .syncFinished)),
                title: "a",
                body: "",
                isSimulated: true
            )
            try await scene.fixture.library.store.write {
                try $0.insert(item, ledger: [], deliversSimulated: delivers)
            }
            #expect(try await scene.entries(nil).count == (delivers ? 1 : 0))
        }
    }

    @Test("DLV-06 An endpoint asking for a delay gets nothing else meanwhile")
    func patience() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            scene.sender.answer(429, retryAfter: "120")
            _ = try await DeliveryRuleTests.tell(scene, "a")
            try await scene.later(seconds: 1)
            scene.sender.answer(200)
            _ = try await DeliveryRuleTests.tell(scene, "b")
            try await scene.later(seconds: 117)
            #expect(titles(scene) == ["a"])
            try await scene.later(seconds: 4)
            #expect(titles(scene) == ["a", "a", "b"])
        }
    }

    @Test("DLV-06 Ten consecutive failures limit an endpoint to one probe a minute, for its whole queue")
    func probes() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            scene.sender.answer(500)
            for number in 0..<10 { _ = try await DeliveryRuleTests.tell(scene, "\(number)") }
            try await scene.fixture.library.delivery.deliverDue()
            #expect(titles(scene).count == 10)
            _ = try await DeliveryRuleTests.tell(scene, "new")
            try await scene.later(seconds: 59)
            #expect(titles(scene).count == 10)
            for probe in 1...3 {
                try await scene.later(seconds: probe == 1 ? 2 : 61)
                #expect(titles(scene).count == 10 + probe)
            }
            scene.sender.answer(200)
            try await scene.later(seconds: 61)
            #expect(titles(scene).count > 14)
        }
    }

    @Test("DLV-05 A cap counts new messages, not retries")
    func capAndRetry() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            try await scene.settings(#"{"caps":{"per_hour":1}}"#)
            scene.sender.answer(500)
            _ = try await DeliveryRuleTests.tell(scene, "a")
            try await scene.fixture.library.delivery.deliverDue()
            scene.sender.answer(200)
            _ = try await DeliveryRuleTests.tell(scene, "b")
            try await scene.later(seconds: 1)
            #expect(titles(scene) == ["a", "b"])
            try await scene.later(seconds: 6)
            #expect(titles(scene) == ["a", "b", "a"])
        }
    }

    @Test(
        "DLV-05 A pause and a daily limit each apply on their own",
        arguments: [#"{"min_interval":120}"#, #"{"per_day":1}"#]
    )
    func otherCaps(_ caps: String) async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            try await scene.settings("{\"caps\":\(caps)}")
            for (key, wait) in [("a", 60.0), ("b", 70), ("c", 86_400), ("d", 1)] {
                _ = try await DeliveryRuleTests.tell(scene, key)
                try await scene.fixture.library.delivery.deliverDue()
                scene.fixture.clock.advance(seconds: wait)
            }
            #expect(titles(scene) == (caps.contains("day") ? ["a", "d"] : ["a", "c", "d"]))
        }
    }

    @Test("DLV-06 A push about a notification read meanwhile is not sent; a webhook still is")
    func readMeanwhile() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = (try await ntfy(scene), try await scene.webhook())
            let id = try await DeliveryRuleTests.tell(scene, "a")
            _ = try await scene.client.send(.patch, "/v1/notifications/\(id)", as: "ben", #"{"read":true}"#)
            try await scene.later(seconds: 1)
            #expect(topics(scene).isEmpty && titles(scene) == ["a"])
            #expect(try await scene.entries(.cancelled).map(\.reason) == ["nothing_to_tell"])
        }
    }

    @Test("DLV-06 Finished entries are removed after 14 days, dead letters after 90")
    func forgetting() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            _ = try await DeliveryRuleTests.tell(scene, "a")
            try await scene.fixture.library.delivery.deliverDue()
            scene.sender.answer(400)
            _ = try await DeliveryRuleTests.tell(scene, "b")
            try await scene.fixture.library.delivery.deliverDue()
            for (days, done, dead) in [(13.9, 1, 1), (0.2, 0, 1), (75.8, 0, 1), (0.2, 0, 0)] {
                scene.fixture.clock.advance(seconds: days * 86_400)
                try await scene.fixture.library.delivery.forgetDeliveries()
                #expect(try await scene.entries(.done).count == done)
                #expect(try await scene.entries(.dead).count == dead)
            }
        }
    }

    @Test("DLV-05 A new digest subscriber is not sent the digest of a long-past window")
    func lateWish() async throws {
        try await DeliveryTests.run { scene async throws in
            let credentials = ChannelCredentials(sender: try MailSender(address: "waymark@example.org"))
            let writer = ChannelWriter(credentials: credentials)
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            try await scene.activeMailbox()
            _ = try await DeliveryRuleTests.tell(scene, "a")
            // The fixture's clock begins on a Saturday: the window ended on a Monday, two days ago.
            scene.fixture.clock.advance(seconds: 4 * 86_400)
            try await scene.settings(#"{"time_zone":"UTC","digest":{"every":"weekly","day":"mon","hour":8}}"#)
            #expect(try await scene.fixture.library.delivery.digests.writeDigests() == 0)
            _ = try await DeliveryRuleTests.tell(scene, "b")
            scene.fixture.clock.advance(seconds: 5 * 86_400)
            #expect(try await scene.fixture.library.delivery.digests.writeDigests() == 1)
        }
    }

    @Test("DLV-05 The link in an e-mail turns off e-mail, and the digest setting stays")
    func unsubscribe() async throws {
        try await DeliveryTests.run { scene async throws in
            let credentials = ChannelCredentials(sender: try MailSender(address: "waymark@example.org"))
            let writer = ChannelWriter(credentials: credentials)
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            try await scene.activeMailbox()
            try await scene.settings(#"{"digest":{"every":"weekly"}}"#)
            _ = try await DeliveryRuleTests.tell(scene, "a")
            try await scene.later(seconds: 1)
            let mail = try #require(try scene.mails().last)
            let link = try #require(
                mail.firstMatch(of: /<https:\/\/stories\.example(\/v1\/unsubscribe\?token=[^>]+)>/)?.1
            )
            #expect(try await scene.client.get(String(link)).status == 200)
            let before = try await scene.client.get(DeliveryTests.settings, as: "ben").json
            #expect(before["channels"]?["email"]?.isNull != false)
            #expect(
                try await scene.client.send(.post, String(link), as: nil, "List-Unsubscribe=One-Click").status == 200
            )
            let after = try await scene.client.get(DeliveryTests.settings, as: "ben").json
            #expect(after["channels"]?["email"]?.bool == false && after["digest"]?["every"]?.string == "weekly")
            let count = try scene.mails().count
            _ = try await DeliveryRuleTests.tell(scene, "b")
            try await scene.later(seconds: 1)
            #expect(try scene.mails().count == count)
        }
    }
}
