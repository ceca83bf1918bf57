import Foundation

/// The geometry of a row of a GeoPackage in the file's reference system: a position has its east before its north.
public enum GeoPackageShape: Hashable, Sendable {
    /// A point.
    case point(SIMD2<Double>)
    /// A line.
    case line([SIMD2<Double>])
    /// An area: an outer ring, followed by its holes.
    case polygon([[SIMD2<Double>]])
    /// Several points.
    case multiPoint([SIMD2<Double>])
    /// Several lines.
    case multiLine([[SIMD2<Double>]])
    /// Several areas.
    case multiPolygon([[[SIMD2<Double>]]])

    /// The edges of the smallest box around a shape.
    struct Box {
        var west: Double
        var east: Double
        var south: Double
        var north: Double

        /// Returns the smallest box around two.
        func joined(with other: Box) -> Box {
            Box(
                west: min(west, other.west),
                east: max(east, other.east),
                south: min(south, other.south),
                north: max(north, other.north)
            )
        }
    }

    /// The smallest box around all positions; `nil` without any.
    var box: Box? {
        let positions: [SIMD2<Double>] =
            switch self {
            case .point(let position): [position]
            case .line(let line), .multiPoint(let line): line
            case .polygon(let lines), .multiLine(let lines): Array(lines.joined())
            case .multiPolygon(let areas): Array(areas.joined().joined())
            }
        guard let first = positions.first else { return nil }
        return positions.dropFirst()
            .reduce(Box(west: first.x, east: first.x, south: first.y, north: first.y)) { box, next in
                box.joined(with: Box(west: next.x, east: next.x, south: next.y, north: next.y))
            }
    }

    /// The well-known binary, little endian.
    var wellKnownBinary: Data {
        switch self {
        case .point(let position): head(1) + GeoPackageShape.numbers([position])
        case .line(let line): head(2) + GeoPackageShape.list(line)
        case .polygon(let rings): rings.reduce(head(3, of: rings.count)) { $0 + GeoPackageShape.list($1) }
        case .multiPoint(let points): parts(4, points.map { .point($0) })
        case .multiLine(let lines): parts(5, lines.map { .line($0) })
        case .multiPolygon(let areas): parts(6, areas.map { .polygon($0) })
        }
    }

    private func head(_ type: UInt32) -> Data { Data([1]) + GeoPackageGeometry.littleEndian(type) }

    private func head(_ type: UInt32, of count: Int) -> Data {
        head(type) + GeoPackageGeometry.littleEndian(UInt32(clamping: count))
    }

    private func parts(_ type: UInt32, _ parts: [GeoPackageShape]) -> Data {
        parts.reduce(into: head(type, of: parts.count)) { $0.append($1.wellKnownBinary) }
    }

    private static func list(_ line: [SIMD2<Double>]) -> Data {
        GeoPackageGeometry.littleEndian(UInt32(clamping: line.count)) + numbers(line)
    }

    private static func numbers(_ line: [SIMD2<Double>]) -> Data {
        line.reduce(into: Data(capacity: 16 * line.count)) { data, position in
            data.append(GeoPackageGeometry.littleEndian(position.x.bitPattern))
            data.append(GeoPackageGeometry.littleEndian(position.y.bitPattern))
        }
    }
}
