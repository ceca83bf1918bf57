import GRDB
import Stories

/// Where the columns of a story stand in the rows of a statement.
///
/// Finding a column by its name hashes the name, forty times for each row: a fifth of the time in which a service with a
/// million stories starts (measured). So the names are looked up once for each statement.
struct StoryColumns {
    let id, kind, owner, privacy, title, created, updated, shownUpdated, clientID: Int
    let date, firstDay, lastDay, tags, people, mentions, collection: Int
    let mediaURL, thumbnailURL, alt, mediaChecksum, family, autoPrivate, withheld, source, sourceID: Int
    let latitude, longitude, locationSource, accuracy, precision, cell, familySeesExact, derived, floor, floorCell: Int
    let names: [(name: LocationName, index: Int)]
    /// Columns that some statements, and stories sealed by older versions, lack.
    let text, exactTimes, isUnjudged, locationCreated, locationUpdated, locationRemoved, places: Int?
    let picture: (version: Int, width: Int, height: Int)?

    /// The columns that ``init(names:)`` does without.
    static let optional: Set = [
        "text", "exact_times", "is_unjudged", "location_created_ms", "location_updated_ms", "location_removed",
        "picture_version", "picture_width", "picture_height", "places",
    ]

    /// Returns the columns of ``StoryRow/selection(withText:)``.
    static func selected(withText: Bool) throws -> StoryColumns { try (withText ? whole : withoutText).get() }

    private static let whole = made(withText: true)
    private static let withoutText = made(withText: false)

    private static func made(withText: Bool) -> Result<StoryColumns, any Error> {
        Result { try StoryColumns(names: names(withText: withText)) }
    }

    /// Returns the names of the columns of ``StoryRow/selection(withText:)``.
    static func names(withText: Bool) -> [String] { StoryRow.selected(withText: withText) + StoryRow.computed }

    /// Finds the columns in the names of a row's columns.
    ///
    /// - Throws: ``StoreError`` if one is missing that every story has.
    init(names columns: some Sequence<String>) throws {
        var indexes: [String: Int] = [:]
        for (index, name) in columns.enumerated() where indexes[name] == nil { indexes[name] = index }
        func find(_ name: String) throws -> Int {
            guard let index = indexes[name] else {
                throw StoreError(.damagedRow, "A story lacks the column \(name).")
            }
            return index
        }
        (id, kind, owner, privacy) = (try find("id"), try find("kind"), try find("owner"), try find("privacy"))
        (title, clientID) = (try find("title"), try find("client_id"))
        (created, updated) = (try find("created_ms"), try find("updated_ms"))
        shownUpdated = try find("shown_updated_ms")
        (date, firstDay, lastDay) = (try find("date"), try find("first_day"), try find("last_day"))
        (tags, people, mentions) = (try find("tags"), try find("people"), try find("mentions"))
        collection = try find("collection")
        (mediaURL, thumbnailURL, alt) = (try find("media_url"), try find("thumbnail_url"), try find("alt"))
        mediaChecksum = try find("media_checksum")
        (family, autoPrivate, withheld) = (try find("family"), try find("auto_private"), try find("withheld"))
        (source, sourceID) = (try find("source"), try find("source_id"))
        (latitude, longitude) = (try find("lat"), try find("lon"))
        (locationSource, accuracy) = (try find("location_source"), try find("accuracy"))
        (precision, cell) = (try find("precision"), try find("cell"))
        (familySeesExact, derived) = (try find("family_sees_exact"), try find("derived"))
        (floor, floorCell) = (try find("floor"), try find("floor_cell"))
        names = try StoryRow.nameColumns.map { ($0.name, try find($0.column)) }
        (text, exactTimes, isUnjudged) = (indexes["text"], indexes["exact_times"], indexes["is_unjudged"])
        (locationCreated, locationUpdated) = (indexes["location_created_ms"], indexes["location_updated_ms"])
        (locationRemoved, places) = (indexes["location_removed"], indexes["places"])
        if let version = indexes["picture_version"], let width = indexes["picture_width"],
            let height = indexes["picture_height"]
        {
            picture = (version, width, height)
        } else {
            picture = nil
        }
    }
}
