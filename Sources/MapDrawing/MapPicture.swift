public import Basemap
import Formats

/// Tiles to draw under the stories.
public struct DrawnTiles: Sendable {
    /// What the tiles show.
    public enum Content: Sendable {
        /// Land, water and borders: the basemap `land`.
        case land
        /// Names: the basemap `names`.
        case names
        /// Streets in the OpenMapTiles schema.
        case streets
    }

    /// What they show.
    public let content: Content
    /// The tiles.
    public let archive: TileArchive
    /// The sources to be named.
    public let attribution: String

    /// Creates a value from its parts.
    public init(_ content: Content, _ archive: TileArchive, attribution: String) {
        self.content = content
        self.archive = archive
        self.attribution = attribution
    }
}

/// A map as SVG: values in, text out.
///
/// It contains no script, no style sheet and no reference to anything outside of it. The same values give the same
/// bytes.
public struct MapPicture: Sendable {
    /// The reason why there is no picture.
    public enum Failure: Error, Hashable, Sendable {
        /// The tiles have more lines than a picture may.
        case tooDetailed
    }

    /// The maximum number of positions on lines and edges.
    private static let mostPositions = 4_000_000

    /// What is shown.
    public let view: MapView
    /// The colours.
    public let look: MapLook
    /// What the picture is called.
    public let title: String
    /// The markers with their rooms, in the order in which they are drawn.
    let markers: [PlacedMarker]
    /// The names with their rooms.
    let names: [PlacedName]
    private let rules: [(rule: LayerRule, path: PathText)]
    private let credits: CreditLine

    /// Draws a map.
    ///
    /// - Throws: ``Failure``, or an error of the tiles.
    public init(
        of view: MapView,
        tiles: [DrawnTiles],
        markers: [DrawnMarker],
        look: MapLook,
        title: String
    ) throws {
        self.view = view
        self.look = look
        self.title = title
        credits = CreditLine(sources: tiles.map(\.attribution), width: view.width)
        // Large ones first, so that a small one is not hidden.
        self.markers = markers.map { PlacedMarker($0, in: view) }
            .sorted { a, b in (-a.size, a.y, a.x, a.marker.count) < (-b.size, b.y, b.x, b.marker.count) }
        rules = try MapPicture.lines(of: tiles, in: view, look.palette)
        var placement = NamePlacement(
            width: Double(view.width),
            height: Double(view.height),
            taken: self.markers.map(\.room)
        )
        placement.place(try MapPicture.names(of: tiles, in: view))
        names = placement.placed
    }

    /// The number of markers.
    public var markerCount: Int { markers.count }
    /// The number of stories that the markers stand for.
    public var storyCount: Int { markers.reduce(0) { $0 + $1.marker.count } }

    /// The room of each marker, in the order in which they are drawn.
    package var markerRooms: [PixelBox] { markers.map(\.room) }
    /// The room of each name.
    package var nameRooms: [(text: String, room: PixelBox)] {
        names.map { ($0.lines.joined(separator: " "), $0.room) }
    }

    /// The height of the picture in pixels: that of the view, and below it a strip that names the sources.
    public var height: Int { view.height + credits.height }

    /// Returns the height of the strip that names the sources of tiles, for a width in pixels.
    public static func creditHeight(of tiles: [DrawnTiles], width: Int) -> Int {
        CreditLine(sources: tiles.map(\.attribution), width: width).height
    }

    private static func lines(
        of tiles: [DrawnTiles],
        in view: MapView,
        _ palette: MapPalette
    ) throws -> [(rule: LayerRule, path: PathText)] {
        var drawn: [(rule: LayerRule, path: PathText)] = []
        for content in [DrawnTiles.Content.land, .streets] {
            let rules =
                content == .land
                ? LandStyle.rules(zoom: view.zoom, palette) : StreetStyle.rules(zoom: view.zoom, palette)
            var paths = Array(repeating: PathText(), count: rules.count)
            var positions = 0
            for set in tiles where set.content == content {
                try TileCover.forEach(of: set.archive, in: view) { layers, place in
                    guard positions <= mostPositions else { return }
                    for layer in layers { draw(layer, at: place, in: view, by: rules, to: &paths) }
                    positions = paths.reduce(0) { $0 + $1.count }
                }
            }
            guard positions <= mostPositions else { throw Failure.tooDetailed }
            drawn += zip(rules, paths).map { (rule: $0, path: $1) }
        }
        return drawn
    }

    private static func draw(
        _ layer: VectorTileShapes.Layer,
        at place: TilePlace,
        in view: MapView,
        by rules: [LayerRule],
        to paths: inout [PathText]
    ) {
        let numbers = rules.indices.filter { rules[$0].source == layer.name }
        guard !numbers.isEmpty else { return }
        for feature in layer.features {
            for number in numbers where rules[number].draws(feature) {
                for path in feature.paths {
                    let line = path.map { place.point($0, extent: layer.extent) }
                    let isClosed = feature.form == .areas
                    paths[number].add(line, isClosed: isClosed, width: view.width, height: view.height)
                }
            }
        }
    }

    private static func names(of tiles: [DrawnTiles], in view: MapView) throws -> [NameCandidate] {
        var names = NameCollection(view: view)
        let hasNames = tiles.contains { $0.content == .names }
        for set in tiles {
            switch set.content {
            case .land: continue
            case .names: try names.addPlaces(of: set.archive)
            case .streets: try names.addStreets(of: set.archive, namingPlaces: !hasNames)
            }
        }
        return names.candidates
    }

