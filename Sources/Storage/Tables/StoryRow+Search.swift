import Formats
import GRDB
import Geometry
import Stories

// The texts of a story in which words are searched for.
extension StoryRow {
    /// The columns needed for a ``SearchableText``.
    static let searchSelection = """
        id, owner, privacy, family, auto_private, withheld, precision, cell, family_sees_exact, floor, floor_cell,
        location_source, title, text, tags, people, mentions, place_name, address, city, state, country,
        ST_X(geom) AS lon, ST_Y(geom) AS lat, \(PlaceRow.searchSelection) AS places
        """

    /// Where the columns of ``searchSelection`` stand; finding a column by its name hashes the name, for each row.
    private enum Column {
        static let (id, owner, privacy, family) = (0, 1, 2, 3)
        static let (autoPrivate, withheld, precision, cell, familySeesExact) = (4, 5, 6, 7, 8)
        static let (floor, floorCell, source, title, text) = (9, 10, 11, 12, 13)
        static let (tags, people, mentions) = (14, 15, 16)
        static let names = 17...21
        static let state = 20
        static let (longitude, latitude) = (22, 23)
        static let places = 24
    }

    /// Reads the searchable text of a story and, of the other columns, only those that decide who may search it.
    static func searchableText(_ row: Row) throws -> SearchableText {
        let idText: String = row[Column.id]
        guard let id = StoryID(idText), let owner = UserID(row[Column.owner] as String),
            let privacy = Privacy(rawValue: row[Column.privacy])
        else { throw StoreError.damagedRow(of: "stories", id: idText) }
        let time = Timestamp(milliseconds: 0)
        var story = Story(id: id, kind: .interview, title: "", owner: owner, createdAt: time)
        story.privacy = privacy
        story.family = (row[Column.family] as String?).flatMap { FamilyID($0) }
        story.autoPrivate = row[Column.autoPrivate]
        story.isWithheld = row[Column.withheld]
        let source = (row[Column.source] as String?).flatMap(LocationSource.init) ?? .manual
        let point = (row[Column.latitude] as Double?)
            .flatMap { latitude in
                (row[Column.longitude] as Double?).flatMap { Coordinate(latitude: latitude, longitude: $0) }
            }
        // The position does not affect who sees what; a story without a location has no place names either.
        var location = StoryLocation(
            coordinate: point ?? Coordinate(wrappingLatitude: 0, longitude: 0),
            source: source,
            precision: precision(row[Column.precision], cell: row[Column.cell]),
            familySeesExact: row[Column.familySeesExact]
        )
        location.floor =
            (row[Column.floor] as String?).map { precision($0, cell: row[Column.floorCell]) } ?? .exact
        story.location = location
        var text = SearchableText(visibilityOf: story)
        text.title = row[Column.title]
        text.body = (row[Column.text] as String?) ?? ""
        text.terms = try words(row[Column.tags]) + "\n" + words(row[Column.people])
        text.mentions = try words(row[Column.mentions])
        text.places = Column.names.compactMap { row[$0] as String? }.joined(separator: "\n")
        text.point = point
        text.extent = SearchableText.Extent(source, hasState: (row[Column.state] as String?) != nil)
        let further = try (row[Column.places] as String?).map { try PlaceRow.searchable($0, of: id) } ?? []
        story.places = further.map(\.place)
        text.further = SearchableText.further(of: story, names: further.map(\.text))
        return text
    }

    /// Returns the words of a list stored as JSON.
    ///
    /// Folding ignores quotes, commas and brackets, so only escaped characters need a parser.
    private static func words(_ list: String?) throws -> String {
        guard let list else { return "" }
        guard list.utf8.contains(UInt8(ascii: "\\")) else { return list }
        return try self.list(list).joined(separator: "\n")
    }
}
