import Foundation
import Stories

/// A sensitive area of the oracle: one polygon, perhaps with a hole, looked at edge by edge.
struct SequenceArea: Sendable {
    /// A corner in degrees.
    struct Corner: Sendable {
        let x: Double
        let y: Double
    }

    /// The outer ring and the holes, not closed.
    let rings: [[Corner]]
    let coarseness: Int

    /// The same for the product.
    var forProduct: SensitiveArea {
        get throws {
            let rings = rings.map { ring in
                (ring + ring.prefix(1)).map { SensitiveArea.Corner(longitude: $0.x, latitude: $0.y) }
            }
            let cell = PublishedCell(degrees: Double(coarseness) / 100)
            return try SensitiveArea(
                name: "",
                precision: cell.map(LocationPrecision.approximate) ?? .hidden,
                polygons: [rings]
            )
        }
    }

    /// Whether the area has a point in common with the cell of a place: the owner's or the area's, whichever is larger.
    func touches(_ place: SequenceOracle.Place) -> Bool {
        let own = (1...100).contains(place.choice) ? place.choice : 0
        // An area that hides acts in tenths of a degree.
        let cells = 100 / Double(max(own, (1...100).contains(coarseness) ? coarseness : 10))
        let (west, south) = ((place.longitude * cells).rounded(.down), (place.latitude * cells).rounded(.down))
        let box = Box(x0: west / cells, y0: south / cells, x1: (west + 1) / cells, y1: (south + 1) / cells)
        // With no edge of the area in it, a box lies wholly inside or outside.
        return contains(x: box.x0, y: box.y0) || edges.contains { box.touches($0.0, $0.1) }
    }

    private var edges: [(Corner, Corner)] {
        rings.flatMap { ring in zip(ring, ring.dropFirst() + ring.prefix(1)).map { ($0, $1) } }
    }

    /// A ray to the east crosses the lines around an inside point an odd number of times.
    private func contains(x: Double, y: Double) -> Bool {
        let crossings = edges.count { a, b in
            (a.y > y) != (b.y > y) && x < a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x)
        }
        return !crossings.isMultiple(of: 2)
    }

    private struct Box {
        let x0: Double
        let y0: Double
        let x1: Double
        let y1: Double

        /// Whether a line from `a` to `b` has a point in the box: what is left of it between each pair of sides.
        func touches(_ a: Corner, _ b: Corner) -> Bool {
            var (first, last) = (0.0, 1.0)
            for (start, step, low, high) in [(a.x, b.x - a.x, x0, x1), (a.y, b.y - a.y, y0, y1)] {
                guard step != 0 else {
                    guard (low...high).contains(start) else { return false }
                    continue
                }
                let (in1, in2) = ((low - start) / step, (high - start) / step)
                first = max(first, min(in1, in2))
                last = min(last, max(in1, in2))
            }
            return first <= last
        }
    }
}

extension SequenceArea {
    /// A polygon of five to eight corners around a place, some with notches, some with a hole in the middle.
    static func random(
        around place: (Double, Double),
        coarseness: Int,
        using generator: inout some RandomNumberGenerator
    ) -> SequenceArea {
        func between(_ range: Range<Double>) -> Double { Double.random(in: range, using: &generator) }
        let reach = [0.003, 0.012, 0.06, 0.8].randomElement(using: &generator) ?? 0.01
        let middle = Corner(x: place.1 + reach * between(-0.7..<0.7), y: place.0 + reach * between(-0.7..<0.7))
        func ring(_ count: Int, _ radius: () -> Double) -> [Corner] {
            (0..<count)
                .map { index in
                    let angle = (Double(index) + between(0..<0.4)) / Double(count) * 2 * Double.pi
                    let radius = radius()
                    return Corner(x: middle.x + radius * cos(angle), y: middle.y + radius * sin(angle))
                }
        }
        var rings = [ring(Int.random(in: 5...8, using: &generator)) { reach * between(0.4..<1) }]
        if Bool.random(using: &generator) { rings.append(ring(4) { reach * 0.08 }) }
        return SequenceArea(rings: rings, coarseness: coarseness)
    }
}
