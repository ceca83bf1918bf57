/// A name on the map.
public struct MapLabel: Hashable, Sendable {
    /// What is named; the style draws each class in its own way.
    public enum Class: String, CaseIterable, Sendable {
        /// A country, a state or province, an ocean or large sea.
        case country, state, ocean
        /// A settlement, by its size.
        case city, town, village
        /// A part of a settlement.
        case neighbourhood
        /// A county or a similar area.
        case county
        /// A sea, a lake or a river.
        case water
        /// An island or group of islands.
        case island
        /// A mountain or range, a park, an airport.
        case mountain, park, airport
    }

    /// The name.
    public let text: String
    /// What it names.
    public let kind: Class
    /// The population; 0 if unknown or if it is not a settlement.
    public let population: Int
    let position: WorldPoint
    private let givenFloor: Int?

    /// Creates a label at a position in degrees.
    ///
    /// `floor` is the lowest zoom at which it may appear; `nil` takes the usual one of its kind and size.
    public init(
        text: String,
        kind: Class,
        population: Int = 0,
        longitude: Double,
        latitude: Double,
        floor: Int? = nil
    ) {
        self.text = text
        self.kind = kind
        self.population = population
        position = WorldPoint(longitude: longitude, latitude: latitude)
        givenFloor = floor
    }

    /// The lowest zoom at which it may appear, however much room there is.
    ///
    /// Chosen by looking at the map: a zoom should name what one would name when describing the region.
    package var floor: Int {
        if let givenFloor { return givenFloor }
        return switch kind {
        case .country, .ocean: 1
        case .state: 4
        case .city, .town, .village:
            switch population {
            case 3_000_000...: 2
            case 1_000_000...: 3
            case 250_000...: 4
            case 100_000...: 5
            case 30_000...: 6
            case 10_000...: 7
            case 2_000...: 8
            case 500...: 9
            default: 10
            }
        case .neighbourhood:
            switch population {
            case 500_000...: 9
            case 50_000...: 10
            default: 11
            }
        case .county: 8
        case .water, .island, .mountain, .park: 9
        case .airport: 11
        }
    }

    /// The deepest zoom that shows it: the name of an area is of no use where one sees only a corner of the area.
    package var ceiling: Int {
        switch kind {
        case .country, .ocean: 6
        case .state: 8
        case .county: 10
        case .city, .town, .village, .neighbourhood, .water, .island, .mountain, .park, .airport: .max
        }
    }

    /// The width of the drawn name in pixels, about; the page measures it exactly.
    package var width: Double {
        let lines = kind == .county ? 1.0 : Double(text.count > 16 ? 2 : 1)
        return Double(text.count) / lines * 7 + 24
    }

    /// The height of the drawn name in pixels, about.
    package var height: Double { text.count > 16 && kind != .county ? 44 : 28 }
}
