import Formats
import GRDB
import Geometry
import Stories

/// A story as a row of the table `stories`.
enum StoryRow {
    /// The columns that store the properties of ``Story``, in the order of ``arguments(_:)``; without the geometry.
    static let columns = [
        "id", "client_id", "kind", "title", "text", "date", "first_day", "last_day", "tags", "people", "mentions",
        "collection", "media_url", "thumbnail_url", "alt", "media_checksum", "owner", "privacy", "family",
        "auto_private", "withheld",
        "location_source", "accuracy", "precision", "cell", "family_sees_exact", "place_name", "address", "city",
        "state", "country", "derived", "floor", "floor_cell", "source", "source_id", "search_text", "place_text",
        "created_ms", "updated_ms", "shown_updated_ms", "exact_times", "location_removed", "location_created_ms",
        "location_updated_ms", "picture_version", "picture_width", "picture_height",
    ]

    /// Returns the columns that make up a ``Story``; the long text only if `withText` is true.
    static func selection(withText: Bool) -> String { withText ? whole : withoutText }

    private static let whole = makeSelection(withText: true)
    private static let withoutText = makeSelection(withText: false)

    /// Returns the columns of the table that ``selection(withText:)`` begins with.
    static func selected(withText: Bool) -> [String] {
        columns.filter { !$0.hasSuffix("_text") && (withText || $0 != "text") }
    }

    /// The names of the columns after those.
    static let computed = ["lon", "lat", "is_unjudged", "places"]

    private static func makeSelection(withText: Bool) -> String {
        // A story that another program moved or made more exact is hidden until it is checked against the sensitive
        // areas.
        selected(withText: withText).joined(separator: ", ")
            + """
            , ST_X(geom) AS lon, ST_Y(geom) AS lat,
            EXISTS (SELECT 1 FROM outside_edits WHERE story = stories.id) AS is_unjudged,
            \(PlaceRow.selection) AS places
            """
    }

    static let nameColumns: [(name: LocationName, column: String)] = [
        (.name, "place_name"), (.address, "address"), (.city, "city"), (.state, "state"), (.country, "country"),
    ]

    /// Returns the values of ``columns``.
    static func arguments(_ story: Story) -> [(any DatabaseValueConvertible)?] {
        let content: [(any DatabaseValueConvertible)?] = [
            story.id.description, story.clientID, story.kind.rawValue, story.title, story.text, story.date?.text,
            story.date?.first?.description, story.date?.last?.description, list(story.tags), list(story.people),
            list(story.mentions), story.collection, story.mediaURL, story.thumbnailURL, story.alt, story.mediaChecksum,
            story.owner.rawValue, story.privacy.rawValue, story.family?.rawValue, story.autoPrivate,
            story.isWithheld,
        ]
        let end: [(any DatabaseValueConvertible)?] = [
            story.source, story.sourceID, searchText(of: story), placeText(of: story),
            story.createdAt.milliseconds, story.updatedAt.milliseconds, story.shownUpdatedAt.milliseconds,
            story.location?.showsExactTimes ?? false,
        ]
        let upkeep: [(any DatabaseValueConvertible)?] = [
            story.location == nil && story.absentLocation?.isRemoved == true,
            story.location?.createdAt?.milliseconds, story.location?.updatedAt?.milliseconds,
            story.picture?.name, story.picture?.width, story.picture?.height,
        ]
        return content + arguments(story.location, absent: story.absentLocation) + end + upkeep
    }

    private static func arguments(
        _ location: StoryLocation?,
        absent: AbsentLocation?
    ) -> [(any DatabaseValueConvertible)?] {
        guard let location else {
            // The display settings for the next location use these columns; without a point they have no other effect.
            return [
                nil, nil, absent?.precision.name, absent?.precision.cell?.degrees, absent?.familySeesExact ?? false,
            ]
                + nameColumns.map { _ in nil } + [nil, nil, nil]
        }
        return [
            location.source.rawValue, location.accuracy, location.precision.name, location.precision.cell?.degrees,
            location.familySeesExact,
        ] + nameColumns.map { location.names[$0.name] }
            + [list(LocationName.allCases.filter(location.derived.contains).map(\.rawValue))]
            + floorArguments(location)
    }

