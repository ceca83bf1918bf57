package import Basemap
import Formats
package import Geometry
package import Stories

/// A small map of a place, drawn as SVG from the tiles of the bundled basemap.
///
/// It depends on nothing but what it is given: an area is drawn as its cell around its middle, so that the same cell
/// has the same map wherever in it a place is.
package struct PlaceMap: Sendable {
    /// The size of the drawing in its own units.
    private static let width = 960.0
    private static let height = 640.0
    /// The maximum number of positions that are drawn.
    private static let mostPositions = 20_000
    /// The maximum length of a tile in bytes.
    private static let tileLimit = 4 << 20

    /// The layers that are drawn, from the bottom up, with their classes.
    private static let layers: [(name: String, style: String)] = [
        ("land", "map-land"), ("lakes", "map-water"), ("rivers", "map-river"), ("counties", "map-border"),
        ("states", "map-border"), ("regions", "map-border"), ("borders", "map-border"),
    ]

    /// Paths in the units of the drawing, by the number of their layer.
    private let paths: [Int: String]
    /// The cell in the units of the drawing, or `nil` for a point, which is in the middle.
    private let cell: (x: Double, y: Double, width: Double, height: Double)?

    /// Draws the surroundings of a place; `nil` if the tiles there are missing or cannot be read.
    ///
    /// - Parameters:
    ///   - center: The place, or the middle of its cell.
    ///   - size: The size of the cell; `nil` for an exact place.
    ///   - archive: Vector tiles with the layers of the basemap `land`.
    package init?(around center: Coordinate, cell size: PublishedCell?, tiles archive: TileArchive) {
        let frame = Frame(around: center, zoom: PlaceMap.zoom(showing: size))
        guard let paths = try? PlaceMap.paths(in: frame, of: archive) else { return nil }
        self.paths = paths
        cell = size.map { size in
            let box = size.box(of: center)
            let (left, top) = frame.position(Coordinate(wrappingLatitude: box.north, longitude: box.west))
            let (right, bottom) = frame.position(Coordinate(wrappingLatitude: box.south, longitude: box.east))
            return (left, top, right - left, bottom - top)
        }
    }

    /// Writes the drawing; `label` says what it shows.
    package func write(label: String, to html: inout HTMLWriter) {
        let attributes: [HTMLAttribute] = [
            .text("class", "place-map"), .text("viewBox", "0 0 \(Int(PlaceMap.width)) \(Int(PlaceMap.height))"),
            .text("width", "480"), .text("height", "320"), .text("role", "img"), .text("aria-label", label),
        ]
        html.element("svg", attributes) { html in
            for (number, layer) in PlaceMap.layers.enumerated() {
                guard let path = paths[number] else { continue }
                html.element("path", [.text("class", layer.style), .text("d", path)]) { _ in }
            }
            if let cell {
                let box: [HTMLAttribute] = [
                    .text("class", "map-cell"), .text("x", PlaceMap.text(cell.x)), .text("y", PlaceMap.text(cell.y)),
                    .text("width", PlaceMap.text(cell.width)), .text("height", PlaceMap.text(cell.height)),
                ]
                html.element("rect", box) { _ in }
            } else {
                html.markup("<circle class=\"map-halo\" cx=\"480\" cy=\"320\" r=\"26\"></circle>")
                html.markup("<circle class=\"map-point\" cx=\"480\" cy=\"320\" r=\"14\"></circle>")
            }
        }
    }

    /// The zoom at which a cell takes about a seventh of the width.
    private static func zoom(showing cell: PublishedCell?) -> Int {
        switch cell {
        case nil: 11
        case .hundredth?: 12
        case .tenth?: 9
        case .degree?: 6
        }
    }

    private static func text(_ number: Double) -> String { String(Int(number.rounded())) }
}

extension PlaceMap {
    /// What a drawing shows: as wide as a tile of its zoom, in units of the Mercator square.
    private struct Frame {
        /// Units of the square per unit of the drawing.
        let scale: Double
        let west: Double
        let north: Double
        let zoom: Int

