public import Geometry
public import Stories

/// The part of the map that a picture shows, in Web Mercator.
///
/// One world at most: nothing is in a picture twice.
public struct MapView: Hashable, Sendable {
    /// The maximum number of pixels along a side.
    public static let longestSide = 8_192
    /// The maximum number of pixels.
    public static let mostPixels = 32_000_000
    /// The deepest zoom of 512-pixel tiles.
    public static let deepestZoom = 20.0

    /// The width in pixels, at least 1.
    public let width: Int
    /// The height in pixels, at least 1.
    public let height: Int
    /// The zoom of 512-pixel tiles, 0...``deepestZoom``.
    public let zoom: Double
    /// Pixels from the antimeridian to the left edge, 0..<``world``.
    public let west: Double
    /// Pixels from the northern edge of the Mercator square to the upper edge; may be negative.
    public let north: Double
    /// The area in degrees: what a box was given for, else what the pixels show.
    public let box: BoundingBox

    /// The reason why there is no such picture.
    public enum Failure: Error, Hashable, Sendable {
        /// The zoom is not from 0 to ``MapView/deepestZoom``.
        case zoom
        /// There would be more pixels than allowed.
        case tooLarge(width: Double, height: Double)
        /// The box has no area on the map.
        case empty
        /// The world is only this many pixels wide at the zoom.
        case widerThanWorld(pixels: Int)
    }

    /// Shows exactly a box at a zoom; the size follows.
    public init(box: BoundingBox, zoom: Double) throws(Failure) {
        guard zoom.isFinite, (0...MapView.deepestZoom).contains(zoom) else { throw .zoom }
        let world = MapView.world(zoom)
        let (top, bottom) = (MapView.y(box.north, world), MapView.y(box.south, world))
        let (width, height) = (box.width / 360 * world, bottom - top)
        guard width > 0, height > 0 else { throw .empty }
        // A box in degrees does not end at a pixel; what is less than a thousandth of one is due to rounding.
        let (columns, rows) = ((width - 0.001).rounded(.up), (height - 0.001).rounded(.up))
        try MapView.check(columns, rows)
        self.width = max(1, Int(columns))
        self.height = max(1, Int(rows))
        self.zoom = zoom
        self.box = box
        west = MapView.x(box.west, world)
        north = top
    }

    /// Shows a size in pixels around a centre at a zoom; moved so that no pixel lies beyond the poles, if that is
    /// possible.
    public init(center: Coordinate, zoom: Double, width: Int, height: Int) throws(Failure) {
        guard zoom.isFinite, (0...MapView.deepestZoom).contains(zoom) else { throw .zoom }
        try MapView.check(Double(width), Double(height))
        guard width > 0, height > 0 else { throw .empty }
        let world = MapView.world(zoom)
        guard Double(width) <= world + 0.5 else { throw .widerThanWorld(pixels: Int(world)) }
        self.init(around: center, zoom: zoom, width: width, height: height)
    }

    /// Shows a size around a centre, whatever lies beyond the edges.
    private init(around center: Coordinate, zoom: Double, width: Int, height: Int) {
        let world = MapView.world(zoom)
        let left = MapView.x(center.longitude, world) - Double(width) / 2
        var top = MapView.y(center.latitude, world) - Double(height) / 2
        top = Double(height) >= world ? (world - Double(height)) / 2 : min(max(0, top), world - Double(height))
        (self.width, self.height, self.zoom) = (width, height, zoom)
        west = left < 0 ? left + world : left
        north = top
        let (upper, lower) = (MapView.latitude(top, world), MapView.latitude(top + Double(height), world))
        let right = (west + Double(width)).truncatingRemainder(dividingBy: world)
        let isWhole = Double(width) >= world - 0.5
        let shown = BoundingBox(
            west: isWhole ? -180 : Coordinate.wrap(longitude: west / world * 360 - 180),
            south: lower,
            east: isWhole ? 180 : Coordinate.wrap(longitude: right / world * 360 - 180),
            north: upper
        )
        box = shown ?? .world
    }

