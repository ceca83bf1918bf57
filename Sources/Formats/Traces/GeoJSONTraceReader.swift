import Geometry
import Stories

/// Reads GeoJSON: lines with a parallel list of times (togeojson and others), or points with a time each.
struct GeoJSONTraceReader {
    private var builder: TraceBuilder

    private init(builder: TraceBuilder) { self.builder = builder }

    /// One feature with its number in the file.
    private struct Feature {
        let number: Int
        let geometry: JSONValue
        let properties: JSONValue

        var type: String? { geometry["type"]?.string }
        var place: TracePlace { .feature(number) }
    }

    /// Reads a document: a geometry, a feature, a collection, or an Overland message (`{"locations":[…]}`).
    ///
    /// - Throws: ``TraceError``.
    static func read(_ bytes: [UInt8], into builder: TraceBuilder) throws -> Trace {
        var reader = GeoJSONTraceReader(builder: builder)
        let document = try reader.parsed(bytes)
        if GoogleTraceReader.isLikely(document) { return try GoogleTraceReader.read(document, into: reader.builder) }
        if let messages = JSONRecordingReader.messages(in: document) {
            return try JSONRecordingReader.read(messages, into: reader.builder)
        }
        let features = try reader.features(of: document)
        reader.builder.name = document["name"]?.string ?? features.first?.properties["name"]?.string
        let lines = features.filter { $0.type == "LineString" || $0.type == "MultiLineString" }
        let points = features.filter { $0.type == "Point" }
        for line in lines { try reader.readLines(line) }
        let arePositions = lines.isEmpty && points.contains { reader.time(of: $0.properties) != nil }
        for point in points { try reader.readPoint(point, isWaypoint: !arePositions) }
        for feature in features where !["LineString", "MultiLineString", "Point"].contains(feature.type) {
            reader.builder.note(feature.place, "the feature is neither a line nor a point and is left out")
        }
        return reader.builder.finish(.geoJSON)
    }

    private func parsed(_ bytes: [UInt8]) throws -> JSONValue {
        do {
            let limits = JSONValue.Limits(bytes: builder.limits.bytes, depth: builder.limits.depth)
            return try JSONValue(parsing: bytes, limits: limits)
        } catch {
            let problem = "JSON is not well formed (\(error.reason))"
            throw builder.error(.malformed, at: .line(error.line), problem, "export the recording again")
        }
    }

    private func features(of document: JSONValue) throws -> [Feature] {
        if let members = (document["features"] ?? document["locations"])?.array {
            return members.enumerated().map { feature($1, number: $0 + 1) }
        }
        let geometries = ["LineString", "MultiLineString", "Point"]
        let type = document["type"]?.string ?? ""
        if type == "Feature" { return [feature(document, number: 1)] }
        if geometries.contains(type) { return [Feature(number: 1, geometry: document, properties: .null)] }
        let problem = "not a trace: \(TraceReader.expectation), found JSON without positions and times"
        throw builder.error(.notATrace, at: .file, problem, "export the recording as GPX")
    }

    private func feature(_ value: JSONValue, number: Int) -> Feature {
        Feature(number: number, geometry: value["geometry"] ?? .null, properties: value["properties"] ?? .null)
    }

    private mutating func readLines(_ feature: Feature) throws {
        let isMultiple = feature.type == "MultiLineString"
        let positions = try array(feature.geometry["coordinates"], "coordinates", feature)
        let parts = isMultiple ? try positions.map { try array($0, "coordinates", feature) } : [positions]
        let columns = try Columns(feature, parts: parts, isMultiple: isMultiple, self)
        var number = 0
        for (part, positions) in parts.enumerated() {
            builder.endSegment()
            for (index, position) in positions.enumerated() {
                number += 1
                let place = TracePlace.position(number, feature: feature.number)
                let point = TracePoint(
                    time: time(columns.times?[part][index], at: place),
                    coordinate: try coordinate(position, at: place),
                    accuracy: TraceText.accuracy(columns.accuracies?[part][index].number),
                    speed: TraceText.speed(columns.speeds?[part][index].number),
                    course: TraceText.course(columns.courses?[part][index].number)
                )
                try builder.add(point, at: place)
            }
        }
        builder.endSegment()
    }

    /// The lists of values parallel to the positions of a line.
    private struct Columns {
        let times: [[JSONValue]]?
        let accuracies: [[JSONValue]]?
        let speeds: [[JSONValue]]?
        let courses: [[JSONValue]]?

