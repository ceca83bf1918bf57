/// Reads features one by one from GeoJSON (RFC 7946) or a GeoJSON text sequence (RFC 8142).
///
/// A sequence may also be newline-delimited, without record separators, and have plain objects instead of features. The
/// features of a collection are read on demand, so that a large file is never held in memory as values. The `crs` member of
/// GeoJSON 2008 is respected.
public struct GeoJSONReader: Sendable {
    /// The reference system named in the file, in PROJ's notation, or `nil` for longitude and latitude on WGS 84.
    public let referenceSystem: String?
    /// Whether the file is a sequence of features rather than one value.
    public let isSequence: Bool
    /// The position of the next byte, for progress reports.
    public var position: Int { isSequence ? offset : parser.position }

    private static let recordSeparator: UInt8 = 0x1E
    /// The separator between the records of a sequence.
    private let separator: UInt8
    private let bytes: [UInt8]
    private var parser: JSONParser
    private var offset = 0
    private var number = 0
    private var state: State
    /// Whether the records of a sequence are plain objects (JSON Lines), as the first object is.
    private var isPlain = false
    /// The number of values left out of plain objects because Omeka S shows them to nobody but its own users.
    public private(set) var privateValues = 0
    /// What a FeatureCollection says about itself, in members that GeoJSON does not define.
    package private(set) var notes: [FileNote] = []

    private enum State {
        case single
        case collection
        case sequence
        case done
    }

    /// Creates a reader.
    ///
    /// Unless the file is a sequence, the whole file is checked to be well-formed JSON first.
    ///
    /// Sequences are recognised by their first separator or by further values after the first; pass `isSequence` if a
    /// file name or media type identifies one.
    /// - Throws: ``JSONError`` if the file is not JSON, or is neither a feature nor a feature collection.
    public init(_ bytes: [UInt8], isSequence: Bool = false, depth: Int = 32) throws(JSONError) {
        self.bytes = bytes
        separator = bytes.contains(GeoJSONReader.recordSeparator) ? GeoJSONReader.recordSeparator : UInt8(ascii: "\n")
        parser = JSONParser(bytes, depth: depth)
        let first = parser.nextByte()
        if isSequence || first == GeoJSONReader.recordSeparator {
            (self.isSequence, referenceSystem, state) = (true, nil, .sequence)
            isPlain = startsPlain
            return
        }
        guard first == UInt8(ascii: "{") else {
            throw parser.error("expected a Feature or FeatureCollection, which begins with {,")
        }
        var outline = Outline(parser)
        try outline.read()
        if outline.isFollowedByMore {
            (self.isSequence, referenceSystem, state) = (true, nil, .sequence)
            isPlain = startsPlain
            return
        }
        referenceSystem = try outline.referenceSystem()
        self.isSequence = false
        switch outline.type {
        case "Feature": state = .single
        case "FeatureCollection":
            guard let start = outline.features else {
                throw parser.error("the FeatureCollection has no array of features")
            }
            // The new parser counts the nesting depth from the array of features, not from the top of the file.
            parser = JSONParser(bytes, depth: depth, from: start)
            try parser.open(UInt8(ascii: "["))
            state = .collection
            notes = outline.notes
        case "Topology":
            throw parser.error("the JSON is TopoJSON (convert it with 'ogr2ogr -f GeoJSON stories.geojson FILE')")
        default:
            throw parser.error("the JSON is not a GeoJSON Feature or FeatureCollection")
        }
    }

    /// Returns whether the text is TopoJSON, which names itself near its beginning.
    ///
    /// - Complexity: O(bytes) for a text that may be; O(1) for all others.
    package static func isTopology(_ bytes: [UInt8]) -> Bool {
        guard mayBeTopology(bytes) else { return false }
        var outline = Outline(JSONParser(bytes, depth: 32))
        do throws(JSONError) {
            try outline.read()
        } catch {
            return false
        }
        return outline.type == "Topology" && !outline.isFollowedByMore
    }

