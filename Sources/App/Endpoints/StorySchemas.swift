import Web
import Library
import Geometry
import Stories

/// The schemas of the document's components, by name.
enum ServiceSchemas: Sendable {
    /// Every component, in the order of the document.
    static let all: [(name: String, schema: Schema)] =
        StorySchemas.all + PictureEndpoints.schemas + MapSchemas.all + TileSchemas.all + BasemapSchemas.all
        + GazetteerSchemas.all
        + GazetteerSchemas.compatible + NoticeSchemas.all + LabelEndpoints.schemas + CellEndpoints.schemas
        + AccountSchemas.all + SessionSchemas.all + PasskeySchemas.all + ProviderEndpoints.schemas + ShareSchemas.all
        + FamilySchemas.all + PrivacySchemas.all + SyncSchemas.all + PersonSchemas.all + ListSchemas.all
        + FacetSchemas.all + ImportSchemas.all + NamedPlaceSchemas.all + ProposalSchemas.all + StoryPlaceSchemas.all
        + ChannelSchemas.all + WebhookSchemas.all + OutboxSchemas.all + StatusSchemas.all + [
            ("Problem", problem)
        ]

    /// Every component by its name.
    static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.schema) })

    private static let problem = Schema.object([
        .init("type", .text(maxBytes: 200), required: true),
        .init("title", .text(maxBytes: 200), required: true),
        .init("status", .integer(400...599), required: true),
        .init("detail", .text(maxBytes: 4_000), required: true),
        .init("current", .text(maxBytes: 60), "With 412: the ETag of the current version."),
        .init(
            "errors",
            .array(
                .object([
                    .init("field", .text(maxBytes: 400), required: true),
                    .init("message", .text(maxBytes: 4_000), required: true),
                ])
            )
        ),
        .init(
            "import",
            .named("Import"),
            "With import-refused and import-ended: the import as it is recorded, with all remarks."
        ),
    ])
}

