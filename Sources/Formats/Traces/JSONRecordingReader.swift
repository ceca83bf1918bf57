import Geometry
import Stories

/// Reads recordings of JSON messages: the `.rec` files and exports of the OwnTracks Recorder, the request bodies of
/// apps, and lists or lines of objects with a time, a latitude and a longitude.
///
/// Layout of `.rec`: the time of receipt, a tab, a word for the type of message padded with spaces, a tab and the
/// message (https://github.com/owntracks/recorder, "Storage").
struct JSONRecordingReader {
    private var builder: TraceBuilder
    private var isOwnTracks = false

    private init(builder: TraceBuilder) { self.builder = builder }

    /// Returns whether a file is a `.rec` file: one of its first lines contains a message.
    static func isRecorded(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 50).prefix(50)
            .contains { line in recorded(line)?.message.first { !$0.isBlank } == UInt8(ascii: "{") }
    }

    /// Returns the messages in a document, or `nil` if it is not a recording of messages.
    static func messages(in document: JSONValue) -> [JSONValue]? {
        let lists = [document, document["data"], document["fixes"], document["locations"]].compactMap { $0?.array }
        if let list = lists.first(where: { $0.contains(where: isMessage) }) { return list }
        return isMessage(document) ? [document] : nil
    }

    /// Reads the messages of a document.
    ///
    /// - Throws: ``TraceError``.
    static func read(_ messages: [JSONValue], into builder: TraceBuilder) throws -> Trace {
        var reader = JSONRecordingReader(builder: builder)
        for (index, message) in messages.enumerated() {
            try reader.add(message, received: nil, at: .feature(index + 1))
        }
        return reader.finish()
    }

    /// Reads lines: of a `.rec` file, or one message per line.
    ///
    /// - Throws: ``TraceError``.
    static func read(lines bytes: ArraySlice<UInt8>, into builder: TraceBuilder) throws -> Trace {
        var reader = JSONRecordingReader(builder: builder)
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard line.contains(where: { !$0.isBlank }) else { continue }
            let (received, text) = recorded(line).map { ($0.received, $0.message) } ?? (nil, line)
            // These files also contain messages that are not JSON.
            guard text.first(where: { !$0.isBlank }) == UInt8(ascii: "{") else {
                reader.builder.note(.line(number), "the message is not a location and is left out")
                continue
            }
            try reader.add(try reader.parsed(text, at: number), received: received, at: .line(number))
        }
        return reader.finish()
    }

    private consuming func finish() -> Trace { builder.finish(isOwnTracks ? .ownTracks : .json) }

    private func parsed(_ text: ArraySlice<UInt8>, at number: Int) throws -> JSONValue {
        do {
            let limits = JSONValue.Limits(bytes: builder.limits.bytes, depth: builder.limits.depth)
            return try JSONValue(parsing: Array(text), limits: limits)
        } catch {
            let problem = "JSON is not well formed (\(error.reason))"
            throw builder.error(.malformed, at: .line(number), problem, "remove the line or record again")
        }
    }

    private mutating func add(_ message: JSONValue, received: Timestamp?, at place: TracePlace) throws {
        if let type = message["_type"]?.string {
            isOwnTracks = true
            guard type == "location" || type == "transition" else {
                return builder.note(place, "the message is not a location and is left out")
            }
        }
        let (latitude, longitude) = JSONRecordingReader.position(of: message)
        guard latitude != nil || longitude != nil else {
            return builder.note(place, "the message has no position and is left out")
        }
        guard let latitude = latitude.flatMap(JSONRecordingReader.number),
            let longitude = longitude.flatMap(JSONRecordingReader.number),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else {
            let problem = "the latitude is not a number from -90 to 90, or the longitude is not one from -180 to 180"
            throw builder.error(.invalidValue, at: place, problem, "correct the message or remove it")
        }
        let kilometresPerHour = message["_type"] == nil ? nil : message["vel"]?.number
        let point = TracePoint(
            time: time(of: message, at: place),
            received: received,
            coordinate: coordinate,
            accuracy: TraceText.accuracy(JSONRecordingReader.first(["acc", "accuracy"], of: message)),
            speed: TraceText.speed(kilometresPerHour.map { $0 / 3.6 } ?? message["speed"]?.number),
            course: TraceText.course(JSONRecordingReader.first(["cog", "course", "heading", "bearing"], of: message)),
            device: device(of: message)
        )
        try builder.add(point, at: place)
    }

    private mutating func time(of message: JSONValue, at place: TracePlace) -> Timestamp? {
        guard let value = JSONRecordingReader.times.lazy.compactMap({ message[$0] }).first(where: { !$0.isNull })
        else { return nil }
        if let instant = value.instant { return instant }
        builder.note(place, "the time is not in a form such as 2026-11-21T13:00:00Z; the point is kept without it")
        return nil
    }

    private func device(of message: JSONValue) -> String? {
        let topic = message["topic"]?.string?.split(separator: "/") ?? []
        let name = topic.count >= 3 ? String(topic[2]) : (message["device"] ?? message["tid"])?.string
        return name.flatMap(TraceText.words)
    }

    private static let times = ["tst", "t", "time", "timestamp", "datetime"]

    private static func isMessage(_ value: JSONValue) -> Bool {
        if value["_type"]?.string != nil { return true }
        let (latitude, longitude) = position(of: value)
        return latitude != nil && longitude != nil && times.contains { value[$0] != nil }
    }

    private static func position(of value: JSONValue) -> (latitude: JSONValue?, longitude: JSONValue?) {
        (value["lat"] ?? value["latitude"], value["lon"] ?? value["lng"] ?? value["longitude"])
    }

    private static func number(_ value: JSONValue) -> Double? {
        value.number ?? value.string.flatMap(TraceText.number)
    }

    private static func first(_ names: [String], of message: JSONValue) -> Double? {
        names.lazy.compactMap { message[$0].flatMap(number) }.first
    }

    /// Returns the time of receipt and the message in a line of a `.rec` file, or `nil` for any other line.
    private static func recorded(_ line: ArraySlice<UInt8>) -> (received: Timestamp, message: ArraySlice<UInt8>)? {
        let tab = UInt8(ascii: "\t")
        guard let first = line.firstIndex(of: tab), line.distance(from: line.startIndex, to: first) <= 40,
            let second = line[line.index(after: first)...].firstIndex(of: tab),
            let received = TraceText.time(String(decoding: line[..<first], as: UTF8.self))
        else { return nil }
        return (received, line[line.index(after: second)...])
    }
}
