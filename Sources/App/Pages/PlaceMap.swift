package import Basemap
import Formats
package import Geometry
import MapDrawing
package import Stories

/// A small map of a place, drawn as SVG from the tiles of the bundled basemap.
///
/// It depends on nothing but what it is given: an area is drawn as its cell around its middle, so that the same cell
/// has the same map wherever in it a place is.
package struct PlaceMap: Sendable {
    /// The size of the drawing in its own units.
    private static let width = 960
    private static let height = 640
    /// The zooms by which a tile is enlarged, so that it is as wide as the drawing: log2(960 / 512).
    private static let enlargement = 0.906_890_595_608_518_5
    /// The maximum number of positions that are drawn.
    private static let mostPositions = 20_000

    /// The layers that are drawn, from the bottom up, with their classes.
    private static let layers: [(name: String, style: String)] = [
        ("land", "map-land"), ("lakes", "map-water"), ("rivers", "map-river"), ("counties", "map-border"),
        ("states", "map-border"), ("regions", "map-border"), ("borders", "map-border"),
    ]

    /// Paths in the units of the drawing, by the number of their layer.
    private let paths: [Int: String]
    /// The cell in the units of the drawing, or `nil` for a point, which is in the middle.
    private let cell: PixelBox?

    /// Draws the surroundings of a place; `nil` if the tiles there are missing or cannot be read.
    ///
    /// - Parameters:
    ///   - center: The place, or the middle of its cell.
    ///   - size: The size of the cell; `nil` for an exact place.
    ///   - archive: Vector tiles with the layers of the basemap `land`.
    package init?(around center: Coordinate, cell size: PublishedCell?, tiles archive: TileArchive) {
        let zoom = Double(PlaceMap.zoom(showing: size)) + PlaceMap.enlargement
        guard let view = try? MapView(center: center, zoom: zoom, width: PlaceMap.width, height: PlaceMap.height),
            let paths = try? PlaceMap.paths(in: view, of: archive)
        else { return nil }
        self.paths = paths
        cell = size.map { view.rectangle(of: $0, around: center) }
    }

    /// Writes the drawing; `label` says what it shows.
    package func write(label: String, to html: inout HTMLWriter) {
        let attributes: [HTMLAttribute] = [
            .text("class", "place-map"), .text("viewBox", "0 0 \(PlaceMap.width) \(PlaceMap.height)"),
            .text("width", "480"), .text("height", "320"), .text("role", "img"), .text("aria-label", label),
        ]
        html.element("svg", attributes) { html in
            for (number, layer) in PlaceMap.layers.enumerated() {
                guard let path = paths[number] else { continue }
                html.element("path", [.text("class", layer.style), .text("d", path)]) { _ in }
            }
            if let cell {
                let box: [HTMLAttribute] = [
                    .text("class", "map-cell"), .text("x", PlaceMap.text(cell.left)),
                    .text("y", PlaceMap.text(cell.top)),
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
    /// Returns the paths of the tiles that a drawing touches, by the number of their layer.
    private static func paths(in view: MapView, of archive: TileArchive) throws -> [Int: String] {
        var pen = Pen()
        try TileCover.forEach(of: archive, in: view) { layers, place in
            for layer in layers { pen.draw(layer, at: place) }
        }
        return pen.paths
    }

    /// Draws layers of tiles as paths.
    private struct Pen {
        private(set) var paths: [Int: String] = [:]
        private var left = PlaceMap.mostPositions

        /// Draws a layer of a tile.
        mutating func draw(_ layer: VectorTileShapes.Layer, at place: TilePlace) {
            guard let number = PlaceMap.layers.firstIndex(where: { $0.name == layer.name }) else { return }
            for path in layer.paths {
                let line = PlaceMap.line(path.map { place.point($0, extent: layer.extent) })
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
            west <= Double(width), east >= 0, north <= Double(height), south >= 0
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
