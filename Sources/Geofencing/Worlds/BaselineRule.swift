import Geometry

/// Simple rules used elsewhere, as a baseline for the evaluator: one position, one check, almost no memory.
public enum BaselineRule: String, CaseIterable, Hashable, Sendable {
    /// Inside if the point lies in the circle; alerts at every entry.
    case naive
    /// Inside if the point lies in the circle; alerts only at the first entry to each place.
    case once
    /// Inside after twenty seconds in the circle, outside 100 metres beyond it; alerts at every entry.
    case dwell
    /// Inside if the circle of the reported accuracy touches the fence; alerts at every entry.
    case overlap
}

/// An alert about a place.
public struct PlaceAlert: Hashable, Sendable {
    /// The number of the place in its world.
    public let place: Int
    /// The time of the decision by the receiver's clock, milliseconds since 1970.
    public let at: Int64
    /// The receipt of the first report behind the alert, milliseconds since 1970; `nil` if unknown.
    public let qualified: Int64?

    /// Creates an alert.
    public init(place: Int, at: Int64, qualified: Int64? = nil) {
        self.place = place
        self.at = at
        self.qualified = qualified
    }
}

extension BaselineRule {
    /// Returns the rule's alerts in a world, in the order of receipt.
    public func alerts(in world: TraceWorld) -> [PlaceAlert] {
        let origin = world.plane
        var watchers = world.fences.map { Watcher(radius: $0.radius) }
        let grid = PointGrid(world.places, cell: 500)
        var alerts: [PlaceAlert] = []
        var near: Set<Int> = []
        for fix in world.fixes {
            let point = origin.point(fix.coordinate)
            let reach = 750 + max(0, fix.accuracy ?? 0)
            // Fences near the previous fix are checked too, so that their watchers notice a departure.
            let here = Set(grid.points(near: point, within: reach))
            for index in near.union(here).sorted() {
                let distance = (world.places[index] - point).length
                let isEntered = watchers[index].enters(self, distance, fix)
                if isEntered { alerts.append(PlaceAlert(place: index, at: fix.received)) }
            }
            near = here
        }
        return alerts
    }
}

/// The rule's memory of a fence.
private struct Watcher {
    let radius: Double
    var isInside = false
    var wasTold = false
    var since: Int64?

    mutating func enters(_ rule: BaselineRule, _ distance: Double, _ fix: Fix) -> Bool {
        switch rule {
        case .naive: return turns(distance <= radius)
        case .once:
            guard turns(distance <= radius), !wasTold else { return false }
            wasTold = true
            return true
        case .overlap: return turns(distance - (fix.accuracy ?? 0) <= radius)
        case .dwell:
            if isInside {
                if distance > radius + 100 { isInside = false }
                return false
            }
            guard distance <= radius else {
                since = nil
                return false
            }
            let begin = since ?? fix.time
            since = begin
            guard fix.time - begin >= 20_000 else { return false }
            since = nil
            isInside = true
            return true
        }
    }

    private mutating func turns(_ inside: Bool) -> Bool {
        defer { isInside = inside }
        return inside && !isInside
    }
}

/// A spatial index of points on a plane.
struct PointGrid {
    private let points: [SIMD2<Double>]
    private let cell: Double
    private var cells: [SIMD2<Int32>: [Int]] = [:]

    init(_ points: [SIMD2<Double>], cell: Double) {
        self.points = points
        self.cell = cell
        for (index, point) in points.enumerated() { cells[key(point), default: []].append(index) }
    }

    private func key(_ point: SIMD2<Double>) -> SIMD2<Int32> {
        SIMD2(Int32((point.x / cell).rounded(.down)), Int32((point.y / cell).rounded(.down)))
    }

    /// Returns the numbers of the points within a distance, sorted.
    func points(near point: SIMD2<Double>, within reach: Double) -> [Int] {
        let low = key(point - reach)
        let high = key(point + reach)
        var found: [Int] = []
        for x in low.x...high.x {
            for y in low.y...high.y {
                for index in cells[SIMD2(x, y)] ?? [] where (points[index] - point).length <= reach {
                    found.append(index)
                }
            }
        }
        return found.sorted()
    }
}
