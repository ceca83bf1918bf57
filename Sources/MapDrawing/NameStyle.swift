/// How names of a class are written.
struct NameStyle: Hashable, Sendable {
    /// The colours of names.
    enum Tone: Hashable, Sendable {
        case country, state, ocean, city, town, village, neighbourhood, county, water, nature, airport, road
    }

    let tone: Tone
    /// The font size in pixels.
    let size: Double
    var isBold = false
    var isItalic = false
    /// Pixels between letters.
    var spacing = 0.0
    var isCapital = false
    /// Whether a name may stand beside its place as well as over it.
    var mayMove = false
    var oneLine = false

    /// The classes of names in the basemap, those that get room first before the others, with the zooms that show them.
    static let basemap: [(name: String, style: NameStyle, from: Double, to: Double)] = [
        ("country", NameStyle(tone: .country, size: 12, isBold: true, spacing: 0.4), 0, 7),
        ("state", NameStyle(tone: .state, size: 10.5, spacing: 0.2), 3, 9),
        ("ocean", NameStyle(tone: .ocean, size: 11.5, isItalic: true, spacing: 1.2), 0, 7),
        ("city", NameStyle(tone: .city, size: 12, isBold: true, mayMove: true), 0, 24),
        ("town", NameStyle(tone: .town, size: 11.5, mayMove: true), 0, 24),
        ("county", NameStyle(tone: .county, size: 9.5, spacing: 1.2, isCapital: true), 8, 11),
        ("water", NameStyle(tone: .water, size: 10.5, isItalic: true, spacing: 0.3), 0, 24),
        ("island", nature, 0, 24), ("mountain", nature, 0, 24), ("park", nature, 0, 24),
        ("airport", NameStyle(tone: .airport, size: 9.5), 11, 24),
        ("neighbourhood", NameStyle(tone: .neighbourhood, size: 10, spacing: 0.4, mayMove: true), 0, 24),
        ("village", NameStyle(tone: .village, size: 10.5, mayMove: true), 0, 24),
    ]

    static let nature = NameStyle(tone: .nature, size: 10, isItalic: true)
    static let building = NameStyle(tone: .airport, size: 9.5)
    static let road = NameStyle(tone: .road, size: 9.5, oneLine: true)
    static let stream = NameStyle(tone: .water, size: 10, isItalic: true, oneLine: true)

    /// Whether the name stands on water.
    var isAtSea: Bool { tone == .ocean || tone == .water }
}

/// A name that may be drawn.
struct NameCandidate: Sendable {
    let text: String
    let style: NameStyle
    let x: Double
    let y: Double
    /// Degrees clockwise from the horizontal.
    var angle = 0.0
    /// The lower, the sooner it gets room.
    let rank: Double
}

/// A name with its room in the picture.
struct PlacedName: Sendable {
    let lines: [String]
    let style: NameStyle
    /// The middle of the text.
    let x: Double
    let y: Double
    let angle: Double
    /// The room of the text; if it is turned, of the upright rectangle around it.
    let room: PixelBox
}