    /// The picture as an SVG document in UTF-8.
    public var svg: [UInt8] {
        var svg = SVGWriter()
        let (width, palette) = (Double(view.width), look.palette)
        svg.element(
            "svg",
            [
                ("xmlns", .text("http://www.w3.org/2000/svg")), ("width", .number(width)),
                ("height", .number(Double(height))), ("viewBox", .text("0 0 \(view.width) \(height)")),
                ("role", .text("img")), ("font-family", .text(TextWidth.fonts)),
            ]
        ) { svg in
            svg.element("title", text: title)
            svg.newLine()
            svg.element(
                "rect",
                [("width", .number(width)), ("height", .number(Double(view.height))), ("fill", .text(palette.water))]
            )
            svg.element("g", [("transform", .text("scale(\(SVGWriter.text(1 / PathText.unitsPerPixel)))"))]) { svg in
                for (rule, path) in rules { rule.write(path, to: &svg) }
            }
            writeCells(to: &svg)
            for name in names { MapPicture.write(name, palette, to: &svg) }
            let shapes = MarkerShapes(palette: palette)
            for marker in markers { shapes.write(marker, to: &svg) }
            credits.write(below: view, palette, to: &svg)
        }
        svg.newLine()
        return svg.bytes
    }

    /// Cells of approximate places, each once.
    private func writeCells(to svg: inout SVGWriter) {
        var seen: Set<PixelBox> = []
        for marker in markers.map(\.marker) {
            guard let cell = marker.cell else { continue }
            let box = view.rectangle(of: cell, around: marker.position)
            guard seen.insert(box).inserted, box.width >= 3 else { continue }
            svg.element(
                "rect",
                [
                    ("x", .number(box.left)), ("y", .number(box.top)), ("width", .number(box.width)),
                    ("height", .number(box.height)), ("fill", .text(look.palette.accent)),
                    ("fill-opacity", .number(0.14)), ("stroke", .text(look.palette.accent)),
                    ("stroke-width", .number(1.5)), ("stroke-dasharray", .text("5 4")),
                ]
            )
            svg.newLine()
        }
    }

    private static func write(_ name: PlacedName, _ palette: MapPalette, to svg: inout SVGWriter) {
        let style = name.style
        let place = "translate(\(SVGWriter.text(name.x)) \(SVGWriter.text(name.y)))"
        let turn = name.angle == 0 ? "" : " rotate(\(SVGWriter.text(name.angle)))"
        let attributes: [(name: StaticString, value: SVGValue?)] = [
            ("transform", .text(place + turn)), ("text-anchor", .text("middle")), ("font-size", .number(style.size)),
            ("font-weight", style.isBold ? .text("bold") : nil), ("font-style", style.isItalic ? .text("italic") : nil),
            ("letter-spacing", style.spacing > 0 ? .number(style.spacing) : nil),
        ]
        let halo = style.isAtSea ? palette.seaHalo : palette.nameHalo
        svg.element("g", attributes) { svg in
            let top = -Double(name.lines.count - 1) / 2 * style.size * NamePlacement.lineHeight + style.size * 0.365
            for (index, line) in name.lines.enumerated() {
                let y = SVGValue.number(top + Double(index) * style.size * NamePlacement.lineHeight)
                svg.element(
                    "text",
                    [
                        ("y", y), ("fill", .text(palette.names[style.tone] ?? palette.ink)), ("stroke", .text(halo)),
                        ("stroke-width", .number(2.6)), ("stroke-linejoin", .text("round")),
                        ("stroke-opacity", .number(0.9)), ("paint-order", .text("stroke")),
                    ],
                    text: line
                )
            }
        }
        svg.newLine()
    }
}

/// The strip below a map that names the sources.
struct CreditLine: Sendable {
    private static let size = 9.0
    private static let lineHeight = 12
    private static let margin = 6

    let lines: [String]

    /// Breaks the sources into lines of a width in pixels; the same source is named once.
    init(sources: [String], width: Int) {
        var seen: Set<String> = []
        let named = sources.filter { !$0.isEmpty && seen.insert($0).inserted }
        let room = Double(max(40, width - 2 * CreditLine.margin)) / CreditLine.size
        lines = named.isEmpty ? [] : TextWidth.lines(named.joined(separator: " · "), width: room)
    }

    /// The height in pixels; 0 without a source.
    var height: Int { lines.isEmpty ? 0 : lines.count * CreditLine.lineHeight + CreditLine.margin }

    /// Writes the strip below a map.
    func write(below view: MapView, _ palette: MapPalette, to svg: inout SVGWriter) {
        guard !lines.isEmpty else { return }
        svg.element(
            "rect",
            [
                ("y", .number(Double(view.height))), ("width", .number(Double(view.width))),
                ("height", .number(Double(height))), ("fill", .text(palette.paper)),
            ]
        )
        svg.element("g", [("font-size", .number(CreditLine.size)), ("fill", .text(palette.soft))]) { svg in
            for (index, line) in lines.enumerated() {
                let y = view.height + CreditLine.margin / 2 + (index + 1) * CreditLine.lineHeight - 3
                svg.element("text", [("x", .number(Double(CreditLine.margin))), ("y", .number(Double(y)))], text: line)
            }
        }
    }
}
