import Geometry

/// Gives names room in a picture: none lies over another one or over a marker.
struct NamePlacement: Sendable {
    /// The height of a line as a multiple of the font size.
    static let lineHeight = 1.2
    /// Pixels between a name and what is beside it.
    private static let padding = 3.0
    /// Pixels within which the same name is not repeated.
    private static let repetition = 260.0

    let frame: PixelBox
    private var taken: [PixelBox]
    private(set) var placed: [PlacedName] = []

    /// Creates an empty placement in a picture; nothing is placed where something is `taken`.
    init(width: Double, height: Double, taken: [PixelBox]) {
        frame = PixelBox(left: 0, top: 0, right: width, bottom: height)
        self.taken = taken
    }

    /// Places names, those of the lowest rank first.
    mutating func place(_ candidates: [NameCandidate]) {
        // Names of one rank in an order that does not depend on that of tiles.
        let sorted = candidates.sorted { ($0.rank, $0.text, $0.y, $0.x) < ($1.rank, $1.text, $1.y, $1.x) }
        for candidate in sorted where !isRepeated(candidate) {
            guard let name = NamePlacement.rooms(of: candidate).first(where: isFree) else { continue }
            taken.append(name.room)
            placed.append(name)
        }
    }

    private func isRepeated(_ candidate: NameCandidate) -> Bool {
        placed.contains { name in
            name.style.tone == candidate.style.tone && name.lines.joined(separator: " ") == candidate.text
                && Math.hypotenuse(name.x - candidate.x, name.y - candidate.y) < NamePlacement.repetition
        }
    }

    private func isFree(_ name: PlacedName) -> Bool {
        let room = name.room.grown(by: NamePlacement.padding)
        return frame.contains(name.room) && !taken.contains { $0.overlaps(room) }
    }

    /// Returns the places where a name may stand, the best first.
    private static func rooms(of candidate: NameCandidate) -> [PlacedName] {
        let style = candidate.style
        let text = style.isCapital ? candidate.text.uppercased() : candidate.text
        // Long names of places are folded, as on the page.
        let lines = style.oneLine || style.isCapital ? [text] : TextWidth.lines(text, width: 10)
        let widest = lines.map { line in
            TextWidth.of(line, isBold: style.isBold) * style.size + Double(line.count) * style.spacing
        }
        let (width, height) = ((widest.max() ?? 0) + 4, Double(lines.count) * style.size * lineHeight + 2)
        // The upright rectangle around a turned one.
        let turn = Math.radians(candidate.angle)
        let (sine, cosine) = (abs(Math.sine(turn)), abs(Math.cosine(turn)))
        let (across, down) = (width * cosine + height * sine, width * sine + height * cosine)
        var shifts = [(x: 0.0, y: 0.0)]
        if style.mayMove {
            let distance = 20.0
            shifts += [
                (0, distance + height / 2), (0, -distance - height / 2), (distance + width / 2, 0),
                (-distance - width / 2, 0),
            ]
        }
        return shifts.map { shift in
            let (x, y) = (candidate.x + shift.x, candidate.y + shift.y)
            return PlacedName(
                lines: lines,
                style: style,
                x: x,
                y: y,
                angle: candidate.angle,
                room: PixelBox(x: x, y: y, width: across, height: down)
            )
        }
    }
}

extension PixelBox {
    /// Returns the rectangle with this many pixels more on every side.
    func grown(by pixels: Double) -> PixelBox {
        PixelBox(left: left - pixels, top: top - pixels, right: right + pixels, bottom: bottom + pixels)
    }
}
