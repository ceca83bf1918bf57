import Library
import Queries
import Stories

/// The properties of further places: the columns that exports have of them, and the geometry.
enum PlaceQueryables: Sendable {
    /// All properties by which features are filtered.
    static let all: [FeatureQueryables.Entry] =
        PlaceColumn.all.compactMap { column in
            kind(of: column)
                .map { FeatureQueryables.Entry(column.name, $0, descriptions[column.name] ?? column.name) }
        } + [
            FeatureQueryables.Entry("geometry", .geometry, "The point, the line or the area that the viewer gets.")
        ]

    private static let columns = Dictionary(uniqueKeysWithValues: PlaceColumn.all.map { ($0.name, $0) })

    private static let descriptions = [
        "story_place": "The id of the place.",
        "story_id": "The id of its story.",
        "title": "The title of its story.",
        "role": "The part that the place plays in the story, such as born or spoken_of.",
        "seconds": "Where in the recording it comes up, in seconds from the start.",
        "accuracy": "The accuracy of the place in metres, where the viewer sees it exactly.",
        "precision": "How precisely the viewer sees it: exact or approximate; the owner also hidden.",
        "cell": "The size of the cell in degrees in whose middle it is shown.",
        "family_sees_exact": "Whether the family sees it exactly, as far as the viewer may know.",
        "location_source": "Where the position is from, such as manual, gps or ai_extracted.",
        "location_confirmed": "Whether the owner has confirmed it; only the owner sees others.",
        "place_name": "The name of the place, where the viewer sees it exactly.",
        "address": "The address of the place, where the viewer sees it exactly.",
        "city": "The city of the place, where the viewer sees it exactly.",
        "state": "The state of the place, where the viewer sees it exactly.",
        "country": "The country of the place, where the viewer sees it exactly.",
    ]

    private static func kind(of column: PlaceColumn) -> QueryProperty.Kind? {
        switch column.kind {
        case .text: .text
        case .flag: .boolean
        case .whole, .number: .number
        case .day, .instant: nil
        }
    }

    /// Returns the value of a property as the viewer may see it; `nil` without one.
    static func value(_ name: String, of place: ExportedPlace) -> QueryValue? {
        guard name != "geometry" else {
            guard place.place.shape != nil else { return .point(place.place.location.coordinate) }
            return .geometry(place.geometry)
        }
        guard let value = columns[name]?.value(place) else { return nil }
        switch value {
        case .text(let text): return .text(text)
        case .flag(let flag): return .boolean(flag)
        case .whole(let number): return .number(Double(number))
        case .number(let number), .degrees(let number): return .number(number)
        case .day, .instant, .none: return nil
        }
    }
}
