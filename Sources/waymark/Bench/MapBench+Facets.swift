import Geometry
import Stories
import StoryMap

extension MapBench {
    /// Measures the counts behind a panel of filters, and lists in other orders than newest first.
    func facets(_ snapshot: MapSnapshot) -> [BenchRow] {
        let panel = FacetChoice([.kinds, .owners, .collections, .views, .families, .favourites], limit: 200)
        let tags = FacetChoice(.tags, limit: 50)
        let everything = StoryQuery(viewer: .anonymous)
        var photos = everything
        photos.filter.kinds = [.photo]
        func count(_ choice: FacetChoice, _ query: StoryQuery, _ boxes: [BoundingBox]) -> [Double] {
            boxes.map { box in BenchClock.seconds { _ = snapshot.facets(choice, in: box, FacetQuery(query)) } }
        }
        let worlds = [BoundingBox](repeating: .world, count: 5)
        let towns = boxes(zoom: 10, seed: 4)
        let center = ListOrder.nearest(towns.first?.center ?? BoundingBox.world.center)
        func list(_ order: ListOrder, after cursor: ListCursor? = nil) -> [Double] {
            worlds.map { box in
                BenchClock.seconds { _ = snapshot.stories(in: box, everything, order: order, after: cursor, limit: 20) }
            }
        }
        let next = snapshot.stories(in: .world, everything, order: center, limit: 20).next
        return [
            BenchRow("facets of a viewport, zoom 10", seconds: count(panel, everything, towns)),
            BenchRow("facets of the world", seconds: count(panel, everything, worlds)),
            BenchRow("facets of the world, kind", seconds: count(panel, photos, worlds)),
            BenchRow("tags of the world", seconds: count(tags, everything, worlds)),
            BenchRow("list of the world by date", seconds: list(.date)),
            BenchRow("list of the world by distance", seconds: list(center)),
            BenchRow("list of the world by distance, second page", seconds: list(center, after: next)),
        ]
    }
}
