public import Geometry
import Stories
import StoryMap

/// The requested part of the map.
public struct MapWindow: Sendable {
    /// The requested box.
    public let box: BoundingBox
    /// The zoom of 512-pixel tiles, 0...24.
    public let zoom: Int

    /// Creates a window from the zoom and tile size of a client, 256 or 512; a fractional zoom is rounded down.
    public init(box: BoundingBox, zoom: Double, tileSize: Int = 512) {
        self.box = box
        let whole = zoom.isFinite ? Int(min(24, max(0, zoom)).rounded(.down)) : 0
        // 256-pixel tiles of zoom z have the same scale as 512-pixel tiles of zoom z - 1.
        self.zoom = max(0, tileSize == 256 ? whole - 1 : whole)
    }

    /// The length of the longer side in pixels.
    public var pixels: Double {
        let world = 512 * Double(1 << zoom)
        let top = MercatorPoint(Coordinate(wrappingLatitude: box.north, longitude: 0)).y
        let bottom = MercatorPoint(Coordinate(wrappingLatitude: box.south, longitude: 0)).y
        return max(box.width / 360, Double(bottom - top) / WebMercator.size) * world
    }
}