    /// Returns whether a text that begins like this may be TopoJSON.
    package static func mayBeTopology(_ start: [UInt8]) -> Bool {
        let start = start.prefix(4096)
        let first = start.first { ![0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first == UInt8(ascii: "{") && start.firstRange(of: Array("\"Topology\"".utf8)) != nil
    }

    /// Returns the next feature, or `nil` at the end.
    ///
    /// - Throws: ``JSONError`` for invalid JSON. For an invalid record of a sequence, returns a feature with a
    ///   ``GeoJSONFeature/problem`` instead.
    public mutating func next() throws(JSONError) -> GeoJSONFeature? {
        switch state {
        case .done: return nil
        case .sequence: return nextRecord()
        case .single: state = .done
        case .collection:
            guard try parser.hasNextElement(first: number == 0) else {
                state = .done
                return nil
            }
        }
        number += 1
        // Of two members with the same name, one may say that the story is private.
        parser.allowsRepeatedNames = false
        return GeoJSONFeature(number: number, json: try parser.value())
    }

    /// Whether the first object of a sequence is no GeoJSON; a few records that are no objects may precede it.
    private var startsPlain: Bool {
        let isBlank: (UInt8) -> Bool = { $0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
        var rest = bytes.drop(while: isBlank)
        for _ in 0..<10 where !rest.isEmpty {
            let record = Array(rest.prefix { $0 != separator })
            if let value = try? JSONValue(parsing: record, limits: .init(bytes: record.count)), value.object != nil {
                return ForeignJSON.isPlain(value)
            }
            rest = rest.dropFirst(record.count + 1)
        }
        return false
    }

    private mutating func nextRecord() -> GeoJSONFeature? {
        while offset < bytes.count {
            let end = bytes[offset...].firstIndex(of: separator) ?? bytes.count
            let record = Array(bytes[offset..<end])
            offset = end + 1
            if record.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) { continue }
            number += 1
            do throws(JSONError) {
                let json = try JSONValue(
                    parsing: record,
                    limits: .init(bytes: record.count, allowsRepeatedNames: false)
                )
                guard isPlain else { return GeoJSONFeature(number: number, json: json) }
                guard json.object != nil else {
                    return GeoJSONFeature(number: number, problem: "not an object, as the first record is")
                }
                let feature = ForeignJSON.feature(of: json, leaving: &privateValues)
                return GeoJSONFeature(number: number, json: feature)
            } catch {
                return GeoJSONFeature(number: number, problem: "not JSON: \(error)")
            }
        }
        state = .done
        return nil
    }
}

extension GeoJSONReader {
    /// The top level of a file: its type, its reference system and the start of its features.
    private struct Outline {
        private var parser: JSONParser
        private(set) var type: String?
        private(set) var features: Int?
        private(set) var isFollowedByMore = false
        private(set) var notes: [FileNote] = []
        private var crs = JSONValue.null

        init(_ parser: JSONParser) { self.parser = parser }

        mutating func read() throws(JSONError) {
            try parser.open(UInt8(ascii: "{"))
            var first = true
            while let name = try parser.nextKey(first: first) {
                first = false
                switch name {
                case "type": type = try parser.value().string
                case "crs": crs = try parser.value()
                case "features":
                    if parser.nextByte() == UInt8(ascii: "[") { features = parser.position }
                    try parser.skip()
                default: try note(name)
                }
            }
            isFollowedByMore = parser.nextByte() == UInt8(ascii: "{")
            if !isFollowedByMore { try parser.end() }
        }

        /// Passes over a member that GeoJSON does not define, and keeps a short one.
        private mutating func note(_ name: String) throws(JSONError) {
            var start = parser
            try parser.skip()
            guard parser.position - start.position <= 1 << 16, notes.count < 1_000 else { return }
            notes += FileNote.all(in: try start.value(), called: name)
        }

        /// Returns the name in the `crs` member; `nil` for the default.
        func referenceSystem() throws(JSONError) -> String? {
            if crs.isNull { return nil }
            guard crs["type"]?.string == "name", let name = crs["properties"]?["name"]?.string else {
                throw parser.error("the crs member does not name a reference system")
            }
            return name.hasSuffix(":CRS84") ? nil : name
        }
    }
}
