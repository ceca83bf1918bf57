import Geometry
import Stories

/// Reads location histories exported from Google: `Records.json` from Takeout, and the `Timeline.json` exported by
/// Android and iOS phones since 2024.
struct GoogleTraceReader {
    private var builder: TraceBuilder

    /// Returns whether a document is one of these location histories.
    static func isLikely(_ document: JSONValue) -> Bool {
        if let locations = document["locations"]?.array {
            // An empty list of locations can only come from a history without records.
            return locations.first.map { $0["latitudeE7"] != nil } ?? true
        }
        if document["semanticSegments"] != nil || document["rawSignals"] != nil { return true }
        return document.array?.contains { $0["timelinePath"] != nil } ?? false
    }

    /// - Throws: ``TraceError``.
    static func read(_ document: JSONValue, into builder: TraceBuilder) throws -> Trace {
        var reader = GoogleTraceReader(builder: builder)
        if let records = document["locations"]?.array {
            for (index, record) in records.enumerated() { try reader.add(record: record, number: index + 1) }
        } else if let signals = document["rawSignals"]?.array, signals.contains(where: { $0["position"] != nil }) {
            for (index, signal) in signals.enumerated() {
                guard let position = signal["position"] else { continue }
                try reader.add(signal: position, number: index + 1)
            }
        } else {
            // Without the raw signals, only derived data is left: paths with a few points.
            let segments = document["semanticSegments"]?.array ?? document.array ?? []
            for (index, segment) in segments.enumerated() { try reader.add(path: segment, number: index + 1) }
        }
        return reader.builder.finish(.google)
    }

    private mutating func add(record: JSONValue, number: Int) throws {
        let place = TracePlace.feature(number)
        guard let coordinate = GoogleTraceReader.coordinate(record) else {
            return builder.note(place, "the record has no position and is left out")
        }
        let milliseconds = record["timestampMs"].flatMap { $0.number ?? $0.string.flatMap(TraceText.number) }
        let point = TracePoint(
            time: time(record["timestamp"], at: place) ?? milliseconds.flatMap { TraceText.time(since1970: $0) },
            coordinate: coordinate,
            accuracy: TraceText.accuracy(record["accuracy"]?.number),
            speed: TraceText.speed(record["velocity"]?.number),
            course: TraceText.course(record["heading"]?.number),
            device: record["deviceTag"]?.number.flatMap { Int(exactly: $0) }.map(String.init)
        )
        try builder.add(point, at: place)
    }

    private mutating func add(signal: JSONValue, number: Int) throws {
        let place = TracePlace.feature(number)
        guard let text = (signal["LatLng"] ?? signal["latLng"])?.string,
            let coordinate = GoogleTraceReader.coordinate(text)
        else { return builder.note(place, "the signal has no position and is left out") }
        let point = TracePoint(
            time: time(signal["timestamp"], at: place),
            coordinate: coordinate,
            accuracy: TraceText.accuracy(signal["accuracyMeters"]?.number),
            speed: TraceText.speed(signal["speedMetersPerSecond"]?.number)
        )
        try builder.add(point, at: place)
    }

    private mutating func add(path segment: JSONValue, number: Int) throws {
        builder.endSegment()
        guard let path = segment["timelinePath"]?.array else { return }
        let start = time(segment["startTime"], at: .feature(number))
        for (index, step) in path.enumerated() {
            let place = TracePlace.position(index + 1, feature: number)
            guard let coordinate = step["point"]?.string.flatMap(GoogleTraceReader.coordinate) else {
                builder.note(place, "the step has no position and is left out")
                continue
            }
            let offset = step["durationMinutesOffsetFromStartTime"]
                .flatMap { $0.number ?? $0.string.flatMap(TraceText.number) }
            let time =
                step["time"] != nil
                ? time(step["time"], at: place)
                : start.flatMap { start in
                    offset.flatMap { TraceText.time(since1970: Double(start.milliseconds) + $0 * 60_000) }
                }
            try builder.add(TracePoint(time: time, coordinate: coordinate), at: place)
        }
        builder.endSegment()
    }

    private mutating func time(_ value: JSONValue?, at place: TracePlace) -> Timestamp? {
        guard let value, !value.isNull else { return nil }
        if let instant = value.instant { return instant }
        builder.note(place, "the time is not in a form such as 2026-11-21T13:00:00Z; the point is kept without it")
        return nil
    }

    /// Returns the coordinate of a record, given in degrees times ten million; corrects the 32-bit overflow of some
    /// exports.
    private static func coordinate(_ record: JSONValue) -> Coordinate? {
        guard var latitude = record["latitudeE7"]?.number, var longitude = record["longitudeE7"]?.number else {
            return nil
        }
        if latitude > 900_000_000 { latitude -= 4_294_967_296 }
        if longitude > 1_800_000_000 { longitude -= 4_294_967_296 }
        return Coordinate(latitude: latitude / 1e7, longitude: longitude / 1e7)
    }

    /// Parses `33.7554°, -84.3736°` or `geo:33.7554,-84.3736`.
    private static func coordinate(_ text: String) -> Coordinate? {
        let bare = text.hasPrefix("geo:") ? text.dropFirst(4) : text[...]
        let parts = bare.split(separator: ",").map { $0.filter { $0 != "°" } }
        guard parts.count == 2, let latitude = TraceText.number(parts[0]), let longitude = TraceText.number(parts[1])
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}
