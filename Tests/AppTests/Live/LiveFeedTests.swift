import Library
import App
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

@Suite("The live feed stream", .timeLimit(.minutes(30)))
struct LiveFeedTests {
    private static func world() async throws -> (ServiceFixture, UserID) {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        return (fixture, try #require(UserID("ana")))
    }

    @Test("DLV-02 It starts with retry and the badge, reports new events, and resumes without gaps or repeats")
    func resumes() async throws {
        let (fixture, ana) = try await LiveFeedTests.world()
        let log = EventLog()
        let first = try await FeedWorld.tell(ana, in: fixture.library)
        let run = try LiveRun.feed(of: ana, in: fixture.library, to: log)
        await log.wait { $0.events.count == 1 }
        #expect(log.bytes.starts(with: Array("retry: 3000\n\nid: ".utf8)))
        #expect(log.events[0].name == "badge" && log.events[0].json["unread"]?.integer == 1)
        let second = try await FeedWorld.tell(ana, in: fixture.library)
        await log.wait { $0.events.count == 3 }
        #expect(log.told == [second] && log.events[2].json["unread"]?.integer == 2)
        #expect(await run.finish())
        // While nobody listens.
        let third = try await FeedWorld.tell(ana, in: fixture.library)
        let marks = StoreTransaction.FeedMarks(read: true)
        let now = fixture.clock.now
        _ = try await fixture.library.store.write { try $0.mark(first, of: ana, marks, at: now) }
        let next = try LiveRun.feed(of: ana, in: fixture.library, to: log)
        await next.settle(log)
        #expect(log.told == [second, third])
        #expect(log.events.dropFirst(3).map(\.name) == ["notification", "read", "badge"])
        #expect(log.events[4].json["id"]?.string == first && log.events[4].json["read"]?.bool == true)
        #expect(log.events.map(\.id) == log.events.map(\.id).sorted())
        await next.finish()
    }

    @Test("A position from before the log, or an invalid one, gives one gap and continues from now")
    func gaps() async throws {
        let (fixture, ana) = try await LiveFeedTests.world()
        let log = EventLog()
        var run = try LiveRun.feed(of: ana, in: fixture.library, to: log)
        await run.settle(log)
        _ = try await FeedWorld.tell(ana, in: fixture.library)
        await log.wait { $0.told.count == 1 }
        await run.finish()
        fixture.clock.advance(seconds: 1)
        _ = try await FeedWorld.tell(ana, in: fixture.library)
        // Seven days are kept, nine are not.
        fixture.clock.advance(seconds: 7 * 86_400)
        try await fixture.library.feed.forgetEvents()
        let week = EventLog()
        try await week.accept(Array("id: \(try #require(log.lastID))\n\n".utf8))
        run = try LiveRun.feed(of: ana, in: fixture.library, to: week)
        await run.settle(week)
        #expect(week.events.map(\.name) == ["notification", "badge"])
        await run.finish()
        fixture.clock.advance(seconds: 2 * 86_400)
        try await fixture.library.feed.forgetEvents()
        for last in [try #require(log.lastID), "9007199254740000", "zzz", "-5", "1e9"] {
            let old = EventLog()
            try await old.accept(Array("id: \(last)\n\n".utf8))
            run = try LiveRun.feed(of: ana, in: fixture.library, to: old)
            await run.settle(old)
            #expect(old.events.map(\.name) == ["gap", "badge"], "\(last)")
            let id = try await FeedWorld.tell(ana, in: fixture.library)
            await old.wait { $0.told == [id] }
            await run.finish()
        }
    }

    @Test("NTF-01 Opting out keeps the stream and ends location events; other events continue")
    func optOut() async throws {
        let (fixture, _) = try await LiveFeedTests.world()
        let ben = try #require(UserID("ben"))
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here", latitude: 40)
            let log = EventLog()
            var run = try LiveRun.feed(of: ben, in: fixture.library, to: log)
            await run.settle(log)
            await run.finish()
            _ = try await FeedTests.visit(40, fixture, client)
            let off = #"{"enabled":false}"#
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "ben", off)
            let other = try await FeedWorld.tell(ben, in: fixture.library)
            run = try LiveRun.feed(of: ben, in: fixture.library, to: log)
            await run.settle(log)
            #expect(log.told == [other])
            #expect(log.events.last { $0.name == "settings" }?.json["enabled"]?.bool == false)
            await run.finish()
        }
    }

    @Test("Nothing withdrawn while waiting to be sent is sent afterwards")
    func withdrawn() async throws {
        let (fixture, _) = try await LiveFeedTests.world()
        let ben = try #require(UserID("ben"))
        try await fixture.run { client async throws in
            let story = try await client.create(as: "ana", title: "Zanzibaroom", latitude: 40)
            let log = EventLog()
            let run = try LiveRun.feed(of: ben, in: fixture.library, to: log)
            await run.settle(log)
            log.shut()
            _ = try await FeedWorld.tell(ben, in: fixture.library)
            await log.wait { $0.waiting == 1 }
            // The stream hangs in a write; meanwhile a notification comes and its story goes.
            let id = try await FeedTests.visit(40, fixture, client)
            _ = try await client.send(.delete, "/v1/stories/\(story)", as: "ana")
            log.open()
            await run.settle(log)
            let told = try #require(log.events.first { $0.json["id"]?.string == id })
            #expect(told.json["type"]?.string == "gone")
            #expect(!String(decoding: log.bytes, as: UTF8.self).contains("Zanzibaroom"))
            await run.finish()
        }
    }

    @Test(
        "A stalled client is disconnected after thirty seconds or with too much pending; others are unaffected"
    )
    func slow() async throws {
        for byRows in [false, true] {
            let (fixture, ana) = try await LiveFeedTests.world()
            let (slow, quick) = (EventLog(), EventLog())
            let run = try LiveRun.feed(of: ana, in: fixture.library, to: slow)
            let other = try LiveRun.feed(of: ana, in: fixture.library, to: quick)
            await run.settle(slow)
            await other.settle(quick)
            slow.shut()
            _ = try await FeedWorld.tell(ana, in: fixture.library)
            await slow.wait { $0.waiting == 1 }
            if byRows {
                for _ in 0..<LiveHub.mostWaiting { _ = try await FeedWorld.tell(ana, in: fixture.library) }
                await quick.wait { $0.told.count == LiveHub.mostWaiting + 1 }
                #expect(!run.seat.client.isCut)
                _ = try await FeedWorld.tell(ana, in: fixture.library)
            } else {
                fixture.clock.advance(seconds: 29)
                fixture.library.live.tick(at: fixture.clock.now)
                #expect(!run.seat.client.isCut)
                fixture.clock.advance(seconds: 1)
                fixture.library.live.tick(at: fixture.clock.now)
            }
            #expect(run.seat.client.isCut && !other.seat.client.isCut)
            #expect(await !run.end())
            // It costs nothing: the client comes back and gets the rest.
            slow.reconnect()
            let again = try LiveRun.feed(of: ana, in: fixture.library, to: slow)
            await again.settle(slow)
            await other.settle(quick)
            #expect(slow.told == quick.told && slow.told.count == (byRows ? LiveHub.mostWaiting + 2 : 1))
            await again.finish()
            await other.finish()
        }
    }

    @Test("A stream ends when its token becomes invalid, when its user is gone, and when the service stops")
    func ends() async throws {
        let (fixture, ana) = try await LiveFeedTests.world()
        try await fixture.run { client async throws in
            let log = EventLog()
            let run = try LiveRun.feed(of: ana, in: fixture.library, to: log, isGood: { false })
            await log.wait { $0.events.count == 1 }
            #expect(try await client.send(.delete, "/v1/me/sessions", as: "ana").status < 300)
            #expect(await run.end())
            let next = try LiveRun.feed(of: ana, in: fixture.library, to: EventLog())
            #expect(try await client.send(.delete, "/v1/me", as: "ana").status == 200)
            #expect(await next.end())
            let ben = try LiveRun.feed(of: try #require(UserID("ben")), in: fixture.library, to: EventLog())
            fixture.library.live.endAll()
            #expect(await ben.end())
        }
    }

    @Test("A user's sixth stream is rejected, other users' are not; closing one makes room")
    func most() async throws {
        let (fixture, ana) = try await LiveFeedTests.world()
        let hub = fixture.library.live
        var seats = try (0..<LiveHub.mostOfUser).map { _ in try hub.open(.feed, for: LiveOwner(ana)) }
        let refused = await withKnownStatus { _ = try hub.open(.feed, for: LiveOwner(ana)) }
        #expect(refused)
        _ = try hub.open(.feed, for: LiveOwner(UserID("ben")))
        _ = try hub.open(.map, for: LiveOwner(ana))
        #expect(hub.count == LiveHub.mostOfUser)
        seats.removeLast()
        _ = try hub.open(.feed, for: LiveOwner(ana))
        seats = []
        #expect(hub.count == 0)
    }

    private func withKnownStatus(_ body: () throws -> Void) async -> Bool {
        do {
            try body()
            return false
        } catch {
            return true
        }
    }

    @Test("A ticket opens one stream, once, within a minute; a token in the query is rejected")
    func tickets() async throws {
        let (fixture, _) = try await LiveFeedTests.world()
        try await fixture.run { client async throws in
            func ticket() async throws -> String {
                let reply = try await client.send(.post, "/v1/notifications/stream/ticket", as: "ana")
                #expect(reply.status == 201)
                return try #require(reply.json["ticket"]?.string)
            }
            let path = "/v1/notifications/stream?ticket="
            let first = try await ticket()
            let reply = try await client.get(path + first)
            #expect(reply.status == 200 && reply.headers[.contentType] == "text/event-stream")
            #expect(reply.headers[.cacheControl] == "no-store")
            #expect(String(decoding: reply.bytes, as: UTF8.self).contains("event: badge\ndata: {\"unread\":0"))
            #expect(try await client.get(path + first).status == 401)
            let map = "/v1/events?bbox=-180,-85,180,85&zoom=1&ticket="
            #expect(try await client.get(map + (try await ticket())).status == 200)
            #expect(try await client.get(map + first).status == 401)
            let late = try await ticket()
            fixture.clock.advance(seconds: 60)
            #expect(try await client.get(path + late).status == 401)
            let token = try await fixture.accounts.issueToken(for: try #require(UserID("ana")), seconds: 60)
            #expect(try await client.get(path + token).status == 401)
            #expect(try await client.get("/v1/notifications/stream?token=" + token).status == 401)
        }
    }
}
