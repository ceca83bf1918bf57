import Geometry
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Markers")
struct MarkerTests {
    @Test("MAP-03 Markers of boxes that tile the world add up to all located stories", arguments: 0...20)
    func sums(zoom: Int) {
        var world = StoryWorld(seed: UInt64(zoom), count: 250)
        var generator = SplitMix64(seed: UInt64(zoom) + 100)
        let snapshot = mapped(world.stories)
        let oracle = BruteForceMap(world.stories)
        for _ in 0..<3 {
            let parts = world.randomQuery()
            let query = StoryQuery(parts)
            let expected = oracle.located(parts).count
            let whole = snapshot.markers(in: .world, zoom: zoom, query)
            #expect(whole.reduce(0) { $0 + $1.count } == expected)
            var parted: [Marker] = []
            for box in worldTiling(columns: 5, rows: 4, using: &generator) {
                parted += snapshot.markers(in: box, zoom: zoom, query)
            }
            #expect(parted.sorted { $0.clusterID < $1.clusterID } == whole)
        }
    }

    @Test("MAP-04 Small boxes have the markers of the world, also of stories that are just within reach of each other")
    func diagonals() {
        let zoom = 12
        // Pairs on both sides of a whole cell of 32 pixels: two cells across, two down, and 45.25 to 46 pixels apart.
        let (cell, pairs) = (UInt32(1) << UInt32(28 - zoom), UInt32(0)..<40)
        let corners = pairs.flatMap { pair -> [MercatorPoint] in
            let (x, y) = ((1 << 15 + pair * 20) * cell, (1 << 15 + pair * 11) * cell)
            let gap = 16 * (pair + 1)
            return [MercatorPoint(x: x - gap, y: y - gap), MercatorPoint(x: x + cell + gap, y: y + cell + gap)]
        }
        var generator = SplitMix64(seed: 46)
        let stories = corners.map { corner in
            var story = Story(
                id: StoryID(using: &generator),
                kind: .photo,
                title: "Corner",
                owner: .archive,
                createdAt: Timestamp(milliseconds: 0)
            )
            story.location = StoryLocation(coordinate: corner.coordinate)
            return story
        }
        let snapshot = mapped(stories)
        let query = StoryQuery(viewer: .anonymous)
        let whole = snapshot.markers(in: .world, zoom: zoom, query)
        var parted: [Marker] = []
        for box in worldTiling(columns: 16, rows: 16, using: &generator) {
            parted += snapshot.markers(in: box, zoom: zoom, query)
        }
        var near: [Marker] = []
        for corner in corners {
            let (here, reach) = (corner.coordinate, 0.0004)
            let box = BoundingBox(
                west: here.longitude - reach,
                south: here.latitude - reach,
                east: here.longitude + reach,
                north: here.latitude + reach
            )
            near += box.map { snapshot.markers(in: $0, zoom: zoom, query) } ?? []
        }
        #expect(parted.sorted { $0.clusterID < $1.clusterID } == whole)
        #expect(near.allSatisfy(whole.contains) && near.count > pairs.count)
    }

    @Test("MAP-03 Full tile pyramids add up to all located stories", arguments: 0...4)
    func pyramid(zoom: Int) {
        let world = StoryWorld(seed: 77, count: 200)
        let snapshot = mapped(world.stories)
        let query = StoryQuery(viewer: world.viewers[2])
        var sum = 0
        for column in 0..<1 << zoom {
            for row in 0..<1 << zoom {
                sum += snapshot.markers(inTile: column, row: row, zoom: zoom, query).reduce(0) { $0 + $1.count }
            }
        }
        let parts = StoryQueryParts(viewer: world.viewers[2])
        #expect(sum == BruteForceMap(world.stories).located(parts).count)
    }

