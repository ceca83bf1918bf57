import Library
import App
import Foundation
import Geometry
import Stories
import StoryMap

/// Measures the map index.
struct MapBench {
    let world: BenchWorld
    let viewports: Int

    private static let width = 1_024.0
    private static let height = 768.0
    private static let zooms = 0...16

    /// Runs all measurements; `remark` announces each one.
    func run(remark: (String) -> Void) -> [BenchRow] {
        remark("Building \(world.count) stories …")
        var sum = 0
        // Generating the stories is not part of building the index.
        let making = BenchClock.seconds { for story in world.stories { sum &+= story.title.utf8.count } }
        let before = BenchClock.memory
        let key = DigestKey(high: world.seed, low: UInt64(sum))
        let index = MapIndex(digestKey: key)
        let building = BenchClock.seconds { index.load { add in for story in world.stories { add(story) } } }
        let memory = index.snapshot().memory
        func bytes(_ sum: Int) -> Double { Double(sum) / Double(world.count) }
        var rows = [
            BenchRow("build", max(0, building - making), unit: "s"),
            BenchRow("memory a story, as the system sees it", bytes(BenchClock.memory - before), unit: "bytes"),
            BenchRow("memory a story, to count and cluster", bytes(memory.points), unit: "bytes"),
            BenchRow("memory a story, with facets and dates", bytes(memory.points + memory.stories), unit: "bytes"),
            BenchRow("memory a story, titles", bytes(memory.texts), unit: "bytes"),
        ]
        var photos = StoryFilter()
        photos.kinds = [.photo]
        var narrow = photos
        narrow.tags = ["topic 1"]
        narrow.from = CalendarDay(year: 1_950, month: 1, day: 1)
        for (name, query) in [
            ("public", StoryQuery(viewer: .anonymous)),
            ("1 family", StoryQuery(viewer: world.viewer(families: 1))),
            ("5 families", StoryQuery(viewer: world.viewer(families: 5))),
            ("kind", StoryQuery(viewer: .anonymous, filter: photos)),
            ("kind, tag, date", StoryQuery(viewer: .anonymous, filter: narrow)),
        ] {
            remark("Clusters: \(name) …")
            rows += clusters(name, query, index: index)
        }
        remark("Counts …")
        rows.append(counts(index.snapshot()))
        remark("Facets and orders …")
        rows += facets(index.snapshot())
        remark("Tiles …")
        rows += tiles(index.snapshot())
        remark("Words …")
        rows += words(key: key)
        remark("Changes …")
        rows += changes(index)
        remark("Clusters with many changes …")
        rows += pending(index)
        return rows
    }

    func boxes(zoom: Int, seed: UInt64) -> [BoundingBox] {
        world.viewports(viewports, zoom: zoom, width: MapBench.width, height: MapBench.height, seed: seed)
    }

    /// Measures the clusters of viewports: without cached tiles, with tiles of other viewports cached, and repeated.
    private func clusters(_ name: String, _ query: StoryQuery, index: MapIndex) -> [BenchRow] {
        let snapshot = index.snapshot()
        func times(zoom: Int, seed: UInt64) -> [Double] {
            boxes(zoom: zoom, seed: seed)
                .map { box in BenchClock.seconds { _ = snapshot.markers(in: box, zoom: zoom, query) } }
        }
        var cold: [Double] = []
        var warm: [(zoom: Int, times: [Double])] = []
        var again: [Double] = []
        let first = BenchClock.seconds { _ = snapshot.markers(in: .world, zoom: 0, query) }
        for zoom in MapBench.zooms { cold += times(zoom: zoom, seed: 1) }
        for zoom in MapBench.zooms { warm.append((zoom, times(zoom: zoom, seed: 2))) }
        for zoom in MapBench.zooms { again += times(zoom: zoom, seed: 2) }
        // Every map requests the outer zooms first, so they are cached; the tiles measured here have not been requested
        // before.
        var near: [(zoom: Int, times: [Double])] = []
        for zoom in MapBench.zooms {
            let times = boxes(zoom: zoom, seed: 3)
                .map { box in
                    if zoom > 0 { _ = snapshot.markers(in: box, zoom: zoom - 1, query) }
                    return BenchClock.seconds { _ = snapshot.markers(in: box, zoom: zoom, query) }
                }
            near.append((zoom, times))
        }
        let worst = near.max { MapBench.median($0.times) < MapBench.median($1.times) }
        return [
            BenchRow("clusters, \(name), first of all", first * 1e6, unit: "us"),
            BenchRow("clusters, \(name), cold", seconds: cold),
            BenchRow("clusters, \(name), others before", seconds: warm.flatMap(\.times)),
            BenchRow("clusters, \(name), zoom before", seconds: near.flatMap(\.times)),
            BenchRow("clusters, \(name), zoom before, worst zoom \(worst?.zoom ?? 0)", seconds: worst?.times ?? []),
            BenchRow("clusters, \(name), again", seconds: again),
        ]
    }

