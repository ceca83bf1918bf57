import Geometry

extension FeatureDocument {
    /// Reads the events of a family tree in GEDCOM (5.5.1 and 7.0) that name a place (`PLAC`), with its position where
    /// the file has one (`MAP`).
    ///
    /// Each event is an entry of its own. The standard gives an event one place, but some programs write several: the
    /// first is the location of the entry, the others are its `places`, whose role follows from the event.
    ///
    /// Each entry says `privacy: private` if its record, or that of somebody it is about, is restricted (`RESN`), or if
    /// it may be about somebody who is alive: a person without a death or burial who was not born in or before
    /// `bornBefore`.
    /// - Parameters:
    ///   - bytes: the file in UTF-8.
    ///   - bornBefore: the last year of birth of people who are surely dead.
    /// - Throws: ``FeatureDocumentError``.
    /// - Complexity: O(bytes).
    public init(gedcom bytes: [UInt8], bornBefore: Int) throws(FeatureDocumentError) {
        let records = try GEDCOMRecord.all(in: bytes)
        guard records.first?.tag == "HEAD" else {
            throw FeatureDocumentError(line: 1, reason: "the file is not GEDCOM: it does not begin with 0 HEAD")
        }
        let set = records[0].child("CHAR")?.value.uppercased() ?? ""
        if set == "ANSEL", bytes.contains(where: { $0 >= 0x80 }) {
            throw FeatureDocumentError(line: 1, reason: "the file is in ANSEL; export it from your program as UTF-8")
        }
        var tree = GEDCOMTree(bornBefore: bornBefore, program: records[0].child("SOUR")?.value ?? "")
        tree.read(records, into: &self)
    }
}

/// A line of GEDCOM with the lines below it.
private struct GEDCOMRecord {
    let line: Int
    let id: String
    let tag: String
    var value: String
    var children: [GEDCOMRecord] = []

    func child(_ tag: String) -> GEDCOMRecord? { children.first { $0.tag == tag } }

    /// The maximum nesting, as the standard says.
    private static let depth = 99

    static func all(in bytes: [UInt8]) throws(FeatureDocumentError) -> [GEDCOMRecord] {
        var open: [GEDCOMRecord] = []
        var done: [GEDCOMRecord] = []
        func close(_ level: Int) {
            while open.count > level, let last = open.popLast() {
                if open.isEmpty { done.append(last) } else { open[open.count - 1].children.append(last) }
            }
        }
        var number = 0
        for bytes in bytes.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            number += 1
            let text = String(decoding: bytes, as: UTF8.self).drop { $0 == " " || $0 == "\t" || $0 == "\u{FEFF}" }
            if text.isEmpty { continue }
            guard let (level, record) = parsed(text, line: number), level <= min(open.count, depth) else {
                // Some programs break long notes without CONT.
                if let tag = open.last?.tag, ["NOTE", "CONT", "CONC", "TEXT"].contains(tag) {
                    open[open.count - 1].value += "\n" + text
                    continue
                }
                throw FeatureDocumentError(line: number, reason: "the line is not GEDCOM: level, tag and value")
            }
            close(level)
            open.append(record)
        }
        close(0)
        return done
    }

    /// Parses `LEVEL [@ID@] TAG [VALUE]`.
    private static func parsed(_ text: Substring, line: Int) -> (Int, GEDCOMRecord)? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard (1...2).contains(digits.count), let level = Int(digits) else { return nil }
        var rest = text.dropFirst(digits.count)
        guard rest.first == " " else { return nil }
        rest = rest.drop { $0 == " " }
        var id = ""
        if rest.first == "@", let end = rest.dropFirst().firstIndex(of: "@") {
            id = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...].drop { $0 == " " }
        }
        let tag = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        guard !tag.isEmpty else { return nil }
        let value = rest.dropFirst(tag.count)
        guard value.isEmpty || value.first == " " else { return nil }
        return (level, GEDCOMRecord(line: line, id: id, tag: tag.uppercased(), value: String(value.dropFirst())))
    }

    /// The value with the lines that continue it.
    var text: String {
        children.reduce(into: value) { text, child in
            if child.tag == "CONT" { text += "\n" + child.value }
            if child.tag == "CONC" { text += child.value }
        }
    }
}

/// The people and families of a file.
private struct GEDCOMTree {
    let bornBefore: Int
    private var names: [String: String] = [:]
    /// The people whose events are private: those who may be alive, and those whose records are restricted.
    private var shielded: Set<String> = []
    private var notes: [String: String] = [:]
    /// The number of further places without a position.
    private var mentioned = 0
    /// The lines of positions that cannot be read.
    private var unreadMaps: Set<Int> = []
    private var brackets: PrivateBrackets

    init(bornBefore: Int, program: String) {
        self.bornBefore = bornBefore
        brackets = PrivateBrackets(includesBraces: program.lowercased().contains("rootsmagic"))
    }

