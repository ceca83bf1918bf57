import Library
import App
import Formats
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

@Suite("Cost of events and accuracy of the badge")
struct BadgeTests {
    private let ana: UserID
    private let ben: UserID
    private let fixture: ServiceFixture

    init() async throws {
        ana = try #require(UserID("ana"))
        ben = try #require(UserID("ben"))
        fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
    }

    /// Fills ben's feed with notifications that tell of some of ana's stories.
    private func fill(_ count: Int, of stories: [StoryID]) async throws {
        let now = fixture.clock.now
        try await fixture.library.store.write { [ana, ben] transaction in
            for number in 0..<count {
                let story = stories[number % stories.count]
                let item = FeedItem(
                    id: StoryID(high: 0xF111, low: UInt64(number)).description,
                    user: ben,
                    at: now,
                    createdAt: Timestamp(milliseconds: now.milliseconds + Int64(number)),
                    subject: .newStories(.init(author: ana, content: [.init(id: story, sourceID: nil)])),
                    title: "One",
                    body: "Two"
                )
                try transaction.insert(item, ledger: [])
            }
        }
        fixture.clock.advance(seconds: 3_600)
    }

    private func stories(_ count: Int, _ client: Client) async throws -> [StoryID] {
        var ids: [StoryID] = []
        for number in 0..<count {
            ids.append(try #require(StoryID(try await client.create(as: "ana", title: "Story \(number)"))))
        }
        return ids
    }

    @Test("A live event costs the same with no entries and with ten thousand", arguments: [40, 10_000])
    func constantCost(entries: Int) async throws {
        try await fixture.run { client async throws in
            let stories = try await stories(20, client)
            let log = EventLog()
            let run = try LiveRun.feed(of: ben, in: fixture.library, to: log)
            await run.settle(log)
            /// What the events of a few messages, marks and changes of a story cost to read.
            func cost() async throws -> ReadEffort {
                try await fixture.library.store.effort {
                    for round in 0..<4 {
                        fixture.clock.advance(seconds: 1)
                        let id = try await FeedWorld.tell(ben, in: fixture.library)
                        await run.settle(log)
                        let now = fixture.clock.now
                        let marks = StoreTransaction.FeedMarks(read: round > 1)
                        _ = try await fixture.library.store.write { [ben] in
                            try $0.mark(id, of: ben, marks, at: now)
                        }
                        await run.settle(log)
                        try await fixture.library.store.write { transaction in
                            var story = try #require(try transaction.story(stories[19]))
                            story.title += "!"
                            try transaction.update(story)
                        }
                        await run.settle(log)
                    }
                }
            }
            _ = try await cost()
            let empty = try await cost()
            // The last story is told of once however many there are.
            try await fill(entries, of: Array(stories.dropLast()))
            await run.settle(log)
            _ = try await cost()
            let full = try await cost()
            #expect(empty.statements > 0 && full.statements == empty.statements)
            // The trees are a level or two deeper; nothing else may grow.
            #expect(full.pages <= empty.pages * 2, "\(empty) \(full)")
            await run.finish()
        }
    }

    @Test("PRV-01 The cached badge matches a recount after every change of visibility", arguments: UInt64(1)...4)
    func isExact(seed: UInt64) async throws {
        try await fixture.run { client async throws in
            var generator = SplitMix64(seed: seed)
            let log = EventLog()
            let run = try LiveRun.feed(of: ben, in: fixture.library, to: log)
            var mine = try await stories(6, client).map(\.description)
            var told: [String] = []
            for step in 0..<150 {
                fixture.clock.advance(seconds: 1)
                try await change(client, &mine, &told, using: &generator)
                let (kept, counted) = (
                    try await fixture.library.feed.keptBadge(of: ben), try await fixture.library.feed.badge(of: ben)
                )
                #expect(kept == counted, "seed \(seed), step \(step)")
                guard step % 10 == 9 else { continue }
                await run.settle(log)
                let shown = log.events.last { $0.name == "badge" }?.json
                #expect(shown?["unread"]?.integer == counted.unread && shown?["unseen"]?.integer == counted.unseen)
            }
            await run.finish()
        }
    }

    /// One change at random: of what is told, of marks, of who sees what.
    private func change(
        _ client: Client,
        _ mine: inout [String],
        _ told: inout [String],
        using generator: inout SplitMix64
    ) async throws {
        let notifications = "/v1/notifications"
        let story = mine.isEmpty ? nil : mine[Int(generator.next() % UInt64(mine.count))]
        let feed = try await client.get(notifications + "?archived=true&limit=100", as: "ben").json["notifications"]
        told = (feed?.array ?? []).compactMap { $0["id"]?.string }
        let item = told.isEmpty ? nil : told[Int(generator.next() % UInt64(told.count))]
        switch (generator.next() % 12, story, item) {
        case (0, _, _), (1, _, _):
            mine.append(try await client.create(as: "ana", title: "More", extra: #","privacy":"family_only""#))
        case (2, let story?, _):
            let privacy = ["private", "family_only", "public"][Int(generator.next() % 3)]
            _ = try await client.send(.put, "/v1/stories/\(story)/privacy", as: "ana", "{\"privacy\":\"\(privacy)\"}")
        case (3, let story?, _):
            let method: HTTPRequest.Method = generator.next() % 2 == 0 ? .put : .delete
            _ = try await client.send(method, "/v1/stories/\(story)/hide", as: "ben")
        case (4, let story?, _) where generator.next() % 3 == 0:
            _ = try await client.send(.delete, "/v1/stories/\(story)", as: "ana")
            mine.removeAll { $0 == story }
        case (5, _, let item?):
            let marks = [#"{"read":true}"#, #"{"read":false}"#, #"{"archived":true}"#, #"{"archived":false}"#]
            let body = marks[Int(generator.next() % 4)]
            _ = try await client.send(.patch, "\(notifications)/\(item)", as: "ben", body)
        case (6, _, let item?):
            let path = generator.next() % 2 == 0 ? "read-all" : "seen"
            _ = try await client.send(.post, "\(notifications)/\(path)", as: "ben", "{\"before\":\"\(item)\"}")
        case (7, _, _):
            let (now, ben) = (fixture.clock.now, ben)
            let family = try #require(FamilyID("whitfield"))
            let joins = generator.next() % 2 == 0
            try await fixture.library.store.write { transaction in
                if joins {
                    try transaction.saveMember(ben, of: family, role: .member, at: now)
                } else {
                    try transaction.removeMember(ben, of: family)
                }
            }
        case (8, _, _):
            let body = generator.next() % 2 == 0 ? #"{"preview":"full"}"# : #"{"preview":"count"}"#
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "ben", body)
        case (9, _, _) where generator.next() % 6 == 0:
            _ = try await client.send(.delete, "/v1/me/location-data", as: "ben")
        case (10, let story?, _):
            _ = try await client.send(.patch, "/v1/stories/\(story)", as: "ana", #"{"title":"Changed"}"#)
        default:
            _ = try await FeedWorld.tell(ben, in: fixture.library)
        }
    }

    @Test("PRV-01 Notifications of a story made private no longer count, and count again once it is visible")
    func madePrivate() async throws {
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "New", extra: #","privacy":"family_only""#)
            #expect(try await fixture.library.feed.keptBadge(of: ben).unread == 1)
            for (privacy, unread) in [("private", 0), ("family_only", 1), ("private", 0)] {
                let path = "/v1/stories/\(id)/privacy"
                let reply = try await client.send(.put, path, as: "ana", "{\"privacy\":\"\(privacy)\"}")
                #expect(reply.status == 200)
                #expect(try await fixture.library.feed.keptBadge(of: ben).unread == unread, "\(privacy)")
            }
        }
    }

    @Test("Beyond the maximum count the badge stays exact, even when the newest are read one by one")
    func many() async throws {
        try await fixture.run { client async throws in
            try await fill(1_600, of: try await stories(3, client))
            func agree() async throws -> FeedBadge {
                let kept = try await fixture.library.feed.keptBadge(of: ben)
                #expect(kept == (try await fixture.library.feed.badge(of: ben)))
                return kept
            }
            #expect(try await agree().unread == FeedBadge.most)
            let ids = try await fixture.library.store.read { [ben] in
                try $0.notices(of: ben, unreadOnly: true, after: nil, limit: 900).map(\.id)
            }
            for part in stride(from: 0, to: ids.count, by: 30) {
                let now = fixture.clock.now
                try await fixture.library.store.write { [ben] transaction in
                    for id in ids[part..<min(part + 30, ids.count)] {
                        _ = try transaction.mark(id, of: ben, .init(read: true), at: now)
                    }
                }
                fixture.clock.advance(seconds: 1)
                _ = try await agree()
            }
            let left = try await agree()
            #expect(left.unread < FeedBadge.most && left.unread >= 1_600 - ids.count && left.unseen == left.unread)
            let last = try #require(ids.first)
            _ = try await client.send(.post, "/v1/notifications/seen", as: "ben", "{\"before\":\"\(last)\"}")
            #expect(try await agree().unseen == 0)
        }
    }
}
