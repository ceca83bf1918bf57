import Geometry

/// Columns that together say one position: degrees, minutes, seconds and hemisphere of the latitude, and those of the
/// longitude, as "Lat Deg", "Lat_M", "LatSec" and "Lat Dir".
struct AngleColumns {
    /// The parts of an angle.
    enum Part: CaseIterable {
        case degrees, minutes, seconds, hemisphere

        /// The words for it in names of columns; one letter only behind the word for the angle.
        fileprivate var words: Set<String> {
            switch self {
            case .degrees: ["d", "deg", "degs", "degree", "degrees"]
            case .minutes: ["m", "min", "mins", "minute", "minutes"]
            case .seconds: ["s", "sec", "secs", "second", "seconds"]
            case .hemisphere: ["dir", "direction", "hem", "hemisphere", "ns", "ew", "h"]
            }
        }

        /// The mark behind its number.
        fileprivate var mark: String {
            switch self {
            case .degrees: "°"
            case .minutes: "'"
            case .seconds: "\""
            case .hemisphere: ""
            }
        }
    }

    private typealias Columns = [Part: Int]

    private let header: [String]
    private let latitude: Columns
    private let longitude: Columns

    /// Finds the columns among those of which nothing else is known; `nil` if they say no whole position, or others do.
    init?(in header: [String], _ meanings: [ColumnPlan.Meaning]) {
        let others: Set<ImportField> = [.latitude, .longitude, .position, .easting, .northing]
        for case .field(let field, _) in meanings where others.contains(field) { return nil }
        var found: [Bool: Columns] = [:]
        for (index, name) in header.enumerated() where meanings[index] == .unknown {
            guard let (isLatitude, part) = AngleColumns.meaning(of: name) else { continue }
            // Two columns of the same meaning: nobody knows which counts.
            if found[isLatitude, default: [:]].updateValue(index, forKey: part) != nil { return nil }
        }
        guard let latitude = found[true], let longitude = found[false], latitude[.degrees] != nil,
            longitude[.degrees] != nil, (latitude[.minutes] == nil) == (longitude[.minutes] == nil)
        else { return nil }
        (self.header, self.latitude, self.longitude) = (header, latitude, longitude)
    }

    /// Returns which part of which angle a column holds, by its name; `nil` for other columns.
    private static func meaning(of name: String) -> (isLatitude: Bool, part: Part)? {
        let letters = String(name.lowercased().filter { $0.isASCII && $0.isLetter })
        for (angle, isLatitude) in [
            ("latitude", true), ("lat", true), ("longitude", false), ("long", false), ("lon", false), ("lng", false),
        ] {
            for part in Part.allCases {
                if letters.hasPrefix(angle), part.words.contains(String(letters.dropFirst(angle.count))) {
                    return (isLatitude, part)
                }
                let word = String(letters.dropLast(angle.count))
                if letters.hasSuffix(angle), word.count > 1, part.words.contains(word) { return (isLatitude, part) }
            }
        }
        return nil
    }

    /// The columns with what each is, in the order of the file.
    var columns: [(index: Int, note: String)] {
        let all = [(latitude, "latitude"), (longitude, "longitude")]
            .flatMap { columns, angle in columns.map { (index: $0.value, note: "\($0.key) of the \(angle)") } }
        return all.sorted { $0.index < $1.index }
    }

    /// Gives a row its latitude and longitude.
    func fill(_ record: inout ImportRecord, from fields: [String]) {
        fill(&record, latitude, .latitude, .latitudeReference, fields)
        fill(&record, longitude, .longitude, .longitudeReference, fields)
    }

    private func fill(
        _ record: inout ImportRecord,
        _ columns: Columns,
        _ field: ImportField,
        _ reference: ImportField,
        _ fields: [String]
    ) {
        func value(_ part: Part) -> String? {
            guard let index = columns[part], index < fields.count else { return nil }
            let text = fields[index].trimmed
            return text.isEmpty ? nil : text
        }
        if let hemisphere = value(.hemisphere), record.values[reference] == nil {
            record.values[reference] = hemisphere
        }
        guard let degrees = value(.degrees) else {
            // Without degrees the minutes say nothing, and must not become a place.
            if value(.minutes) != nil || value(.seconds) != nil {
                record.fail(field, "has minutes or seconds and no degrees; give all of them, or none")
            }
            return
        }
        if let hemisphere = value(.hemisphere), let index = columns[.hemisphere], index < header.count,
            let problem = AngleColumns.problem(ofHemisphere: hemisphere, isLatitude: field == .latitude)
        {
            let column = header[index].prefix(60)
            return record.fail(field, "has \"\(hemisphere.prefix(20))\" in the column \(column); \(problem)")
        }
        var parts = [degrees.trimmingMarks + Part.degrees.mark]
        for part in [Part.minutes, .seconds] {
            guard let text = value(part)?.trimmingMarks else { continue }
            guard let number = DecimalText.number(text), (0..<60).contains(number) else {
                return record.fail(field, "has \"\(text.prefix(20))\" for its \(part); write a number from 0 to 59")
            }
            // "45.5" minutes have no seconds, though their column says 0.
            if number > 0 { parts.append(text + part.mark) }
        }
        if let problem = AngleColumns.problem(ofDegrees: degrees.trimmingMarks, haveMore: parts.count > 1) {
            return record.fail(field, problem)
        }
        // Degrees alone are read as any number.
        record.values[field] = parts.count == 1 ? degrees.trimmingMarks : parts.joined(separator: " ")
    }

    /// Returns what is to be done about a hemisphere that is none of its angle; `nil` for a good one.
    private static func problem(ofHemisphere text: String, isLatitude: Bool) -> String? {
        let known = isLatitude ? ["n", "s", "north", "south"] : ["e", "w", "east", "west"]
        return known.contains(text.lowercased()) ? nil : isLatitude ? "write N or S" : "write E or W"
    }

    /// Returns what is wrong with degrees, so that it is said of them alone and not of the other angle; `nil` for good ones.
    private static func problem(ofDegrees text: String, haveMore: Bool) -> String? {
        let shown = "has \"\(text.prefix(20))\" for its degrees"
        guard haveMore else {
            return text.contains(where: \.isNumber) ? nil : "\(shown); write a number, such as 33 or -84.39"
        }
        let plain = text.replacing("−", with: "-").replacing(",", with: ".").filter { !"NSEWnsew ".contains($0) }
        guard let number = DecimalText.number(plain) else { return "\(shown); write a whole number, such as 33 or -84" }
        guard number != number.rounded() else { return nil }
        return "\(shown) and minutes or seconds besides; write decimal degrees alone, or whole degrees with minutes"
    }
}

extension String {
    /// The text without the marks of degrees, minutes and seconds at its end.
    fileprivate var trimmingMarks: String {
        var text = self[...]
        while let last = text.last, "°º'\"′″’” ".contains(last) { text.removeLast() }
        return String(text)
    }
}
