public import Geometry

/// What a point is called that no story and no named place has a name for.
public struct PlaceLabel: Hashable, Sendable {
    /// The neighbourhood, else the settlement: "Sweet Auburn".
    public let name: String
    /// What tells it apart from other points of the same name, as the end of a sentence:
    /// "1.5 km north-east of the centre of Atlanta"; `nil` where nothing does.
    public let detail: String?

    /// Creates a label.
    public init(name: String, detail: String? = nil) {
        self.name = name
        self.detail = detail
    }

    /// How far and in which direction a point lies from a landmark: "400 m north of Big Bethel", "at Big Bethel" within
    /// 150 m.
    ///
    /// `metres` is rounded so that it says no more than people would; `bearing` counts from the landmark, in
    /// degrees clockwise from north.
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

    /// The nearest of the eight directions.
    static func direction(_ bearing: Double) -> String {
        let words = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"]
        guard bearing.isFinite else { return words[0] }
        let turns = bearing / 360
        let eighths = ((turns - turns.rounded(.down)) * 8).rounded()
        return words[Int(eighths) % 8]
    }
}

/// Names points by a gazetteer.
public protocol PlaceNaming {
    /// What is known of a point where stories are told; of one that stands for a cell around it (not `isExact`) only what
    /// the cell is in, and nothing that says where in it.
    func label(of point: Coordinate, isExact: Bool) -> PlaceLabel?
}

/// Knows no names.
public struct NoPlaceNames: PlaceNaming, Sendable {
    /// Creates it.
    public init() {}

    /// `nil`.
    public func label(of point: Coordinate, isExact: Bool) -> PlaceLabel? { nil }
}
