/// The outline of lines and areas as the text of an SVG path, in tenths of a pixel.
///
/// Lines of many tiles are one path: it is shorter, and areas that meet at the edge of a tile have no seam.
struct PathText: Sendable {
    /// Units per pixel: drawn in a group that is scaled by its inverse.
    static let unitsPerPixel = 10.0
    /// The distance below which a position is left out, in units.
    private static let least = 4
    /// How far beyond the picture a path counts, in pixels.
    private static let margin = 12.0

    /// The text; empty if nothing has been added.
    private(set) var text = ""
    /// The number of positions.
    private(set) var count = 0

    /// Adds a line or the ring of an area; what lies outside of a picture of this size is left out.
    mutating func add(_ path: [(x: Double, y: Double)], isClosed: Bool, width: Int, height: Int) {
        guard path.count > 1 else { return }
        var (west, east, north, south) = (Double.infinity, -Double.infinity, Double.infinity, -Double.infinity)
        for (x, y) in path {
            (west, east, north, south) = (min(west, x), max(east, x), min(north, y), max(south, y))
        }
        let margin = PathText.margin
        guard west <= Double(width) + margin, east >= -margin, north <= Double(height) + margin, south >= -margin else {
            return
        }
        var last: (x: Int, y: Int)?
        var line = ""
        var length = 0
        for (index, position) in path.enumerated() {
            let next = (x: PathText.units(position.x), y: PathText.units(position.y))
            guard let previous = last else {
                line = "M\(next.x) \(next.y)l"
                last = next
                continue
            }
            let (dx, dy) = (next.x - previous.x, next.y - previous.y)
            let isNear = abs(dx) < PathText.least && abs(dy) < PathText.least
            if isNear, index < path.count - 1 || isClosed || (dx, dy) == (0, 0) { continue }
            // A minus sign separates as well as a blank.
            if length > 0, dx >= 0 { line += " " }
            line += dy < 0 ? "\(dx)\(dy)" : "\(dx) \(dy)"
            length += 1
            last = next
        }
        guard length >= (isClosed ? 2 : 1) else { return }
        text += line + (isClosed ? "z" : "")
        count += length + 1
    }

    /// Tiles reach little beyond the picture, and its sides are limited, so this fits.
    private static func units(_ pixels: Double) -> Int {
        Int((min(1e6, max(-1e6, pixels)) * unitsPerPixel).rounded())
    }
}
