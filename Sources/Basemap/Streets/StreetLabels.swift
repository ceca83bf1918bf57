import Formats
import Geometry

/// A name in street tiles: where it is written and from which zoom on.
struct StreetLabel: Sendable {
    var layer: StreetLayer
    var name: String
    var kind: String
    var position: WorldPoint
    var zoom: Int
    /// The direction of the line beneath in degrees, clockwise from the east, -90...90; `nil` for areas and points.
    var angle: Int?
}

/// Places names along lines and in areas.
enum StreetLabels: Sendable {
    /// The deepest zoom at which names appear.
    static let deepestZoom = 17
    /// The distance between two names of the same road in pixels, at least.
    private static let spacing = 420.0
    /// The lowest zoom that names a kind of road.
    private static let floors = [
        "motorway": 11, "trunk": 11, "primary": 12, "secondary": 13, "tertiary": 13, "minor": 14,
    ]

    /// Returns the names of a road or river that consists of lines.
    ///
    /// The first name is written in the middle of each line, from the zoom on at which the line is about as long as
    /// the name; then at the quarters, and so on, each time the map is enlarged enough for twice as many.
    static func along(_ lines: [[WorldPoint]], of feature: StreetFeature) -> [StreetLabel] {
        guard let layer = feature.kind.names else { return [] }
        let floor = layer == .roadNames ? floors[feature.kind.name] ?? 15 : feature.kind.floor + 2
        return RingAssembly.joined(lines)
            .flatMap { line -> [StreetLabel] in
                let length = LineLength(line)
                let width = width(of: feature.name)
                var labels: [StreetLabel] = []
                var parts = 1
                while let zoom = zoom(of: parts == 1 ? width : spacing * Double(parts), in: length.total) {
                    let shown = max(floor, zoom)
                    let reach = width / 2 / (512 * Double(1 << shown)) / length.total
                    for part in stride(from: 1, to: 2 * parts, by: 2) {
                        let share = Double(part) / Double(2 * parts)
                        labels.append(
                            StreetLabel(
                                layer: layer,
                                name: feature.name,
                                kind: feature.kind.nameClass,
                                position: length.position(at: share),
                                zoom: shown,
                                angle: angle(
                                    from: length.position(at: share - reach),
                                    to: length.position(at: share + reach)
                                )
                            )
                        )
                    }
                    parts *= 2
                }
                return labels
            }
    }

    /// The direction between two positions, turned so that a text is not upside down.
    private static func angle(from: WorldPoint, to: WorldPoint) -> Int {
        let degrees = Math.degrees(Math.arcTangent(y: to.y - from.y, x: to.x - from.x))
        return Int((degrees > 90 ? degrees - 180 : degrees < -90 ? degrees + 180 : degrees).rounded())
    }

    /// Returns the name of an area, written inside it from the zoom on at which it is about as wide as the name.
    static func inside(_ polygon: [[WorldPoint]], of feature: StreetFeature) -> StreetLabel? {
        guard let layer = feature.kind.names, let outer = polygon.first, let position = middle(of: polygon) else {
            return nil
        }
        let box = WorldBox(of: outer)
        let size = max(box.east - box.west, (box.south - box.north))
        guard let zoom = zoom(of: width(of: feature.name) * 0.75, in: size) else { return nil }
        let floor = layer == .poi ? max(12, feature.kind.floor) : feature.kind.floor
        return StreetLabel(
            layer: layer,
            name: feature.name,
            kind: feature.kind.nameClass,
            position: position,
            zoom: max(floor, zoom)
        )
    }

    /// The width of a name on the map in pixels, about.
    private static func width(of name: String) -> Double { Double(min(16, name.count)) * 6.5 + 12 }

    /// Returns the lowest zoom at which a length of the world measures so many pixels; `nil` if none does.
    private static func zoom(of pixels: Double, in length: Double) -> Int? {
        (0...deepestZoom).first { length * 512 * Double(1 << $0) >= pixels }
    }

    /// Returns a point inside a polygon: in the middle of its widest part at the height of its centre.
    private static func middle(of polygon: [[WorldPoint]]) -> WorldPoint? {
        guard let outer = polygon.first else { return nil }
        let box = WorldBox(of: outer)
        // A little off, so that the height is not that of a vertex.
        let y = box.north + (box.south - box.north) * 0.500_1
        var crossings: [Double] = []
        for ring in polygon {
            guard var last = ring.last else { continue }
            for next in ring {
                if (last.y > y) != (next.y > y) {
                    crossings.append(last.x + (y - last.y) / (next.y - last.y) * (next.x - last.x))
                }
                last = next
            }
        }
        crossings.sort()
        let spans = stride(from: 0, to: crossings.count - 1, by: 2).map { (crossings[$0], crossings[$0 + 1]) }
        guard let widest = spans.max(by: { $0.1 - $0.0 < $1.1 - $1.0 }) else { return nil }
        return WorldPoint(x: (widest.0 + widest.1) / 2, y: y)
    }
}

/// A line with the distances of its vertices from its beginning.
private struct LineLength {
    private let line: [WorldPoint]
    private let distances: [Double]

    var total: Double { distances.last ?? 0 }

    init(_ line: [WorldPoint]) {
        self.line = line
        var distance = 0.0
        var last = line.first
        distances = line.map { point in
            if let last {
                let (x, y) = (point.x - last.x, point.y - last.y)
                distance += (x * x + y * y).squareRoot()
            }
            last = point
            return distance
        }
    }

    /// Returns the position at a share of the length, 0...1; the line has at least one vertex.
    func position(at share: Double) -> WorldPoint {
        let wanted = share * total
        guard let end = distances.firstIndex(where: { $0 >= wanted }), end > 0 else { return line[0] }
        let step = distances[end] - distances[end - 1]
        let rest = step > 0 ? (wanted - distances[end - 1]) / step : 0
        let (from, to) = (line[end - 1], line[end])
        return WorldPoint(x: from.x + (to.x - from.x) * rest, y: from.y + (to.y - from.y) * rest)
    }
}
