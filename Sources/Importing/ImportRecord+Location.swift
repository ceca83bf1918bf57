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
    mutating func fill(fromLocation location: JSONValue) {
        let derived = Set(location["derived"]?.array?.compactMap(\.string) ?? [])
        // Records of other programs have the position in there, where features have a geometry.
        let position: [(name: String, field: ImportField)] = [
            ("lat", .latitude), ("latitude", .latitude), ("lon", .longitude), ("lng", .longitude), ("long", .longitude),
            ("longitude", .longitude),
        ]
        let fields: [(name: String, field: ImportField)] =
            (hasGeometry ? [] : position) + [
                ("precision", .precision), ("cell", .cell), ("accuracy", .accuracy), ("name", .place),
                ("source", .locationSource), ("confirmed", .locationConfirmed), ("family_sees_exact", .familySeesExact),
                ("address", .address), ("city", .city), ("state", .state), ("country", .country),
                ("created_at", .locatedAt), ("updated_at", .relocatedAt), ("date_precision", .datePrecision),
            ]
        for (name, field) in fields where values[field] == nil && !derived.contains(name) {
            guard let text = location[name]?.plainText?.trimmed, !text.isEmpty else { continue }
            values[field] = text
        }
    }
}
