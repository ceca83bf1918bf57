import Foundation
import Geometry
import Stories

/// The polygons of a sensitive area as well-known binary (OGC 06-103r4 §8.2), as SpatiaLite reads it.
enum AreaShape {
    /// Returns the area's polygons as one MultiPolygon.
    static func bytes(_ area: SensitiveArea) -> Data {
        var data = header(type: 6, count: area.polygons.count)
        for polygon in area.polygons {
            data += header(type: 3, count: polygon.count)
            for ring in polygon {
                data += integer(UInt32(ring.count))
                for corner in ring { data += number(corner.longitude) + number(corner.latitude) }
            }
        }
        return data
    }

    /// Returns a further place of a story as a Point, a LineString, a Polygon, or several of one of them.
    static func bytes(_ place: StoryPlace) -> Data {
        switch place.shape {
        case nil:
            let point = place.location.coordinate
            return AreaShape.point(PlaceShape.Corner(longitude: point.longitude, latitude: point.latitude))
        case .line(let corners): return line(corners)
        case .polygon(let rings): return polygon(rings)
        case .multiPoint(let points): return collection(type: 4, of: points.map(point))
        case .multiLine(let lines): return collection(type: 5, of: lines.map(line))
        case .multiPolygon(let areas): return collection(type: 6, of: areas.map(polygon))
        }
    }

    private static func point(_ corner: PlaceShape.Corner) -> Data { Data([1]) + integer(1) + corners([corner]) }

    private static func line(_ line: [PlaceShape.Corner]) -> Data {
        header(type: 2, count: line.count) + corners(line)
    }

    private static func polygon(_ rings: [[PlaceShape.Corner]]) -> Data {
        rings.reduce(header(type: 3, count: rings.count)) { $0 + integer(UInt32($1.count)) + corners($1) }
    }

    private static func collection(type: UInt32, of parts: [Data]) -> Data {
        parts.reduce(into: header(type: type, count: parts.count)) { $0.append($1) }
    }

    private static func corners(_ line: [PlaceShape.Corner]) -> Data {
        var data = Data()
        for corner in line { data += number(corner.longitude) + number(corner.latitude) }
        return data
    }

    private static func header(type: UInt32, count: Int) -> Data {
        Data([1]) + integer(type) + integer(UInt32(count))
    }

    private static func integer(_ value: UInt32) -> Data {
        withUnsafeBytes(of: value.littleEndian) { Data($0) }
    }

    private static func number(_ value: Double) -> Data {
        withUnsafeBytes(of: value.bitPattern.littleEndian) { Data($0) }
    }
}
