import Library
import App
import Formats
import Foundation
import Geofencing
import Geometry
import HTTPTypes
import Importing
import Logging
import Notifications
import Storage
import Stories
import StoryMap
import Testing
import TestSupport

@Suite("The library")
struct LibraryTests {
    private func read(_ text: String, owner: String = "archive") throws -> [ImportedStory] {
        var options = StoryImporter.Options(owner: try #require(UserID(owner)))
        options.source = "file"
        return StoryImporter(options: options).read(Array(text.utf8), fileName: "file.csv").stories
    }

    @Test("REL-06 Repeating an import changes nothing and keeps manual changes")
    func importing() async throws {
        let fixture = try await ServiceFixture()
        let rows = "id,title,lat,lon\n1,One,33.7,-84.3\n2,Two,33.8,-84.4\n"
        #expect(try await fixture.library.imports.add(read(rows)) == ImportOutcome(created: 2))
        #expect(try await fixture.library.imports.add(read(rows)) == ImportOutcome(unchanged: 2))
        let query = StoryQuery(viewer: .anonymous)
        #expect(fixture.library.map.snapshot().total(query) == 2)
        let changed = rows.replacing("One", with: "Uno")
        #expect(try await fixture.library.imports.add(read(changed)) == ImportOutcome(updated: 1, unchanged: 1))
        let id = try #require(
            fixture.library.map.snapshot().stories(query, limit: 10).ids
                .first { id in
                    fixture.library.map.snapshot().point(of: id, viewer: .anonymous)?.latitude == 33.7
                }
        )
        let edited = try #require(try await fixture.library.store.read { try $0.story(id) })
        #expect(edited.title == "Uno")
        try await fixture.library.store.write { transaction in
            var story = edited
            story.title = "By hand"
            try transaction.update(story)
        }
        #expect(try await fixture.library.imports.add(read(changed)) == ImportOutcome(unchanged: 2))
        #expect(try await fixture.library.store.read { try $0.story(id) }?.title == "By hand")
    }