    private static let events: [String: String] = [
        "BIRT": "Birth", "CHR": "Christening", "BAPM": "Baptism", "CONF": "Confirmation", "DEAT": "Death",
        "BURI": "Burial", "CREM": "Cremation", "MARR": "Marriage", "ENGA": "Engagement", "DIV": "Divorce",
        "RESI": "Residence",
        "EMIG": "Emigration", "IMMI": "Immigration", "NATU": "Naturalization", "CENS": "Census", "OCCU": "Occupation",
        "EDUC": "Education", "GRAD": "Graduation", "RETI": "Retirement", "PROB": "Probate", "WILL": "Will",
        "ADOP": "Adoption", "BARM": "Bar mitzvah", "BASM": "Bat mitzvah", "EVEN": "Event", "FACT": "Fact",
        "PROP": "Property",
    ]
    private static let ends: Set<String> = ["DEAT", "BURI", "CREM", "PROB"]
    /// The parts that the further places of events play; of others it is "happened".
    ///
    /// A journey has two ends, and no tag says which of them a further place is.
    private static let roles: [String: String] = [
        "BIRT": "born", "DEAT": "died", "BURI": "buried", "MARR": "married", "RESI": "lived", "CENS": "lived",
        "OCCU": "worked", "RETI": "worked", "EDUC": "studied", "GRAD": "studied",
    ]

    mutating func read(_ records: [GEDCOMRecord], into document: inout FeatureDocument) {
        for record in records {
            switch record.tag {
            case "INDI":
                names[record.id] = Self.name(brackets.removed(from: record.child("NAME")?.value ?? ""))
                if isLiving(record) || Self.isRestricted(record) { shielded.insert(record.id) }
            case "NOTE", "SNOTE": notes[record.id] = Self.isRestricted(record) ? "" : record.text
            default: break
            }
        }
        var withoutPlace = 0
        for record in records where record.tag == "INDI" || record.tag == "FAM" {
            var counts: [String: Int] = [:]
            for event in record.children where Self.events[event.tag] != nil {
                let number = counts[event.tag, default: 0] + 1
                counts[event.tag] = number
                let places = event.children.filter { $0.tag == "PLAC" }
                guard !places.isEmpty else {
                    withoutPlace += 1
                    continue
                }
                add(event, places, of: record, id: "\(record.id)-\(event.tag)-\(number)", to: &document)
            }
        }
        if withoutPlace == 1 { document.remarks.append("1 event without a place was not read") }
        if withoutPlace > 1 { document.remarks.append("\(withoutPlace) events without a place were not read") }
        if brackets.count > 0 {
            document.remarks.append(
                "texts that the brackets of the program mark as private were left out (\(brackets.count))"
            )
        }
        if let line = unreadMaps.min() {
            document.remarks.append(
                "positions that are not degrees were not read (\(unreadMaps.count)), the first in line \(line); write them as "
                    + "LATI N33.75 and LONG W84.39"
            )
        }
        guard mentioned > 0 else { return }
        document.remarks.append("\(mentioned) further places of events are kept as mentions, without a position")
    }

    /// Adds an event with its places, of which there is at least one.
    private mutating func add(
        _ event: GEDCOMRecord,
        _ places: [GEDCOMRecord],
        of record: GEDCOMRecord,
        id: String,
        to document: inout FeatureDocument
    ) {
        let spouses = record.children.filter { ["HUSB", "WIFE"].contains($0.tag) }.map { $0.value.filter { $0 != "@" } }
        let people = record.tag == "FAM" ? spouses : [record.id]
        let named = people.map { names[$0] ?? "" }.filter { !$0.isEmpty }
        let what = brackets.removed(from: event.child("TYPE")?.value ?? "")
        let kind = ["EVEN", "FACT"].contains(event.tag) && !what.isEmpty ? what : Self.events[event.tag] ?? event.tag
        let notes = event.children.filter { $0.tag == "NOTE" }.map(note)
        let texts = ([event.value == "Y" ? "" : event.text] + notes).map { brackets.removed(from: $0) }
        let isRestricted = ([record, event] + places).contains(where: Self.isRestricted)
        let isPrivate = isRestricted || people.isEmpty || people.contains(where: shielded.contains)
        let position = position(places[0].child("MAP") ?? event.child("MAP"))
        let further = FeatureDocument.further(self.further(places), role: Self.roles[event.tag] ?? "happened")
        mentioned += further.mentions.count
        document.add(
            id: id,
            position: position,
            geometryType: position == nil ? nil : "Point",
            properties: [
                "title": .string(named.isEmpty ? kind : "\(kind) of \(named.joined(separator: " and "))"),
                "text": .string(texts.filter { !$0.isEmpty }.joined(separator: "\n\n")),
                "date": .string(Self.date(event.child("DATE"))),
                "people": .array(named.map { .string($0) }),
                "place_name": .string(brackets.removed(from: places[0].value)), "places": .array(further.places),
                "mentions": .array(further.mentions),
                // What is not private is as private as the operator says.
                "privacy": .string(isPrivate ? "private" : ""),
            ]
        )
    }

