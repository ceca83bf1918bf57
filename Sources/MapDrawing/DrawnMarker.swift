public import Geometry
public import Stories

/// What stands for stories in a picture: a single one, or several.
public struct DrawnMarker: Hashable, Sendable {
    /// The position; of an approximate place, the centre of its cell.
    public var position: Coordinate
    /// The number of stories, at least 1.
    public var count: Int
    /// The kind of a single story, whose shape is drawn.
    public var kind: StoryKind?
    /// Whether several stories are at one place.
    public var isStacked: Bool
    /// The cell of an approximate place, which is drawn; `nil` for an exact one and for a cluster.
    public var cell: PublishedCell?
    /// What the marker is called when it is pointed at.
    public var title: String

    /// Creates a marker from its parts.
    public init(
        position: Coordinate,
        count: Int,
        kind: StoryKind? = nil,
        isStacked: Bool = false,
        cell: PublishedCell? = nil,
        title: String = ""
    ) {
        self.position = position
        self.count = count
        self.kind = kind
        self.isStacked = isStacked
        self.cell = cell
        self.title = title
    }
}

/// A marker with its room in the picture.
struct PlacedMarker: Sendable {
    /// Stories up to a number, and the size of their marker in pixels: those of the page (markers.js).
    private static let sizes: [(most: Int, pixels: Double)] = [
        (10, 34), (100, 40), (1_000, 48), (10_000, 56), (.max, 64),
    ]
    /// The size of a single story in pixels.
    private static let single = 30.0
    /// The width of the veil around a cluster.
    static let veil = 4.0

    let marker: DrawnMarker
    /// The middle.
    let x: Double
    let y: Double
    /// The side of the shape, or the diameter of the disc.
    let size: Double

    /// Places a marker; one at the edge is moved inward so far that it is whole.
    init(_ marker: DrawnMarker, in view: MapView) {
        self.marker = marker
        size =
            marker.count == 1 ? PlacedMarker.single : PlacedMarker.sizes.first { marker.count <= $0.most }?.pixels ?? 64
        let (x, y) = view.position(marker.position)
        let reach = size / 2 + PlacedMarker.veil
        self.x = PlacedMarker.inside(x, reach, Double(view.width))
        self.y = PlacedMarker.inside(y, reach, Double(view.height))
    }

    private static func inside(_ value: Double, _ reach: Double, _ length: Double) -> Double {
        length < 2 * reach ? length / 2 : min(length - reach, max(reach, value))
    }

    /// The room of the marker with its veil.
    var room: PixelBox {
        PixelBox(x: x, y: y, width: size + 2 * PlacedMarker.veil, height: size + 2 * PlacedMarker.veil)
    }
}
