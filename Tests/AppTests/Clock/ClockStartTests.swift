import Library
import App
import Formats
import GRDB
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// What a clock that is wrong at a start, or jumps between two, does to what the database keeps for a time.
@Suite("Wrong clocks at startup")
struct ClockStartTests {
    private static let settings = "/v1/me/notification-settings"
    private static let day = 86_400.0
    private static let place = 33.7554

    /// How many rows these tables have, of everything that is kept for a time.
    private static func rows(_ fixture: ServiceFixture) throws -> [String: Int] {
        let tables = [
            "request_keys", "batch_answers", "sign_ins", "feed_log", "fixes", "evaluator_states", "outbox",
            "sealed_stories",
        ]
        return try fixture.library.store.inspect { db in
            try tables.reduce(into: [:]) { $0[$1] = try Int.fetchOne(db, sql: "SELECT count(*) FROM \($1)") }
        }
    }

    /// Reports where Ben's phone is, by its own clock.
    private static func report(_ client: Client, _ time: Timestamp, latitude: Double = place) async throws {
        let fix = "{\"t\":\"\(RFC3339.format(time))\",\"lat\":\(latitude),\"lon\":-84.3736,\"acc\":8}"
        let body = "{\"device\":\"phone\",\"fixes\":[\(fix)]}"
        #expect(try await client.send(.post, "/v1/fixes", as: "ben", body).status == 200)
    }

    /// One round of everything that forgets or destroys what is old.
    private static func keepUp(_ library: StoryLibrary) async throws {
        try await library.rights.retention.forgetStaleRequests()
        try await library.feed.forgetEvents()
        try await library.delivery.forgetDeliveries()
        try await ErasureUpkeep(library: library, logger: library.store.logger).keepUp()
        _ = try await library.fences.fireTimers()
        _ = try await library.rights.retention.purge(olderThanDays: library.rights.retention.days)
    }

