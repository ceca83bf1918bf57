import Formats
import Foundation
import GRDB
import Geometry
import Stories

/// A further place of a story as a row of the table `story_places`.
enum PlaceRow {
    /// The columns that store the properties of ``StoryPlace``, in the order of ``arguments(_:of:)``; without the geometry.
    static let columns = [
        "id", "story", "role", "seconds", "source", "accuracy", "precision", "cell", "family_sees_exact", "floor",
        "floor_cell", "place_name", "address", "city", "state", "country", "derived", "place_text", "confirmed",
        "created_ms", "updated_ms",
    ]

    /// The places of a row of `stories` as JSON, in one expression that costs nothing for a story without any.
    ///
    /// The geometry is hexadecimal, because SQLite shortens numbers in JSON.
    static let selection = """
        CASE WHEN further_places > 0 THEN (SELECT json_group_array(json_array(
        \(columns.map { "place." + $0 }.joined(separator: ", ")), hex(ST_AsBinary(place.geom))))
        FROM story_places AS place WHERE place.story = stories.id) END
        """

    /// What ``searchable(_:of:)`` reads of the places of a row of `stories`.
    static let searchSelection = """
        CASE WHEN further_places > 0 THEN (SELECT json_group_array(json_array(place.id, place.precision, place.cell,
        place.family_sees_exact, place.floor, place.floor_cell, place.confirmed, place.place_text))
        FROM story_places AS place WHERE place.story = stories.id) END
        """

    /// Returns the values of ``columns``.
    static func arguments(_ place: StoryPlace, of story: StoryID) -> [(any DatabaseValueConvertible)?] {
        let location = place.location
        return [
            place.id.description, story.description, place.role.rawValue, place.seconds, location.source.rawValue,
            location.accuracy, location.precision.name, location.precision.cell?.degrees, location.familySeesExact,
        ] + StoryRow.floorArguments(location)
            + StoryRow.nameColumns.map { location.names[$0.name] }
            + [
                StoryRow.list(LocationName.allCases.filter(location.derived.contains).map(\.rawValue)),
                StoryRow.placeText(of: location), place.isConfirmed, location.createdAt?.milliseconds,
                location.updatedAt?.milliseconds,
            ]
    }

    /// Reads the places of ``selection``.
    ///
    /// - Throws: ``StoreError`` naming the story if a place violates a rule of ``StoryPlace``.
    static func places(_ text: String, of story: StoryID) throws -> [StoryPlace] {
        try rows(text, of: story).map { try place($0, of: story) }.sorted(by: StoryPlace.isBefore)
    }

    private static func rows(_ text: String, of story: StoryID) throws -> [[JSONValue]] {
        let rows = try JSONValue(parsing: Array(text.utf8), limits: .init(bytes: 1 << 24)).array
        guard let rows else { throw StoreError.damagedRow(of: "story_places", id: story.description) }
        return rows.map { $0.array ?? [] }
    }

    private static func place(_ row: [JSONValue], of story: StoryID) throws -> StoryPlace {
        guard row.count == columns.count + 1, let id = row[0].string.flatMap({ StoryID($0) }),
            let role = row[2].string.flatMap({ PlaceRole($0) }), let geometry = row[columns.count].string,
            let (point, shape) = try? shape(geometry), isPosition(row[3].number)
        else { throw StoreError.damagedRow(of: "story_places", id: story.description) }
        var location = StoryLocation(
            coordinate: point,
            source: row[4].string.flatMap(LocationSource.init) ?? .manual,
            accuracy: row[5].number,
            precision: StoryRow.precision(row[6].string, cell: row[7].number),
            familySeesExact: row[8].number == 1
        )
        location.floor = row[9].string.map { StoryRow.precision($0, cell: row[10].number) } ?? .exact
        for (index, column) in StoryRow.nameColumns.enumerated() {
            if let name = row[11 + index].string { location.names[column.name] = name }
        }
        location.derived = Set(try StoryRow.list(row[16].string).compactMap(LocationName.init))
        location.createdAt = try instant(row[19], of: story)
        location.updatedAt = try instant(row[20], of: story)
        return StoryPlace(
            id: id,
            role: role,
            seconds: row[3].number,
            location: location,
            shape: shape,
            isConfirmed: row[18].number == 1
        )
    }

    /// Reads a time in milliseconds; another program may have written a number that is none.
    private static func instant(_ value: JSONValue, of story: StoryID) throws -> Timestamp? {
        guard let number = value.number else { return nil }
        guard let milliseconds = Int64(exactly: number.rounded()) else {
            throw StoreError.damagedRow(of: "story_places", id: story.description)
        }
        return Timestamp(milliseconds: milliseconds)
    }

    private static func isPosition(_ seconds: Double?) -> Bool {
        seconds.map { (0...StoryLimits.recordingSeconds).contains($0) } ?? true
    }

    /// Reads the point and the shape of a geometry as hexadecimal well-known binary.
    private static func shape(_ text: String) throws -> (point: Coordinate, shape: PlaceShape?) {
        let digits = Array(text.utf8).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        var json = JSONWriter(capacity: 64)
        try WellKnownBinary.write(bytes[...], to: &json)
        return try PlaceGeometry.read(JSONValue(parsing: json.bytes, limits: .init(bytes: 1 << 20)))
    }

    /// Reads, of the places of ``searchSelection``, what decides who may search them, each with its text.
    static func searchable(_ text: String, of story: StoryID) throws -> [(place: StoryPlace, text: String)] {
        try rows(text, of: story)
            .map { row in
                guard row.count == 8, let id = row[0].string.flatMap({ StoryID($0) }) else {
                    throw StoreError.damagedRow(of: "story_places", id: story.description)
                }
                // The position does not affect the result.
                var location = StoryLocation(
                    coordinate: Coordinate(wrappingLatitude: 0, longitude: 0),
                    precision: StoryRow.precision(row[1].string, cell: row[2].number),
                    familySeesExact: row[3].number == 1
                )
                location.floor = row[4].string.map { StoryRow.precision($0, cell: row[5].number) } ?? .exact
                let isConfirmed = row[6].number == 1
                let place = StoryPlace(id: id, role: .spokenOf, location: location, isConfirmed: isConfirmed)
                return (place, row[7].string ?? "")
            }
    }
}
