import Formats

extension ImportRecord {
    /// Returns the place that our own exports put into `location`: an object, or its JSON as GDAL writes it in formats
    /// without objects; `nil` for anything else.
    static func place(_ value: JSONValue) -> JSONValue? {
        if value.object != nil { return value }
        guard let text = value.string, text.hasPrefix("{") else { return nil }
        let bytes = Array(text.utf8)
        let parsed = try? JSONValue(parsing: bytes, limits: .init(bytes: bytes.count))
        return parsed?.object == nil ? nil : parsed
    }

    /// Reads the precision and the names of a place, except names derived from the position.
    mutating func fill(fromLocation location: JSONValue, withPosition hasDegrees: Bool = true) {
        let derived = Set(location["derived"]?.array?.compactMap(\.string) ?? [])
        if hasDegrees { fillPosition(fromLocation: location) }
        let fields: [(name: String, field: ImportField)] = [
            ("precision", .precision), ("cell", .cell), ("accuracy", .accuracy), ("name", .place),
            ("source", .locationSource), ("confirmed", .locationConfirmed), ("family_sees_exact", .familySeesExact),
            ("address", .address), ("city", .city), ("state", .state), ("country", .country),
            ("created_at", .locatedAt), ("updated_at", .relocatedAt), ("date_precision", .datePrecision),
        ]
        for (name, field) in fields where values[field] == nil && !derived.contains(name) {
            guard let text = location[name]?.plainText?.trimmed, !text.isEmpty else {
                if let value = location[name] { checkWord(value, field) }
                continue
            }
            values[field] = text
        }
    }

    /// Fails a row whose value restricts who sees what, but is an object or a list in which nothing is read.
    mutating func checkWord(_ value: JSONValue, _ field: ImportField) {
        let isWord = value.isNull || value.plainText != nil || value.array?.isEmpty == true
        guard !isWord, SheetRemnant.strict.contains(field) else { return }
        fail(field, "is an object or a list; write a single value")
    }

    /// Whether the row says where it is by a geometry or numbers, whether or not they can be read.
    var givesPosition: Bool {
        let fields: [ImportField] = [.position, .latitude, .longitude, .easting, .northing]
        return hasGeometry || fields.contains { values[$0] != nil }
    }

    /// Reads the position in a place, as records of other programs have it, if nothing else in the row says one.
    private mutating func fillPosition(fromLocation location: JSONValue) {
        guard !givesPosition else { return }
        func first(_ names: [String]) -> String? { names.lazy.compactMap { location[$0]?.plainText?.trimmed }.first }
        guard let latitude = first(["lat", "latitude"]), let longitude = first(["lon", "lng", "long", "longitude"]),
            !latitude.isEmpty, !longitude.isEmpty
        else { return }
        (values[.latitude], values[.longitude]) = (latitude, longitude)
    }
}
