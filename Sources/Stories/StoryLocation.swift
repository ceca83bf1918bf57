public import Geometry

/// Who may see a story.
public enum Privacy: String, CaseIterable, Hashable, Sendable {
    /// Everyone.
    case `public`
    /// The members of the owner's families, or of the one family the story names.
    case familyOnly = "family_only"
    /// The owner alone.
    case `private`
}

extension Privacy {
    /// The one of two levels that fewer people may see.
    public func stricter(_ other: Privacy) -> Privacy {
        let order: [Privacy] = [.public, .familyOnly, .private]
        return order.last { $0 == self || $0 == other } ?? self
    }
}

/// Where a location came from (LOC-01).
public enum LocationSource: String, CaseIterable, Hashable, Sendable {
    /// A receiver's position.
    case gps
    /// Typed or chosen by a person.
    case manual
    /// Read out of the story's text by a program; never replaces one of the other two.
    case aiExtracted = "ai_extracted"
}

/// How exactly a location is shown to others (LOC-08).
public enum LocationPrecision: Hashable, Sendable {
    /// As it is, to everyone who sees the story.
    case exact
    /// As the centre of a fixed cell.
    case approximate(PublishedCell)
    /// Not at all.
    case hidden

    /// The one of two precisions that shows less.
    public func stricter(_ other: LocationPrecision) -> LocationPrecision {
        switch (self, other) {
        case (.hidden, _), (_, .hidden): .hidden
        case (.approximate(let mine), .approximate(let theirs)):
            .approximate(mine.degrees >= theirs.degrees ? mine : theirs)
        case (.approximate, _): self
        case (.exact, _): other
        }
    }

    /// `exact`, `approximate` or `hidden`.
    public var name: String {
        switch self {
        case .exact: "exact"
        case .approximate: "approximate"
        case .hidden: "hidden"
        }
    }
}

/// The grid of cells that approximate locations are published as; smaller cells nest in larger ones.
public enum PublishedCell: Int, CaseIterable, Hashable, Sendable {
    /// 0.01 degrees, about 1.1 km.
    case hundredth = 100
    /// 0.1 degrees, about 11 km.
    case tenth = 10
    /// One degree, about 111 km.
    case degree = 1

    /// The side of a cell in degrees.
    public var degrees: Double { 1 / Double(rawValue) }

    /// Creates a size from its degrees: 0.01, 0.1 or 1.
    public init?(degrees: Double) {
        guard let size = PublishedCell.allCases.first(where: { $0.degrees == degrees }) else { return nil }
        self = size
    }

    /// The centre of the cell that holds `coordinate`, a function of the cell alone.
    public func center(of coordinate: Coordinate) -> Coordinate {
        Coordinate(
            wrappingLatitude: centre(coordinate.latitude, limit: 90),
            longitude: centre(coordinate.longitude, limit: 180)
        )
    }

    private func centre(_ degrees: Double, limit: Double) -> Double {
        // Hundredths first, so that a coordinate falls into the same fine cell whatever the coarse one asked for: cells nest.
        let hundredth = min((degrees * 100).rounded(.down), limit * 100 - 1)
        let side = Double(100 / rawValue)
        let cell = (hundredth / side).rounded(.down)
        return (cell * side + side / 2) / 100
    }
}

/// The names that go with a location.
public enum LocationName: String, CaseIterable, Hashable, Sendable {
    /// What the place is called.
    case name
    /// Street and house number.
    case address
    /// City, town or village.
    case city
    /// State or region.
    case state
    /// Country.
    case country
}

/// The location of a story.
public struct StoryLocation: Hashable, Sendable {
    /// The true point; what a viewer gets is decided by ``Story/location(for:)`` alone.
    public var coordinate: Coordinate
    /// Where the point came from.
    public var source: LocationSource
    /// The radius in metres within which the true position lies with 68 %, or `nil` when unknown.
    public var accuracy: Double?
    /// How exactly others see the point.
    public var precision: LocationPrecision
    /// Whether family members see the exact point of an approximate or hidden location.
    public var familySeesExact: Bool
    /// The names, each at most ``StoryLimits/nameLength`` bytes.
    public var names: [LocationName: String]
    /// Which names were filled by reverse geocoding instead of by a person.
    public var derived: Set<LocationName>

    /// Creates a location.
    public init(
        coordinate: Coordinate,
        source: LocationSource = .manual,
        accuracy: Double? = nil,
        precision: LocationPrecision = .exact,
        familySeesExact: Bool = false,
        names: [LocationName: String] = [:],
        derived: Set<LocationName> = []
    ) {
        self.coordinate = coordinate
        self.source = source
        self.accuracy = accuracy
        self.precision = precision
        self.familySeesExact = familySeesExact
        self.names = names
        self.derived = derived
    }
}