    @Test("MAP-03 Deep tiles around all points add up to all stories", arguments: 5...20)
    func deepPyramid(zoom: Int) {
        let stories = StoryWorld(seed: 78, count: 30).stories
        let snapshot = mapped(stories)
        let parts = StoryQueryParts(viewer: .anonymous)
        let located = BruteForceMap(stories).located(parts)
        let count = 1 << zoom
        var tiles: Set<[Int]> = []
        for (_, point) in located {
            let unit = MercatorPoint(point)
            for dx in -1...1 {
                for dy in -1...1 {
                    let column = (Int(unit.x >> UInt32(32 - zoom)) + dx + count) % count
                    tiles.insert([column, Int(unit.y >> UInt32(32 - zoom)) + dy])
                }
            }
        }
        let sum = tiles.reduce(0) { sum, tile in
            snapshot.markers(inTile: tile[0], row: tile[1], zoom: zoom, .everybody).reduce(sum) { $0 + $1.count }
        }
        #expect(sum == located.count)
    }

    @Test("MAP-04 Markers in the overlap of two boxes at one zoom are identical", arguments: UInt64(0)..<20)
    func pan(seed: UInt64) throws {
        var world = StoryWorld(seed: seed, count: 300)
        let snapshot = mapped(world.stories)
        var generator = SplitMix64(seed: seed)
        for _ in 0..<10 {
            let query = StoryQuery(world.randomQuery())
            let zoom = Int.random(in: 0...14, using: &generator)
            let center = world.randomBox().center
            // Boxes of about a screen, so that edges come between points.
            let side = 360 / Double(1 << zoom)
            let boxes = (0..<2)
                .compactMap { _ in
                    BoundingBox(
                        west: Coordinate.wrap(longitude: center.longitude - side * generator.unit()),
                        south: max(-90, center.latitude - side / 2 * generator.unit()),
                        east: Coordinate.wrap(longitude: center.longitude + side * generator.unit() * 0.4),
                        north: min(90, center.latitude + side / 2 * generator.unit())
                    )
                }
            try #require(boxes.count == 2)
            let (a, b) = (boxes[0], boxes[1])
            let first = snapshot.markers(in: a, zoom: zoom, query)
            let second = snapshot.markers(in: b, zoom: zoom, query)
            // No marker stands on a random edge, so the closed boxes serve.
            #expect(first.filter { b.contains($0.position) } == second.filter { a.contains($0.position) })
        }
    }

    @Test("MAP-03 MAP-04 In a dense area tiles add up, and each shows the markers of the whole map", arguments: 4...9)
    func dense(zoom: Int) {
        var generator = SplitMix64(seed: UInt64(zoom))
        // About two stories to a cell of 32 pixels, so that every decision has neighbours.
        let side = 60 * 30 / Double(1 << zoom)
        let points = (0..<2_500)
            .map { _ in
                (latitude: 20 + side * generator.unit() * 0.8, longitude: -side / 2 + side * generator.unit())
            }
        let snapshot = mapped(publicStories(at: points))
        let whole = snapshot.markers(in: .world, zoom: zoom, .everybody)
        #expect(whole.reduce(0) { $0 + $1.count } == points.count)
        var parted: [Marker] = []
        for index in 0..<14 {
            let (west, east) = (
                -side * 0.6 + side * 0.09 * Double(index), -side * 0.6 + side * 0.09 * Double(index + 1)
            )
            for (south, north) in [
                (-90.0, 20 + side * 0.3), (20 + side * 0.3, 20 + side * 0.37), (20 + side * 0.37, 90),
            ] {
                guard let box = BoundingBox(west: west, south: south, east: east, north: north) else { continue }
                parted += snapshot.markers(in: box, zoom: zoom, .everybody)
            }
        }
        #expect(parted.sorted { $0.clusterID < $1.clusterID } == whole)
    }

