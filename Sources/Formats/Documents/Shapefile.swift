/// A Shapefile (ESRI, July 1998) with its table (dBASE III) as GeoJSON.
///
/// Own code: SpatiaLite's reader (5.0.1) believes the counts in a file and crashes where they lie, and wants files, as
/// shapelib does. Both formats are short.
public struct Shapefile: Sendable {
    /// The files that together are a Shapefile.
    public struct Files: Sendable {
        /// The geometries.
        public var shapes: [UInt8]
        /// The table, `nil` if there is none.
        public var table: [UInt8]?
        /// The definition of the reference system, `nil` if there is none.
        public var system: String?
        /// The name of the encoding of the table, `nil` if nothing says it.
        public var encoding: String?
        /// The encoding of the table as the operator knows it, whatever the files say; `nil` if that is not given.
        public var givenEncoding: TextEncoding?

        /// Creates the parts of a Shapefile.
        public init(shapes: [UInt8], table: [UInt8]?, system: String?, encoding: String?) {
            (self.shapes, self.table, self.system, self.encoding) = (shapes, table, system, encoding)
        }
    }

    /// The reason a Shapefile cannot be read.
    public struct Failure: Error, Equatable, Sendable {
        /// One sentence without a full stop.
        public let reason: String
    }

    /// A FeatureCollection; its `crs` is the definition of the reference system, if there is one.
    public let geoJSON: [UInt8]
    /// What was guessed, each for people and without a full stop.
    public let remarks: [String]

    private static let damaged = Failure(reason: "the Shapefile is damaged or incomplete")

    /// Reads a Shapefile; the result may have at most `limit` bytes.
    ///
    /// - Throws: ``Failure``.
    /// - Complexity: O(bytes).
    public init(_ files: Files, limit: Int) throws(Failure) {
        let bytes = files.shapes
        guard bytes.count >= 100, bytes.starts(with: [0, 0, 0x27, 0x0A]) else { throw Shapefile.damaged }
        var table = try files.table.map { bytes throws(Failure) in
            try DatabaseTable(bytes, encoding: files.encoding, given: files.givenEncoding)
        }
        var json = JSONWriter(capacity: bytes.count)
        json.beginFeatureCollection(system: files.system)
        let empty = Shapefile.type(bytes)
        var position = 100
        while position + 8 <= bytes.count {
            let length = Int(Shapefile.big(bytes, position + 4)) * 2
            guard length >= 4, length <= bytes.count - position - 8 else { throw Shapefile.damaged }
            let row = try table?.next()
            if table == nil || row != nil {
                json.beginObject()
                json.member("type", "Feature")
                json.key("geometry")
                try ShapeRecord(bytes[(position + 8)..<(position + 8 + length)]).write(to: &json, empty: empty)
                json.key("properties")
                json.raw(row ?? Array("{}".utf8))
                json.endObject()
            }
            position += 8 + length
            guard json.bytes.count <= limit else { throw Failure(reason: "the Shapefile is too large; split it") }
        }
        json.endArray()
        json.endObject()
        geoJSON = json.bytes
        var remarks: [String] = []
        if files.system == nil {
            remarks.append(
                "no .prj says the reference system, so positions are taken as longitude and latitude; give --crs"
            )
        }
        if files.table == nil { remarks.append("the table (.dbf) is missing") }
        if let guess = table?.guessedEncoding {
            let example = table?.guessedExample.map { ", for example \"\($0)\"" } ?? ""
            remarks.append(
                "no .cpg says the encoding of the table; it is read as \(guess.title)\(example); if that is wrong, give --encoding"
            )
        }
        self.remarks = remarks
    }

    /// Returns the type of geometry that the head of a Shapefile names; `nil` if it names none that is read.
    private static func type(_ bytes: [UInt8]) -> String? {
        switch bytes[32] {
        case 1, 11, 21: "Point"
        case 3, 13, 23: "LineString"
        case 5, 15, 25: "Polygon"
        case 8, 18, 28: "MultiPoint"
        default: nil
        }
    }

