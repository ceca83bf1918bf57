import Formats
import Stories

/// The features of a file as rows: of GeoJSON, or of a format whose reader makes such features.
struct FeatureRecords {
    private let file: ImportFile
    private var source: FeatureSource
    private let plan: ColumnPlan
    private let privacyIsGiven: Bool
    private let watchesPrivacy: Bool
    private let today: CalendarDay?
    /// What the file says about itself, if that seems to be about privacy.
    private let note: FileNote?
    /// The properties that are not imported, with what their names and values say about privacy.
    private var unread: [String: PrivacyGuess] = [:]
    /// The properties that the operator chose and the file has.
    private var found: Set<String> = []
    /// The numbers of features with and without a privacy.
    private var restricted = (yes: 0, no: 0)
    private var rows = 0
    private var rivals = RivalColumns()
    private var gaps = PrecisionGaps()

    private static let mostNames = 1000
    private static let inexactID =
        "is a number beyond 9007199254740992 without all its digits; write them, or write it in quotation marks"

    init(_ file: ImportFile, source: FeatureSource, options: StoryImporter.Options) {
        self.file = file
        self.source = source
        plan = ColumnPlan(options.columns)
        privacyIsGiven = options.privacyIsGiven
        watchesPrivacy = options.watchesPrivacy
        today = options.today
        note =
            privacyIsGiven
            ? nil : source.notes.first { PrivacyGuess.isAbout($0.name, $0.value, on: options.today) }
    }

    var format: ImportFormat { source.format }
    var referenceSystem: String? { source.referenceSystem }
    var position: Int { source.position(in: file) }
    var isGeographic: Bool { source.isGeographic }

    /// The properties that are not read and seem to say who may see a story.
    var privateColumns: [String] {
        let neighbours = ColumnNeighbours(unread.keys)
        return unread.filter { $0.value.isLikely(rows: rows, beside: neighbours) }.keys.sorted()
    }

    /// A remark listing the properties that are not imported.
    var remarks: [ImportProblem] { remarksOnNames + [rivals.remark(file), gaps.remark(file)].compactMap(\.self) }

    private var remarksOnNames: [ImportProblem] {
        guard !unread.isEmpty else { return source.remarks(file) }
        let names = unread.keys.sorted().prefix(20).map { String($0.prefix(40)) }.joined(separator: ", ")
        let more = unread.count > 20 ? " and \(unread.count - 20) more" : ""
        let what = "nothing was read from the propert\(unread.count == 1 ? "y" : "ies") \(names)\(more)"
        return source.remarks(file) + [file.warning(what)]
    }

    /// Checks, after the last row, what the features together must have.
    ///
    /// - Throws: a problem of the whole file.
    func checkAll() throws(ImportProblem) {
        if let name = plan.missing(in: found).mapped.first ?? plan.missing(in: found).ignored.first {
            throw file.error(
                "no feature has the property \(name.prefix(40)), as --map, --ignore or --geocode-column says"
            )
        }
        if format == .gedcom, !privacyIsGiven {
            throw file.error(
                "a family tree names people who may be alive: give --privacy public, family_only or private; events of "
                    + "those who are not surely dead are private in any case",
                field: "privacy"
            )
        }
        if let note { throw file.error(note) }
        guard !privacyIsGiven, restricted.yes > 0, restricted.no > 0 else { return }
        throw file.error(
            "\(restricted.no) of \(restricted.yes + restricted.no) features have no privacy, the others do; write public, "
                + "family_only or private in each, or give --privacy for those without",
            field: "privacy"
        )
    }

    mutating func next() throws(ImportProblem) -> ImportRecord? {
        guard let feature = try source.next(file) else { return nil }
        rows += 1
        return try record(feature)
    }

    private mutating func record(_ feature: GeoJSONFeature) throws(ImportProblem) -> ImportRecord {
        var record = ImportRecord(row: feature.number)
        record.hasGeometry = feature.position != nil
        record.position = feature.position
        if let problem = feature.problem {
            record.fail(nil, problem)
        } else if let type = feature.geometryType, feature.position == nil {
            record.warnOfEmpty(type, nil)
        }
        record.drawn = feature.drawn
        let text = try fill(&record, from: feature.properties)
        if text == "description" { record.bareText = feature.identity["description"]?.string }
        record.paragraphs += feature.paragraphs.map(\.trimmed)
        record.fill(from: feature.links.filter { $0.property.map { isRead($0, text: text) } ?? true })
        gaps.see(record)
        for (name, value) in feature.foreign { watch(name, value) }
        if record.values[.privacy] != nil || record.values[.isPublic] != nil {
            restricted.yes += 1
        } else if feature.problem == nil {
            restricted.no += 1
        }
        if feature.hasInexactID { record.fail(.id, FeatureRecords.inexactID) }
        if record.values[.id] == nil, let id = feature.id?.trimmed, !id.isEmpty { record.values[.id] = id }
        if record.values[.id] == nil { digest(feature, &record) }
        return record
    }

