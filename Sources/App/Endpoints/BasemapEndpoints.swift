import Basemap
import Web
import Library
import HTTPTypes

/// The routes of the basemaps: the tiles under the stories, the same for everyone.
struct BasemapEndpoints: Sendable {
    let basemaps: Basemaps
    let address: PublicAddress

    var all: [Endpoint] { [list, description, tile, archive] }

    private static let path = "/v1/basemaps"
    private static let version = QueryParameter<String?>
        .optional(
            "v",
            .text(1...64),
            "The version in the TileJSON; an answer to the current one may be kept for a year."
        )

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: BasemapEndpoints.path,
            name: "basemaps",
            summary: "Lists the basemaps that are ready, those to be drawn first in front.",
            access: .anyone,
            cost: .light,
            caching: .shared,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("Basemaps"),
                    description: "The basemaps; empty while the service compiles them after its first start."
                )
            ],
            handler: { call in Answer(body: BasemapJSON.list(basemaps.all, url: url(call))) }
        )
    }

    private var description: Endpoint {
        Endpoint(
            method: .get,
            path: "\(BasemapEndpoints.path)/\(PathPart.basemap)",
            name: "basemap",
            summary: "Returns the TileJSON of a basemap.",
            access: .anyone,
            cost: .light,
            caching: .shared,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("BasemapTileJSON"),
                    description: "TileJSON 3.0.0."
                )
            ],
            handler: { call in
                guard let basemap = basemaps.named(try call[PathPart.basemap]) else { throw Problem.notFound }
                return Answer(body: BasemapJSON.description(basemap, url: url(call)))
            }
        )
    }

    private var tile: Endpoint {
        Endpoint(
            method: .get,
            path: "\(BasemapEndpoints.path)/\(PathPart.basemap)/\(PathPart.zoom)/\(PathPart.column)/\(PathPart.row)",
            name: "basemapTile",
            summary: "Returns a 512-pixel tile of a basemap.",
            access: .anyone,
            cost: .light,
            caching: .shared,
            parameters: [Self.version],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.vectorTile,
                    schema: nil,
                    description: "A tile of the type that the list names, for most basemaps a Mapbox Vector Tile 2.1."
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

    private var archive: Endpoint {
        Endpoint(
            method: .get,
            path: "\(BasemapEndpoints.path)/\(PathPart.basemap)/archive.pmtiles",
            name: "basemapArchive",
            summary: "Returns the archive of a basemap (PMTiles 3), or the part that Range names.",
            access: .anyone,
            cost: .normal,
            caching: .shared,
            headers: [.range, .ifRange],
            success: [
                .init(
                    status: .ok,
                    mediaType: BasemapEndpoints.archiveType,
                    schema: nil,
                    description: "The archive, if it is not longer than an answer may be."
                ),
                .init(
                    status: .partialContent,
                    mediaType: BasemapEndpoints.archiveType,
                    schema: nil,
                    description: "The part asked for, or its first 4 MiB: see Content-Range."
                ),
            ],
            handler: handleArchive
        )
    }

    private static let archiveType = "application/vnd.pmtiles"
    /// The maximum length of an answer in bytes.
    private static let longestPart = 4 << 20

    @Sendable private func handleArchive(_ call: Call) async throws -> Answer {
        guard let basemap = basemaps.named(try call[PathPart.basemap]) else { throw Problem.notFound }
        let length = basemap.archive.byteCount
        var answer = Answer(mediaType: BasemapEndpoints.archiveType)
        let tag = EntityTag.strong(Array("\(basemap.name) \(basemap.version) archive".utf8))
        answer.headers[.eTag] = tag
        answer.headers[.acceptRanges] = "bytes"
        if let known = EntityTag.match(call.headers[.ifNoneMatch], tag) { return .notModified(known) }
        switch ByteRange(call.headers, length: length, tag: tag, most: BasemapEndpoints.longestPart) {
        case .whole:
            guard length <= BasemapEndpoints.longestPart else { throw BasemapEndpoints.tooLong }
            answer.body = try basemap.archive.read(0..<length)
            return answer
        case .part(let range):
            answer.body = try basemap.archive.read(range)
            answer.headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
            return answer.with(.partialContent)
        case .unsatisfiable:
            var problem = Problem(
                .rangeNotSatisfiable,
                "range-not-satisfiable",
                "The archive has \(length) bytes. Ask for a part that begins before its end."
            )
            problem.headers[.contentRange] = "bytes */\(length)"
            throw problem
        }
    }

    private static let tooLong = Problem(
        .badRequest,
        "range-missing",
        "The archive is longer than an answer may be. Ask for one part of at most \(longestPart) bytes with the header "
            + "Range: bytes=FIRST-LAST."
    )

    @Sendable private func handleTile(_ call: Call) async throws -> Answer {
        let (zoom, column, row) = (try call[PathPart.zoom], try call[PathPart.column], try call[PathPart.row])
        guard let basemap = basemaps.named(try call[PathPart.basemap]),
            let tile = TileAddress(zoom: zoom, column: column, row: row)
        else { throw Problem.notFound }
        var answer = Answer(mediaType: basemap.archive.kind.mediaType)
        let version = "\(basemap.name) \(basemap.version) \(zoom)/\(column)/\(row)"
        answer.headers[.eTag] = EntityTag.strong(Array(version.utf8))
        if try call[Self.version] == basemap.version {
            answer.headers[.cacheControl] = "public, max-age=31536000, immutable"
        }
        if let known = EntityTag.match(call.headers[.ifNoneMatch], answer.headers[.eTag] ?? "") {
            return .notModified(known)
        }
        guard let bytes = try basemap.archive.tile(tile) else { return answer.with(.noContent) }
        if basemap.archive.isPacked { answer.packedBody = bytes } else { answer.body = bytes }
        return answer
    }

    private func url(_ call: Call) -> String {
        address.url(authority: call.authority, headers: call.headers) + BasemapEndpoints.path
    }
}

/// The schemas of the descriptions of basemaps.
enum BasemapSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [("Basemaps", list), ("BasemapTileJSON", description)]

    private static let zoom = Schema.integer(0...TileAddress.maximumZoom)

    private static let list = Schema.object([
        .init(
            "basemaps",
            .array(
                .object([
                    .init("name", .text(maxBytes: 64), required: true),
                    .init("kind", .text(maxBytes: 10), required: true, "`vector`, or `raster` for images."),
                    .init("minzoom", zoom, required: true), .init("maxzoom", zoom, required: true),
                    .init("bounds", .named("Box"), required: true),
                    .init("media_type", .text(maxBytes: 100), required: true, "The media type of the tiles."),
                    .init("attribution", .text(maxBytes: 1_000), required: true, "The sources to name on the map."),
                    .init("tilejson", .text(maxBytes: 2_000), required: true, "The URL of the TileJSON."),
                ])
            ),
            required: true
        )
    ])

    private static let description = Schema.object([
        .init("tilejson", .constant("3.0.0"), required: true),
        .init("name", .text(maxBytes: 64), required: true),
        .init("scheme", .constant("xyz"), required: true),
        .init("attribution", .text(maxBytes: 1_000), required: true),
        .init("minzoom", zoom, required: true), .init("maxzoom", zoom, required: true),
        .init("bounds", .named("Box"), required: true),
        .init("tiles", .array(.text(maxBytes: 2_000), maxItems: 1), required: true),
        .init(
            "vector_layers",
            .array(
                .object([
                    .init("id", .text(maxBytes: 100), required: true), .init("minzoom", zoom), .init("maxzoom", zoom),
                    .init("description", .text(maxBytes: 1_000)),
                    .init("fields", .object([], open: true), required: true),
                ])
            )
        ),
    ])
}
