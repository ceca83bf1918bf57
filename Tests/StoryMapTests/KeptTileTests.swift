import Geometry
import Stories
import StoryMap
import TestSupport
import Testing

/// What was found before is used again: these ask the same questions again and again while the map changes.
@Suite("Cached tiles")
struct KeptTileTests {
    struct Question {
        let query: StoryQuery
        let box: BoundingBox
        let zoom: Int
    }

    static func questions(_ world: inout StoryWorld, using generator: inout SplitMix64) -> [Question] {
        var photos = StoryFilter()
        photos.kinds = [.photo]
        let queries =
            [StoryQuery.everybody, StoryQuery(viewer: .anonymous, filter: photos)]
            + world.viewers.map { StoryQuery(viewer: $0) }
        return queries.flatMap { query in
            (0..<4)
                .compactMap { _ -> Question? in
                    let zoom = Int.random(in: 0...18, using: &generator)
                    let middle = world.stories.randomElement(using: &generator)?.location?.coordinate
                    guard let middle else { return nil }
                    let side = 360 / Double(1 << zoom)
                    let box = BoundingBox(
                        west: Coordinate.wrap(longitude: middle.longitude - side * 0.9),
                        south: max(-90, middle.latitude - side * 0.5),
                        east: Coordinate.wrap(longitude: middle.longitude + (zoom == 0 ? 0 : side * 0.9)),
                        north: min(90, middle.latitude + side * 0.5)
                    )
                    return box.map { Question(query: query, box: $0, zoom: zoom) }
                }
        }
    }

    @Test(
        "MAP-04 LOC-02 After each of 10,000 random changes, answers match a rebuilt index",
        arguments: UInt64(0)..<4
    )
    func sameAsAnew(seed: UInt64) {
        var world = StoryWorld(seed: seed + 500, count: 150)
        var generator = SplitMix64(seed: seed)
        let questions = KeptTileTests.questions(&world, using: &generator)
        var stories = Dictionary(uniqueKeysWithValues: world.stories.map { ($0.id, $0) })
        let index = MapIndex(digestKey: testKey)
        index.load(world.stories)
        for step in 0..<2_500 {
            let known = stories.keys.sorted().randomElement(using: &generator)
            if let known, Int.random(in: 0..<3, using: &generator) == 0, stories.count > 100 {
                index.apply([.remove(known)])
                stories[known] = nil
            } else {
                let story = world.randomStory(id: Bool.random(using: &generator) ? known : nil)
                index.apply([.put(story)])
                stories[story.id] = story
            }
            // Seldom, so that several changes lie between two looks at a tile.
            guard step.isMultiple(of: 100) else { continue }
            let fresh = mapped(stories.values)
            let snapshot = index.snapshot()
            for asked in questions where Bool.random(using: &generator) {
                let kept = snapshot.markers(in: asked.box, zoom: asked.zoom, asked.query)
                let anew = fresh.markers(in: asked.box, zoom: asked.zoom, asked.query)
                #expect(kept == anew, "seed \(seed), step \(step), zoom \(asked.zoom)")
            }
        }
    }

    @Test("MAP-04 In dense areas, a change beyond a tile that affects its markers is detected")
    func denseSurroundings() throws {
        var generator = SplitMix64(seed: 11)
        func point() -> (latitude: Double, longitude: Double) {
            (generator.unit() * 40, generator.unit() * 60)
        }
        var stories = publicStories(at: (0..<4_000).map { _ in point() })
        let index = MapIndex(digestKey: testKey)
        index.load(stories)
        let boxes = try (0..<6)
            .map { number in
                let west = 5 + 9 * Double(number)
                return try #require(BoundingBox(west: west, south: 15, east: west + 2, north: 17))
            }
        for step in 0..<150 {
            for _ in 0..<3 {
                let chosen = Int.random(in: stories.indices, using: &generator)
                let place = point()
                let moved = Coordinate(wrappingLatitude: place.latitude, longitude: place.longitude)
                stories[chosen].location = StoryLocation(coordinate: moved)
                index.apply([.put(stories[chosen])])
            }
            let snapshot = index.snapshot()
            // A view that nobody has had before: nothing is known of it.
            let anew = StoryQuery(viewer: .anonymous, except: [StoryID(high: 1, low: UInt64(step))])
            for (number, box) in boxes.enumerated() {
                for zoom in [5, 6] {
                    let kept = snapshot.markers(in: box, zoom: zoom, .everybody)
                    #expect(
                        kept == snapshot.markers(in: box, zoom: zoom, anew),
                        "step \(step), box \(number), zoom \(zoom)"
                    )
                }
            }
        }
    }

    @Test("MAP-04 A snapshot keeps its answers when later ones are queried in between")
    func oldSnapshots() throws {
        var generator = SplitMix64(seed: 3)
        let points = (0..<300)
            .map { _ in (latitude: 40 + generator.unit() * 0.4, longitude: -74 + generator.unit() * 0.4) }
        let stories = publicStories(at: points)
        let index = MapIndex(digestKey: testKey)
        index.load(stories)
        let box = try #require(BoundingBox(west: -75, south: 39, east: -73, north: 41))
        let old = index.snapshot()
        let before = (6...12).map { old.markers(in: box, zoom: $0, .everybody) }
        for story in stories.prefix(100) { index.apply([.remove(story.id)]) }
        let new = index.snapshot()
        for (number, zoom) in (6...12).enumerated() {
            #expect(new.markers(in: box, zoom: zoom, .everybody).reduce(0) { $0 + $1.count } == 200)
            #expect(old.markers(in: box, zoom: zoom, .everybody) == before[number])
        }
    }
}
