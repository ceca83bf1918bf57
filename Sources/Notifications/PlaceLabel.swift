public import Geometry

/// A label for a point that neither a story nor a named place has a name for.
public struct PlaceLabel: Hashable, Sendable {
    /// The neighbourhood, else the settlement: "Sweet Auburn".
    public let name: String
    /// A phrase that distinguishes the point from others with the same name, worded to end a sentence: "1.5 km
    /// north-east of the centre of Atlanta"; `nil` if there is none.
    public let detail: String?

    /// Creates a label.
    public init(name: String, detail: String? = nil) {
        self.name = name
        self.detail = detail
    }

    /// Describes a point's distance and direction from a landmark: "400 m north of Big Bethel", "at Big Bethel" within
    /// 150 m.
    ///
    /// `metres` is rounded as in everyday speech: to 50 m below 950 m, to 100 m below 9,950 m, otherwise to kilometres.
    /// `bearing` is measured from the landmark, in degrees clockwise from north.
    public static func distance(_ metres: Double, bearing: Double, of landmark: String) -> String {
        guard metres.isFinite, metres >= 150 else { return "at \(landmark)" }
        let text: String
        if metres < 950 {
            text = "\(Int((metres / 50).rounded()) * 50) m"
        } else if metres < 9_950 {
            let tenths = Int((metres / 100).rounded())
            text = tenths % 10 == 0 ? "\(tenths / 10) km" : "\(tenths / 10).\(tenths % 10) km"
        } else {
            text = "\(Int((min(metres, 1e8) / 1_000).rounded())) km"
        }
        return "\(text) \(direction(bearing)) of \(landmark)"
    }

    /// Returns the nearest of the eight compass directions.
    static func direction(_ bearing: Double) -> String {
        let words = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"]
        guard bearing.isFinite else { return words[0] }
        let turns = bearing / 360
        let eighths = ((turns - turns.rounded(.down)) * 8).rounded()
        return words[Int(eighths) % 8]
    }
}

/// A source of names for points, such as a gazetteer.
public protocol PlaceNaming {
    /// Returns the label of a point with stories.
    ///
    /// For a point that represents a cell around it (not `isExact`), the label names only areas containing the cell and
    /// does not reveal the position within it.
    func label(of point: Coordinate, isExact: Bool) -> PlaceLabel?
}

/// A source without names.
public struct NoPlaceNames: PlaceNaming, Sendable {
    /// Creates the source.
    public init() {}

    /// Returns `nil`.
    public func label(of point: Coordinate, isExact: Bool) -> PlaceLabel? { nil }
}
