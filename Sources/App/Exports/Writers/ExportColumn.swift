import Formats
import Geometry
import Library
import Stories

/// A column of exported tables, with a name that imports recognise.
struct ExportColumn: Sendable {
    /// A value.
    enum Value {
        case none
        case text(String)
        case flag(Bool)
        case whole(Int64)
        case number(Double)
        case degrees(Double)
        case day(CalendarDay)
        case instant(Timestamp)
    }

    /// The type of the values.
    enum Kind { case text, flag, whole, number, day, instant }

    let name: String
    let kind: Kind
    let value: @Sendable (ExportedStory) -> Value

    private init(_ name: String, _ kind: Kind, _ value: @escaping @Sendable (ExportedStory) -> Value) {
        (self.name, self.kind, self.value) = (name, kind, value)
    }

    private static func text(_ name: String, _ value: @escaping @Sendable (ExportedStory) -> String?) -> ExportColumn {
        ExportColumn(name, .text) { value($0).map(Value.text) ?? .none }
    }

    private static func placeName(_ column: String, _ name: LocationName) -> ExportColumn {
        text(column) { $0.placeName(name) }
    }

    private static func list(_ name: String, _ value: @escaping @Sendable (Story) -> [String]) -> ExportColumn {
        text(name) { list(value($0.story)) }
    }

    /// Returns a list as one text: items separated by semicolons or, if one has a separator in it, a JSON array.
    ///
    /// Imports read both; a comma separates topics in other programs' tables.
    static func list(_ items: [String]) -> String? {
        guard !items.isEmpty else { return nil }
        let isPlain = items.allSatisfy { item in !item.hasPrefix("[") && !item.contains { ";|,".contains($0) } }
        if isPlain { return items.joined(separator: ";") }
        var json = JSONWriter()
        json.value(items)
        return json.text
    }

    /// The columns about the position, which a format with geometries has no need of.
    static let position: [ExportColumn] = [
        ExportColumn("lat", .number) { $0.position.map { .degrees($0.y) } ?? .none },
        ExportColumn("lon", .number) { $0.position.map { .degrees($0.x) } ?? .none },
    ]

    /// The columns about a position in another reference system.
    static func position(in reference: ExportReference) -> [ExportColumn] {
        let (isGeographic, name) = (reference.isGeographic, reference.name)
        return [
            ExportColumn("x", .number) { $0.position.map { isGeographic ? .degrees($0.x) : .number($0.x) } ?? .none },
            ExportColumn("y", .number) { $0.position.map { isGeographic ? .degrees($0.y) : .number($0.y) } ?? .none },
            text("crs") { $0.position.map { _ in name } },
        ]
    }

    /// The columns before the position.
    static let front: [ExportColumn] = [
        text("id") { $0.story.id.description }, text("kind") { $0.story.kind.rawValue },
        text("title") { $0.story.title }, text("date") { $0.times.date?.text },
    ]

    /// The days of the date, for programs that do not read its text.
    static let days: [ExportColumn] = [
        ExportColumn("first_day", .day) { $0.days.first.map { .day($0) } ?? .none },
        ExportColumn("last_day", .day) { $0.days.last.map { .day($0) } ?? .none },
    ]

    /// The columns after the position.
    static let rest: [ExportColumn] = [
        ExportColumn("accuracy", .number) { $0.location?.accuracy.map { .number($0) } ?? .none },
        text("precision") { $0.precision?.name },
        ExportColumn("cell", .number) { $0.precision?.cell.map { .number($0.degrees) } ?? .none },
        ExportColumn("family_sees_exact", .flag) { $0.familySeesExact.map { .flag($0) } ?? .none },
        text("location_source") { $0.source?.rawValue },
        ExportColumn("location_confirmed", .flag) { $0.location.map { _ in .flag(true) } ?? .none },
        placeName("place_name", .name), placeName("address", .address), placeName("city", .city),
        placeName("state", .state), placeName("country", .country), list("tags", \.tags), list("people", \.people),
        list("mentions", \.mentions), text("collection") { $0.story.collection },
        text("privacy") { $0.story.privacy.rawValue }, text("text") { $0.story.text },
        text("media_url") { $0.story.mediaURL }, text("thumbnail_url") { $0.story.thumbnailURL },
        text("alt") { $0.story.alt }, text("owner") { $0.story.owner.rawValue }, text("owner_name", \.view.ownerName),
        ExportColumn("created_at", .instant) { .instant($0.times.createdAt) },
        ExportColumn("updated_at", .instant) { .instant($0.times.updatedAt) }, text("county", \.county),
        text("date_precision") { $0.location.map { $0.showsExactTimes ? "exact" : "place" } },
        text("places") { places($0.view.places) }, text("family", \.view.shownFamily?.rawValue),
        text("place_text") { $0.words?.text }, text("postcode") { $0.words?.postalCode },
    ]

    /// The names of the columns that say where a story without a location may be, and how it would be shown there.
    static let ofWords: Set<String> = [
        "place_text", "place_name", "address", "city", "county", "state", "postcode", "country", "precision", "cell",
        "family_sees_exact", "location_source",
    ]

    /// Returns further places as the JSON of the HTTP interface, in longitude and latitude whatever the reference system.
    private static func places(_ places: [StoryPlace]) -> String? {
        guard !places.isEmpty else { return nil }
        var json = JSONWriter(capacity: 600 * places.count)
        PlaceJSON.write(places, to: &json)
        return json.text
    }

    /// The times as numbers, for programs that compute with them.
    static let milliseconds: [ExportColumn] = [
        ExportColumn("created_ms", .whole) { .whole($0.times.createdAt.milliseconds) },
        ExportColumn("updated_ms", .whole) { .whole($0.times.updatedAt.milliseconds) },
    ]

    /// The columns of a table in text.
    static func table(_ options: ExportOptions) -> [ExportColumn] {
        front + (options.reference.map(position(in:)) ?? position) + rest
    }
}

extension ExportColumn.Value {
    /// The value as in a table in text; empty if there is none.
    var text: String {
        switch self {
        case .none: return ""
        case .text(let text): return text
        case .flag(let flag): return flag ? "true" : "false"
        case .whole(let number): return "\(number)"
        case .number(let number): return "\(number)"
        case .degrees(let degrees):
            // As in all answers.
            var json = JSONWriter()
            json.degrees(degrees)
            return json.text
        case .day(let day): return day.description
        case .instant(let instant): return RFC3339.format(instant)
        }
    }
}
