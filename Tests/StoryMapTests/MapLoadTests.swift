import Geometry
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("An index loaded in parts")
struct MapLoadTests {
    @Test("MAP-04 In whatever order the parts come, answers match an index loaded at once", arguments: UInt64(0)..<4)
    func order(seed: UInt64) throws {
        var world = StoryWorld(seed: seed + 900, count: 600)
        var generator = SplitMix64(seed: seed)
        let questions = KeptTileTests.questions(&world, using: &generator)
        let (whole, parts) = (MapIndex(digestKey: testKey), MapIndex(digestKey: testKey))
        whole.load(world.stories)
        parts.load(world.stories.prefix(50))
        let load = parts.beginLoad()
        for start in stride(from: 0, to: world.stories.count, by: 100).shuffled(using: &generator) {
            load.add(Array(world.stories.dropFirst(start).prefix(100)))
        }
        #expect(parts.snapshot().markers(in: questions[0].box, zoom: 0, questions[0].query).count <= 50)
        parts.finish(load)
        let (one, other) = (whole.snapshot(), parts.snapshot())
        for asked in questions {
            let (expected, found) = (
                one.markers(in: asked.box, zoom: asked.zoom, asked.query),
                other.markers(in: asked.box, zoom: asked.zoom, asked.query)
            )
            #expect(expected == found, "seed \(seed), zoom \(asked.zoom)")
            #expect(one.version(for: asked.query.viewer) == other.version(for: asked.query.viewer))
        }
    }
}