    @Test("PRV-01 LOC-08 A changed row never undoes visibility or place precision")
    func importKeepsPrivacy() async throws {
        let fixture = try await ServiceFixture()
        let rows = "id,title,lat,lon\n1,One,33.7,-84.3\n"
        _ = try await fixture.library.imports.add(read(rows))
        let all = try await fixture.library.store.read { transaction in
            var all: [Story] = []
            try transaction.forEachStory { all.append($0) }
            return all
        }
        var story = try #require(all.first)
        story.privacy = .private
        story.location?.precision = .hidden
        let closed = story
        try await fixture.library.store.write { try $0.update(closed) }
        #expect(
            try await fixture.library.imports.add(read(rows.replacing("One", with: "Uno"))) == ImportOutcome(updated: 1)
        )
        let read = try #require(try await fixture.library.store.read { try $0.story(closed.id) })
        #expect(read.title == "Uno" && read.privacy == .private && read.location?.precision == .hidden)
    }

    @Test("PRV-07 LOC-02 The next import does not restore a deleted story or a removed location")
    func importBringsNothingBack() async throws {
        let fixture = try await ServiceFixture()
        let rows = "id,title,lat,lon\n1,One,33.7,-84.3\n2,Two,33.8,-84.4\n"
        _ = try await fixture.library.imports.add(read(rows))
        let ids = fixture.library.map.snapshot().stories(StoryQuery(viewer: .anonymous), limit: 10).ids
        try await fixture.library.store.write { transaction in
            try transaction.deleteStory(ids[0])
            var story = try #require(try transaction.story(ids[1]))
            story.location = nil
            try transaction.update(story)
        }
        let changed = rows.replacing("One", with: "Uno").replacing("Two", with: "Due")
        #expect(try await fixture.library.imports.add(read(changed)) == ImportOutcome(updated: 1, unchanged: 1))
        let (gone, kept) = try await fixture.library.store.read { (try $0.story(ids[0]), try $0.story(ids[1])) }
        #expect(gone == nil)
        #expect(kept != nil && kept?.location == nil)
    }

    @Test("PRV-03 All stories of a file have the same age: their times do not count stories in between")
    func importTimes() async throws {
        let fixture = try await ServiceFixture()
        let rows = "id,title,privacy\n1,One,public\n2,Two,private\n3,Three,public\n"
        _ = try await fixture.library.imports.add(read(rows))
        let times = try await fixture.library.store.read { transaction in
            var times: Set<Timestamp> = []
            try transaction.forEachStory { times.insert($0.createdAt) }
            return times
        }
        #expect(times == [fixture.clock.now])
    }

    @Test("A dry run counts and stores nothing")
    func dryRun() async throws {
        let fixture = try await ServiceFixture()
        let rows = try read("title,lat,lon\nOne,33.7,-84.3\n")
        #expect(try await fixture.library.imports.add(rows, dryRun: true) == ImportOutcome(created: 1))
        #expect(fixture.library.map.snapshot().total(StoryQuery(viewer: .anonymous)) == 0)
        #expect(try await fixture.library.imports.add(rows) == ImportOutcome(created: 1))
    }

    @Test("The index built at startup equals the incrementally updated one, including its version")
    func rebuilding() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for number in 0..<30 {
                let levels = ["public", "family_only", "private"]
                _ = try await client.create(
                    as: "ana",
                    title: "\(number)",
                    latitude: Double(number),
                    extra: ",\"privacy\":\"\(levels[number % 3])\""
                )
            }
            let list = try await client.get("/v1/stories?limit=5", as: "ana")
            for feature in list.json["features"]?.array ?? [] {
                let id = feature["id"]?.string ?? ""
                _ = try await client.send(.delete, "/v1/stories/\(id)/location", as: "ana")
            }
        }
        let again = try await StoryLibrary(store: fixture.library.store, gazetteer: nil, now: { fixture.clock.now })
        for name in ["ana", "ben", "cora"] {
            let user = try #require(UserID(name))
            let viewer = try #require(try await again.viewer(of: user))
            let (old, new) = (fixture.library.map.snapshot(), again.map.snapshot())
            #expect(old.version(for: viewer) == new.version(for: viewer))
            let query = StoryQuery(viewer: viewer)
            #expect(old.stories(query, limit: 100).ids == new.stories(query, limit: 100).ids)
            #expect(old.markers(in: .world, zoom: 4, query) == new.markers(in: .world, zoom: 4, query))
        }
    }

    /// A walk of 20 minutes straight north at 1.4 m/s past places 200 m apart, one fix in five seconds.
    private func walk() throws -> [[Fix]] {
        let start = try #require(Coordinate(latitude: 33.7, longitude: -84.39))
        return [
            (0..<240)
                .map { step in
                    Fix(
                        time: 1_795_000_000_000 + Int64(step) * 5_000,
                        coordinate: GreatCircle.destination(from: start, bearing: 0, distance: Double(step) * 7),
                        accuracy: 6,
                        isSimulated: true
                    )
                }
        ]
    }

    private func placeStoriesAlongTheWalk(_ client: Client) async throws {
        for place in 1...5 {
            let latitude = 33.7 + Double(place) * 300 / GreatCircle.metresPerDegree
            for number in 0..<2 {
                _ = try await client.create(
                    as: "cora",
                    title: "\(place)-\(number)",
                    latitude: latitude,
                    longitude: -84.39
                )
            }
        }
    }

    @Test("NTF-10 A replay for a user announces each place once, and nothing the second time")
    func replayForUser() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let (walk, user) = (try walk(), try #require(UserID("ana")))
        try await fixture.run { client async throws in
            try await placeStoriesAlongTheWalk(client)
            var options = ReplayOptions()
            #expect(try await fixture.library.fences.replay(walk, for: user, options: options).isMonitoring == false)
            _ = try await client.send(
                .put,
                "/v1/me/notification-settings",
                as: "ana",
                "{\"enabled\":true,\"radius\":100}"
            )
            options.isDryRun = true
            let dry = try await fixture.library.fences.replay(walk, for: user, options: options)
            options.isDryRun = false
            let first = try await fixture.library.fences.replay(walk, for: user, options: options)
            #expect(first.notices.count == 5)
            #expect(first.notices.allSatisfy { $0.content.count == 2 && $0.isSimulated })
            #expect(dry.notices.map(\.id) == first.notices.map(\.id))
            #expect(try await fixture.library.fences.replay(walk, for: user, options: options).notices.isEmpty)
            let feed = try await client.get("/v1/notifications", as: "ana").json["notifications"]?.array ?? []
            #expect(feed.compactMap { $0["id"]?.string } == first.notices.map(\.id).reversed())
        }
    }

    @Test("NTF-10 A replay without a user always gives the same bytes and writes nothing")
    func anonymousReplay() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let walk = try walk()
        try await fixture.run { client async throws in
            try await placeStoriesAlongTheWalk(client)
            _ = try await client.create(
                as: "ana",
                title: "Private",
                latitude: 33.701,
                longitude: -84.39,
                extra: ",\"privacy\":\"private\""
            )
            var options = ReplayOptions()
            options.radius = 100
            let runs = [
                try await fixture.library.fences.replayAnonymously(walk, options: options),
                try await fixture.library.fences.replayAnonymously(walk, options: options),
            ]
            #expect(runs[0].notices.count == 5)
            #expect(lines(runs[0].notices) == lines(runs[1].notices))
        }
    }

    private func lines(_ notices: [FeedItem]) -> String {
        var json = JSONWriter()
        for notice in notices { NoticeJSON.writeLine(notice, to: &json) }
        return json.text
    }

    @Test("The demo has three users, two families and at least 120 stories of all levels, and loads once")
    func demo() async throws {
        let fixture = try await ServiceFixture()
        let demo = try Demo(folders: DataFolders(), keys: fixture.library.store.keys, now: fixture.clock.now)
        #expect(demo.users.map(\.id.rawValue) == ["ana", "ben", "cora"])
        try await demo.load(into: fixture.library)
        try await demo.load(into: fixture.library)
        let counts = try await fixture.library.store.read { transaction in
            var counts: [Privacy: Int] = [:]
            try transaction.forEachStory { counts[$0.privacy, default: 0] += 1 }
            return counts
        }
        #expect(counts.values.reduce(0, +) >= 120)
        #expect(Privacy.allCases.allSatisfy { counts[$0, default: 0] >= 10 })
        let user = try #require(UserID("ben"))
        let ben = try #require(try await fixture.library.viewer(of: user))
        #expect(ben.kin.map(\.rawValue) == ["ana"])
        let illustrated = try await fixture.library.store.read { transaction in
            var illustrated: [Story] = []
            try transaction.forEachStory { if $0.picture != nil { illustrated.append($0) } }
            return illustrated
        }
        #expect((6...10).contains(illustrated.count) && illustrated.allSatisfy { $0.alt?.isEmpty == false })
        for story in illustrated {
            #expect(story.picture?.width == 400 && story.picture?.height == 300)
            #expect(try await fixture.library.pictures.picture(of: story.id, viewer: .anonymous)?.isEmpty == false)
        }
    }
}