        init(around center: Coordinate, zoom: Int) {
            self.zoom = zoom
            scale = WebMercator.size / Double(1 << zoom) / PlaceMap.width
            let middle = MercatorPoint(center)
            west = Double(middle.x) - scale * PlaceMap.width / 2
            north = Double(middle.y) - scale * PlaceMap.height / 2
        }

        /// Returns where a coordinate is in the drawing; beyond the antimeridian, where it is nearest.
        func position(_ coordinate: Coordinate) -> (x: Double, y: Double) {
            let point = MercatorPoint(coordinate)
            let world = WebMercator.size / scale
            var x = (Double(point.x) - west) / scale
            if x > world / 2 + PlaceMap.width / 2 { x -= world }
            if x < PlaceMap.width / 2 - world / 2 { x += world }
            return (x, (Double(point.y) - north) / scale)
        }
    }

    /// Returns the paths of the tiles that a drawing touches, by the number of their layer.
    private static func paths(in frame: Frame, of archive: TileArchive) throws -> [Int: String] {
        let zoom = min(frame.zoom, archive.zooms.upperBound)
        let side = WebMercator.size / Double(1 << zoom)
        let (west, north) = (frame.west / side, frame.north / side)
        let (east, south) = (west + frame.scale * width / side, north + frame.scale * height / side)
        var pen = Pen()
        for row in Int(north.rounded(.down))...Int(south.rounded(.down)) {
            for column in Int(west.rounded(.down))...Int(east.rounded(.down)) {
                let wrapped = (column % (1 << zoom) + (1 << zoom)) % (1 << zoom)
                guard let address = TileAddress(zoom: zoom, column: wrapped, row: row),
                    let stored = try archive.tile(address)
                else { continue }
                let bytes = try archive.isPacked ? Gzip.decompress(stored, limit: tileLimit) : stored
                pen.corner = (
                    x: (Double(column) - west) * side / frame.scale, y: (Double(row) - north) * side / frame.scale
                )
                for layer in try VectorTileShapes.layers(of: bytes) { pen.draw(layer, side: side / frame.scale) }
            }
        }
        return pen.paths
    }

    /// Draws layers of tiles as paths.
    private struct Pen {
        private(set) var paths: [Int: String] = [:]
        /// Where the tile begins in the drawing.
        var corner = (x: 0.0, y: 0.0)
        private var left = PlaceMap.mostPositions

        /// Draws a layer of a tile that has `side` units of the drawing along a side.
        mutating func draw(_ layer: VectorTileShapes.Layer, side: Double) {
            guard let number = PlaceMap.layers.firstIndex(where: { $0.name == layer.name }) else { return }
            let scale = side / Double(layer.extent)
            for path in layer.paths {
                let line = PlaceMap.line(
                    path.map { (x: corner.x + Double($0.x) * scale, y: corner.y + Double($0.y) * scale) }
                )
                guard line.count > 1, left > line.count else { continue }
                left -= line.count
                // Land and lakes are areas; the other layers are lines.
                paths[number, default: ""] += PlaceMap.text(line, isClosed: number < 2)
            }
        }
    }

    /// Returns a path in whole units, without repetitions; empty if it is nowhere in the drawing.
    private static func line(_ path: [(x: Double, y: Double)]) -> [(x: Int, y: Int)] {
        let (xs, ys) = (path.map(\.x), path.map(\.y))
        guard let west = xs.min(), let east = xs.max(), let north = ys.min(), let south = ys.max(),
            west <= width, east >= 0, north <= height, south >= 0
        else { return [] }
        var line: [(x: Int, y: Int)] = []
        for position in path {
            let next = (x: Int(position.x.rounded()), y: Int(position.y.rounded()))
            if let last = line.last, last == next { continue }
            line.append(next)
        }
        return line
    }

    private static func text(_ line: [(x: Int, y: Int)], isClosed: Bool) -> String {
        let positions = line.map { "\($0.x) \($0.y)" }
        return "M" + positions.joined(separator: "L") + (isClosed ? "Z" : "")
    }
}
