import Formats
import Geometry

/// How features of a layer are drawn.
struct LayerRule: Sendable {
    /// Whether roads in tunnels are meant.
    enum Depth: Sendable {
        case any, above, tunnel
    }

    /// The name of the layer in tiles.
    let source: String
    let form: VectorTileShapes.Form
    let colour: String
    /// The classes that are meant; `nil` for all.
    var classes: Set<String>?
    /// The width of lines in pixels.
    var width = 0.0
    /// The lengths of dashes and gaps, as multiples of the width.
    var dashes: [Double] = []
    var opacity = 1.0
    var depth = Depth.any
    /// Whether ramps are meant; `nil` for both.
    var ramps: Bool?
    var hasRoundEnds = true

    /// Returns whether a feature is drawn by this rule.
    func draws(_ feature: VectorTileShapes.Feature) -> Bool {
        guard feature.form == form else { return false }
        if let classes {
            guard let name = feature.text("class"), classes.contains(name) else { return false }
        }
        if let ramps, (feature.number("ramp") == 1) != ramps { return false }
        return switch depth {
        case .any: true
        case .above: feature.text("brunnel") != "tunnel"
        case .tunnel: feature.text("brunnel") == "tunnel"
        }
    }

    /// Writes what was collected for this rule.
    func write(_ path: PathText, to svg: inout SVGWriter) {
        guard path.count > 0 else { return }
        let unit = PathText.unitsPerPixel
        let isLine = form == .lines
        svg.element(
            "path",
            [
                ("fill", .text(isLine ? "none" : colour)), ("stroke", isLine ? .text(colour) : nil),
                ("stroke-width", isLine ? .number(width * unit) : nil),
                ("stroke-linejoin", isLine ? .text("round") : nil),
                ("stroke-linecap", isLine && hasRoundEnds && dashes.isEmpty ? .text("round") : nil),
                ("stroke-dasharray", dashes.isEmpty ? nil : .text(dashText)),
                ("opacity", opacity < 1 ? .number(opacity) : nil), ("d", .text(path.text)),
            ]
        )
        svg.newLine()
    }

    private var dashText: String {
        dashes.map { SVGWriter.text($0 * width * PathText.unitsPerPixel) }.joined(separator: " ")
    }
}

/// A value that depends on the zoom, as styles of MapLibre define it.
struct ZoomScale: Sendable {
    /// Zooms in ascending order with their values.
    let stops: [(zoom: Double, value: Double)]
    /// 1 for a straight line between two stops; above, the value grows faster towards the second.
    var base = 1.0

    /// Returns the value at a zoom; that of the outermost stop beyond it.
    func value(at zoom: Double) -> Double {
        guard let first = stops.first, let last = stops.last else { return 0 }
        if zoom <= first.zoom { return first.value }
        for (low, high) in zip(stops, stops.dropFirst()) where zoom < high.zoom {
            let (way, length) = (zoom - low.zoom, high.zoom - low.zoom)
            let share =
                base == 1 ? way / length : (Math.power(base, way) - 1) / (Math.power(base, length) - 1)
            return low.value + share * (high.value - low.value)
        }
        return last.value
    }
}
