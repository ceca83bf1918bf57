import Web
import Library
import Geometry

/// The bounding box parameter of maps and lists.
enum BoxParameter: Sendable {
    private static let name = "bbox"
    private static let text =
        "The box as west,south,east,north in degrees. If west is greater than east, it crosses the antimeridian."

    static let required = QueryParameter.required(name, .box, text)
    static let optional = QueryParameter.optional(name, .box, text)
}

/// The part of the map that a client shows; its size is limited at its zoom.
struct ViewportParameters: QueryPart {
    /// The maximum length of a side of a viewport, in pixels at its zoom.
    static let pixelLimit = 8_192.0

    /// The viewport of clients whose zoom refers to tiles of 512 pixels.
    static let plain = ViewportParameters(tileSize: nil)
    /// The viewport of all clients, with the size of the tiles to which their zoom refers.
    static let withTileSize = ViewportParameters(
        tileSize: QueryParameter(
            "tile_size",
            .word(meaning: [("256", 256), ("512", 512)]),
            default: 512,
            "The tile size to which zoom refers; 256 for clients with 256-pixel tiles (default 512)."
        )
    )

    private let box = BoxParameter.required
    private let zoom = QueryParameter.required(
        "zoom",
        .number(0...24),
        "The zoom for 512-pixel tiles; fractions are rounded down."
    )
    private let tileSize: QueryParameter<Int>?

    private init(tileSize: QueryParameter<Int>?) { self.tileSize = tileSize }

    var declarations: [ParameterDeclaration] {
        box.declarations + zoom.declarations + (tileSize?.declarations ?? [])
    }

    func value(of query: QueryValues) throws -> MapWindow {
        let (box, zoom) = (try query[self.box], try query[self.zoom])
        let window =
            if let tileSize {
                MapWindow(box: box, zoom: zoom, tileSize: try query[tileSize])
            } else {
                MapWindow(box: box, zoom: zoom)
            }
        guard window.pixels <= ViewportParameters.pixelLimit else {
            let limit = Int(ViewportParameters.pixelLimit)
            throw self.box.invalid("is more than \(limit) pixels across at this zoom; request a smaller box")
        }
        return window
    }
}

/// A position as two parameters.
struct PositionParameters: QueryPart {
    private let latitude: QueryParameter<Double>
    private let longitude: QueryParameter<Double>

    /// Creates the parameters with their descriptions.
    init(latitude: String = "Latitude in degrees.", longitude: String = "Longitude in degrees.") {
        self.latitude = .required("lat", .number(-90...90), latitude)
        self.longitude = .required("lon", .number(-180...180), longitude)
    }

    var declarations: [ParameterDeclaration] { latitude.declarations + longitude.declarations }

    func value(of query: QueryValues) throws -> Coordinate {
        Coordinate(wrappingLatitude: try query[latitude], longitude: try query[longitude])
    }
}
