import Stories
import Web

/// The schemas of the places that stories have besides their location.
enum StoryPlaceSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("Shape", shape), ("StoryPlaceInput", .object(input)), ("StoryPlacePatch", .object(input)),
        ("StoryPlaceEntry", .object([named] + input)),
        ("StoryPlace", .object([id] + content)),
        (
            "StoryPlaces",
            .object([
                .init("places", .array(.named("StoryPlace"), maxItems: StoryLimits.placeCount), required: true)
            ])
        ),
        ("WaitingPlace", .object([id] + story + content)), ("WaitingPlaces", waiting),
    ]

    /// The member by which the answer to a new place names it.
    static let added = Schema.Member("story_place", .hexID, required: true, "The id of the place in places.")
    private static let id = Schema.Member("id", .hexID, required: true)
    private static let named = Schema.Member(
        "id",
        .hexID,
        "The id of the story's place that this changes, fields that are missing staying as they are; without it, the place "
            + "that says the same, or a new one."
    )
    private static let role = Schema.text(
        minBytes: 1,
        maxBytes: StoryLimits.roleLength,
        pattern: TextPattern.word
    )
    private static let seconds = Schema.nullable(.number(0...StoryLimits.recordingSeconds))
    private static let roles = PlaceRole.known.map(\.rawValue).joined(separator: ", ")

    private static let position = Schema.array(.number(-180...540), maxItems: 2)
    private static let line = Schema.array(position, maxItems: StoryLimits.shapeCorners)
    private static let lines = Schema.array(line, maxItems: StoryLimits.shapeCorners)
    private static let shape = Schema.either([
        .named("Point"), geometry("LineString", line), geometry("Polygon", lines), geometry("MultiPoint", line),
        geometry("MultiLineString", lines),
        geometry("MultiPolygon", .array(lines, maxItems: StoryLimits.shapeCorners)),
    ])

    private static func geometry(_ type: String, _ coordinates: Schema) -> Schema {
        .object([.init("type", .constant(type), required: true), .init("coordinates", coordinates, required: true)])
    }

    private static let geometryWords = """
        A GeoJSON Point, LineString or Polygon in WGS 84, or several of one of them (MultiPoint, MultiLineString, \
        MultiPolygon), in place of lat and lon, of at most \(StoryLimits.shapeCorners) positions. Across the antimeridian, \
        longitudes continue beyond 180; a step of more than 180 degrees goes the short way, and is kept so. A line must have \
        a length. The rings of an area must enclose something, and neither cross nor touch themselves; holes lie within \
        their outer ring, and parts do not overlap. The height in a position is not kept. In a change, null needs lat and lon.
        """

    private static let input: [Schema.Member] =
        [
            .init(
                "role",
                role,
                "The part that the place plays (default spoken_of): one of \(roles), or another word of small letters. An "
                    + "extent is the line or the area of the story's own location: it is made coarser, hidden and removed "
                    + "with it."
            ),
            .init("seconds", seconds, "Where in the recording it comes up, in seconds from the start."),
            .init("geometry", .nullable(.judgedLater(.named("Shape"))), geometryWords),
        ] + StorySchemas.locationMembers(requiring: []).filter { $0.name != "date_precision" }

    private static let content: [Schema.Member] =
        [
            .init("role", role, required: true, "The part that the place plays."),
            .init("seconds", seconds, required: true, "Where in the recording it comes up, in seconds."),
            .init(
                "geometry",
                .named("Shape"),
                required: true,
                "The shape as given; a point where the viewer does not get the exact place."
            ),
            .init("lat", StorySchemas.latitude, required: true, "The latitude of a point on the place."),
            .init("lon", StorySchemas.longitude, required: true), .init("source", StorySchemas.source, required: true),
            .init("accuracy", .nullable(.number(0...StoryLimits.accuracy)), required: true),
            .init("doubtful", .boolean, required: true, "Whether the accuracy is worse than 50 m."),
            .init("precision", StorySchemas.precision, required: true),
            .init("cell", .nullable(.number(0.01...1)), required: true),
            .init(
                "published_as",
                StorySchemas.precision,
                required: true,
                "The precision for viewers other than the owner and trusted family."
            ),
            .init("published_cell", .nullable(.number(0.01...1)), required: true),
            .init("family_sees_exact", .boolean, required: true),
        ] + LocationName.allCases.map { .init($0.rawValue, .nullable(StorySchemas.shownName), required: true) } + [
            .init("derived", .array(.word(LocationName.allCases.map(\.rawValue))), required: true),
            .init(
                "confirmed",
                .boolean,
                required: true,
                "Whether the place is published; false, for the owner alone, while it awaits confirmation."
            ),
            .init("created_at", .nullable(StorySchemas.instant), required: true),
            .init("updated_at", .nullable(StorySchemas.instant), required: true),
        ]

    private static let story: [Schema.Member] = [
        .init("story", .hexID, required: true), .init("title", StorySchemas.shownTitle, required: true),
    ]

    private static let waiting = Schema.object([
        .init("places", .array(.named("WaitingPlace"), maxItems: 100), required: true),
        .init(
            "links",
            .object([.init("next", .nullable(.text(maxBytes: 4_000)), required: true)]),
            required: true
        ),
    ])
}
