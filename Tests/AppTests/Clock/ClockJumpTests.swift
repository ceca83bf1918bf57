import Library
import App
import Formats
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

/// What a clock that jumps does to people: nothing is lost, nothing is told twice, nothing is destroyed.
@Suite("Clock jumps")
struct ClockJumpTests {
    private static let settings = "/v1/me/notification-settings"
    private static let day = 86_400.0

    /// Reports a position of Ben's phone, taken at a time; returns what became of it.
    @discardableResult
    private func report(_ client: Client, _ time: Timestamp, latitude: Double = 33.7554) async throws -> JSONValue {
        let text = RFC3339.format(time)
        let fix = "{\"t\":\"\(text)\",\"lat\":\(latitude),\"lon\":-84.3736,\"acc\":8}"
        let body = "{\"device\":\"phone\",\"fixes\":[\(fix)]}"
        let reply = try await client.send(.post, "/v1/fixes", as: "ben", body)
        #expect(reply.status == 200)
        return reply.json
    }

    /// Ben's phone at the place for half a minute, by its own clock; returns how many reports were late.
    private func visit(_ fixture: ServiceFixture, _ client: Client, latitude: Double = 33.7554) async throws -> Int {
        var late = 0
        for _ in 0..<5 {
            let answer = try await report(client, fixture.clock.now, latitude: latitude)
            late += (answer["late"]?.integer ?? 0) + (answer["rejected"]?.array?.count ?? 0)
            try await fixture.pass(seconds: 6)
            _ = try await fixture.library.fences.fireTimers()
        }
        return late
    }

    private func feed(_ client: Client) async throws -> [JSONValue] {
        try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array ?? []
    }