    @Test("PRV-07 One start eight years ahead removes nothing that has a retention period")
    func forgetsNothing() async throws {
        let fixture = try await ServiceFixture(isSteady: true)
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here")
            _ = try await fixture.accounts.signIn(try #require(UserID("ana")), scopes: [.storiesRead])
            let gone = try await client.create(as: "ana", title: "Gone")
            #expect(try await client.send(.delete, "/v1/stories/\(gone)", as: "ana").status == 204)
            // A revoked key is on the list of erasures until it would have ended by itself.
            let ana = try #require(UserID("ana"))
            let key = try await fixture.accounts
                .makeKey(.init(holder: .user(ana, [.accountManage]), name: "x", days: 30)).key
            #expect(try await client.send(.delete, "/v1/me/keys/\(key.id)", as: "ana").status == 204)
            let on = "{\"enabled\":true,\"keep_fixes_days\":7}"
            #expect(try await client.send(.put, ClockStartTests.settings, as: "ben", on).status == 200)
            let body = #"{"kind":"webhook","target":{"url":"https://example.org/hook"}}"#
            #expect(try await client.send(.post, "/v1/me/channels", as: "ben", body).status == 201)
            for _ in 0..<5 {
                try await ClockStartTests.report(client, fixture.clock.now)
                try await fixture.pass(seconds: 6)
            }
            _ = try await fixture.library.fences.fireTimers()
            let name = try #require(HTTPField.Name("Idempotency-Key"))
            let item = #"{"op":"create","client_id":"b1","story":{"kind":"photo","title":"One"}}"#
            let batch = "{\"items\":[\(item)]}"
            for (path, body) in [("/v1/stories/batch", batch), ("/v1/stories", #"{"kind":"photo","title":"Two"}"#)] {
                let reply = try await client.send(.post, path, as: "ana", body, headers: [name: "key"])
                #expect([200, 201].contains(reply.status), "\(path)")
            }
        }
        let before = try ClockStartTests.rows(fixture)
        #expect(before.values.allSatisfy { $0 > 0 }, "\(before)")
        let lines = fixture.library.store.erasures.entries.count
        #expect(lines == 2)
        try fixture.library.store.close()
        fixture.clock.advance(seconds: 8 * 365.25 * ClockStartTests.day)
        let wrong = try await ServiceFixture(of: fixture, isSteady: true, boot: "second")
        #expect(wrong.library.store.erasures.entries.count == lines)
        try await ClockStartTests.keepUp(wrong.library)
        let after = try ClockStartTests.rows(wrong)
        for (table, count) in before { #expect(after[table] ?? 0 >= count, "\(table)") }
    }

    @Test("NTF-12 Reports from while the clock was ahead are removed after a day, not after a day plus the jump")
    func forgottenInTime() async throws {
        let fixture = try await ServiceFixture(isSteady: true)
        try await ClockStartTests.optIn(fixture)
        fixture.clock.advance(seconds: 3 * ClockStartTests.day)
        let wrong = try await ServiceFixture(of: fixture, isSteady: true, boot: "second")
        try await wrong.run { client async throws in
            // Far from every place, where nothing waits for the clock.
            try await ClockStartTests.report(client, wrong.clock.now, latitude: 33.9)
            wrong.clock.advance(seconds: -3 * ClockStartTests.day)
            try await wrong.pass(seconds: 40)
            #expect(wrong.library.now() == wrong.clock.now)
            #expect(try ClockStartTests.rows(wrong)["evaluator_states"] == 1)
            for _ in 0..<25 {
                for clock in [wrong.clock, wrong.running] { clock.advance(seconds: 3_600) }
                try await wrong.library.time.keepTime(notes: true)
            }
            _ = try await wrong.library.fences.fireTimers()
            #expect(try ClockStartTests.rows(wrong)["evaluator_states"] == 0)
        }
    }

    @Test("NTF-12 Decisions pending since the clock was ahead are made seconds after its correction")
    func timersMove() async throws {
        let fixture = try await ServiceFixture(isSteady: true)
        try await ClockStartTests.optIn(fixture)
        fixture.clock.advance(seconds: ClockStartTests.day)
        let wrong = try await ServiceFixture(of: fixture, isSteady: true, boot: "second")
        try await wrong.run { client async throws in
            for step in 0..<2 {
                if step > 0 { try await wrong.pass(seconds: 6) }
                try await ClockStartTests.report(client, wrong.clock.now)
            }
            wrong.clock.advance(seconds: -ClockStartTests.day)
            // Nothing more is reported: the phone lies on a bench.
            try await wrong.pass(seconds: 90)
            for _ in 0..<6 {
                _ = try await wrong.library.fences.fireTimers()
                try await wrong.pass(seconds: 30)
            }
            let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array
            #expect(feed?.count == 1)
        }
    }

    @Test("DLV-05 A retry deferred by a clock that was ahead is sent after the next start with the right time")
    func retryAfterRestart() async throws {
        let fixture = try await ServiceFixture(isSteady: true)
        let sender = RecordingSender()
        try await ClockStartTests.optIn(fixture, sender)
        fixture.clock.advance(seconds: ClockStartTests.day)
        let wrong = try await ServiceFixture(of: fixture, isSteady: true, boot: "second")
        try await wrong.run { client async throws in
            wrong.library.delivery.open(sender, writer: ChannelWriter(), address: { "https://stories.example" })
            sender.answer(503)
            for _ in 0..<5 {
                try await ClockStartTests.report(client, wrong.clock.now)
                try await wrong.pass(seconds: 6)
                _ = try await wrong.library.fences.fireTimers()
            }
            try await wrong.library.delivery.deliverDue()
            #expect(sender.webhooks("story.nearby").count == 1)
        }
        try wrong.library.store.close()
        fixture.clock.advance(seconds: -ClockStartTests.day)
        let right = try await ServiceFixture(of: fixture, isSteady: true, boot: "third")
        try await right.run { _ async throws in
            right.library.delivery.open(sender, writer: ChannelWriter(), address: { "https://stories.example" })
            sender.answer(200)
            try await right.pass(seconds: 60)
            try await right.library.delivery.deliverDue()
            #expect(sender.webhooks("story.nearby").count == 2)
        }
    }

    @Test("OBS-04 Somebody who joined within the hour can sign in after the clock was set back by an hour")
    func joinedAhead() async throws {
        let fixture = try await ServiceFixture(isSteady: true)
        let eve = try #require(UserID("eve"))
        try await fixture.library.store.write { try $0.save(User(id: eve, name: "Eve"), at: fixture.clock.now) }
        try fixture.library.store.close()
        fixture.clock.advance(seconds: -3_600)
        let again = try await ServiceFixture(of: fixture, isSteady: true, boot: "second")
        try await again.run { client async throws in
            #expect(try await client.get("/v1/me", as: "eve").status == 200)
            // Somebody who was removed and comes back is another person, by whatever clock.
            let token = try await again.accounts.issueToken(for: eve, seconds: 600)
            try again.library.store.inspect { db in
                try db.execute(sql: "UPDATE users SET created_ms = created_ms - 1 WHERE id = 'eve'")
            }
            #expect(try await client.get("/v1/me", headers: [.authorization: "Bearer \(token)"]).status == 401)
        }
    }

    @Test(
        "Within one boot the monotonic clock gives the time at startup; after another boot, the wall clock",
        arguments: ["first", "second"]
    )
    func sameRun(boot: String) async throws {
        let fixture = try await ServiceFixture(isSteady: true)
        try await fixture.pass(seconds: 120)
        try fixture.library.store.close()
        fixture.running.advance(seconds: 300)
        fixture.clock.advance(seconds: 300)
        let expected = fixture.clock.now
        fixture.clock.advance(seconds: ClockStartTests.day)
        let lines = LogLines()
        let again = try await ServiceFixture(logger: lines.logger, of: fixture, isSteady: true, boot: boot)
        let isSame = boot == "first"
        #expect(again.library.now() == (isSame ? expected : again.clock.now))
        try await again.pass(seconds: 10)
        #expect(again.library.now().milliseconds - expected.milliseconds == (isSame ? 10_000 : 86_410_000))
        // It is said once, and that it is believed from then on.
        #expect(lines.beginning(with: "warning the clock jumped").count == (isSame ? 1 : 0))
        try await again.pass(seconds: 40)
        #expect(again.library.now() == again.clock.now)
        #expect(lines.beginning(with: "warning the clock jumped").count == (isSame ? 1 : 0))
        #expect(lines.beginning(with: "warning the new time of the clock was adopted").count == (isSame ? 1 : 0))
    }

    /// A story, and Ben who wants to hear of it, by a webhook that has proven itself where there is a sender; the store is
    /// closed then.
    private static func optIn(_ fixture: ServiceFixture, _ sender: RecordingSender? = nil) async throws {
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here")
            #expect(try await client.send(.put, settings, as: "ben", "{\"enabled\":true}").status == 200)
            guard let sender else { return }
            fixture.library.delivery.open(sender, writer: ChannelWriter(), address: { "https://stories.example" })
            let body = #"{"kind":"webhook","target":{"url":"https://example.org/hook"}}"#
            #expect(try await client.send(.post, "/v1/me/channels", as: "ben", body).status == 201)
            try await fixture.library.delivery.deliverDue()
        }
        try fixture.library.store.close()
    }
}
