import Geometry
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Privacy of the map")
struct PrivacyTests {
    @Test("PRV-03 Stories the viewer may not see do not change any answer", arguments: 0..<7)
    func nonInterference(viewer number: Int) throws {
        for seed in UInt64(0)..<4 {
            var world = StoryWorld(seed: seed, count: 250)
            let viewer = world.viewers[number]
            let whole = MapIndex(digestKey: testKey)
            whole.load(world.stories)
            // Hidden stories also come and go.
            let late = (0..<40).map { _ in world.randomStory() }.filter { !$0.isVisible(to: viewer) }
            whole.apply(late.map(StoryEvent.put))
            whole.apply(late.prefix(10).map { StoryEvent.remove($0.id) })
            let seen = mapped(world.stories.filter { $0.isVisible(to: viewer) })
            let all = whole.snapshot()
            #expect(all.version(for: viewer) == seen.version(for: viewer))
            for _ in 0..<6 {
                var parts = world.randomQuery()
                parts.viewer = viewer
                let query = StoryQuery(parts)
                let box = world.randomBox()
                #expect(all.total(query) == seen.total(query))
                #expect(all.count(in: box, query) == seen.count(in: box, query))
                #expect(all.bounds(query) == seen.bounds(query))
                #expect(all.stories(query, limit: 20) == seen.stories(query, limit: 20))
                #expect(all.stories(in: box, query, limit: 20) == seen.stories(in: box, query, limit: 20))
                #expect(all.places(in: box, query) == seen.places(in: box, query))
                #expect(all.nearby(box.center, query, limit: 5) == seen.nearby(box.center, query, limit: 5))
                for zoom in [0, 3, 8, 15] {
                    let markers = all.markers(in: box, zoom: zoom, query)
                    #expect(markers == seen.markers(in: box, zoom: zoom, query))
                    for marker in markers.prefix(2) {
                        let id = marker.clusterID
                        #expect(all.children(of: id, query) == seen.children(of: id, query))
                        #expect(all.stories(of: id, query, limit: 9) == seen.stories(of: id, query, limit: 9))
                    }
                }
            }
        }
    }

    @Test(
        "PRV-03 A filter finds few stories among many without those the viewer may not see",
        arguments: 0..<7
    )
    func someOfMany(viewer number: Int) {
        var world = StoryWorld(seed: 11, count: 7_000)
        let viewer = world.viewers[number]
        let all = mapped(world.stories)
        let visible = world.stories.filter { $0.isVisible(to: viewer) }
        let seen = mapped(visible)
        for turn in 0..<30 {
            var parts = world.randomQuery()
            parts.viewer = viewer
            parts.among = Set(visible.filter { $0.id.low % 40 == UInt64(turn) }.map(\.id))
            let query = StoryQuery(parts)
            #expect(all.count(in: .world, query) == BruteForceMap(visible).count(in: .world, parts), "\(parts.filter)")
            #expect(all.count(in: .world, query) == seen.count(in: .world, query))
            #expect(all.markers(in: .world, zoom: 3, query) == seen.markers(in: .world, zoom: 3, query))
            #expect(all.bounds(query) == seen.bounds(query))
        }
    }

    /// So many stories that they are found by what they have in common, and few that are compared one by one.
    @Test(
        "PRV-02 Filtering by an owner of invisible stories takes the same work as by an unknown owner",
        arguments: [8_000, 800]
    )
    func equalWork(count: Int) throws {
        let names = ["ana", "ben", "cora", "dan"]
        let users = try names.map { try #require(UserID($0)) }
        let levels: [Privacy] = [.private, .public, .familyOnly, .public]
        let stories = (0..<count)
            .map { number -> Story in
                var story = Story(
                    id: StoryID(high: 9, low: SplitMix64.mix(UInt64(number))),
                    kind: .photo,
                    title: "Story",
                    owner: users[number % 4],
                    createdAt: Timestamp(milliseconds: Int64(number))
                )
                story.privacy = levels[number % 4]
                let degrees = Double(number) / Double(count)
                story.location = StoryLocation(coordinate: Coordinate(wrappingLatitude: degrees, longitude: degrees))
                return story
            }
        let snapshot = mapped(stories)
        for viewer in [Viewer.anonymous, Viewer(user: try #require(UserID("eva")))] {
            func effort(_ name: String) throws -> FilterEffort {
                var filter = StoryFilter()
                filter.owners = [try #require(UserID(name))]
                let query = StoryQuery(viewer: viewer, filter: filter)
                #expect((snapshot.bounds(query) != nil) == (name == "ben" || name == "dan"))
                return snapshot.effort(query)
            }
            let unknown = try effort("nobody")
            #expect(try effort("ana") == unknown && effort("cora") == unknown)
            // What is counted is the work: somebody whose stories can be seen is more of it, or all are compared.
            #expect(unknown.lists + unknown.compared > 0)
            let visible = try effort("ben")
            #expect(visible.listed == (unknown.lists > 0 ? count / 4 : 0) && visible.compared == unknown.compared)
        }
    }

    @Test("PRV-02 LOC-08 At every precision, each viewer sees their version of the point, once")
    func precisions() throws {
        let world = StoryWorld(seed: 1, count: 1)
        let ana = try #require(UserID("ana"))
        let north = try #require(FamilyID("north"))
        let point = try #require(Coordinate(latitude: 33.7554, longitude: -84.3736))
        let precisions: [LocationPrecision] = [.exact, .hidden] + PublishedCell.allCases.map { .approximate($0) }
        for privacy in Privacy.allCases {
            for precision in precisions {
                for (familySeesExact, family) in [(false, nil), (true, nil), (false, north), (true, north)] {
                    let id = StoryID(high: 1, low: 1)
                    var story = Story(
                        id: id,
                        kind: .photo,
                        title: "A",
                        owner: ana,
                        createdAt: Timestamp(milliseconds: 0)
                    )
                    story.privacy = privacy
                    story.family = family
                    story.location = StoryLocation(
                        coordinate: point,
                        precision: precision,
                        familySeesExact: familySeesExact
                    )
                    let snapshot = mapped([story])
                    for viewer in world.viewers {
                        let expected = story.isVisible(to: viewer) ? story.point(for: viewer) : nil
                        let query = StoryQuery(viewer: viewer)
                        #expect(snapshot.point(of: id, viewer: viewer) == expected)
                        #expect(snapshot.count(in: .world, query) == (expected == nil ? 0 : 1))
                        let markers = snapshot.markers(in: .world, zoom: 12, query)
                        #expect(markers.map(\.position) == (expected.map { [$0] } ?? []))
                        #expect(snapshot.total(query) == (story.isVisible(to: viewer) ? 1 : 0))
                    }
                }
            }
        }
    }
}