    @Test(
        "NTF-12 A day ahead for five seconds silences no one, whatever the phone's clock, even after a restart",
        arguments: [true, false],
        [true, false]
    )
    func ahead(isSteady: Bool, isPhoneAhead: Bool) async throws {
        let fixture = try await ServiceFixture(isSteady: isSteady)
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here")
            _ = try await client.send(.put, ClockJumpTests.settings, as: "ben", "{\"enabled\":true}")
            try await report(client, fixture.clock.now, latitude: 33.77)
            try await fixture.pass(seconds: 60)
            let before = fixture.clock.now
            fixture.clock.advance(seconds: ClockJumpTests.day)
            try await report(client, isPhoneAhead ? fixture.clock.now : before, latitude: 33.77)
            try await fixture.pass(seconds: 5)
            fixture.clock.advance(seconds: -ClockJumpTests.day)
            try await fixture.pass(seconds: 30)
        }
        try fixture.library.store.close()
        let again = try await ServiceFixture(of: fixture, isSteady: isSteady)
        try await again.run { client async throws in
            #expect(try await visit(again, client) == 0)
            #expect(try await feed(client).count == 1)
            // Neither is anybody told twice.
            #expect(try await visit(again, client) == 0)
            #expect(try await feed(client).count == 1)
        }
    }

    @Test("NTF-12 A clock that started a day ahead and was corrected silences no one", arguments: [true, false])
    func startedAhead(isSteady: Bool) async throws {
        let fixture = try await ServiceFixture(isSteady: isSteady)
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here")
            _ = try await client.send(.put, ClockJumpTests.settings, as: "ben", "{\"enabled\":true}")
            try await report(client, fixture.clock.now, latitude: 33.77)
        }
        try fixture.library.store.close()
        fixture.clock.advance(seconds: ClockJumpTests.day)
        let wrong = try await ServiceFixture(of: fixture, isSteady: isSteady, boot: "second")
        try await wrong.run { client async throws in
            try await report(client, wrong.clock.now, latitude: 33.77)
            try await wrong.pass(seconds: 60)
            wrong.clock.advance(seconds: -ClockJumpTests.day)
            #expect(try await visit(wrong, client) == 0)
            #expect(try await feed(client).count == 1)
        }
    }

    @Test("NTF-12 An hour back makes no report late, neither immediately nor later", arguments: [true, false])
    func back(isSteady: Bool) async throws {
        let fixture = try await ServiceFixture(isSteady: isSteady)
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here")
            _ = try await client.create(as: "ana", title: "There", latitude: 33.79)
            _ = try await client.send(.put, ClockJumpTests.settings, as: "ben", "{\"enabled\":true}")
            // A token from before its account was made is none.
            for clock in [fixture.clock, fixture.running] { clock.advance(seconds: 7_200) }
            try await report(client, fixture.clock.now, latitude: 33.77)
            try await fixture.pass(seconds: 120)
            fixture.clock.advance(seconds: -3_600)
            #expect(try await visit(fixture, client) == 0)
            #expect(try await feed(client).count == 1)
            try await fixture.pass(seconds: 600)
            #expect(try await visit(fixture, client, latitude: 33.79) == 0)
            #expect(try await feed(client).count == 2)
            #expect(fixture.library.now() == fixture.clock.now)
        }
    }

    @Test("DLV-05 Retries deferred while the clock was a day ahead do not wait a day, and nothing is sent twice")
    func retries() async throws {
        let fixture = try await ServiceFixture(isSteady: true)
        let sender = RecordingSender()
        try await prepare(fixture, sender)
        // The machine starts a day ahead: nobody can know that yet.
        fixture.clock.advance(seconds: ClockJumpTests.day)
        let wrong = try await ServiceFixture(of: fixture, isSteady: true, boot: "second")
        try await wrong.run { client async throws in
            wrong.library.delivery.open(sender, writer: ChannelWriter(), address: { "https://stories.example" })
            sender.answer(503)
            #expect(try await visit(wrong, client) == 0)
            try await wrong.library.delivery.deliverDue()
            #expect(sender.webhooks("story.nearby").count == 1)
            wrong.clock.advance(seconds: -ClockJumpTests.day)
            sender.answer(200)
            // Half a minute until it is believed, and the five seconds of the first retry.
            try await wrong.pass(seconds: 40)
            try await wrong.library.delivery.deliverDue()
            let sent = sender.webhooks("story.nearby")
            #expect(sent.count == 2 && Set(sent.map(\.id)).count == 1)
            try await wrong.pass(seconds: 60)
            try await wrong.library.delivery.deliverDue()
            #expect(sender.webhooks("story.nearby").count == 2)
        }
    }

    @Test("DLV-05 Retries deferred during five seconds of a clock a day ahead wait as long as others")
    func retriesDuringJump() async throws {
        let fixture = try await ServiceFixture(isSteady: true)
        let sender = RecordingSender()
        try await prepare(fixture, sender)
        let again = try await ServiceFixture(of: fixture, isSteady: true)
        try await again.run { client async throws in
            again.library.delivery.open(sender, writer: ChannelWriter(), address: { "https://stories.example" })
            sender.answer(503)
            #expect(try await visit(again, client) == 0)
            again.clock.advance(seconds: ClockJumpTests.day)
            try await again.library.delivery.deliverDue()
            try await again.pass(seconds: 5)
            again.clock.advance(seconds: -ClockJumpTests.day)
            sender.answer(200)
            try await again.pass(seconds: 2)
            try await again.library.delivery.deliverDue()
            #expect(sender.webhooks("story.nearby").count == 2)
        }
    }

    @Test("DLV-05 Pending work is moved once, however many detect the clock change at the same time")
    func movedOnce() async throws {
        let fixture = try await ServiceFixture(isSteady: true)
        let sender = RecordingSender()
        try await prepare(fixture, sender)
        let again = try await ServiceFixture(of: fixture, isSteady: true)
        try await again.run { client async throws in
            again.library.delivery.open(sender, writer: ChannelWriter(), address: { "https://stories.example" })
            sender.answer(503)
            #expect(try await visit(again, client) == 0)
            try await again.library.delivery.deliverDue()
            func due() async throws -> Int64 {
                let entries = try await again.library.store.read { try $0.outbox(state: .pending, limit: 9) }
                return try #require(entries.first).notBefore.milliseconds
            }
            let before = try await due()
            again.clock.advance(seconds: ClockJumpTests.day)
            try await again.library.time.keepTime(notes: false)
            again.clock.advance(seconds: 31)
            again.running.advance(seconds: 31)
            try await withThrowingTaskGroup { group in
                for _ in 0..<16 { group.addTask { try await again.library.time.keepTime(notes: false) } }
                try await group.waitForAll()
            }
            #expect(try await due() == before + 86_400_000)
        }
    }

    /// A story, and Ben with a webhook that has proven itself; the store is closed then.
    private func prepare(_ fixture: ServiceFixture, _ sender: RecordingSender) async throws {
        try await fixture.run { client async throws in
            fixture.library.delivery.open(sender, writer: ChannelWriter(), address: { "https://stories.example" })
            _ = try await client.create(as: "ana", title: "Here")
            _ = try await client.send(.put, ClockJumpTests.settings, as: "ben", "{\"enabled\":true}")
            let body = "{\"kind\":\"webhook\",\"target\":{\"url\":\"https://example.org/hook\"}}"
            #expect(try await client.send(.post, "/v1/me/channels", as: "ben", body).status == 201)
            try await fixture.library.delivery.deliverDue()
        }
        try fixture.library.store.close()
    }

    @Test("PRV-07 One start eight years ahead destroys nothing; /readyz reports it, and a week confirms the time")
    func eightYearsAhead() async throws {
        let fixture = try await ServiceFixture(isSteady: true)
        let id = try await deletedStory(in: fixture)
        fixture.clock.advance(seconds: 8 * 365.25 * ClockJumpTests.day)
        let wrong = try await ServiceFixture(of: fixture, isSteady: true, boot: "second")
        try await wrong.run { client async throws in
            #expect(
                try await wrong.library.rights.retention.purge(olderThanDays: wrong.library.rights.retention.days) == 0
            )
            try await wrong.library.delivery.forgetDeliveries()
            let warnings = try await client.get("/readyz").json["warnings"]?.array ?? []
            #expect(warnings.compactMap { $0["code"]?.string } == ["clock-unconfirmed"])
            try await wrong.pass(seconds: 3_600)
            #expect(
                try await wrong.library.rights.retention.purge(olderThanDays: wrong.library.rights.retention.days) == 0
            )
        }
        try wrong.library.store.close()
        fixture.clock.advance(seconds: -8 * 365.25 * ClockJumpTests.day)
        let right = try await ServiceFixture(of: fixture, isSteady: true, boot: "third")
        try await right.run { client async throws in
            #expect(try await client.get("/readyz").json["warnings"] == nil)
            #expect(try await right.library.rights.retention.restore(id))
            #expect(try await client.send(.delete, "/v1/stories/\(id)", as: "ana").status == 204)
        }
        try right.library.store.close()
        // Seven years later indeed.
        fixture.clock.advance(seconds: 8 * 365.25 * ClockJumpTests.day)
        let later = try await ServiceFixture(of: fixture, isSteady: true, boot: "fourth")
        for _ in 0...(7 * 24) {
            fixture.clock.advance(seconds: 3_600)
            fixture.running.advance(seconds: 3_600)
            try await later.library.time.keepTime(notes: true)
        }
        #expect(try await later.library.rights.retention.purge(olderThanDays: later.library.rights.retention.days) == 1)
    }

    @Test("PRV-07 A clock that jumps eight years ahead while the service runs destroys nothing")
    func jumpsEightYears() async throws {
        let fixture = try await ServiceFixture(isSteady: true)
        let id = try await deletedStory(in: fixture)
        let again = try await ServiceFixture(of: fixture, isSteady: true)
        fixture.clock.advance(seconds: 8 * 365.25 * ClockJumpTests.day)
        try await again.run { client async throws in
            try await again.pass(seconds: 10)
            let jumped = try await client.get("/readyz").json["warnings"]?.array ?? []
            #expect(jumped.compactMap { $0["code"]?.string } == ["clock-jumped"])
            #expect(
                try await again.library.rights.retention.purge(olderThanDays: again.library.rights.retention.days) == 0
            )
            try await again.pass(seconds: 60)
            let believed = try await client.get("/readyz").json["warnings"]?.array ?? []
            #expect(believed.compactMap { $0["code"]?.string } == ["clock-moved", "clock-unconfirmed"])
            #expect(
                try await again.library.rights.retention.purge(olderThanDays: again.library.rights.retention.days) == 0
            )
            #expect(try await again.library.rights.retention.restore(id))
        }
    }

    /// The id of a deleted story; the store is closed then.
    private func deletedStory(in fixture: ServiceFixture) async throws -> StoryID {
        let ids = Mutex<String?>(nil)
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Wheat harvest")
            #expect(try await client.send(.delete, "/v1/stories/\(id)", as: "ana").status == 204)
            ids.withLock { $0 = id }
        }
        try fixture.library.store.close()
        return try #require(ids.withLock(\.self).flatMap { StoryID($0) })
    }
}