        init(
            _ feature: Feature,
            parts: [[JSONValue]],
            isMultiple: Bool,
            _ reader: GeoJSONTraceReader
        ) throws {
            let beside = feature.properties["coordinateProperties"] ?? .null
            let lists = { (names: [String], owner: JSONValue) -> JSONValue? in
                names.lazy.compactMap { owner[$0] }.first { $0.array != nil }
            }
            let column = { (name: String, value: JSONValue?) throws -> [[JSONValue]]? in
                try value.map { try reader.parts(of: $0, name, like: parts, isMultiple: isMultiple, feature) }
            }
            let names = ["coordTimes", "times", "time", "timestamps"]
            times = try column("times", lists(names, beside) ?? lists(names, feature.properties))
            accuracies = try column("accuracies", lists(["accuracies", "accuracy"], beside))
            speeds = try column("speeds", lists(["speeds", "speed"], beside))
            courses = try column("courses", lists(["courses", "course", "headings"], beside))
        }
    }

    /// Splits a list of values into parts that match the parts of a line (`positions`); for a MultiLineString, the list
    /// may be nested or flat.
    private func parts(
        of value: JSONValue,
        _ name: String,
        like positions: [[JSONValue]],
        isMultiple: Bool,
        _ feature: Feature
    ) throws -> [[JSONValue]] {
        let list = try array(value, name, feature)
        let isNested = isMultiple && list.allSatisfy { $0.array != nil }
        let total = positions.reduce(0) { $0 + $1.count }
        let parts = isNested ? list.compactMap(\.array) : isMultiple ? divided(list, like: positions) : [list]
        guard parts.map(\.count) == positions.map(\.count) else {
            let found = isNested ? parts.reduce(0) { $0 + $1.count } : list.count
            let problem = "the number of \(name) is \(found) for \(total) positions, or they are divided differently"
            throw builder.error(.invalidValue, at: feature.place, problem, "give every position exactly one")
        }
        return parts
    }

    private func divided(_ list: [JSONValue], like positions: [[JSONValue]]) -> [[JSONValue]] {
        var rest = list[...]
        var parts = positions.map { part in
            defer { rest = rest.dropFirst(part.count) }
            return Array(rest.prefix(part.count))
        }
        if !rest.isEmpty { parts.append(Array(rest)) }
        return parts
    }

    private mutating func readPoint(_ feature: Feature, isWaypoint: Bool) throws {
        let place = feature.place
        let coordinate = try coordinate(feature.geometry["coordinates"], at: place)
        let properties = feature.properties
        let time = time(time(of: properties), at: place)
        guard !isWaypoint else {
            var raw = RawTracePoint(place: place)
            raw.latitude = String(coordinate.latitude)
            raw.longitude = String(coordinate.longitude)
            raw.time = time.map(RFC3339.format)
            raw.name = (properties["name"] ?? properties["title"])?.string
            raw.words = (properties["desc"] ?? properties["description"])?.string
            return try builder.addWaypoint(raw, isRoute: false)
        }
        let point = TracePoint(
            time: time,
            received: self.time(properties["received"], at: place),
            coordinate: coordinate,
            accuracy: TraceText.accuracy(number(properties, ["accuracy", "acc", "horizontal_accuracy", "hacc"])),
            speed: TraceText.speed(number(properties, ["speed"])),
            course: TraceText.course(number(properties, ["course", "heading", "bearing"])),
            device: (properties["device"] ?? properties["device_id"])?.string.flatMap(TraceText.words)
        )
        try builder.add(point, at: place)
    }

    private func number(_ properties: JSONValue, _ names: [String]) -> Double? {
        names.lazy.compactMap { properties[$0] }.first.flatMap { $0.number ?? $0.string.flatMap(TraceText.number) }
    }

    private func time(of properties: JSONValue) -> JSONValue? {
        ["timestamp", "time", "datetime"].lazy.compactMap { properties[$0] }.first { !$0.isNull }
    }

    private mutating func time(_ value: JSONValue?, at place: TracePlace) -> Timestamp? {
        guard let value, !value.isNull else { return nil }
        if let text = value.string, let instant = TraceText.time(text) { return instant }
        if let number = value.number, let instant = TraceText.time(since1970: number) { return instant }
        builder.note(place, "the time is not in a form such as 2026-11-21T13:00:00Z; the point is kept without it")
        return nil
    }

    private func coordinate(_ position: JSONValue?, at place: TracePlace) throws -> Coordinate {
        if let longitude = position?[0]?.number, let latitude = position?[1]?.number,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        {
            return coordinate
        }
        let problem = "the position is not [longitude, latitude] in degrees"
        throw builder.error(.invalidValue, at: place, problem, "correct the position or remove it")
    }

    private func array(_ value: JSONValue?, _ name: String, _ feature: Feature) throws -> [JSONValue] {
        if let array = value?.array { return array }
        let problem = "\(name) is not an array"
        throw builder.error(.invalidValue, at: feature.place, problem, "correct or remove the feature")
    }
}
