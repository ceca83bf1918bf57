import Gazetteer

/// The uncompressed `areas.bin`: the county, region and country of each piece of land, and the names of waters.
///
/// Positions are pairs of integers in units of 1e-4 degrees.
struct AreaTable: Sendable {
    /// The administrative units of a piece of land; empty strings where there are none.
    struct Area: Hashable, Sendable {
        /// The code of its country, as in `countries.tsv`.
        var country: String
        /// The code of its region, as in `regions.tsv` or `states.tsv`.
        var region: String
        /// The GEOID of its county.
        var county: String
        /// The name of the area, if the area is smaller than a region.
        var name: String
    }

    /// A border: `points` from one end to the other, with an area or ``AreaFormat/none`` on either side.
    struct Line: Hashable, Sendable {
        var left: UInt16
        var right: UInt16
        var points: [GridPoint]
    }

    /// A sea or lake with its outline.
    struct Water: Hashable, Sendable {
        var name: String
        var outline: [GridPoint]
    }

    /// Areas of one kind, which do not overlap.
    struct Layer: Hashable, Sendable {
        var areas: [Area] = []
        var lines: [Line] = []
    }

    /// Positions are stored as integer multiples of 1 / `unitsPerDegree`.
    static let unitsPerDegree = 1e4

    /// The maximum extent of a border segment in longitude and in latitude, in units of 1e-4 degrees; its position
    /// relative to a cell then fits in 16 bits.
    static let longest: Int32 = 30_000

    /// US counties, then first-level regions of the world; the former take precedence.
    var layers = [Layer(), Layer()]
    /// The waters, inner ones first.
    var waters: [Water] = []

    /// Parses the file; no bytes give a table without areas.
    ///
    /// - Throws: ``GazetteerSourceError`` if the bytes are damaged.
    init(bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        var reader = Reader(bytes: bytes)
        guard bytes.starts(with: "WMAREAS1".utf8) else {
            throw reader.error("the file does not start like a table of areas")
        }
        reader.position = 8
        guard try reader.count() == layers.count else { throw reader.error("the table does not have two layers") }
        for index in layers.indices { layers[index] = try reader.layer() }
        waters = try reader.list { reader in
            let name = try reader.text()
            var last = GridPoint(x: 0, y: 0)
            let outline = try reader.list { reader in
                last = try last.moved(x: reader.signed(), y: reader.signed(), reader)
                return last
            }
            return Water(name: name, outline: outline)
        }
        guard reader.position == bytes.count else { throw reader.error("there is data after the end of the table") }
    }
}

/// A position in units of 1e-4 degrees, about 11 m.
struct GridPoint: Hashable, Sendable {
    var x: Int32
    var y: Int32

    fileprivate func moved(x dx: Int, y dy: Int, _ reader: AreaTable.Reader) throws -> GridPoint {
        let (newX, newY) = (Int(x) &+ dx, Int(y) &+ dy)
        guard (-1_800_000...1_800_000).contains(newX), (-900_000...900_000).contains(newY) else {
            throw reader.error("a position is outside the valid range")
        }
        return GridPoint(x: Int32(newX), y: Int32(newY))
    }
}

extension AreaTable {
    /// Reads variable-length numbers from untrusted bytes.
    fileprivate struct Reader {
        let bytes: [UInt8]
        var position = 0

        func error(_ reason: String) -> GazetteerSourceError {
            GazetteerSourceError(file: "areas.bin", row: 1, reason: reason)
        }

        mutating func number() throws -> Int {
            var value = 0
            var shift = 0
            while position < bytes.count, shift < 35 {
                let byte = bytes[position]
                position += 1
                value |= Int(byte & 0x7F) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
            throw error("the file ends inside a number")
        }

        mutating func signed() throws -> Int {
            let value = try number()
            return (value >> 1) ^ -(value & 1)
        }

        /// Reads the number of items that follow, each of which takes at least one byte.
        mutating func count() throws -> Int {
            let value = try number()
            guard value <= bytes.count - position else { throw error("the file is shorter than it declares") }
            return value
        }

        mutating func list<Element>(_ element: (inout Reader) throws -> Element) throws -> [Element] {
            let count = try count()
            var elements: [Element] = []
            elements.reserveCapacity(count)
            for _ in 0..<count { elements.append(try element(&self)) }
            return elements
        }

        mutating func text() throws -> String {
            let length = try count()
            defer { position += length }
            return String(decoding: bytes[position..<(position + length)], as: UTF8.self)
        }

        /// Reads the length of a run of bytes, skips the run, and returns a reader for it.
        mutating func run() throws -> Reader {
            let length = try count()
            defer { position += length }
            return Reader(bytes: Array(bytes[position..<(position + length)]))
        }

        mutating func layer() throws -> Layer {
            let areas = try list { reader in
                try Area(country: reader.text(), region: reader.text(), county: reader.text(), name: reader.text())
            }
            guard areas.count < Int(AreaFormat.none) else { throw error("there are too many areas") }
            let count = try count()
            var (heads, xs, ys) = (try run(), try run(), try run())
            func side(_ value: Int) throws -> UInt16 {
                guard (0...areas.count).contains(value) else { throw error("a border refers to an unknown area") }
                return value == 0 ? AreaFormat.none : UInt16(value - 1)
            }
            var lines: [Line] = []
            var left = 0
            var last = GridPoint(x: 0, y: 0)
            for _ in 0..<count {
                left &+= try heads.signed()
                let right = try heads.number()
                var points: [GridPoint] = []
                for _ in 0..<(try heads.number()) {
                    let next = try last.moved(x: xs.signed(), y: ys.signed(), self)
                    if !points.isEmpty, max(abs(next.x - last.x), abs(next.y - last.y)) > AreaTable.longest {
                        throw error("a border has a segment longer than three degrees")
                    }
                    last = next
                    points.append(last)
                }
                lines.append(Line(left: try side(left), right: try side(right), points: points))
            }
            return Layer(areas: areas, lines: lines)
        }
    }
}