    /// Shows a box as large as it fits into a size, with `margin` pixels around it, at `deepest` at most.
    ///
    /// The world is never narrower than the picture. So of a box that would need more latitudes than that leaves, only
    /// the middle is shown; ``box`` says which.
    public init(
        fitting box: BoundingBox,
        width: Int,
        height: Int,
        margin: Double = 0,
        deepest: Double = MapView.deepestZoom
    ) throws(Failure) {
        try MapView.check(Double(width), Double(height))
        let room = (width: Double(width) - 2 * margin, height: Double(height) - 2 * margin)
        guard room.width >= 1, room.height >= 1 else { throw .empty }
        let (top, bottom) = (MapView.y(box.north, 1), MapView.y(box.south, 1))
        let across = box.width > 0 ? MapView.zoom(room.width * 360 / box.width) : deepest
        let down = bottom > top ? MapView.zoom(room.height / (bottom - top)) : deepest
        // The picture never shows more than one world.
        let lowest = max(0, MapView.zoom(Double(width)))
        let zoom = max(lowest, min(across, down, deepest))
        guard zoom <= MapView.deepestZoom else { throw .zoom }
        self.init(around: MapView.middle(of: box), zoom: zoom, width: width, height: height)
    }

    /// Returns the middle of a box as it is drawn: half way between its edges on the map, not in degrees.
    public static func middle(of box: BoundingBox) -> Coordinate {
        let (top, bottom) = (y(box.north, 1), y(box.south, 1))
        let latitude = WebMercator.coordinate(x: 0, y: (top + bottom) / 2 * WebMercator.size).latitude
        return Coordinate(wrappingLatitude: latitude, longitude: box.center.longitude)
    }

    /// The width of the world in pixels.
    public var world: Double { MapView.world(zoom) }

    /// Returns where a coordinate is, in pixels from the upper left corner; beyond the antimeridian, where it is nearest
    /// to the middle.
    public func position(_ coordinate: Coordinate) -> (x: Double, y: Double) {
        let world = world
        var x = MapView.x(coordinate.longitude, world) - west
        let middle = Double(width) / 2
        if x > middle + world / 2 { x -= world }
        if x < middle - world / 2 { x += world }
        return (x, MapView.y(coordinate.latitude, world) - north)
    }

    /// Returns the rectangle of the cell around a published point, in pixels.
    public func rectangle(of cell: PublishedCell, around center: Coordinate) -> PixelBox {
        let box = cell.box(of: center)
        let (left, top) = position(Coordinate(wrappingLatitude: box.north, longitude: box.west))
        let (_, bottom) = position(Coordinate(wrappingLatitude: box.south, longitude: box.west))
        // The eastern edge may be nearest on the other side of the picture.
        return PixelBox(left: left, top: top, right: left + box.width / 360 * world, bottom: bottom)
    }

    private static func check(_ width: Double, _ height: Double) throws(Failure) {
        guard width <= Double(longestSide), height <= Double(longestSide), width * height <= Double(mostPixels) else {
            throw .tooLarge(width: width, height: height)
        }
    }

    private static func world(_ zoom: Double) -> Double { 512 * Math.power(2, zoom) }

    /// Returns the zoom at which the world has this many pixels.
    private static func zoom(_ world: Double) -> Double {
        Math.naturalLogarithm(world / 512) / Math.naturalLogarithm(2)
    }

    private static func x(_ longitude: Double, _ world: Double) -> Double {
        let x = (longitude + 180) / 360 * world
        return x >= world ? x - world : x
    }

    private static func y(_ latitude: Double, _ world: Double) -> Double {
        let limit = WebMercator.maximumLatitude
        let sine = Math.sine(Math.radians(min(limit, max(-limit, latitude))))
        return (0.5 - 0.25 * Math.naturalLogarithm((1 + sine) / (1 - sine)) / .pi) * world
    }

    private static func latitude(_ y: Double, _ world: Double) -> Double {
        let latitude = WebMercator.coordinate(x: 0, y: y / world * WebMercator.size).latitude
        // The outermost rows of the map stand for the poles.
        if y <= 0 { return 90 }
        return y >= world ? -90 : latitude
    }
}

/// A rectangle in pixels.
public struct PixelBox: Hashable, Sendable {
    /// The edges, in pixels from the upper left corner of the picture.
    public var left: Double
    /// The upper edge.
    public var top: Double
    /// The right edge.
    public var right: Double
    /// The lower edge.
    public var bottom: Double

    /// Creates a rectangle from its edges.
    public init(left: Double, top: Double, right: Double, bottom: Double) {
        (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    }

    /// Creates a rectangle around a middle.
    init(x: Double, y: Double, width: Double, height: Double) {
        self.init(left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2)
    }

    /// The width.
    public var width: Double { right - left }
    /// The height.
    public var height: Double { bottom - top }

    /// Returns whether two rectangles share an area.
    public func overlaps(_ other: PixelBox) -> Bool {
        left < other.right && other.left < right && top < other.bottom && other.top < bottom
    }

    /// Returns whether another rectangle lies in this one.
    public func contains(_ other: PixelBox) -> Bool {
        left <= other.left && right >= other.right && top <= other.top && bottom >= other.bottom
    }
}
