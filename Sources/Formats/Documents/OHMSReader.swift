import Geometry
import Stories

extension FeatureDocument {
    /// Reads the index of an interview in OHMS (Oral History Metadata Synchronizer) XML: one entry for each segment,
    /// with its time and places; an interview without an index is one entry.
    ///
    /// The first place of a segment is its location. The others are its `places`, with the seconds of the segment.
    ///
    /// - Throws: ``FeatureDocumentError``.
    public init(ohms bytes: [UInt8]) throws(FeatureDocumentError) {
        var reader = OHMSReader()
        try FeatureDocument.read(bytes, into: &reader)
        guard reader.hasRecord else { throw FeatureDocumentError(line: nil, reason: "the XML is not an OHMS record") }
        self = reader.document
    }
}

private struct OHMSReader: XMLElementHandler {
    var document = FeatureDocument()
    var hasRecord = false
    private var path: [String] = []
    private var record = Fields()
    private var segment: Fields?
    private var segments: [Fields] = []
    private var id: String?

    /// The values of the elements directly in a record or a segment.
    private struct Fields {
        var values: [String: [String]] = [:]
        /// Each place as OHMS writes it: position and name.
        var places: [(gps: String, text: String)] = []

        func first(_ name: String) -> String { values[name]?.first ?? "" }

        func list(_ names: String...) -> JSONValue {
            var seen: Set<String> = []
            let items = names.flatMap { values[$0] ?? [] }.flatMap { $0.split(separator: ";") }
                .map { $0.trimmingBlanks }.filter { !$0.isEmpty && seen.insert($0).inserted }
            return .array(items.map { .string($0) })
        }

        mutating func add(_ name: String, _ text: String) {
            let text = text[...].trimmingBlanks
            if !text.isEmpty { values[name, default: []].append(text) }
        }
    }

    mutating func start(_ name: String, attributes: [String: String], line: Int) {
        path.append(name)
        switch name {
        case "record":
            hasRecord = true
            record = Fields()
            segments = []
            id = attributes["id"]
        case "point" where path.dropLast().last == "index": segment = Fields()
        case "date" where path.dropLast().last == "record": record.add("date", OHMSReader.date(attributes))
        default: break
        }
    }

    mutating func end(_ name: String, text: String, line: Int) {
        path.removeLast()
        let parent = path.last ?? ""
        if segment != nil {
            endInSegment(name, text, parent)
        } else if parent == "record" {
            record.add(name, text)
        } else if name == "record" {
            finishRecord()
        }
    }

    private mutating func endInSegment(_ name: String, _ text: String, _ parent: String) {
        switch name {
        case "point" where parent == "index":
            if let segment { segments.append(segment) }
            segment = nil
        case "gps": segment?.places.append((text[...].trimmingBlanks, ""))
        case "gps_text":
            guard let count = segment?.places.count, count > 0 else { return }
            segment?.places[count - 1].text = text[...].trimmingBlanks
        default: segment?.add(name, text)
        }
    }

    /// Notes what the record says about its use as a whole, and segments that are marked as private.
    private mutating func noteUse() {
        for name in ["usage", "rights", "user_notes", "keyword", "subject"] {
            let shown = name == "subject" ? "keyword" : name
            for value in record.values[name] ?? [] {
                for part in value.split(separator: ";") { document.note(shown, part.trimmingBlanks) }
            }
        }
        if record.first("userestrict") == "1" { document.note("userestrict", "1") }
        for value in segments.map({ $0.first("private") }) where !["", "0"].contains(value) {
            document.note("private", value)
        }
    }

    private mutating func finishRecord() {
        noteUse()
        let name = [id ?? "", record.first("accession"), record.first("title")].first { !$0.isEmpty } ?? ""
        var shared: [String: JSONValue] = [
            "people": record.list("interviewee"), "date": .string(record.first("date")),
        ]
        let media = record.first("media_url")
        let title = record.first("title")
        guard !segments.isEmpty else {
            shared["title"] = .string(title)
            shared["text"] = .string(record.first("description"))
            shared["tags"] = record.list("keyword", "subject")
            shared["media_url"] = .string(media)
            shared["collection"] = .string(record.first("collection_name"))
            document.add(id: name, properties: shared)
            return
        }
        // The interview keeps its segments together.
        shared["collection"] = .string(title.isEmpty ? record.first("collection_name") : title)
        var mentioned = 0
        for segment in segments { mentioned += add(segment, shared, name: name, media: media, title: title) }
        guard mentioned > 0 else { return }
        document.remarks.append("\(mentioned) further places of segments are kept as mentions, without a position")
    }

