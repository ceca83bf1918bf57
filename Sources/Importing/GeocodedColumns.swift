import Formats
import Gazetteer
import Geometry
import Stories

/// What `waymark geocode --batch` adds to each row: `lat`, `lon`, `name`, `kind` and `confidence`.
///
/// The name and the kind are the place's, not the story's. They are also recognised after ogr2ogr wrote the rows in
/// another format, where a second `name` has a number, and positions may have become geometries.
enum GeocodedColumns {
    private static let aboutSearch = ["kind", "confidence"]

    /// Returns the columns `name`, `kind` and `confidence` at the end of a table; empty if they were not added.
    static func range(in header: [String]) -> Range<Int> {
        let start = header.count - 1 - aboutSearch.count
        guard start >= 0, isName(header[start]), header[(start + 1)...].elementsEqual(aboutSearch) else {
            return header.count..<header.count
        }
        let isAdded = start >= 2 && header[(start - 2)..<start].elementsEqual(["lat", "lon"])
        // ogr2ogr puts the position in front, and may have been told to leave the columns out that it came from.
        let isConverted = header.starts(with: ["X", "Y"]) || header.first == "WKT"
        return isAdded || isConverted ? start..<header.count : header.count..<header.count
    }

    /// Returns the property of a feature that is the added name; `nil` if nothing was added.
    static func name(in properties: [String: JSONValue]) -> String? {
        guard let kind = properties["kind"]?.string, PlaceKind.allCases.contains(where: { $0.name == kind }),
            let confidence = properties["confidence"]?.plainText.flatMap({ DecimalText.number($0) }),
            (0...1).contains(confidence)
        else { return nil }
        // The one with a number was added behind one of the row's own.
        return properties.keys.filter(isName).max { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    /// Lets a row that was located be shown no more exactly than the kind of its place justifies.
    ///
    /// As with `import --geocode`, a state or a country gives no position.
    static func limit(_ record: inout ImportRecord, to kind: String?) {
        guard let kind, let place = PlaceKind.allCases.first(where: { $0.name == kind }), record.givesPosition else {
            return
        }
        if record.values[.locationSource] == nil {
            record.values[.locationSource] = LocationSource.geocoded.rawValue
        }
        guard PlaceExtent(place) <= .county else {
            for field in [ImportField.latitude, .longitude] { record.values[field] = nil }
            (record.position, record.hasGeometry) = (nil, false)
            return record.warn(.place, "is a place of kind \(kind), too large to give a position")
        }
        guard record.values[.precision] == nil, record.values[.cell] == nil else { return }
        let precision = PlaceCandidate.precision(ofKind: place)
        record.values[.precision] = precision.name
        record.values[.cell] = precision.cell.map { "\($0.degrees)" }
    }

    /// Returns the meaning of a property of a feature; `added` is the one that ``name(in:)`` found.
    static func meaning(of property: String, added: String?, _ plan: ColumnPlan) -> ColumnPlan.Meaning {
        guard let added else { return plan.meaning(of: property) }
        if property == added { return .field(.place, rank: -1) }
        return aboutSearch.contains(property) ? .ignored : plan.meaning(of: property)
    }

    /// Returns whether a column can be the added name: `name`, `name2` or `name_1`.
    private static func isName(_ column: String) -> Bool {
        guard column.hasPrefix("name") else { return false }
        let rest = column.utf8.dropFirst(4)
        if rest.isEmpty { return true }
        let digits = rest.first == UInt8(ascii: "_") ? rest.dropFirst() : rest
        let known = UInt8(ascii: "0")...UInt8(ascii: "9")
        return (1...2).contains(digits.count) && digits.allSatisfy { known.contains($0) }
    }
}
