import Geometry
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Orders of lists")
struct ListOrderTests {
    /// All pages of a list, one after the other.
    private func pages(_ limit: Int, _ page: (ListCursor?) -> StoryPage) -> [StoryID] {
        var (ids, cursor): ([StoryID], ListCursor?) = ([], nil)
        repeat {
            let page = page(cursor)
            #expect(page.ids.count <= limit)
            ids += page.ids
            cursor = page.next
        } while cursor != nil && ids.count < 10_000
        return ids
    }

    @Test(
        "MAP-11 By date, by distance and without a place, all pages together are what sorting all stories gives",
        arguments: UInt64(0)..<6
    )
    func orders(seed: UInt64) {
        var world = StoryWorld(seed: seed, count: 150)
        var stories = Dictionary(uniqueKeysWithValues: world.stories.map { ($0.id, $0) })
        let index = MapIndex(digestKey: testKey)
        index.load(stories.values)
        for round in 0..<8 {
            let ids = stories.keys.sorted()
            let changed = world.randomStory(id: ids[round * 5])
            index.apply([.remove(ids[round * 9 + 1]), .put(changed)])
            stories[ids[round * 9 + 1]] = nil
            stories[changed.id] = changed
            let oracle = BruteForceMap(stories.values)
            let (parts, snapshot) = (world.randomQuery(), index.snapshot())
            let query = StoryQuery(parts)
            let coordinate = world.randomBox().center
            for box in [nil, .world, world.randomBox()] {
                for limit in [1, 7, 1_000] {
                    let dated = pages(limit) {
                        snapshot.stories(in: box, query, order: .date, after: $0, limit: limit)
                    }
                    #expect(dated == byDate(oracle, parts, box))
                    let near = pages(limit) {
                        snapshot.stories(in: box, query, order: .nearest(coordinate), after: $0, limit: limit)
                    }
                    let inside = Set(oracle.list(in: box ?? .world, parts))
                    #expect(near == oracle.nearest(to: coordinate, parts).filter(inside.contains))
                    let newest = pages(limit) {
                        snapshot.stories(in: box, query, order: .newest, after: $0, limit: limit)
                    }
                    #expect(newest == oracle.list(in: box, parts))
                }
            }
            let unplaced = pages(4) { snapshot.unplaced(query, after: $0, limit: 4) }
            let located = Set(oracle.located(parts).map(\.story.id))
            #expect(unplaced == oracle.list(in: nil, parts).filter { !located.contains($0) })
            #expect(snapshot.unplacedCount(query) == unplaced.count)
        }
    }

    private func byDate(_ oracle: BruteForceMap, _ parts: StoryQueryParts, _ box: BoundingBox?) -> [StoryID] {
        let ids = Set(oracle.list(in: box, parts))
        return oracle.stories.filter { ids.contains($0.id) }
            .map { story in
                let first = story.times(for: parts.viewer).date?.first?.daysSince1970
                return (first.map { Int64($0) } ?? .max, story.id)
            }
            .sorted { $0 < $1 }
            .map(\.1)
    }
}
