import Library
import App
import Geofencing
import Geometry
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Fences near the last position")
struct NearbyFenceTests {
    private let key = DigestKey(high: 1, low: 2)

    /// Sometimes an area or a line near a story, always the same for the same story.
    private static func further(_ story: Story) -> [FurtherPlace] {
        var random = SplitMix64(seed: story.id.low)
        guard let near = story.location?.coordinate, random.unit() < 0.4, abs(near.longitude) < 179 else { return [] }
        let half = 0.02 * random.unit() * random.unit()
        let east = near.longitude + 0.01 * random.unit()
        let north = min(80, max(-80, near.latitude)) + 0.01 * random.unit()
        let corners = [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1), (-1, -1)]
            .map { PlaceShape.Corner(longitude: east + half * $0.0, latitude: north + half * $0.1) }
        let shape = random.unit() < 0.5 ? PlaceShape.polygon([corners]) : .line(Array(corners.prefix(2)))
        let location = StoryLocation(coordinate: shape.anchor)
        return [FurtherPlace(id: StoryID(high: 0, low: 1), location: location, shape: shape)]
    }

    @Test("NTF-02 PRV-02 Cached or not, each user's fences match the current map", arguments: UInt64(0)..<12)
    func asTheMap(seed: UInt64) throws {
        var world = StoryWorld(seed: seed, count: 400)
        var random = SplitMix64(seed: seed ^ 0xFE)
        let index = MapIndex(digestKey: key, further: NearbyFenceTests.further)
        index.load(world.stories)
        let memory = FenceMemory()
        var outlines = 0
        var stories = world.stories
        var places = 0
        var queries = world.viewers.map { StoryQuery(viewer: $0) }
        for step in 0..<120 {
            // A walk around one point, then somewhere else.
            let one = stories[Int(random.next() % UInt64(stories.count))]
            let near = one.publishedPoint ?? world.randomBox().center
            let number = Int(random.next() % UInt64(queries.count))
            guard let user = queries[number].viewer.user else { continue }
            for _ in 0..<6 {
                let metres = 1_500 * random.unit() * random.unit()
                let point = GreatCircle.destination(from: near, bearing: 360 * random.unit(), distance: metres)
                let box = BoundingBox(point).expanded(byMetres: 2 + 398 * random.unit())
                let plain = MapFences(snapshot: index.snapshot(), query: queries[number], radius: 150)
                let expected = plain.fences(in: box).sorted { $0.id < $1.id }
                let found = NearbyFences(plain, of: user, memory: memory).fences(in: box)
                #expect(found.sorted { $0.id < $1.id } == expected, "step \(step)")
                places += expected.count
                outlines += expected.count { $0.outline != nil }
                // Now and then something changes, for everybody or for them.
                switch random.next() % 8 {
                case 0: index.apply([.put(world.randomStory(id: one.id))])
                case 1:
                    stories.removeAll { $0.id == one.id }
                    index.apply([.remove(one.id)])
                case 2: queries[number].filter.kinds = random.next() % 2 == 0 ? [] : [.photo]
                case 3: queries[number].except = Set(stories.prefix(40).map(\.id))
                default: break
                }
            }
        }
        #expect(places > 40 && outlines > 0)
    }
}
