import Formats
import Geometry
import Stories

func fuzzJSON(_ bytes: [UInt8]) {
    guard let value = try? JSONValue(parsing: bytes, limits: .init(bytes: 1 << 20)) else { return }
    require(value.object != nil || value.object == nil, "a value has a kind")
    _ = try? JSONValue(parsing: bytes, limits: .init(bytes: 1 << 20, depth: 8, allowsRepeatedNames: false))
}

func fuzzGeoJSON(_ bytes: [UInt8]) {
    for isSequence in [false, true] {
        guard var reader = try? GeoJSONReader(bytes, isSequence: isSequence) else { continue }
        var count = 0
        while let feature = try? reader.next() {
            _ = feature
            count += 1
            require(count <= bytes.count + 1, "a reader ends")
        }
    }
}

func fuzzCSV(_ bytes: [UInt8]) {
    var reader = CSVReader(bytes)
    var count = 0
    // After an error the next record may still be readable, but the reader ends with the bytes.
    while count <= bytes.count + 1 {
        do {
            guard let record = try reader.next() else { return }
            _ = record
        } catch { return }
        count += 1
    }
    require(false, "a reader of CSV ends")
}

func fuzzTrace(_ bytes: [UInt8]) {
    for name in ["", "a.csv", "a.nmea", "a.rec"] {
        let limits = TraceLimits(bytes: 1 << 20, points: 10_000)
        guard let trace = try? TraceReader.read(bytes, fileName: name, limits: limits) else { continue }
        let isOnEarth = trace.segments.joined().allSatisfy { $0.coordinate.latitude.magnitude <= 90 }
        require(isOnEarth, "positions of a trace are on the earth")
    }
    require(WaypointDetails(gpx: bytes).values.count <= bytes.count, "every value takes a byte")
}

func fuzzTracker(_ bytes: [UInt8]) {
    _ = try? OwnTracksMessage.read(bytes)
    _ = try? OverlandMessage.read(bytes)
    _ = try? OsmAndMessage.read(json: bytes, now: Timestamp(milliseconds: 0))
    _ = OsmAndMessage.device(json: bytes)
    var values: [String: String] = [:]
    for pair in String(decoding: bytes, as: UTF8.self).split(separator: "&") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        values[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
    }
    _ = try? OsmAndMessage.read(values, now: Timestamp(milliseconds: 1_750_000_000_000))
}

func fuzzDate(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let date = StoryDate(text) { require(date.first != nil && date.last != nil, "a plain date has days") }
    if case .date(let date) = DateReading(text) { require(date.first != nil && date.last != nil, "a date has days") }
    // A column of dates.
    var habit = DateHabit()
    for line in text.split(separator: "\n") { _ = habit.note(String(line)) }
}

func fuzzPrivacy(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let today = CalendarDay(year: 2_026, month: 11, day: 28)
    // The name of a column and its value, in two lines.
    let (name, value) = text.split(separator: "\n", maxSplits: 1).map(String.init).firstTwo
    let isAbout = PrivacyGuess.isAbout(name, value, on: today)
    require(PrivacyGuess.isAbout(name, value, on: today) == isAbout, "a rule has one answer")
    _ = PrivacyGuess.isAbout(text, on: today) || PrivacyGuess.isLeft(name)
    _ = PrivacyWords.isPlea(text) || PrivacyWords.isNote(PrivacyWords.words(text), text)
    require(PrivacyTopics.removed(from: text).utf8.count <= text.utf8.count, "a name gets no longer")
}

extension [String] {
    /// The first two, or empty texts.
    fileprivate var firstTwo: (String, String) { (first ?? "", count > 1 ? self[1] : "") }
}

func fuzzInstant(_ bytes: [UInt8]) {
    guard let instant = RFC3339.parse(utf8: bytes) else { return }
    let written = RFC3339.bytes(instant)
    require(RFC3339.parse(utf8: written) == instant, "an instant that was read is written and read again as the same")
}

func fuzzBase64(_ bytes: [UInt8]) {
    if let read = Base64.decodeURL(bytes) {
        require(Array(Base64.encodeURL(read).utf8) == bytes, "only the one writing of bytes is read")
    }
    _ = Base64.decode(String(decoding: bytes, as: UTF8.self))
    require(Base64.decodeURL(Base64.encodeURL(bytes).utf8) == bytes, "what is written is read")
}
