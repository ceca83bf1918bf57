import Web
import Library
import Geometry
import Stories

/// The schemas of the map in answers.
enum MapSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("Link", link), ("Point", point), ("Box", box), ("Marker", marker), ("ClusterCollection", collection),
        ("Bounds", .object([.init("bbox", .nullable(.named("Box")), required: true)])),
    ]

    private static let count = Schema.integer(0...Int(Int32.max))
    private static let box = Schema.array(.number(-180...180), maxItems: 4)

    private static let link = Schema.object([
        .init("rel", .text(maxBytes: 40), required: true), .init("type", .text(maxBytes: 100)),
        .init("href", .text(maxBytes: 4_000), required: true),
    ])

    private static let point = Schema.object([
        .init("type", .constant("Point"), required: true),
        .init("coordinates", .array(.number(-180...180), maxItems: 2), required: true),
    ])

    private static let marker = Schema.object([
        .init("type", .constant("Feature"), required: true),
        .init(
            "id",
            .either([.hexID, .integer(0...(1 << 53))]),
            required: true,
            "A number for a cluster, or the story's id for a single story."
        ),
        .init("bbox", .named("Box")),
        .init("geometry", .named("Point"), required: true),
        .init("properties", .either([cluster, single]), required: true),
    ])

    private static let cluster = Schema.object([
        .init("cluster", .boolean, required: true),
        .init("cluster_id", .integer(0...(1 << 53)), required: true),
        .init("point_count", count, required: true),
        .init(
            "places",
            count,
            "The number of their places here: present if some of the stories have several, so that it is larger."
        ),
        .init("point_count_abbreviated", .either([count, .text(maxBytes: 12)]), required: true),
        .init("expansion_zoom", .integer(0...25), required: true),
        .init("stacked", .boolean, required: true),
    ])

    private static let single = Schema.object([
        .init("cluster", .boolean, required: true),
        .init("kind", .nullable(.kind), required: true),
        .init("title", .nullable(StorySchemas.shownTitle), required: true),
        .init("date", .nullable(StorySchemas.shownDate), required: true),
        .init("place_id", .text(maxBytes: 20), required: true),
        .init("place", .hexID, "The id of the story's further place here; absent if it is its own location."),
        .init("stories_here", count, required: true),
        .init("privacy", .nullable(.word(Privacy.allCases.map(\.rawValue))), required: true),
        .init("thumbnail", PictureEndpoints.address, "Present if the story has a picture: its path."),
    ])

    private static let collection = Schema.object([
        .init("type", .constant("FeatureCollection"), required: true),
        .init("bbox", .named("Box"), required: true),
        .init("zoom", .integer(0...24), required: true),
        .init("numberMatched", count, required: true),
        .init("numberReturned", count, required: true),
        .init("features", .array(.named("Marker")), required: true),
    ])
}
