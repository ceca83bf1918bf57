import Geometry
import Projections

/// Where reference systems are used.
struct AreasOfUse {
    private var areas: [String: BoundingBox] = [:]

    /// Finds the areas of projected systems.
    init(_ projections: [Projection]) {
        var asked: Set<String> = []
        for projection in projections where asked.insert(projection.name).inserted {
            areas[projection.name] = projection.areaOfUse
        }
    }

    /// Returns whether a position lies in the area of a system; `false` if it has none.
    func contain(_ position: Coordinate, in projection: Projection?) -> Bool {
        projection.flatMap { areas[$0.name] }?.contains(position) ?? false
    }

    /// Returns whether a position may have been meant in a system: not far beyond its area.
    func mayContain(_ position: Coordinate, in projection: Projection?) -> Bool {
        projection.flatMap { areas[$0.name] }?.expanded(byMetres: 500_000).contains(position) ?? true
    }
}