    /// Returns the values of `floor` and `floor_cell`.
    static func floorArguments(_ location: StoryLocation) -> [(any DatabaseValueConvertible)?] {
        [location.floor == .exact ? nil : location.floor.name, location.floor.cell?.degrees]
    }

    /// Reads a story from a row of ``selection(withText:)``.
    static func story(_ row: Row, withText: Bool) throws -> Story {
        try story(row, StoryColumns.selected(withText: withText))
    }

    /// Reads a story; a row that violates a rule of ``Story`` is an error, not guessed at.
    static func story(_ row: Row, _ at: StoryColumns) throws -> Story {
        let idText: String = row[at.id]
        guard let id = StoryID(idText), let kind = StoryKind(row[at.kind] as String),
            let owner = UserID(row[at.owner] as String), let privacy = Privacy(rawValue: row[at.privacy])
        else { throw StoreError.damagedRow(of: "stories", id: idText) }
        var story = Story(
            id: id,
            kind: kind,
            title: row[at.title],
            owner: owner,
            createdAt: Timestamp(milliseconds: row[at.created])
        )
        story.updatedAt = Timestamp(milliseconds: row[at.updated])
        story.shownUpdatedAt = Timestamp(milliseconds: row[at.shownUpdated])
        story.clientID = row[at.clientID]
        story.text = at.text.flatMap { row[$0] }
        story.date = date(text: row[at.date], first: row[at.firstDay], last: row[at.lastDay])
        story.tags = try list(row[at.tags])
        story.people = try list(row[at.people])
        story.mentions = try list(row[at.mentions])
        story.collection = row[at.collection]
        story.mediaURL = row[at.mediaURL]
        story.thumbnailURL = row[at.thumbnailURL]
        story.alt = row[at.alt]
        story.picture = picture(row, at)
        story.mediaChecksum = row[at.mediaChecksum]
        story.privacy = privacy
        story.family = (row[at.family] as String?).flatMap { FamilyID($0) }
        story.autoPrivate = row[at.autoPrivate]
        story.isWithheld = row[at.withheld]
        story.location = try location(row, at)
        if story.location == nil { story.absentLocation = absentLocation(row, at) }
        if let places = at.places, let text = row[places] as String? {
            story.places = try PlaceRow.places(text, of: id)
            if let unjudged = at.isUnjudged, row[unjudged] {
                for index in story.places.indices { story.places[index].location.floor = .hidden }
            }
        }
        story.source = row[at.source]
        story.sourceID = row[at.sourceID]
        return story
    }

    /// Reads the description of the picture; `nil` for a row sealed before there were pictures.
    private static func picture(_ row: Row, _ at: StoryColumns) -> StoryPicture? {
        guard let picture = at.picture, let name = row[picture.version] as String?,
            let version = StoryPicture.version(named: name), let width = row[picture.width] as Int?,
            let height = row[picture.height] as Int?
        else { return nil }
        return StoryPicture(version: version, width: width, height: height)
    }

    private static func location(_ row: Row, _ at: StoryColumns) throws -> StoryLocation? {
        guard let latitude = row[at.latitude] as Double?, let longitude = row[at.longitude] as Double?,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        var names: [LocationName: String] = [:]
        for (name, index) in at.names {
            // Assigning `nil` costs a search of the dictionary, and most stories have few names.
            if let text = row[index] as String? { names[name] = text }
        }
        var location = StoryLocation(
            coordinate: coordinate,
            source: (row[at.locationSource] as String?).flatMap(LocationSource.init) ?? .manual,
            accuracy: row[at.accuracy],
            precision: precision(row[at.precision], cell: row[at.cell]),
            familySeesExact: row[at.familySeesExact],
            // A story sealed by an older version lacks this column.
            showsExactTimes: at.exactTimes.map { row[$0] } ?? false,
            names: names,
            derived: try derived(row[at.derived])
        )
        location.floor = (row[at.floor] as String?).map { precision($0, cell: row[at.floorCell]) } ?? .exact
        if let unjudged = at.isUnjudged, row[unjudged] { location.floor = .hidden }
        location.createdAt = (at.locationCreated.flatMap { row[$0] } as Int64?).map { Timestamp(milliseconds: $0) }
        location.updatedAt = (at.locationUpdated.flatMap { row[$0] } as Int64?).map { Timestamp(milliseconds: $0) }
        return location
    }

