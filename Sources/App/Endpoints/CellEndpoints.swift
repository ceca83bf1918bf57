import Formats
import Geometry
import HTTPTypes
import Library
import Stories
import Web

/// The route that previews an approximate place: the cell that others would see (LOC-08).
///
/// It depends on nothing stored, so that a preview reveals neither stories nor sensitive areas.
struct CellEndpoints: Sendable {
    var all: [Endpoint] { [read] }

    static let schemas: [(name: String, schema: Schema)] = [("PublishedCell", publishedCell)]

    private static let position = PositionParameters()
    private static let size = QueryParameter<PublishedCell>(
        "cell",
        .word(meaning: [("0.01", .hundredth), ("0.1", .tenth), ("1", .degree)]),
        default: .hundredth,
        "The side of the cell in degrees (default 0.01)."
    )

    private var read: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/approximate-cell",
            name: "approximateCell",
            summary: """
                Returns the cell as which others would see an approximate location at a position, and its centre, at \
                which they would see the marker. Areas that the operator protects can make it larger.
                """,
            access: .anyone,
            cost: .light,
            caching: .shared,
            parameters: [CellEndpoints.position, CellEndpoints.size],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("PublishedCell"),
                    description: "The cell; the same for every position in it."
                )
            ],
            handler: { call in
                let (coordinate, size) = (try call[CellEndpoints.position], try call[CellEndpoints.size])
                return Answer(body: CellEndpoints.json(size, of: coordinate))
            }
        )
    }

    private static func json(_ size: PublishedCell, of coordinate: Coordinate) -> [UInt8] {
        let center = size.center(of: coordinate)
        var json = JSONWriter(capacity: 160)
        json.beginObject()
        json.key("lat")
        json.degrees(center.latitude)
        json.key("lon")
        json.degrees(center.longitude)
        json.member("cell", size.degrees)
        json.key("bbox")
        GeoJSONShapes.writeBox(size.box(of: coordinate), to: &json)
        json.endObject()
        return json.bytes
    }

    private static let publishedCell = Schema.object([
        .init("lat", .number(-90...90), required: true, "The latitude of its centre in degrees."),
        .init("lon", .number(-180...180), required: true, "The longitude of its centre in degrees."),
        .init("cell", .number(0.01...1), required: true, "Its side in degrees."),
        .init("bbox", .named("Box"), required: true),
    ])
}