/// The schemas of stories in requests and answers.
enum StorySchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("LocationInput", locationInput(requiring: ["lat", "lon"])), ("LocationPatch", locationInput(requiring: [])),
        ("StoryInput", storyInput(requiring: ["kind", "title"])),
        ("StoryPatch", storyInput(requiring: [])), ("Location", location), ("Story", .object(id + content)),
        ("StoryWithPlace", .object(id + content + [StoryPlaceSchemas.added])),
        ("StoryFeature", feature(with: [])), ("StoryCollection", collection),
    ]

    static let name = Schema.characters(max: StoryLimits.nameLength)
    private static let names = Schema.array(
        .characters(min: 1, max: StoryLimits.nameLength),
        maxItems: StoryLimits.listLength
    )
    static let shownName = shown(StoryLimits.nameLength)
    private static let shownNames = Schema.array(
        .text(minBytes: 1, maxBytes: StoryLimits.mostBytes(characters: StoryLimits.nameLength)),
        maxItems: StoryLimits.listLength
    )
    static let shownTitle = Schema.text(
        minBytes: 1,
        maxBytes: StoryLimits.mostBytes(characters: StoryLimits.titleLength)
    )
    static let shownDate = shown(StoryLimits.dateLength)

    /// Returns the schema of a text in an answer, for a limit on characters; it declares only the limit in bytes that
    /// follows from it.
    private static func shown(_ characters: Int) -> Schema {
        .text(maxBytes: StoryLimits.mostBytes(characters: characters))
    }
    private static let privacy = Schema.word(Privacy.allCases.map(\.rawValue))
    static let source = Schema.word(LocationSource.allCases.map(\.rawValue))
    static let precision = Schema.word(["exact", "approximate", "hidden"])
    private static let datePrecision = Schema.word(["place", "exact"])
    static let latitude = Schema.number(-90...90)
    static let longitude = Schema.number(-180...180)
    static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")

    private static func locationInput(requiring required: Set<String>) -> Schema {
        .object(locationMembers(requiring: required))
    }

    /// Returns the members of a location, or of a further place, in a request.
    static func locationMembers(requiring required: Set<String>) -> [Schema.Member] {
        let members: [Schema.Member] = [
            .init("lat", latitude, required: required.contains("lat"), "Latitude in degrees (WGS 84)."),
            .init("lon", longitude, required: required.contains("lon"), "Longitude in degrees (WGS 84)."),
            .init(
                "source",
                source,
                "The source of the location (default manual). An ai_extracted location awaits the owner's confirmation."
            ),
            .init(
                "accuracy",
                .nullable(.number(0...StoryLimits.accuracy)),
                "The accuracy in metres (68 % confidence)."
            ),
            .init("precision", precision, "The precision at which others see the location (default exact)."),
            .init(
                "cell",
                // One message says which sizes there are, whatever else is given.
                .nullable(.judgedLater(.number(0.01...1))),
                "The side of the published cell in degrees: 0.01, 0.1 or 1."
            ),
            .init("family_sees_exact", .boolean, "Whether family members still see the exact location."),
            .init(
                "date_precision",
                datePrecision,
                "The precision at which others see the story's date and times. place (default): the month with a cell "
                    + "of 0.01 degrees, the year with one of 0.1 or a hidden location, the decade with one of 1. "
                    + "exact: the exact date and times, which can reveal where between your other stories it happened."
            ),
        ]
        return members + LocationName.allCases.map { .init($0.rawValue, .nullable(name)) }
    }

    private static func storyInput(requiring required: Set<String>) -> Schema {
        let members: [(String, Schema, String)] = [
            (
                "client_id", .nullable(.characters(min: 1, max: StoryLimits.nameLength)),
                "The client's own id for the story. Repeating the request with it is harmless."
            ),
            (
                "kind", .kind,
                "The kind: interview, photo, document, video_object, observation, event, or one defined by the operator."
            ),
            ("title", .characters(min: 1, max: StoryLimits.titleLength), "The title."),
            ("text", .nullable(.characters(max: StoryLimits.textLength)), "The text."),
            (
                "date", .nullable(.characters(max: StoryLimits.dateLength)),
                "The date as YYYY, YYYY-MM, YYYY-MM-DD, A/B for a span, in EDTF (levels 0 and 1, and sets), or in words in "
                    + "seven languages: ca. 1920, before 1900, 3 de mayo de 1911, 44 BC. Shown as written; words that name "
                    + "no days are kept. An empty text means none."
            ),
            ("tags", names, "The topics."),
            ("people", names, "The people it is about."),
            ("mentions", names, "Other places it mentions."),
            ("collection", .nullable(name), "The collection it belongs to."),
            (
                "media_url", .nullable(.text(maxBytes: StoryLimits.urlLength)),
                "The URL of the recording, picture or document."
            ),
            ("thumbnail_url", .nullable(.text(maxBytes: StoryLimits.urlLength)), "The URL of a thumbnail."),
            ("alt", .nullable(.characters(max: StoryLimits.altLength)), "A description of the picture."),
            (
                "media_sha256", .nullable(.text(minBytes: 64, maxBytes: 64)),
                "The SHA-256 of the recording or picture in hexadecimal. The answer lists your other stories with the "
                    + "same one."
            ),
            ("privacy", privacy, "The privacy level (default public)."),
            (
                "family", .nullable(.identifier),
                "For family_only: the one family; null for all of the owner's."
            ),
            (
                "location",
                .nullable(.named(required.isEmpty ? "LocationPatch" : "LocationInput")),
                required.isEmpty
                    ? "The location of the story. Members that are not given stay as they are; a story without a location "
                        + "needs lat and lon."
                    : "The location of the story."
            ),
            (
                "places",
                .nullable(
                    .array(
                        .named(required.isEmpty ? "StoryPlaceEntry" : "StoryPlaceInput"),
                        maxItems: StoryLimits.placeCount
                    )
                ),
                required.isEmpty
                    ? "The places besides the location: the whole list, in place of the one before."
                    : "The places besides the location. Those that a program extracted await the owner's confirmation."
            ),
        ]
        // `client_id` is fixed when the story is created.
        let offered = required.isEmpty ? members.filter { $0.0 != "client_id" } : members
        return .object(offered.map { .init($0.0, $0.1, required: required.contains($0.0), $0.2) })
    }

    private static let location = Schema.object(
        [
            .init("lat", latitude, required: true), .init("lon", longitude, required: true),
            .init("source", source, required: true),
            .init("accuracy", .nullable(.number(0...StoryLimits.accuracy)), required: true),
            .init("doubtful", .boolean, required: true, "Whether the accuracy is worse than 50 m."),
            .init("precision", precision, required: true),
            .init("cell", .nullable(.number(0.01...1)), required: true),
            .init(
                "published_as",
                precision,
                required: true,
                "The precision for viewers other than the owner and trusted family. It is lower than the owner chose "
                    + "in areas that the operator protects."
            ),
            .init("published_cell", .nullable(.number(0.01...1)), required: true),
            .init("family_sees_exact", .boolean, required: true),
            .init("date_precision", datePrecision, required: true),
        ] + LocationName.allCases.map { .init($0.rawValue, .nullable(shownName), required: true) } + [
            .init("derived", .array(.word(LocationName.allCases.map(\.rawValue))), required: true),
            .init(
                "confirmed",
                .boolean,
                required: true,
                "Always true. An unconfirmed location is a proposal and is not returned here."
            ),
            .init(
                "created_at",
                .nullable(instant),
                required: true,
                "The time when the story got a location; null if unknown or not visible to the viewer."
            ),
            .init(
                "updated_at",
                .nullable(instant),
                required: true,
                "The time of the last change to the location; null if unknown or not visible to the viewer."
            ),
        ]
    )

    /// A location that awaits confirmation.
    static let proposedLocation = Schema.object(
        [
            .init("lat", latitude, required: true), .init("lon", longitude, required: true),
            .init("source", source, required: true),
            .init("accuracy", .nullable(.number(0...StoryLimits.accuracy)), required: true),
            .init("precision", precision, required: true),
            .init("cell", .nullable(.number(0.01...1)), required: true),
            .init("family_sees_exact", .boolean, required: true),
        ] + LocationName.allCases.map { .init($0.rawValue, .nullable(shownName), required: true) } + [
            .init("derived", .array(.word(LocationName.allCases.map(\.rawValue))), required: true)
        ]
    )

    private static let id: [Schema.Member] = [.init("id", .hexID, required: true)]

    private static let content: [Schema.Member] = [
        .init("client_id", .nullable(shownName), required: true),
        .init("kind", .kind, required: true),
        .init("title", shownTitle, required: true),
        .init("text", .nullable(shown(StoryLimits.textLength)), required: true),
        .init("date", .nullable(shownDate), required: true),
        .init("tags", shownNames, required: true), .init("people", shownNames, required: true),
        .init("mentions", shownNames, required: true),
        .init("collection", .nullable(shownName), required: true),
        .init("media_url", .nullable(.text(maxBytes: StoryLimits.urlLength)), required: true),
        .init("thumbnail_url", .nullable(.text(maxBytes: StoryLimits.urlLength)), required: true),
        .init("thumbnail", .nullable(.named("Thumbnail")), required: true, "The picture stored with the story."),
        .init("alt", .nullable(shown(StoryLimits.altLength)), required: true),
        .init("media_sha256", .nullable(.text(minBytes: 64, maxBytes: 64)), required: true, "Shown only to the owner."),
        .init("owner", .identifier, required: true),
        .init("owner_name", .nullable(shownName), required: true),
        .init("privacy", privacy, required: true),
        .init("family", .nullable(.identifier), required: true),
        .init("auto_private", .boolean, required: true),
        .init(
            "withheld",
            .boolean,
            "Present and true if an operator withholds the caller's own story from everyone else."
        ),
        .init("hidden", .boolean, "Present and true if the caller has hidden the story from their own views."),
        .init("favourite", .boolean, "Present and true if the story is one of the caller's favourites."),
        .init(
            "warnings",
            .array(
                .object([
                    .init("code", .word(["neighbours", "extent", "date"]), required: true),
                    .init("message", .text(maxBytes: 400), required: true),
                ])
            ),
            "Present for the caller's own story. neighbours: in lists and after writing, if others could locate it more "
                + "precisely than it is shown. extent: if its extent is shown more exactly than its location. date: if its "
                + "date is only words that name no days."
        ),
        .init("location", .nullable(.named("Location")), required: true),
        .init(
            "places",
            .array(.named("StoryPlace"), maxItems: StoryLimits.placeCount),
            "Present if the viewer may see places of the story besides its location."
        ),
        .init("created_at", instant, required: true), .init("updated_at", instant, required: true),
    ]

    private static let matches = Schema.Member(
        "matches",
        .array(
            .object([
                .init(
                    "part",
                    .word(FieldExcerpt.Part.allCases.map(\.rawValue)),
                    required: true,
                    "The part of the story that has the words."
                ),
                .init("text", shown(TextExcerpt.longest), required: true, "The part around the first word."),
                .init(
                    "marks",
                    .array(.array(.integer(0...Int(Int32.max)), maxItems: 2)),
                    required: true,
                    "The words in text, each as its first UTF-16 code unit and the one after its last."
                ),
                .init("cut_before", .boolean, required: true, "Whether the part goes on before text."),
                .init("cut_after", .boolean, required: true, "Whether the part goes on after text."),
            ]),
            maxItems: Story.mostExcerpts
        ),
        "In lists with q: where its words stand in what is shown; a place may be found by a name that is not shown."
    )

    /// Returns the schema of a story as a GeoJSON feature with additional properties.
    static func feature(with further: [Schema.Member]) -> Schema {
        .object([
            .init("type", .constant("Feature"), required: true),
            .init("id", .hexID, required: true),
            .init("geometry", .nullable(.named("Point")), required: true),
            .init(
                "properties",
                .object(content + [.init("place_id", .nullable(shownName), required: true), matches] + further),
                required: true
            ),
        ])
    }

    private static let collection = Schema.object([
        .init("type", .constant("FeatureCollection"), required: true),
        .init("numberMatched", .integer(0...Int(Int32.max)), required: true),
        .init("numberReturned", .integer(0...Int(Int32.max)), required: true),
        .init("features", .array(.named("StoryFeature")), required: true),
        .init("links", .array(.named("Link")), required: true),
    ])
}