    private static func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

    private func counts(_ snapshot: MapSnapshot) -> BenchRow {
        let query = StoryQuery(viewer: .anonymous)
        let times = MapBench.zooms.flatMap { zoom in
            boxes(zoom: zoom, seed: 1).map { box in BenchClock.seconds { _ = snapshot.count(in: box, query) } }
        }
        return BenchRow("count of a viewport", seconds: times)
    }

    /// Measures vector tiles that contain a random story: first computed and encoded, then requested again.
    private func tiles(_ snapshot: MapSnapshot) -> [BenchRow] {
        let tiles = MapBench.zooms.flatMap { zoom in
            (0..<viewports)
                .compactMap { number in
                    let place = world.coordinate((number * 7_919 + zoom) % world.count)
                    let point = MercatorPoint(place)
                    return MapTile(zoom: zoom, column: Int(point.x >> (32 - zoom)), row: Int(point.y >> (32 - zoom)))
                }
        }
        let query = StoryQuery(viewer: .anonymous)
        func times() -> [Double] {
            tiles.map { tile in BenchClock.seconds { _ = MarkerLayer.bytes(of: tile, in: snapshot, query) } }
        }
        let (first, again) = (times(), times())
        func rate(_ times: [Double]) -> Double { Double(times.count) / max(1e-9, times.reduce(0, +)) }
        return [
            BenchRow("tile", seconds: first), BenchRow("tiles a second", rate(first), unit: ""),
            BenchRow("tile again", seconds: again), BenchRow("tiles a second, again", rate(again), unit: ""),
        ]
    }

    /// Measures many changes that have not been merged into the index's large segment, and their cost for readers.
    private func pending(_ index: MapIndex) -> [BenchRow] {
        let query = StoryQuery(viewer: .anonymous)
        let changes = (0..<min(10_000, world.count / 20))
            .compactMap { number -> StoryEvent? in
                guard var story = world.story((number * 104_729 + 17) % world.count) else { return nil }
                story.location = world.story((number * 15_485_863 + 29) % world.count)?.location
                story.updatedAt = Timestamp(milliseconds: story.updatedAt.milliseconds + 2)
                return .put(story)
            }
        let writing = BenchClock.seconds { index.apply(changes) }
        let snapshot = index.snapshot()
        _ = snapshot.markers(in: .world, zoom: 0, query)
        let times = MapBench.zooms.flatMap { zoom in
            boxes(zoom: zoom, seed: 3)
                .map { box in
                    if zoom > 0 { _ = snapshot.markers(in: box, zoom: zoom - 1, query) }
                    return BenchClock.seconds { _ = snapshot.markers(in: box, zoom: zoom, query) }
                }
        }
        return [
            BenchRow("\(changes.count) changes at once", writing * 1e3, unit: "ms"),
            BenchRow("clusters with them pending, zoom before", seconds: times),
        ]
    }

    /// Measures a change to a story followed by a read: the change itself, and the time of the next read.
    private func changes(_ index: MapIndex) -> [BenchRow] {
        let query = StoryQuery(viewer: .anonymous)
        var writing: [Double] = []
        var looking: [Double] = []
        for (number, box) in boxes(zoom: 8, seed: 3).enumerated() {
            guard var story = world.story(number * 7 % world.count) else { continue }
            story.title = "changed"
            story.updatedAt = Timestamp(milliseconds: story.updatedAt.milliseconds + 1)
            writing.append(BenchClock.seconds { index.apply([.put(story)]) })
            looking.append(BenchClock.seconds { _ = index.snapshot().markers(in: box, zoom: 8, query) })
        }
        return [
            BenchRow("change, visible at once", seconds: writing),
            BenchRow("clusters after each change", seconds: looking),
        ]
    }
}
