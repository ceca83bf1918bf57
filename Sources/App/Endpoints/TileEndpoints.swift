import Web
import Library
import Formats
import HTTPTypes
import StoryMap

/// The routes of the map as vector tiles.
struct TileEndpoints: Sendable {
    let library: StoryLibrary
    let address: PublicAddress

    var all: [Endpoint] {
        [
            tile(
                TileEndpoints.path + ".mvt",
                "tile",
                "Returns the clusters and single stories of a 512-pixel tile, as in /v1/clusters."
            ),
            tile(TileEndpoints.path + ".pbf", "tilePBF", "Returns the same tile for programs that expect this ending."),
            description,
        ]
    }

    private static let path = "/v1/tiles/\(PathPart.zoom)/\(PathPart.column)/\(PathPart.row)"

    private func tile(_ path: String, _ name: String, _ summary: String) -> Endpoint {
        Endpoint(
            method: .get,
            path: path,
            name: name,
            summary: summary,
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [StoryFilters.all],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.vectorTile,
                    schema: nil,
                    description:
                        "A Mapbox Vector Tile 2.1 with the layer stories. Each marker is in exactly one tile of a zoom."
                ),
                .init(
                    status: .noContent,
                    mediaType: MediaType.json,
                    schema: nil,
                    description: "The tile is empty."
                ),
            ],
            handler: handleTile
        )
    }

    @Sendable private func handleTile(_ call: Call) async throws -> Answer {
        let search = try call[StoryFilters.all]
        let (zoom, column, row) = (try call[PathPart.zoom], try call[PathPart.column], try call[PathPart.row])
        guard let tile = MapTile(zoom: zoom, column: column, row: row) else { throw Problem.notFound }
        let question = try await library.maps.mapQuestion(search, viewer: call.viewer)
        // The version shows whether the client has the answer already, before any marker is looked up.
        let tag = EntityTag.strong(question.version(address: call.path + call.query.address))
        if let known = EntityTag.match(call.headers[.ifNoneMatch], tag) { return .notModified(known) }
        let bytes = MarkerLayer.bytes(try await library.maps.markers(in: tile, question), of: tile)
        var answer = Answer(mediaType: MediaType.vectorTile, body: bytes)
        answer.headers[.eTag] = tag
        if bytes.isEmpty { answer.status = .noContent }
        return answer
    }

    private var description: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/tiles.json",
            name: "tileJSON",
            summary: "Returns the TileJSON of the tiles: their URL with the filters of this request, and their box.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [StoryFilters.all],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("TileJSON"),
                    description: "TileJSON 3.0.0. It contains no token: the client sends its own with every tile."
                )
            ],
            handler: { call in
                let template =
                    address.url(authority: call.authority, headers: call.headers) + TileEndpoints.path + ".mvt"
                    + call.query.address
                let box = try await library.maps.bounds(try call[StoryFilters.all], viewer: call.viewer)
                return Answer(body: TileJSON.description(around: box, template: template))
            }
        )
    }
}

/// The schemas of the description of the tiles and of the structure of clusters.
enum TileSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("TileJSON", description), ("ClusterChildren", children),
        (
            "ExpansionZoom",
            .object([.init("expansion_zoom", .integer(1...(MapSnapshot.maximumZoom + 1)), required: true)])
        ),
    ]

    private static let zoom = Schema.integer(0...MapSnapshot.maximumZoom)
    private static let count = Schema.integer(0...Int(Int32.max))

    private static let children = Schema.object([
        .init("type", .constant("FeatureCollection"), required: true),
        .init(
            "zoom",
            .integer(1...(MapSnapshot.maximumZoom + 1)),
            required: true,
            "The expansion zoom, to which these markers belong; 21 if the cluster never splits."
        ),
        .init("numberMatched", count, required: true, "The number of stories in the cluster."),
        .init("numberReturned", count, required: true),
        .init("features", .array(.named("Marker")), required: true),
    ])

    private static let description = Schema.object([
        .init("tilejson", .constant("3.0.0"), required: true),
        .init("name", .text(maxBytes: 100), required: true),
        .init("scheme", .constant("xyz"), required: true),
        .init("minzoom", zoom, required: true), .init("maxzoom", zoom, required: true),
        .init(
            "bounds",
            .named("Box"),
            "The box around all stories visible to the viewer; the whole width if it crosses the antimeridian."
        ),
        .init("tiles", .array(.text(maxBytes: 20_000), maxItems: 1), required: true),
        .init(
            "vector_layers",
            .array(
                .object([
                    .init("id", .constant(MarkerLayer.name), required: true),
                    .init("description", .text(maxBytes: 200), required: true),
                    .init("minzoom", zoom, required: true), .init("maxzoom", zoom, required: true),
                    .init(
                        "fields",
                        .object(MarkerLayer.fields.map { .init($0.name, .constant($0.type), required: true) }),
                        required: true
                    ),
                ]),
                maxItems: 1
            ),
            required: true
        ),
    ])
}
