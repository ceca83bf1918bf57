import Geometry

/// A line or a ring of an outline, on the Web Mercator square of side 1: x from the west, y from the north.
struct WorldPoint: Hashable, Sendable {
    var x: Double
    var y: Double

    /// Projects a position in degrees; latitudes beyond the square's edges are clamped to them.
    init(longitude: Double, latitude: Double) {
        let sine = min(0.999_999_999_9, max(-0.999_999_999_9, Math.sine(Math.radians(latitude))))
        x = min(1, max(0, (longitude + 180) / 360))
        y = min(1, max(0, 0.5 - 0.25 * Math.naturalLogarithm((1 + sine) / (1 - sine)) / .pi))
    }

    init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// The reason why a file of outlines cannot be read.
public enum OutlineError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file does not begin like a file of outlines.
    case notOutlines
    /// The file ends in the middle, or a number in it is out of range.
    case damaged

    /// The reason as a clause without a full stop.
    public var description: String {
        switch self {
        case .notOutlines: "the file is not a file of outlines"
        case .damaged: "the file of outlines is damaged or incomplete"
        }
    }
}

/// Lines or polygons of one layer of the basemap, from a file that `scripts/build-outlines` makes.
///
/// The layout of the file is described in `tiles/README.md`.
public struct OutlineFile: Sendable {
    /// A shape: lines, or an outer ring followed by its holes.
    struct Feature: Sendable {
        /// The order in which shapes appear as the map is enlarged: the smallest first.
        var rank: Int
        /// The name; empty if it has none.
        var name: String
        /// The lines, or the rings without a repeated last position.
        var parts: [[WorldPoint]]
    }

    /// Whether the shapes are areas; otherwise they are lines.
    let isPolygons: Bool
    let features: [Feature]

    /// The number of shapes.
    public var count: Int { features.count }

    /// Reads the uncompressed content of a file.
    ///
    /// - Throws: ``OutlineError``.
    /// - Complexity: O(*n*) in the length; memory is bounded by 16 bytes per byte of the file.
    public init(bytes: [UInt8]) throws(OutlineError) {
        guard bytes.starts(with: Array("WMLINE1\n".utf8)) else { throw .notOutlines }
        var reader = VarintReader(bytes: bytes, position: 8)
        let kind = try reader.number(upTo: 1)
        let digits = try reader.number(upTo: 7)
        let unit = (0..<digits).reduce(1.0) { unit, _ in unit * 10 }
        isPolygons = kind == 1
        var features: [Feature] = []
        for _ in 0..<(try reader.count(ofLeast: 4)) {
            let rank = try reader.number(upTo: 255)
            let name = try reader.text(length: reader.count(ofLeast: 1))
            var parts: [[WorldPoint]] = []
            var (longitude, latitude) = (0, 0)
            for _ in 0..<(try reader.count(ofLeast: 1)) {
                var part: [WorldPoint] = []
                let count = try reader.count(ofLeast: 2)
                part.reserveCapacity(count)
                for _ in 0..<count {
                    longitude = try reader.sum(longitude, within: 180 * Int(unit))
                    latitude = try reader.sum(latitude, within: 90 * Int(unit))
                    part.append(WorldPoint(longitude: Double(longitude) / unit, latitude: Double(latitude) / unit))
                }
                parts.append(part)
            }
            features.append(Feature(rank: rank, name: name, parts: parts))
        }
        guard reader.isAtEnd else { throw .damaged }
        self.features = features
    }
}

/// Reads LEB128 numbers; every one is checked against its bounds.
private struct VarintReader {
    let bytes: [UInt8]
    var position: Int

    var isAtEnd: Bool { position == bytes.count }

    mutating func varint() throws(OutlineError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 63, by: 7) {
            guard position < bytes.count else { throw .damaged }
            let byte = bytes[position]
            position += 1
            number |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return number }
        }
        throw .damaged
    }

    mutating func number(upTo maximum: Int) throws(OutlineError) -> Int {
        let number = try varint()
        guard number <= UInt64(maximum) else { throw .damaged }
        return Int(number)
    }

    /// Reads the number of things that each take at least `least` bytes of what is left.
    mutating func count(ofLeast least: Int) throws(OutlineError) -> Int {
        try number(upTo: max(0, bytes.count - position) / least)
    }

    mutating func text(length: Int) throws(OutlineError) -> String {
        guard length <= bytes.count - position else { throw .damaged }
        defer { position += length }
        return String(decoding: bytes[position..<(position + length)], as: UTF8.self)
    }

    /// Reads a signed difference and adds it; the result is between `-bound` and `bound`.
    mutating func sum(_ value: Int, within bound: Int) throws(OutlineError) -> Int {
        let coded = try varint()
        let difference = Int(bitPattern: UInt(coded >> 1)) ^ -Int(bitPattern: UInt(coded & 1))
        let (sum, overflow) = value.addingReportingOverflow(difference)
        guard !overflow, abs(sum) <= bound else { throw .damaged }
        return sum
    }
}