    /// Returns whether the links of a property are read: those of a description that is not the text are left out with it.
    private func isRead(_ property: String, text: String?) -> Bool {
        guard case .field(let field, rank: _) = plan.meaning(of: property) else { return false }
        // A description of pictures alone is empty.
        return property != "description" || text == property || (text == nil && field == .text)
    }

    /// Fills the fields of a record, and returns the name of the property that is its text.
    private mutating func fill(
        _ record: inout ImportRecord,
        from properties: [String: JSONValue]
    ) throws(ImportProblem) -> String? {
        var ranks: [ImportField: (rank: Int, name: String)] = [:]
        var read: [(field: ImportField, name: String, text: String)] = []
        let added = GeocodedColumns.name(in: properties)
        for (name, value) in properties where !value.isNull {
            // Our own exports store the precision and the place names in `location`, which is read last.
            if name == "location", ImportRecord.place(value) != nil { continue }
            // If there is a privacy property, it already determines the audience.
            if name == "auto_private", properties["privacy"] != nil { continue }
            if !plan.isEmpty { found.insert(ImportField.normalized(name)) }
            if let problem = plan.exposure(by: name, privacyIsGiven: privacyIsGiven) { throw file.error(problem) }
            let meaning = GeocodedColumns.meaning(of: name, added: added, plan)
            guard case .field(let field, let rank) = meaning else {
                if meaning == .unknown { leave(name, value, besides: properties["privacy"]) }
                continue
            }
            if field == .places {
                // In the files of others, this may be anything.
                if !record.fill(places: value) { leave(name, value, besides: properties["privacy"]) }
                continue
            }
            let texts = value.array?.compactMap { $0.plainText?.trimmed }
            guard let text = (value.plainText ?? texts?.joined(separator: "; "))?.trimmed, !text.isEmpty else {
                record.checkWord(value, field)
                continue
            }
            if DateWords.isLikely(name, meaning), DateWords.isLeft(text, under: name, &record) {
                watch(name, value)
                continue
            }
            // Properties are unordered: if two names mean the same field, the preferred one counts, then the first by
            // bytes.
            read.append((field, name, text))
            if let other = ranks[field], other <= (rank, name) { continue }
            ranks[field] = (rank, name)
            if field == .id, value.isInexact { record.fail(.id, FeatureRecords.inexactID) }
            record.values[field] = text
            record.lists[field] = texts
        }
        for (field, name, text) in read {
            guard let preferred = ranks[field]?.name, preferred != name, let value = record.values[field] else {
                continue
            }
            rivals.note(name, text, besides: preferred, value, as: field)
        }
        if added != nil { GeocodedColumns.limit(&record, to: properties["kind"]?.string) }
        if let location = properties["location"].flatMap(ImportRecord.place) { fill(&record, from: location) }
        return ranks[.text]?.name
    }

    private func fill(_ record: inout ImportRecord, from location: JSONValue) {
        // Our own exports in another reference system still have degrees there, and no geometry where it cannot show them.
        record.fill(fromLocation: location, withPosition: referenceSystem == nil)
    }

    private mutating func leave(_ name: String, _ value: JSONValue, besides privacy: JSONValue?) {
        let isSaid = privacy.map { !$0.isNull && plan.meaning(of: "privacy") == .field(.privacy, rank: 0) } ?? false
        if isSaid, !PrivacyGuess.isLeft(name) {
            if unread.count < Self.mostNames, unread[name] == nil { unread[name] = PrivacyGuess(column: "", on: nil) }
            return
        }
        var guess = unread[name] ?? PrivacyGuess(column: name, on: today)
        guess.see(value.plainText?.trimmed ?? "")
        // If the list is full, nothing that restricts may be overlooked.
        guard unread[name] != nil || unread.count < Self.mostNames || guess.isLikely(rows: rows) else { return }
        unread[name] = guess
        guard !isSaid, value.plainText == nil else { return }
        for item in value.array ?? [] { watch(name, item) }
        for (member, item) in value.object ?? [:] { watch(member, item) }
    }

    /// Takes note of a value that stands where no property is read, if it seems to say who may see the story.
    private mutating func watch(_ name: String, _ value: JSONValue) {
        guard watchesPrivacy, let text = value.plainText?.trimmed, plan.meaning(of: name) != .ignored else { return }
        var guess = PrivacyGuess(column: name, on: today)
        guess.see(text)
        // Other features may be without it.
        if guess.isLikely(rows: 2), unread[name]?.isLikely() != true { unread[name] = guess }
    }

    private func digest(_ feature: GeoJSONFeature, _ record: inout ImportRecord) {
        let properties = feature.properties.merging(feature.identity) { $1 }
        for (name, value) in properties.sorted(by: { $0.key < $1.key }) where !value.isNull {
            record.digest.add(ImportField.normalized(name))
            record.digest.add(FeatureRecords.canonical(value))
        }
        if let position = feature.position {
            record.digest.add(position.x.description)
            record.digest.add(position.y.description)
        }
    }

    /// Returns a value as JSON with sorted members.
    private static func canonical(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        value.write(to: &writer)
        return writer.text
    }
}