    /// Returns the date of an interview, written `yyyy-mm-dd` if its format says which number is what.
    private static func date(_ attributes: [String: String]) -> String {
        let value = attributes["value", default: ""][...].trimmingBlanks
        let format = attributes["format", default: ""].lowercased().split { !$0.isLetter }
        let numbers = value.split { !$0.isNumber }
        guard format.count == 3, numbers.count == 3, Set(format.compactMap(\.first)) == ["y", "m", "d"],
            value.allSatisfy({ $0.isASCII && ($0.isNumber || "/-. ".contains($0)) })
        else { return value }
        let parts = Dictionary(uniqueKeysWithValues: zip(format.compactMap(\.first), numbers))
        guard let year = parts["y"], year.count == 4, let month = parts["m"].flatMap(OHMSReader.two),
            let day = parts["d"].flatMap(OHMSReader.two)
        else { return value }
        // Zeros stand for what is not known.
        return "\(year)" + (month == "00" ? "" : "-\(month)" + (day == "00" ? "" : "-\(day)"))
    }

    private static func two(_ digits: Substring) -> String? {
        digits.count > 2 ? nil : digits.count == 1 ? "0\(digits)" : String(digits)
    }

    /// Returns a further place of a segment.
    private static func place(_ place: (gps: String, text: String)) -> DocumentPlace {
        let numbers = place.gps.split(separator: ",").map { DecimalText.number($0.trimmingBlanks) }
        let isPair = numbers.count == 2
        let coordinate = isPair ? Coordinate(latitude: numbers[0] ?? .nan, longitude: numbers[1] ?? .nan) : nil
        let words = place.text.isEmpty ? place.gps : place.text
        return DocumentPlace(name: place.text, words: words, coordinate: coordinate)
    }

    /// Adds a segment; returns how many of its places have no position.
    private mutating func add(
        _ segment: Fields,
        _ shared: [String: JSONValue],
        name: String,
        media: String,
        title: String
    ) -> Int {
        let time = segment.first("time")
        let seconds = Int(time).flatMap { (0...1_000_000).contains($0) ? $0 : nil }
        var fields = shared
        let own = segment.first("title")
        fields["title"] = .string(own.isEmpty ? "\(title) (\(seconds.map(OHMSReader.clock) ?? time))" : own)
        fields["text"] = .string(
            [segment.first("synopsis"), segment.first("partial_transcript")].filter { !$0.isEmpty }
                .joined(separator: "\n\n")
        )
        fields["tags"] = segment.list("keywords", "subjects")
        if let place = segment.places.first {
            fields["coordinates"] = .string(place.gps)
            fields["place_name"] = .string(place.text)
        }
        let further = segment.places.dropFirst().map(OHMSReader.place)
        let role = PlaceRole.spokenOf.rawValue
        let (places, mentions) = FeatureDocument.further(further, role: role, at: seconds)
        fields["places"] = .array(places)
        fields["mentions"] = .array(mentions)
        // A media fragment (W3C) opens the recording at the segment.
        let fragment = seconds.map { "#t=\($0)" } ?? ""
        fields["media_url"] = .string(media.isEmpty || media.contains("#") ? media : media + fragment)
        document.add(id: "\(name)#\(time)", properties: fields)
        return mentions.count
    }

    /// Returns seconds as `12:34` or `1:02:03`.
    private static func clock(_ seconds: Int) -> String {
        let hours = seconds >= 3_600 ? [seconds / 3_600] : []
        let parts = hours + [hours.isEmpty ? seconds / 60 : seconds / 60 % 60, seconds % 60]
        return parts.enumerated().map { $0.offset > 0 && $0.element < 10 ? "0\($0.element)" : "\($0.element)" }
            .joined(separator: ":")
    }
}

extension Substring {
    /// The text without white space at both ends.
    var trimmingBlanks: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