    @Test("MAP-05 A marker's stories match its count and position", arguments: UInt64(0)..<4)
    func members(seed: UInt64) throws {
        var world = StoryWorld(seed: seed, count: 200)
        let snapshot = mapped(world.stories)
        for zoom in [0, 2, 5, 9, 14, 20] {
            let parts = world.randomQuery()
            let query = StoryQuery(parts)
            var all: [StoryID] = []
            for marker in snapshot.markers(in: .world, zoom: zoom, query) {
                let ids = allPages(limit: 50) {
                    snapshot.stories(of: marker.clusterID, query, after: $0, limit: $1) ?? StoryPage.nothing
                }
                #expect(ids.count == marker.count)
                #expect(snapshot.marker(marker.clusterID, query) == marker)
                let points = try ids.map { try #require(snapshot.point(of: $0, viewer: parts.viewer)) }
                let box = ids.count == 1 ? BoundingBox(points[0]) : BruteForceMap.smallestBox(around: points)
                #expect(marker.bounds == box)
                #expect(marker.isStacked == (ids.count > 1 && Set(points.map { PlaceID($0) }).count == 1))
                #expect((marker.single != nil) == (ids.count == 1))
                if let single = marker.single {
                    #expect(single.id == ids[0] && marker.position == points[0])
                    #expect(single.place == PlaceID(points[0]))
                    #expect(single.storiesHere == snapshot.stories(at: single.place, query).count)
                }
                all += ids
            }
            #expect(all.sorted() == BruteForceMap(world.stories).located(parts).map(\.story.id).sorted())
        }
    }

    @Test("MAP-03 A marker splits at its expansion zoom and not before", arguments: UInt64(0)..<3)
    func expansion(seed: UInt64) {
        let world = StoryWorld(seed: seed + 40, count: 120)
        let snapshot = mapped(world.stories)
        let query = StoryQuery(viewer: world.viewers[Int(seed) + 1])
        // For each zoom the marker of each story.
        var markers: [[Marker]] = []
        var homes: [[StoryID: ClusterID]] = []
        for zoom in 0...20 {
            markers.append(snapshot.markers(in: .world, zoom: zoom, query))
            var home: [StoryID: ClusterID] = [:]
            for marker in markers[zoom] {
                let page = snapshot.stories(of: marker.clusterID, query, limit: 1_000)
                for id in page?.ids ?? [] { home[id] = marker.clusterID }
            }
            homes.append(home)
        }
        for zoom in 0...20 {
            for marker in markers[zoom] where marker.count > 1 {
                let ids = homes[zoom].filter { $0.value == marker.clusterID }.keys
                let first = (zoom + 1..<21).first { deeper in Set(ids.map { homes[deeper][$0] }).count > 1 }
                #expect(marker.expansionZoom == first ?? 21)
                let children = snapshot.children(of: marker.clusterID, query) ?? []
                let expected = first.map { deeper in Set(ids.compactMap { homes[deeper][$0] }) } ?? []
                #expect(Set(children.map(\.clusterID)) == expected)
            }
        }
    }

    @Test("MAP-02 Clusters merge across the antimeridian")
    func antimeridian() throws {
        let stories = publicStories(at: [(10, 179.9999), (10, -179.9999), (10.0001, 180), (10.0001, -180)])
        let snapshot = mapped(stories)
        for zoom in 0...10 {
            let markers = snapshot.markers(in: .world, zoom: zoom, .everybody)
            try #require(markers.count == 1)
            #expect(markers[0].count == 4)
            #expect(markers[0].bounds == BoundingBox(west: 179.9999, south: 10, east: -179.9999, north: 10.0001))
            #expect(abs(markers[0].position.longitude) > 179.9998)
            #expect(abs(markers[0].position.latitude - 10.00005) < 1e-6)
        }
        let east = try #require(BoundingBox(west: 180, south: 0, east: -170, north: 20))
        let west = try #require(BoundingBox(west: 170, south: 0, east: 180, north: 20))
        for zoom in 0...20 {
            let count = [east, west]
                .reduce(0) {
                    snapshot.markers(in: $1, zoom: zoom, .everybody).reduce($0) { $0 + $1.count }
                }
            #expect(count == 4)
        }
        #expect(snapshot.count(in: east, .everybody) == 3)
        #expect(snapshot.count(in: west, .everybody) == 3)
    }

    @Test("MAP-03 Stories on and next to the 180th meridian split where they separate")
    func meridianExpansion() throws {
        let stories = publicStories(at: [(10, 180), (10, -179.999)])
        let snapshot = mapped(stories)
        let marker = try #require(snapshot.markers(in: .world, zoom: 2, .everybody).first)
        let first = (3...20).first { snapshot.markers(in: .world, zoom: $0, .everybody).count == 2 }
        #expect(marker.count == 2 && marker.expansionZoom == first)
    }

    @Test("MAP-03 Stories just inside neighbouring cells count as one place if they share a point")
    func placesOverCells() throws {
        // 0.2 m apart at a cell border of every zoom: the equator.
        let snapshot = mapped(
            publicStories(at: [(0.000001, 20.0001), (-0.000001, 20.0001), (70, 20), (70.000004, 20)])
        )
        for zoom in 0...20 {
            let markers = snapshot.markers(in: .world, zoom: zoom, .everybody)
            #expect(markers.count == 2)
            #expect(markers.allSatisfy { $0.isStacked && $0.expansionZoom == 21 })
        }
    }

    @Test("MAP-01 Stories at the poles have markers")
    func poles() throws {
        let snapshot = mapped(publicStories(at: [(90, 0), (-90, 100), (-89.9999, -100), (88, 180)]))
        for zoom in 0...20 {
            let count = snapshot.markers(in: .world, zoom: zoom, .everybody).reduce(0) { $0 + $1.count }
            #expect(count == 4)
        }
        let cap = try #require(BoundingBox(west: -180, south: -90, east: 180, north: -89))
        #expect(snapshot.markers(in: cap, zoom: 12, .everybody).map(\.position.latitude).sorted() == [-90, -89.9999])
        #expect(snapshot.count(in: cap, .everybody) == 2)
    }

    @Test("MAP-03 Distinct places beyond the edge of the map never split: their zoom is 21, one above the maximum")
    func beyondTheMap() throws {
        let snapshot = mapped(publicStories(at: [(86, 10), (88, 10)]))
        let marker = try #require(snapshot.markers(in: .world, zoom: 3, .everybody).first)
        #expect(marker.count == 2)
        #expect(marker.expansionZoom == MapSnapshot.maximumZoom + 1)
    }

    @Test("MAP-05 666 stories at one point are one stacked marker at every zoom, with a paged list")
    func stacked() throws {
        let stories = publicStories(at: Array(repeating: (33.7554, -84.3736), count: 666))
        let snapshot = mapped(stories)
        for zoom in 0...20 {
            let markers = snapshot.markers(in: .world, zoom: zoom, .everybody)
            try #require(markers.count == 1)
            #expect(markers[0].count == 666 && markers[0].isStacked && markers[0].expansionZoom == 21)
            let ids = allPages(limit: 20) {
                snapshot.stories(of: markers[0].clusterID, .everybody, after: $0, limit: $1) ?? StoryPage.nothing
            }
            #expect(ids == stories.reversed().map(\.id))
            #expect(snapshot.children(of: markers[0].clusterID, .everybody) == [])
        }
    }

    @Test("MAP-03 A cluster id stays valid: its cell's current marker is returned, an empty cell has none")
    func staleIDs() throws {
        let stories = publicStories(at: [(48.85, 2.35), (48.8501, 2.35), (48.86, 2.36), (10, 10)])
        let index = MapIndex(digestKey: testKey)
        index.load(stories)
        let before = index.snapshot().markers(in: .world, zoom: 3, .everybody)
        let paris = try #require(before.first { $0.count == 3 })
        index.apply([.remove(stories[0].id)])
        #expect(index.snapshot().marker(paris.clusterID, .everybody)?.count == 2)
        index.apply([.remove(stories[1].id), .remove(stories[2].id)])
        #expect(index.snapshot().marker(paris.clusterID, .everybody) == nil)
        #expect(index.snapshot().stories(of: paris.clusterID, .everybody, limit: 5) == nil)
    }

    @Test("Any number either is a valid cluster id or is rejected")
    func anyID() {
        let snapshot = mapped(StoryWorld(seed: 1, count: 50).stories)
        var generator = SplitMix64(seed: 9)
        for _ in 0..<300 {
            let raw = generator.next() >> UInt64.random(in: 0...63, using: &generator)
            guard let id = ClusterID(rawValue: raw) else { continue }
            #expect(id.rawValue == raw && ClusterID(id.description) == id)
            #expect(snapshot.marker(id, .everybody).map { $0.count > 0 } ?? true)
        }
        for text in ["", "-1", "+5", "1.5", "99999999999999999999", "x", " 7"] { #expect(ClusterID(text) == nil) }
        #expect(ClusterID(rawValue: 21 << 48) == nil)
        #expect(ClusterID(rawValue: 0xFF << 24) == nil)
    }
}

extension StoryPage {
    static let nothing = StoryPage(ids: [], next: nil)
}
