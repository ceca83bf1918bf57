import Geometry
import Stories
import StoryMap
import Synchronization
import TestSupport
import Testing

@Suite("Stories with several places")
struct FurtherPlaceTests {
    @Test("LOC-10 Counts, lists, bounds and places match a scan of all places", arguments: UInt64(0)..<12)
    func lists(seed: UInt64) {
        var world = PlacedWorld(seed: seed, count: 250)
        let snapshot = world.index.snapshot()
        for turn in 0..<25 {
            var parts = world.world.randomQuery()
            parts.filter.includesUndated = turn.isMultiple(of: 2)
            checkLists(snapshot, world, parts, box: world.world.randomBox())
        }
    }

    private func checkLists(_ snapshot: MapSnapshot, _ world: PlacedWorld, _ parts: StoryQueryParts, box: BoundingBox) {
        let query = StoryQuery(parts)
        let oracle = PlacedOracle(world, parts)
        #expect(snapshot.total(query) == oracle.matching.count)
        for box in [box, .world] {
            #expect(snapshot.count(in: box, query) == oracle.stories(in: box).count)
            #expect(snapshot.placeCount(in: box, query) == oracle.places(in: box))
        }
        #expect(snapshot.bounds(query) == BruteForceMap.smallestBox(around: oracle.shown.map(\.point)))
        for box in [nil, box] {
            let list = oracle.list(in: box)
            #expect(allPages(limit: 13) { snapshot.stories(in: box, query, after: $0, limit: $1) } == list)
            let dated = allPages(limit: 13) { snapshot.stories(in: box, query, order: .date, after: $0, limit: $1) }
            #expect(dated.count == list.count && Set(dated) == Set(list))
            let near = ListOrder.nearest((box ?? .world).center)
            #expect(
                allPages(limit: 9) { snapshot.stories(in: box, query, order: near, after: $0, limit: $1) }
                    == oracle.nearest(to: (box ?? .world).center, in: box ?? .world).map(\.story.id)
            )
        }
        let further = Dictionary(grouping: oracle.shown.filter { $0.place != nil }) { $0.story.id }
        #expect(snapshot.furtherPlaceCounts(query) == further.mapValues(\.count))
        let placed = Set(oracle.shown.map(\.story.id))
        let unplaced = oracle.list(in: nil).filter { !placed.contains($0) }
        #expect(allPages(limit: 13) { snapshot.unplaced(query, after: $0, limit: $1) } == unplaced)
        #expect(snapshot.unplacedCount(query) == unplaced.count)
        for box in [box, .world] {
            let inside = Set(oracle.list(in: box))
            let either = oracle.list(in: nil).filter { inside.contains($0) || !placed.contains($0) }
            let found = allPages(limit: 13) {
                snapshot.stories(in: box, query, includingUnplaced: true, after: $0, limit: $1)
            }
            #expect(found == either)
        }
        let near = snapshot.nearby(box.center, query, limit: 6)
        let nearest = oracle.nearest(to: box.center).prefix(6)
        #expect(near.map(\.id) == nearest.map(\.story.id))
        #expect(near.map(\.place) == nearest.map(\.place))
        #expect(near.map(\.point) == nearest.map(\.point))
        let places = oracle.byPlace.filter { box.contains($0.key.coordinate) }
        #expect(snapshot.places(in: box, query).map(\.id) == places.keys.sorted())
        let fenced = snapshot.places(in: box, query, asPublished: true)
        let expected = oracle.fenced.filter { $0.value.isFound(in: box, at: $0.key) }
        #expect(fenced.map(\.id) == expected.keys.sorted())
        #expect(fenced.allSatisfy { $0.stories == expected[$0.id]?.stories && $0.further == expected[$0.id]?.further })
        #expect(fenced.allSatisfy { ($0.outline == nil) == (expected[$0.id]?.boxes.isEmpty ?? false) })
        for few in [0, 2] {
            let smallest = snapshot.places(in: box, query, asPublished: true, mostOutlines: few)
            #expect(smallest.filter { $0.outline == nil } == fenced.filter { $0.outline == nil })
            let (kept, all) = (smallest.compactMap { $0.outline?.box }, fenced.compactMap { $0.outline?.box })
            #expect(kept.count == min(few, all.count))
            // Of several at one place, any of their boxes may count.
            guard expected.values.allSatisfy({ $0.boxes.count < 2 }) else { continue }
            let areas = all.map { $0.width * $0.height }.sorted().prefix(few)
            #expect(kept.map { $0.width * $0.height }.sorted() == Array(areas))
        }
        for place in snapshot.places(in: box, query).prefix(20) {
            #expect(place.stories == places[place.id])
            #expect(snapshot.stories(at: place.id, query) == places[place.id])
        }
        for story in world.stories.values.sorted(by: { $0.id < $1.id }).prefix(30) {
            let shown = snapshot.places(of: story.id, viewer: parts.viewer)
            let expected = world.shown(story, parts.viewer)
            #expect(shown.map(\.place) == expected.map(\.place) && shown.map(\.point) == expected.map(\.point))
            let own = expected.first { $0.place == nil }
            #expect(snapshot.point(of: story.id, viewer: parts.viewer) == own?.point)
        }
    }

    @Test("LOC-10 MAP-12 Histograms and counts of attributes count a story once", arguments: UInt64(0)..<8)
    func attributes(seed: UInt64) {
        var world = PlacedWorld(seed: seed, count: 250)
        let snapshot = world.index.snapshot()
        for _ in 0..<12 {
            var parts = world.world.randomQuery()
            (parts.filter.from, parts.filter.to, parts.filter.kinds) = (nil, nil, [])
            for box in [nil, .world, world.world.randomBox()] {
                checkAttributes(snapshot, world, parts, box: box)
            }
        }
    }

    private func checkAttributes(
        _ snapshot: MapSnapshot,
        _ world: PlacedWorld,
        _ parts: StoryQueryParts,
        box: BoundingBox?
    ) {
        let query = StoryQuery(parts)
        let stories = PlacedOracle(world, parts).stories(in: box)
        let histogram = snapshot.histogram(in: box, query, bins: 5)
        let dated = stories.filter { $0.times(for: parts.viewer).date?.first != nil }.count
        #expect(histogram.total == dated && histogram.undated == stories.count - dated)
        for bin in histogram.bins {
            var parts = parts
            (parts.filter.from, parts.filter.to) = (bin.days.lowerBound, bin.days.upperBound)
            #expect(bin.count == PlacedOracle(world, parts).stories(in: box).count)
        }
        let facets = snapshot.facets(FacetChoice([.kinds, .tags], limit: 50), in: box, FacetQuery(query))
        #expect(facets.total == stories.count)
        let kinds = Dictionary(grouping: stories, by: \.kind.rawValue).mapValues(\.count)
        let found = facets.values[.kinds]?.entries ?? []
        #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.value, $0.count) }) == kinds)
    }

    @Test("LOC-10 MAP-03 Markers count the stories and the places they stand for", arguments: 0...20)
    func markers(zoom: Int) throws {
        var world = PlacedWorld(seed: UInt64(zoom), count: 100)
        let snapshot = world.index.snapshot()
        // The anonymous viewer, one of the owners, and a stranger.
        for viewer in [0, 1 + zoom % 5, 6].map({ world.world.viewers[$0] }) {
            var parts = world.world.randomQuery()
            parts.viewer = viewer
            let query = StoryQuery(parts)
            let oracle = PlacedOracle(world, parts)
            let markers = snapshot.markers(in: .world, zoom: zoom, query)
            // Whose marker a place is follows from its cell; who is counted there is found the obvious way.
            var expected: [ClusterID: [PlacedOracle.Shown]] = [:]
            for shown in oracle.shown {
                let id = try #require(snapshot.markerIDs(of: [shown.point], zoom: zoom, query)[0])
                expected[id, default: []].append(shown)
            }
            #expect(markers.map(\.clusterID) == expected.keys.sorted())
            for marker in markers {
                let shown = try #require(expected[marker.clusterID])
                let stories = Set(shown.map(\.story.id))
                #expect(marker.count == stories.count && marker.places == shown.count)
                let page = try #require(snapshot.stories(of: marker.clusterID, query, limit: 500))
                #expect(page.ids.count == stories.count && Set(page.ids) == stories)
                try check(marker, shown: shown, stories: stories)
            }
            checkParts(snapshot, query, zoom: zoom, whole: markers)
        }
    }

    private func check(_ marker: Marker, shown: [PlacedOracle.Shown], stories: Set<StoryID>) throws {
        // The 180th meridian may be written with either sign.
        #expect(shown.allSatisfy { marker.bounds.contains($0.point) || abs($0.point.longitude) == 180 })
        let spots = Set(
            [(marker.bounds.south, marker.bounds.west), (marker.bounds.north, marker.bounds.east)]
                .map {
                    PlaceID(Coordinate(wrappingLatitude: $0.0, longitude: $0.1))
                }
        )
        #expect((marker.single != nil) == (stories.count == 1 && spots.count == 1))
        #expect(marker.isStacked == (stories.count > 1 && spots.count == 1))
        guard let single = marker.single else { return }
        #expect(stories == [single.id])
        let own = StoryID(high: 0, low: 0)
        #expect((single.further ?? own) == shown.map { $0.place ?? own }.min())
    }

    /// The tiles and any boxes have the same markers as the world.
    private func checkParts(_ snapshot: MapSnapshot, _ query: StoryQuery, zoom: Int, whole: [Marker]) {
        var generator = SplitMix64(seed: UInt64(zoom))
        var parted: [Marker] = []
        for box in worldTiling(columns: 4, rows: 3, using: &generator) {
            parted += snapshot.markers(in: box, zoom: zoom, query)
        }
        #expect(parted.sorted { $0.clusterID < $1.clusterID } == whole)
        for marker in whole.prefix(5) {
            let near = BoundingBox(marker.position).expanded(byMetres: 5)
            #expect(snapshot.markers(in: near, zoom: zoom, query).contains(marker))
            guard marker.expansionZoom <= MapSnapshot.maximumZoom else { continue }
            let children = snapshot.children(of: marker.clusterID, query) ?? []
            #expect(children.reduce(0) { $0 + $1.places } >= marker.places)
        }
    }

    @Test("LOC-02 LOC-10 Any sequence of changes gives the same index as rebuilding it", arguments: UInt64(0)..<6)
    func changes(seed: UInt64) {
        var world = PlacedWorld(seed: seed, count: 120)
        var generator = SplitMix64(seed: seed + 50)
        let work = Mutex<[@Sendable () -> Void]>([])
        // Half of the worlds are merged at once, the other half late.
        let index = MapIndex(digestKey: testKey, mostAtOnce: seed % 2 == 0 ? 8_192 : 4) { task in
            work.withLock { $0.append(task) }
        }
        let load = index.beginLoad()
        load.add(Array(world.stories.values)) { world.further($0) }
        index.finish(load)
        for round in 0..<40 {
            var changes: [StoryEvent] = []
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let known = world.stories.keys.sorted().randomElement(using: &generator)
                if let known, Int.random(in: 0..<4, using: &generator) == 0 {
                    world.remove(known)
                    changes.append(.remove(known))
                } else {
                    let story = world.world.randomStory(id: Bool.random(using: &generator) ? known : nil)
                    world.put(story)
                    changes.append(.put(story))
                }
            }
            index.apply(changes) { world.further($0) }
            compare(index.snapshot(), world.index.snapshot(), world: &world)
            guard round % 5 == 0 else { continue }
            let tasks = work.withLock { work in
                defer { work = [] }
                return work
            }
            for task in tasks { task() }
            compare(index.snapshot(), world.index.snapshot(), world: &world)
            checkLists(index.snapshot(), world, world.world.randomQuery(), box: world.world.randomBox())
        }
    }

    @Test("PRV-03 LOC-10 Hidden stories and hidden further places do not change any answer", arguments: 0..<7)
    func nonInterference(viewer number: Int) {
        for seed in UInt64(0)..<4 {
            var world = PlacedWorld(seed: seed, count: 220)
            let viewer = world.world.viewers[number]
            let seen = world.seen(by: viewer)
            #expect(seen.further.values.joined().count < world.further.values.joined().count)
            for _ in 0..<8 { compare(world.index.snapshot(), seen.index.snapshot(), world: &world, viewer: viewer) }
        }
    }

    /// Compares everything that two snapshots answer to one viewer.
    private func compare(_ a: MapSnapshot, _ b: MapSnapshot, world: inout PlacedWorld, viewer: Viewer? = nil) {
        var parts = world.world.randomQuery()
        if let viewer { parts.viewer = viewer }
        let query = StoryQuery(parts)
        let box = world.world.randomBox()
        #expect(a.version(for: parts.viewer) == b.version(for: parts.viewer))
        #expect(a.total(query) == b.total(query))
        #expect(a.count(in: box, query) == b.count(in: box, query))
        #expect(a.placeCount(in: box, query) == b.placeCount(in: box, query))
        #expect(a.furtherPlaceCounts(query) == b.furtherPlaceCounts(query))
        #expect(a.bounds(query) == b.bounds(query))
        #expect(a.stories(query, limit: 20) == b.stories(query, limit: 20))
        #expect(a.stories(in: box, query, limit: 20) == b.stories(in: box, query, limit: 20))
        #expect(a.places(in: box, query) == b.places(in: box, query))
        #expect(a.places(in: box, query, asPublished: true) == b.places(in: box, query, asPublished: true))
        #expect(a.nearby(box.center, query, limit: 5) == b.nearby(box.center, query, limit: 5))
        #expect(a.histogram(in: box, query, bins: 7) == b.histogram(in: box, query, bins: 7))
        let choice = FacetChoice([.kinds, .tags, .owners, .views, .families], limit: 9)
        #expect(a.facets(choice, in: box, FacetQuery(query)) == b.facets(choice, in: box, FacetQuery(query)))
        for zoom in [0, 2, 6, 12, 17] {
            let markers = a.markers(in: box, zoom: zoom, query)
            #expect(markers == b.markers(in: box, zoom: zoom, query))
            for marker in markers.prefix(2) {
                let id = marker.clusterID
                #expect(a.children(of: id, query) == b.children(of: id, query))
                #expect(a.stories(of: id, query, limit: 9) == b.stories(of: id, query, limit: 9))
            }
        }
        for id in world.stories.keys.sorted().prefix(20) {
            #expect(a.places(of: id, viewer: parts.viewer) == b.places(of: id, viewer: parts.viewer))
        }
    }
}
