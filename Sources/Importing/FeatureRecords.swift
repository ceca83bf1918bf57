import Formats

/// The features of a GeoJSON file as rows.
struct FeatureRecords {
    private let file: ImportFile
    private var reader: GeoJSONReader
    /// The properties that are not imported.
    private var ignored: Set<String> = []

    init(_ file: ImportFile, isSequence: Bool) throws(ImportProblem) {
        self.file = file
        do throws(JSONError) {
            reader = try GeoJSONReader(file.bytes, isSequence: isSequence)
        } catch {
            throw file.error("the file is not GeoJSON: \(error)")
        }
    }

    var isSequence: Bool { reader.isSequence }
    var referenceSystem: String? { reader.referenceSystem }
    var position: Int { reader.position }

    /// The properties that are not imported, sorted.
    var ignoredNames: [String] { ignored.sorted() }

    /// A remark listing the properties that are not imported.
    var remarks: [ImportProblem] {
        guard !ignored.isEmpty else { return [] }
        let names = ignored.sorted().prefix(20).map { String($0.prefix(40)) }.joined(separator: ", ")
        let more = ignored.count > 20 ? " and \(ignored.count - 20) more" : ""
        return [file.warning("nothing was read from the propert\(ignored.count == 1 ? "y" : "ies") \(names)\(more)")]
    }

    mutating func next() throws(ImportProblem) -> ImportRecord? {
        do throws(JSONError) {
            guard let feature = try reader.next() else { return nil }
            return record(feature)
        } catch {
            throw file.error("the file is not GeoJSON: \(error)")
        }
    }

    private mutating func record(_ feature: GeoJSONFeature) -> ImportRecord {
        var record = ImportRecord(row: feature.number)
        record.hasGeometry = feature.geometryType != nil
        record.position = feature.position
        if let problem = feature.problem { record.fail(nil, problem) }
        if feature.isReduced {
            record.warn(nil, "only one point of the \(feature.geometryType ?? "geometry") is kept")
        }
        fill(&record, from: feature.properties)
        if record.values[.id] == nil, let id = feature.id?.trimmed, !id.isEmpty { record.values[.id] = id }
        if record.values[.id] == nil { digest(feature, &record) }
        return record
    }

    private mutating func fill(_ record: inout ImportRecord, from properties: [String: JSONValue]) {
        var ranks: [ImportField: (rank: Int, name: String)] = [:]
        for (name, value) in properties where !value.isNull {
            // Our own exports store the precision and the place names in `location`, which is read last.
            if name == "location", value.object != nil { continue }
            // If there is a privacy property, it already determines the audience.
            if name == "auto_private", properties["privacy"] != nil { continue }
            guard let (field, rank) = ImportField.named(name) else {
                if ignored.count < 1000 { ignored.insert(name) }
                continue
            }
            let texts = value.array?.compactMap { $0.plainText?.trimmed }
            guard let text = (value.plainText ?? texts?.joined(separator: "; "))?.trimmed, !text.isEmpty else {
                continue
            }
            // Properties are unordered: if two names mean the same field, the preferred one counts, then the first by
            // bytes.
            if let other = ranks[field], other <= (rank, name) { continue }
            ranks[field] = (rank, name)
            record.values[field] = text
            record.lists[field] = texts
        }
        if let location = properties["location"], location.object != nil { fill(&record, fromLocation: location) }
    }

    /// Reads the precision and the names of a place, except names derived from the position.
    private func fill(_ record: inout ImportRecord, fromLocation location: JSONValue) {
        let derived = Set(location["derived"]?.array?.compactMap(\.string) ?? [])
        let fields: [(name: String, field: ImportField)] = [
            ("precision", .precision), ("cell", .cell), ("accuracy", .accuracy), ("name", .place),
            ("source", .locationSource), ("confirmed", .locationConfirmed), ("family_sees_exact", .familySeesExact),
            ("address", .address),
            ("city", .city), ("state", .state), ("country", .country),
        ]
        for (name, field) in fields where record.values[field] == nil && !derived.contains(name) {
            guard let text = location[name]?.plainText?.trimmed, !text.isEmpty else { continue }
            record.values[field] = text
        }
    }

    private func digest(_ feature: GeoJSONFeature, _ record: inout ImportRecord) {
        for (name, value) in feature.properties.sorted(by: { $0.key < $1.key }) where !value.isNull {
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
        write(value, to: &writer)
        return writer.text
    }

    private static func write(_ value: JSONValue, to writer: inout JSONWriter) {
        switch value {
        case .null: writer.null()
        case .bool(let flag): writer.value(flag)
        case .number(let number): writer.value(number)
        case .string(let text): writer.value(text)
        case .array(let elements):
            writer.beginArray()
            for element in elements { write(element, to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                writer.key(name)
                write(member, to: &writer)
            }
            writer.endObject()
        }
    }
}
