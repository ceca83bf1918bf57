import Geometry
import Stories

/// Draws markers as the page does: discs with counts, stacks, and a shape for each kind.
struct MarkerShapes: Sendable {
    let palette: MapPalette

    /// The outline and the sign of a kind in a square of 24 units; the sign is filled, or a line.
    private struct Shape: Sendable {
        let body: String
        var sign = ""
        var dot = 0.0
        var isFilled = false
    }

    private static let shapes: [String: Shape] = [
        "interview": Shape(
            body: "M12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20z",
            sign: "M7.5 8.5h9v6h-4.5l-2.5 2.5v-2.5h-2z"
        ),
        "photo": Shape(body: "M3 3h18v18H3z", sign: "M6.5 16.5 10.5 11l3 3.5 1.5-1.8 2.5 3.8zM15.5 7.5h1.5v1.5h-1.5z"),
        "document": Shape(body: "M5 2h10l5 5v15H5z", sign: "M8.5 10.5h8M8.5 14h8M8.5 17.5h5"),
        "video_object": Shape(
            body: "M4 5h16a2.5 2.5 0 0 1 2.5 2.5v9A2.5 2.5 0 0 1 20 19H4a2.5 2.5 0 0 1-2.5-2.5v-9A2.5 2.5 0 0 1 4 5z",
            sign: "M10 8.8v6.4l5.2-3.2z",
            isFilled: true
        ),
        "observation": Shape(
            body: "M12 1.5 22.5 12 12 22.5 1.5 12z",
            sign: "M7 12q5-5.5 10 0-5 5.5-10 0z",
            dot: 1.3
        ),
        "event": Shape(
            body: "M4 4.5h3V2h2.5v2.5h5V2H17v2.5h3V21H4z",
            sign: "M7 9.5h10M8.3 13.5h1.6M12.7 13.5h3M8.3 17h1.6M12.7 17h3"
        ),
        "other": Shape(body: "M7 3h10l5 9-5 9H7l-5-9z", dot: 2.5),
    ]

    /// Writes a marker with what it is called.
    func write(_ placed: PlacedMarker, to svg: inout SVGWriter) {
        let place = "translate(\(SVGWriter.text(placed.x)) \(SVGWriter.text(placed.y)))"
        svg.element("g", [("transform", .text(place))]) { svg in
            if !placed.marker.title.isEmpty { svg.element("title", text: placed.marker.title) }
            if placed.marker.count == 1 {
                writeShape(placed, to: &svg)
            } else {
                writeCount(placed, to: &svg)
            }
        }
        svg.newLine()
    }

    private func writeShape(_ placed: PlacedMarker, to svg: inout SVGWriter) {
        let name = placed.marker.kind?.rawValue ?? ""
        let known = MarkerShapes.shapes[name] == nil ? "other" : name
        guard let shape = MarkerShapes.shapes[known], let colour = palette.kinds[known] else { return }
        let scale = placed.size / 24
        svg.element("g", [("transform", .text("scale(\(SVGWriter.text(scale))) translate(-12 -12)"))]) { svg in
            svg.element(
                "path",
                [
                    ("d", .text(shape.body)), ("fill", .text(palette.halo)), ("stroke", .text(palette.halo)),
                    ("stroke-width", .number(3.4)), ("stroke-linejoin", .text("round")),
                ]
            )
            svg.element("path", [("d", .text(shape.body)), ("fill", .text(colour))])
            if !shape.sign.isEmpty {
                svg.element(
                    "path",
                    [
                        ("d", .text(shape.sign)), ("fill", .text(shape.isFilled ? palette.halo : "none")),
                        ("stroke", .text(palette.halo)), ("stroke-width", .number(1.7)),
                        ("stroke-linejoin", .text("round")), ("stroke-linecap", .text("round")),
                    ]
                )
            }
            if shape.dot > 0 {
                svg.element(
                    "circle",
                    [
                        ("cx", .number(12)), ("cy", .number(12)), ("r", .number(shape.dot)),
                        ("fill", .text(palette.halo)),
                    ]
                )
            }
        }
    }

    private func writeCount(_ placed: PlacedMarker, to svg: inout SVGWriter) {
        let (size, accent) = (placed.size, SVGValue.text(palette.accent))
        if placed.marker.isStacked {
            let side = size - 8
            square(side, shift: 4, fill: palette.accent, to: &svg)
            square(side, shift: 0, fill: palette.halo, edge: 2, to: &svg)
            square(side, shift: 0, fill: palette.accent, to: &svg)
        } else {
            let radius = size / 2
            svg.element(
                "circle",
                [("r", .number(radius + PlacedMarker.veil)), ("fill", accent), ("opacity", .number(0.24))]
            )
            svg.element("circle", [("r", .number(radius)), ("fill", .text(palette.halo))])
            svg.element("circle", [("r", .number(radius - 2)), ("fill", accent)])
        }
        let text = MarkerShapes.text(placed.marker.count)
        let font = min(13, (size - 12) / TextWidth.of(text, isBold: true))
        svg.element(
            "text",
            [
                ("y", .number(font * 0.365)), ("text-anchor", .text("middle")), ("font-size", .number(font)),
                ("font-weight", .text("bold")), ("fill", .text(palette.onAccent)),
            ],
            text: text
        )
    }

    private func square(
        _ side: Double,
        shift: Double,
        fill: String,
        edge: Double = 0,
        to svg: inout SVGWriter
    ) {
        let start = -side / 2 - edge
        svg.element(
            "rect",
            [
                ("x", .number(start + shift)), ("y", .number(start - shift)), ("width", .number(side + 2 * edge)),
                ("height", .number(side + 2 * edge)), ("rx", .number(7)), ("fill", .text(fill)),
            ]
        )
    }

    /// Returns a number with commas between thousands: the exact count, never rounded.
    static func text(_ count: Int) -> String {
        let digits = Array(String(count))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
