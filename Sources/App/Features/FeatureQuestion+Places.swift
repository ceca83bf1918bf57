import Geometry
import Library
import Queries

extension FeatureQuestion {
    /// Returns for each further place whether it fits the conditions, and whether its point, line or area has a position
    /// in common with the box.
    ///
    /// - Throws: ``Problem`` if the conditions are too much work.
    func fits(_ places: [ExportedPlace]) throws -> [Bool] {
        let corners = places.reduce(0) { $0 + $1.cornerCount }
        let steps = FeatureQuestion.stepsPerFeature * places.count + 100 * corners
        var fitting = try holding(places, steps: steps) { PlaceQueryables.value($0, of: $1) }
        guard let box = window.box else { return fitting }
        for (index, place) in places.enumerated() where fitting[index] {
            // A box has four edges, so this is no work to speak of.
            var steps = Int.max
            fitting[index] = place.geometry.meets(.box(box), steps: &steps) ?? false
        }
        guard let projectedBox else { return fitting }
        let left = places.indices.filter { fitting[$0] }
        let shapes = try projectedBox.system.shapes(of: left.map { places[$0] }, by: projection)
        let (low, high) = (projectedBox.low, projectedBox.high)
        let area = QueryGeometry.box(low: SIMD2(low.first, low.second), high: SIMD2(high.first, high.second))
        for (index, shape) in zip(left, shapes) {
            var steps = Int.max
            fitting[index] = shape.map { QueryGeometry($0) }?.meets(area, steps: &steps) ?? false
        }
        return fitting
    }
}
