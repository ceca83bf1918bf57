/// Columns that seem to be positions in feet or metres, and are not read because nobody said so.
enum ProjectedColumns {
    /// Returns what to do about two such columns; `nil` if a table has none, or its positions are known.
    static func advice(on header: [String], _ meanings: [ColumnPlan.Meaning]) -> String? {
        let others: Set<ImportField> = [.latitude, .longitude, .position, .easting, .northing]
        for case .field(let field, _) in meanings where others.contains(field) { return nil }
        let unknown = header.indices.filter { meanings[$0] == .unknown }
        for (east, north) in [("x", "y"), ("easting", "northing"), ("e", "n"), ("east", "north")] {
            let xs = unknown.filter { unit(of: header[$0], axis: east) != nil }
            let ys = unknown.filter { unit(of: header[$0], axis: north) != nil }
            guard let x = xs.first, let unit = unit(of: header[x], axis: east),
                let y = ys.first(where: { self.unit(of: header[$0], axis: north) == unit })
            else { continue }
            return
                "the columns \(header[x].prefix(40)) and \(header[y].prefix(40)) look like positions in \(unit) and were not "
                + "read; name them easting and northing (or give --map), and give --crs EPSG:… of their system in \(unit)"
        }
        return nil
    }

    /// Returns the unit that the name of a column gives for an axis: "x_feet", "X (ft)", "ft_x".
    private static func unit(of name: String, axis: String) -> String? {
        let words = name.lowercased().split { !$0.isLetter }.map(String.init)
        guard words.count >= 2, words.contains(axis) || words.contains(axis + "coord") else { return nil }
        if words.contains(where: feet.contains) { return "feet" }
        return words.contains(where: metres.contains) ? "metres" : nil
    }

    private static let feet: Set<String> = ["feet", "foot", "ft", "usft", "ftus"]
    private static let metres: Set<String> = ["meters", "metres", "meter", "metre", "m"]
}
