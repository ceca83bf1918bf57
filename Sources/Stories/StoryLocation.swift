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

    /// The size of the cell of an approximate precision, else `nil`.
    public var cell: PublishedCell? {
        if case .approximate(let cell) = self { cell } else { nil }
    }

    /// The cells in which a sensitive area of this precision acts, `nil` for ``exact``, which holds nothing.
    ///
    /// Whatever lies in a cell that the area touches is held to it. Everybody can find out by stories of their own where an area acts. In whole cells that tells the cells, which the
    /// area publishes anyway, and nothing of where in them it lies.
    public var areaCell: PublishedCell? {
        switch self {
        case .exact: nil
        case .approximate(let cell): cell
        case .hidden: .tenth
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

    /// The closed cell that holds `coordinate`.
    public func box(of coordinate: Coordinate) -> BoundingBox {
        let (south, west) = (edge(coordinate.latitude, limit: 90), edge(coordinate.longitude, limit: 180))
        let box = BoundingBox(
            west: west / 100,
            south: south / 100,
            east: (west + hundredths) / 100,
            north: (south + hundredths) / 100
        )
        return box ?? BoundingBox(coordinate)
    }

    /// The box widened to whole cells, a function of the cells it touches alone.
    public func widened(_ box: BoundingBox) -> BoundingBox {
        let southWest = self.box(of: Coordinate(wrappingLatitude: box.south, longitude: box.west))
        let northEast = self.box(of: Coordinate(wrappingLatitude: box.north, longitude: box.east))
        let widened = BoundingBox(
            west: southWest.west,
            south: southWest.south,
            east: northEast.east,
            north: northEast.north
        )
        return widened ?? box
    }

    /// The side of a cell in hundredths of a degree.
    private var hundredths: Double { Double(100 / rawValue) }

    private func centre(_ degrees: Double, limit: Double) -> Double {
        (edge(degrees, limit: limit) + hundredths / 2) / 100
    }

    /// The lower edge of the cell in hundredths of a degree.
    private func edge(_ degrees: Double, limit: Double) -> Double {
        // Hundredths first, so that a coordinate falls into the same fine cell whatever the coarse one asked for: cells nest.
        let hundredth = min((degrees * 100).rounded(.down), limit * 100 - 1)
        return (hundredth / hundredths).rounded(.down) * hundredths
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
    /// How exactly others see the point, as its owner chose.
    public var precision: LocationPrecision
    /// The most exact that anybody but the owner may see the point, as the operator's sensitive areas say.
    ///
    /// Kept apart from ``precision``, so that the owner's choice comes back when the areas change. The store sets it.
    public var floor: LocationPrecision = .exact
    /// Whether family members see the exact point of an approximate or hidden location.
    public var familySeesExact: Bool
    /// Whether others get the exact date and times of the story beside a coarser place, because its owner said so; see
    /// ``TimePrecision``.
    public var showsExactTimes: Bool
    /// The names, each at most ``StoryLimits/nameLength`` characters.
    public var names: [LocationName: String]
    /// Which names were filled by reverse geocoding instead of by a person.
    public var derived: Set<LocationName>
    /// When the story was given a location, or `nil` when that was not noted.
    public var createdAt: Timestamp?
    /// When anything of the location last changed, or `nil` when that was not noted.
    public var updatedAt: Timestamp?

    /// Creates a location.
    public init(
        coordinate: Coordinate,
        source: LocationSource = .manual,
        accuracy: Double? = nil,
        precision: LocationPrecision = .exact,
        familySeesExact: Bool = false,
        showsExactTimes: Bool = false,
        names: [LocationName: String] = [:],
        derived: Set<LocationName> = []
    ) {
        self.coordinate = coordinate
        self.source = source
        self.accuracy = accuracy
        self.precision = precision
        self.familySeesExact = familySeesExact
        self.showsExactTimes = showsExactTimes
        self.names = names
        self.derived = derived
    }
}

extension StoryLocation {
    /// How exactly the point is shown to those who are neither owner nor trusted family.
    public var published: LocationPrecision { precision.stricter(floor) }

    /// The part of the globe that is compared with a sensitive area which acts in such cells: the area's cell, or the one
    /// the owner chose where that is larger.
    ///
    /// Were an area compared with the true point, one that cuts a cell in two would tell in which part of the cell it lies.
    public func footprint(inCellsOf cell: PublishedCell) -> BoundingBox {
        guard let own = precision.cell, own.degrees > cell.degrees else { return cell.box(of: coordinate) }
        return own.box(of: coordinate)
    }

    /// The point that somebody gets who may see the location this exactly.
    func point(shown precision: LocationPrecision) -> Coordinate? {
        switch precision {
        case .exact: coordinate
        case .approximate(let cell): cell.center(of: coordinate)
        case .hidden: nil
        }
    }

    /// The location for somebody who is not its owner and may see it this exactly; `nil` when not at all.
    ///
    /// Less than exactly it comes without names and accuracy, and without saying whether a receiver or a person gave the
    /// point: an owner who puts a measured point right within its cell changes nothing for others.
    func shown(_ precision: LocationPrecision) -> StoryLocation? {
        guard let point = point(shown: precision) else { return nil }
        var shown = self
        shown.floor = .exact
        guard precision != .exact else { return shown }
        shown.coordinate = point
        shown.precision = precision
        shown.source = source == .aiExtracted ? .aiExtracted : .manual
        shown.accuracy = nil
        shown.names = [:]
        shown.derived = []
        // A time would tell that the point moved within its cell.
        (shown.createdAt, shown.updatedAt) = (nil, nil)
        return shown
    }
}