    fileprivate static func big(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        bytes[at..<(at + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// One geometry of a Shapefile.
private struct ShapeRecord {
    private let bytes: ArraySlice<UInt8>
    private static let damaged = Shapefile.Failure(reason: "the Shapefile has a damaged geometry")

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    private func whole(_ offset: Int) throws(Shapefile.Failure) -> Int {
        guard offset >= 0, offset + 4 <= bytes.count else { throw ShapeRecord.damaged }
        let start = bytes.startIndex + offset
        let value = bytes[start..<(start + 4)].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard value <= UInt32(Int32.max) else { throw ShapeRecord.damaged }
        return Int(value)
    }

    private func position(_ offset: Int) throws(Shapefile.Failure) -> (x: Double, y: Double) {
        guard offset >= 0, offset + 16 <= bytes.count else { throw ShapeRecord.damaged }
        func double(_ start: Int) -> Double {
            Double(bitPattern: bytes[start..<(start + 8)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        let start = bytes.startIndex + offset
        return (double(start), double(start + 8))
    }

    /// Writes the geometry; one that is null as an empty one of the type `empty`, which is what programs store for it.
    func write(to json: inout JSONWriter, empty: String?) throws(Shapefile.Failure) {
        // Types 11 to 28 are the same with heights and measures, which follow.
        switch try whole(0) {
        case 0: if let empty { json.emptyGeometry(empty) } else { json.null() }
        case 1, 11, 21:
            let (x, y) = try position(4)
            write("Point", to: &json) { $0.position(x, y) }
        case 8, 18, 28:
            let points = try positions(from: 40, count: try whole(36))
            write("MultiPoint", to: &json) { $0.write(points) }
        case 3, 13, 23:
            let lines = try parts()
            // The format knows no single line or area, so one of them is what was meant.
            if lines.count == 1 {
                write("LineString", to: &json) { $0.write(lines[0]) }
            } else {
                write("MultiLineString", to: &json) { $0.write(lines) }
            }
        case 5, 15, 25:
            let rings = try parts()
            let areas = RingGroups.areas(rings).map { $0.map { rings[$0] } }
            if areas.count == 1 {
                write("Polygon", to: &json) { $0.write(areas[0]) }
            } else {
                write("MultiPolygon", to: &json) { json in
                    json.beginArray()
                    for area in areas { json.write(area) }
                    json.endArray()
                }
            }
        default: throw Shapefile.Failure(reason: "the Shapefile has geometries of a type that is not read (MultiPatch)")
        }
    }

    private func write(_ type: String, to json: inout JSONWriter, _ body: (inout JSONWriter) -> Void) {
        json.beginObject()
        json.member("type", type)
        json.key("coordinates")
        body(&json)
        json.endObject()
    }

    private func positions(from offset: Int, count: Int) throws(Shapefile.Failure) -> [(x: Double, y: Double)] {
        guard count <= bytes.count / 16 else { throw ShapeRecord.damaged }
        var found: [(x: Double, y: Double)] = []
        for index in 0..<count { found.append(try position(offset + 16 * index)) }
        return found
    }

    private func parts() throws(Shapefile.Failure) -> [[(x: Double, y: Double)]] {
        let (count, total) = (try whole(36), try whole(40))
        guard count <= bytes.count / 4, total <= bytes.count / 16 else { throw ShapeRecord.damaged }
        var starts: [Int] = []
        for index in 0..<count { starts.append(try whole(44 + 4 * index)) }
        var lines: [[(x: Double, y: Double)]] = []
        for (index, start) in starts.enumerated() {
            let end = index + 1 < count ? starts[index + 1] : total
            // Parts that overlap would let a small file become a large one.
            guard start >= 0, start <= end, end <= total else { throw ShapeRecord.damaged }
            lines.append(try positions(from: 44 + 4 * count + 16 * start, count: end - start))
        }
        return lines
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ line: [(x: Double, y: Double)]) {
        beginArray()
        for (x, y) in line { position(x, y) }
        endArray()
    }

    fileprivate mutating func write(_ lines: [[(x: Double, y: Double)]]) {
        beginArray()
        for line in lines { write(line) }
        endArray()
    }
}
