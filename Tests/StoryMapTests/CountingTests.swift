import Geometry
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Counting and listing")
struct CountingTests {
    @Test("MAP-02 Counts of random boxes match a scan of all stories", arguments: UInt64(0)..<10)
    func counts(seed: UInt64) {
        var world = StoryWorld(seed: seed, count: 400)
        let snapshot = mapped(world.stories)
        let oracle = BruteForceMap(world.stories)
        for _ in 0..<100 {
            let box = world.randomBox()
            let parts = world.randomQuery()
            #expect(snapshot.count(in: box, StoryQuery(parts)) == oracle.count(in: box, parts))
        }
    }

    @Test("MAP-09 Totals, lists, points and bounds match a scan of all stories", arguments: UInt64(0)..<10)
    func lists(seed: UInt64) {
        var world = StoryWorld(seed: seed, count: 300)
        let snapshot = mapped(world.stories)
        let oracle = BruteForceMap(world.stories)
        for _ in 0..<30 {
            let parts = world.randomQuery()
            let query = StoryQuery(parts)
            #expect(snapshot.total(query) == oracle.found(parts).count)
            #expect(snapshot.bounds(query) == oracle.bounds(parts))
            for box in [nil, world.randomBox()] {
                #expect(
                    allPages(limit: 17) { snapshot.stories(in: box, query, after: $0, limit: $1) }
                        == oracle.list(in: box, parts)
                )
            }
            for story in world.stories.prefix(40) {
                let isVisible = story.isVisible(to: parts.viewer)
                #expect(snapshot.contains(story.id, viewer: parts.viewer) == isVisible)
                #expect(
                    snapshot.point(of: story.id, viewer: parts.viewer)
                        == (isVisible ? story.point(for: parts.viewer) : nil)
                )
            }
        }
    }

    @Test(
        "MAP-07 MAP-08 Filtering many stories by facet lookup matches a scan of all stories",
        arguments: [3, 4]
    )
    func filtersOfMany(seed: UInt64) {
        var world = StoryWorld(seed: seed, count: 8_000)
        var generator = SplitMix64(seed: seed)
        // Days, years, and a few lives.
        let stories = world.stories.map { story in
            var story = story
            let first = Int32(generator.next() % 40_000) - 30_000
            let span = [0, 40, 364, 366, 9_000][Int(generator.next() % 5)]
            story.date = StoryDate(
                text: "then",
                first: CalendarDay(daysSince1970: first),
                last: CalendarDay(daysSince1970: first + Int32(span))
            )
            if story.id.low.isMultiple(of: 9) { story.date = nil }
            return story
        }
        let snapshot = mapped(stories)
        let oracle = BruteForceMap(stories)
        for turn in 0..<40 {
            var parts = world.randomQuery()
            // Few of them are looked up one by one, whatever else is asked for.
            parts.among = turn % 3 == 0 ? Set(stories.filter { $0.id.low.isMultiple(of: 20) }.map(\.id)) : nil
            if turn.isMultiple(of: 2) {
                let first = CalendarDay(daysSince1970: Int32(generator.next() % 50_000) - 35_000)
                let last = CalendarDay(daysSince1970: first.daysSince1970 + Int32(generator.next() % 2_000))
                (parts.filter.from, parts.filter.to) = (first, turn.isMultiple(of: 4) ? last : nil)
            }
            parts.filter.includesUndated = turn % 8 < 4
            let query = StoryQuery(parts)
            let box = world.randomBox()
            #expect(snapshot.count(in: .world, query) == oracle.count(in: .world, parts), "\(parts.filter)")
            #expect(snapshot.count(in: box, query) == oracle.count(in: box, parts), "\(parts.filter)")
            let markers = snapshot.markers(in: .world, zoom: 3, query)
            #expect(markers.reduce(0) { $0 + $1.count } == oracle.count(in: .world, parts))
            #expect(snapshot.bounds(query) == oracle.bounds(parts))
        }
    }

    @Test("A large box is listed in the same order as a small one")
    func bigBox() throws {
        var generator = SplitMix64(seed: 5)
        let points = (0..<5_000).map { _ in (latitude: generator.unit() * 10, longitude: generator.unit() * 10) }
        let stories = publicStories(at: points)
        let snapshot = mapped(stories)
        let parts = StoryQueryParts(viewer: .anonymous)
        let box = try #require(BoundingBox(west: 1, south: 1, east: 9, north: 9))
        let page = snapshot.stories(in: box, .everybody, limit: 100)
        #expect(page.ids == Array(BruteForceMap(stories).list(in: box, parts).prefix(100)))
        #expect(page.next?.id == page.ids.last)
    }

    @Test("MAP-11 Nearest stories and places match a scan of all stories", arguments: UInt64(0)..<6)
    func nearAndPlaces(seed: UInt64) {
        var world = StoryWorld(seed: seed, count: 200)
        let snapshot = mapped(world.stories)
        let oracle = BruteForceMap(world.stories)
        for _ in 0..<15 {
            let parts = world.randomQuery()
            let query = StoryQuery(parts)
            let box = world.randomBox()
            let near = snapshot.nearby(box.center, query, limit: 7)
            #expect(near.map(\.id) == Array(oracle.nearest(to: box.center, parts).prefix(7)))
            let places = oracle.places(parts)
            let expected = places.filter { box.contains($0.key.coordinate) }
            let found = snapshot.places(in: box, query)
            #expect(found.map(\.id) == expected.keys.sorted())
            for place in found {
                #expect(place.stories == expected[place.id])
                #expect(snapshot.stories(at: place.id, query) == expected[place.id])
            }
        }
    }

    @Test("LOC-08 Places for fences use published points and exclude the viewer's own stories")
    func publishedPlaces() throws {
        let world = StoryWorld(seed: 3, count: 400)
        let snapshot = mapped(world.stories)
        for viewer in world.viewers {
            var expected: [PlaceID: [StoryID]] = [:]
            for story in world.stories where story.isVisible(to: viewer) {
                let point = story.owner == viewer.user ? story.location?.coordinate : story.publishedPoint
                if let point { expected[PlaceID(point), default: []].append(story.id) }
            }
            let places = snapshot.places(in: .world, StoryQuery(viewer: viewer), asPublished: true)
            #expect(places.map(\.id) == expected.keys.sorted())
            for place in places { #expect(place.stories == expected[place.id]?.sorted()) }
        }
    }

    @Test("An empty index returns empty answers")
    func empty() {
        let snapshot = MapIndex(digestKey: testKey).snapshot()
        #expect(snapshot.count(in: .world, .everybody) == 0)
        #expect(snapshot.total(.everybody) == 0)
        #expect(snapshot.bounds(.everybody) == nil)
        #expect(snapshot.markers(in: .world, zoom: 3, .everybody).isEmpty)
        #expect(snapshot.stories(.everybody, limit: 20) == StoryPage(ids: [], next: nil))
        #expect(snapshot.nearby(BoundingBox.world.center, .everybody, limit: 3).isEmpty)
        #expect(snapshot.version(for: .anonymous) == .zero)
    }
}

/// All ids of a paged list.
func allPages(limit: Int, _ page: (ListCursor?, Int) -> StoryPage) -> [StoryID] {
    var ids: [StoryID] = []
    var cursor: ListCursor?
    repeat {
        let next = page(cursor, limit)
        ids += next.ids
        cursor = next.next
    } while cursor != nil
    return ids
}