    /// Returns a note; nothing of one that is restricted.
    private func note(_ record: GEDCOMRecord) -> String {
        if Self.isRestricted(record) { return "" }
        guard record.value.hasPrefix("@"), record.value.hasSuffix("@") else { return record.text }
        return notes[record.value.filter { $0 != "@" }] ?? ""
    }

    private func isLiving(_ person: GEDCOMRecord) -> Bool {
        if person.children.contains(where: Self.isEnd) { return false }
        let births = person.children.filter { ["BIRT", "CHR", "BAPM"].contains($0.tag) }
            .compactMap { $0.child("DATE")?.value }
        // The last number of four digits: "BET 1880 AND 1885" is 1885.
        let years = births.flatMap { $0.split { !$0.isNumber } }.filter { $0.count == 4 }.compactMap { Int($0) }
        return years.max().map { $0 > bornBefore } ?? true
    }

    /// Returns whether a record says that somebody is dead.
    ///
    /// An event without a value or anything about it does not say that it took place (GEDCOM 5.5.1, EVENT_DETAIL), and `N`
    /// says that it did not.
    private static func isEnd(_ record: GEDCOMRecord) -> Bool {
        guard ends.contains(record.tag), record.value.uppercased() != "N" else { return false }
        return !record.value.isEmpty || record.children.contains { !$0.value.isEmpty || !$0.children.isEmpty }
    }

    /// Returns the places after the first, each once.
    private mutating func further(_ places: [GEDCOMRecord]) -> [DocumentPlace] {
        let read = places.map { place in
            let point = position(place.child("MAP"))
            let coordinate = point.flatMap { Coordinate(latitude: $0.y, longitude: $0.x) }
            let name = brackets.removed(from: place.value)
            return DocumentPlace(name: name, words: name, coordinate: coordinate)
        }
        var seen: Set<DocumentPlace> = []
        return Array(read.filter { seen.insert($0).inserted }.dropFirst())
    }

    private static func isRestricted(_ record: GEDCOMRecord) -> Bool {
        let value = record.child("RESN")?.value.lowercased() ?? ""
        if value.contains("confidential") || value.contains("privacy") { return true }
        // Marks that programs add: `_PRIV`, `_PRIVATE`, and the flag `__PRIVATE` of Family Historian.
        let flags = record.children + record.children.filter { $0.tag == "_FLGS" }.flatMap(\.children)
        return flags.contains { flag in
            if flag.tag == "_FLAG" || flag.tag == "_FLGS" { return flag.value.uppercased().contains("PRIV") }
            let isMark = ["_PRIV", "__PRIV", "_CONF"].contains(where: flag.tag.hasPrefix)
            return isMark && !["N", "NO"].contains(flag.value.uppercased())
        }
    }

    /// Returns `Jane Doe` for `Jane /Doe/`.
    private static func name(_ value: String) -> String {
        value.filter { $0 != "/" }.split(separator: " ").joined(separator: " ")
    }

    /// The words before doubtful dates, and what they stand for: who estimated a date knew less than who calculated it from
    /// an age.
    private static let doubts = [("ABT ", "about "), ("EST ", "estimated "), ("CAL ", "calculated ")]

    /// Writes the words for doubtful dates in full.
    ///
    /// A date that is only a phrase stands in brackets, or below the line (FamilySearch GEDCOM 7, DATE-PHRASE).
    private static func date(_ record: GEDCOMRecord?) -> String {
        guard let written = record?.value, !written.isEmpty else { return record?.child("PHRASE")?.text ?? "" }
        let calendar = "@#DGREGORIAN@ "
        let value = written.hasPrefix(calendar) ? String(written.dropFirst(calendar.count)) : written
        for (word, whole) in doubts where value.hasPrefix(word) { return whole + value.dropFirst(word.count) }
        if value.hasPrefix("("), value.hasSuffix(")") { return String(value.dropFirst().dropLast()) }
        return value
    }

    /// Reads `LATI N33.75` and `LONG W84.39`, and takes note of those that are no angles.
    private mutating func position(_ map: GEDCOMRecord?) -> GeoJSONFeature.Position? {
        guard let map, let latitude = map.child("LATI")?.value, let longitude = map.child("LONG")?.value,
            !latitude.isEmpty || !longitude.isEmpty
        else { return nil }
        guard let y = DegreesText.number(latitude, positive: "N", negative: "S"),
            let x = DegreesText.number(longitude, positive: "E", negative: "W")
        else {
            unreadMaps.insert(map.line)
            return nil
        }
        return .init(x: x, y: y)
    }
}