    /// Reads the names of a location that were derived from its coordinates.
    private static func derived(_ text: String?) throws -> Set<LocationName> {
        guard let text else { return [] }
        return try knownDerived[text] ?? Set(list(text).compactMap(LocationName.init))
    }

    /// The sets of names by the texts that the column holds for them.
    ///
    /// Parsing the list took a tenth of the time in which a story was read (measured).
    private static let knownDerived: [String: Set<LocationName>] = {
        var known: [String: Set<LocationName>] = [:]
        for bits in 1..<(1 << LocationName.allCases.count) {
            let names = LocationName.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
            if let text = list(names.map(\.rawValue)) { known[text] = Set(names) }
        }
        return known
    }()

    /// Returns the location settings kept in a row without a location; `nil` for a row sealed before these settings
    /// existed.
    private static func absentLocation(_ row: Row, _ at: StoryColumns) -> AbsentLocation? {
        let isRemoved = (at.locationRemoved.flatMap { row[$0] } as Bool?) ?? false
        let name = row[at.precision] as String?
        guard isRemoved || name != nil else { return nil }
        return AbsentLocation(
            precision: precision(name, cell: row[at.cell]),
            familySeesExact: row[at.familySeesExact],
            isRemoved: isRemoved
        )
    }

    /// Returns the floor of a row; `.exact` if no area applies.
    static func floor(_ row: Row) -> LocationPrecision {
        (row["floor"] as String?).map { precision($0, cell: row["floor_cell"]) } ?? .exact
    }

    /// Reads a precision; unknown values count as hidden, so a point is never shown more exactly than its owner chose.
    static func precision(_ name: String?, cell: Double?) -> LocationPrecision {
        switch name {
        case "exact": .exact
        case "approximate": cell.flatMap(PublishedCell.init(degrees:)).map { .approximate($0) } ?? .hidden
        default: .hidden
        }
    }

    private static func date(text: String?, first: String?, last: String?) -> StoryDate? {
        guard let text else { return nil }
        // Without days, the words were not understood, or another program wrote them.
        guard let first = first.flatMap({ StoryDate.days($0)?.lowerBound ?? CalendarDay($0) }),
            let last = last.flatMap({ StoryDate.days($0)?.upperBound ?? CalendarDay($0) })
        else { return StoryDate(words: text) }
        return StoryDate(text: text, first: first, last: last)
    }

    static func list(_ values: [String]) -> String? {
        guard !values.isEmpty else { return nil }
        var writer = JSONWriter()
        writer.value(values)
        return writer.text
    }

    /// Reads a list of texts.
    static func list(_ text: String?) throws -> [String] {
        guard let text else { return [] }
        return try JSONValue(parsing: Array(text.utf8), limits: .init(bytes: 1 << 20)).array?.compactMap(\.string) ?? []
    }

    /// Returns the lower-cased title, text, topics, persons and mentions, for other programs that open the database.
    static func searchText(of story: Story) -> String {
        ([story.title, story.text ?? ""] + story.tags + story.people + story.mentions)
            .joined(separator: "\n").lowercased()
    }

    /// Returns the lower-cased names of the place, for other programs that open the database.
    static func placeText(of story: Story) -> String {
        story.location.map(placeText) ?? ""
    }

    /// Returns the lower-cased names of a location or a further place.
    static func placeText(of location: StoryLocation) -> String {
        LocationName.allCases.compactMap { location.names[$0] }.joined(separator: "\n").lowercased()
    }
}
