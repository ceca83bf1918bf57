import Library
import Stories
import Web

/// The schemas of the OGC's resources.
enum FeatureSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("FeatureLink", link), ("LandingPage", landing), ("Conformance", conformance), ("FeatureCollectionInfo", info),
        ("FeatureCollections", collections), ("FeatureItem", feature(isAlone: false)),
        ("FeaturePage", page(of: "FeatureItem")), ("Feature", feature(isAlone: true)), ("Queryables", queryables),
        ("FeatureShape", shape),
        ("PlaceFeatureItem", PlaceFeatureSchemas.feature(isAlone: false)),
        ("PlaceFeaturePage", page(of: "PlaceFeatureItem")),
        ("PlaceFeature", PlaceFeatureSchemas.feature(isAlone: true)),
    ]

    private static let count = Schema.integer(0...Int(Int32.max))
    private static let address = Schema.text(minBytes: 1, maxBytes: 60_000)
    private static let uri = Schema.text(minBytes: 1, maxBytes: 200)
    static let links = Schema.array(.named("FeatureLink"), maxItems: 20)

    private static let link = Schema.object([
        .init("rel", .text(minBytes: 1, maxBytes: 100), required: true, "What the target is to this document."),
        .init("type", .text(minBytes: 1, maxBytes: 100), required: true, "The media type of the target."),
        .init("title", .text(minBytes: 1, maxBytes: 200), required: true),
        .init("href", address, required: true, "The address of the target."),
    ])

    private static let landing = Schema.object([
        .init("title", .text(maxBytes: 200), required: true),
        .init("description", .text(maxBytes: 1_000), required: true),
        .init("links", links, required: true),
    ])

    private static let conformance = Schema.object([
        .init("conformsTo", .array(uri, maxItems: 40), required: true, "The classes that the service conforms to."),
        .init("links", links, required: true),
    ])

    private static let extent = Schema.object([
        .init(
            "spatial",
            .object([
                .init("bbox", .array(.named("Box"), minItems: 1, maxItems: 1), required: true),
                .init("crs", uri, required: true),
            ]),
            required: true
        )
    ])

    private static let info = Schema.object([
        .init("id", .text(minBytes: 1, maxBytes: 100), required: true),
        .init("title", .text(maxBytes: 200), required: true),
        .init("description", .text(maxBytes: 1_000), required: true),
        .init("itemType", .constant("feature"), required: true),
        .init(
            "extent",
            extent,
            "The box around everything that the viewer may see; absent if that is nothing, and for further places if they are "
                + "of more than \(PlaceListing.mostBounded) stories."
        ),
        .init("crs", .array(uri, maxItems: 40), required: true, "The reference systems of answers and boxes."),
        .init("storageCrs", uri, required: true), .init("links", links, required: true),
    ])

    private static let collections = Schema.object([
        .init("links", links, required: true), .init("crs", .array(uri, maxItems: 40), required: true),
        .init("collections", .array(.named("FeatureCollectionInfo"), maxItems: 2), required: true),
    ])

    private static let position = Schema.array(.number(-1e9...1e9), minItems: 2, maxItems: 2)
    private static let point = geometry("Point", position)
    private static let line = Schema.array(position, maxItems: StoryLimits.shapeCorners)
    private static let lines = Schema.array(line, maxItems: StoryLimits.shapeCorners)

    private static let shape = Schema.either([
        point, geometry("LineString", line), geometry("Polygon", lines), geometry("MultiPoint", line),
        geometry("MultiLineString", lines),
        geometry("MultiPolygon", .array(lines, maxItems: StoryLimits.shapeCorners)),
    ])

    private static func geometry(_ type: String, _ coordinates: Schema) -> Schema {
        .object([.init("type", .constant(type), required: true), .init("coordinates", coordinates, required: true)])
    }

    /// Returns the schema of a feature; alone it has links of its own.
    private static func feature(isAlone: Bool) -> Schema {
        guard case .object(let members, _) = StorySchemas.feature(with: []) else { return .object([], open: true) }
        let geometry = Schema.Member(
            "geometry",
            .nullable(point),
            required: true,
            "The point in the reference system that Content-Crs names, in the order of its axes."
        )
        let own: [Schema.Member] = isAlone ? [.init("links", links, required: true)] : []
        return .object(members.filter { $0.name != "geometry" } + [geometry] + own)
    }

    private static func page(of item: String) -> Schema {
        .object([
            .init("type", .constant("FeatureCollection"), required: true),
            .init(
                "numberMatched",
                count,
                "The number of features on all pages; absent where a condition would have to be asked of all stories to "
                    + "know it."
            ),
            .init("numberReturned", count, required: true),
            .init("features", .array(.named(item), maxItems: FeatureParameters.mostItems), required: true),
            .init("links", links, required: true),
        ])
    }

    private static let queryables = Schema.object(
        [
            .init("$schema", uri, required: true), .init("$id", address, required: true),
            .init("type", .constant("object"), required: true),
            .init("properties", .object([], open: true), required: true),
        ],
        open: true
    )
}
