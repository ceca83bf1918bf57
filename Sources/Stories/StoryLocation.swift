public import Geometry

/// The audience of a story.
public enum Privacy: String, CaseIterable, Hashable, Sendable {
    /// Everyone.
    case `public`
    /// The members of the owner's families, or of the one family the story names.
    case familyOnly = "family_only"
    /// Only the owner.
    case `private`
}

extension Privacy {
    /// Returns the level with the smaller audience.
    public func stricter(_ other: Privacy) -> Privacy {
        let order: [Privacy] = [.public, .familyOnly, .private]
        return order.last { $0 == self || $0 == other } ?? self
    }
}

/// The source of a location (LOC-01).
public enum LocationSource: String, CaseIterable, Hashable, Sendable {
    /// Measured by a GPS receiver.
    case gps
    /// Entered or selected by a person.
    case manual
    /// Extracted from the story's text by a program; never replaces one of the other two.
    case aiExtracted = "ai_extracted"
    /// Looked up in a gazetteer from the words of an archive; never replaces ``gps`` or ``manual``.
    case geocoded
}

/// The precision at which a location is shown to others (LOC-08).
public enum LocationPrecision: Hashable, Sendable {
    /// Exactly, to everyone who sees the story.
    case exact
    /// As the centre of a fixed cell.
    case approximate(PublishedCell)
    /// Not at all.
    case hidden

    /// Returns the coarser of two precisions.
    public func stricter(_ other: LocationPrecision) -> LocationPrecision {
        switch (self, other) {
        case (.hidden, _), (_, .hidden): .hidden
        case (.approximate(let mine), .approximate(let theirs)):
            .approximate(mine.degrees >= theirs.degrees ? mine : theirs)
        case (.approximate, _): self
        case (.exact, _): other
        }
    }

    /// Returns whether this shows more than another.
    func isMoreExact(than other: LocationPrecision) -> Bool { stricter(other) != self }

    /// The size of the cell of an approximate precision, else `nil`.
    public var cell: PublishedCell? {
        if case .approximate(let cell) = self { cell } else { nil }
    }

    /// The size of the cells that a sensitive area with this precision restricts; `nil` for ``exact``, which restricts
    /// nothing.
    ///
    /// Every point in a cell that the area touches is restricted. Users can find out from their own stories which
    /// points an area restricts. Because whole cells are restricted, this reveals only the cells, which are published
    /// anyway, and not the area's position within them.
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

/// The size of the grid cells used to publish approximate locations; smaller cells nest in larger ones.
public enum PublishedCell: Int, CaseIterable, Hashable, Sendable {
    /// 0.01 degrees, about 1.1 km.
    case hundredth = 100
    /// 0.1 degrees, about 11 km.
    case tenth = 10
    /// One degree, about 111 km.
    case degree = 1

    /// The side of a cell in degrees.
    public var degrees: Double { 1 / Double(rawValue) }

    /// Creates a size from degrees: 0.01, 0.1 or 1.
    public init?(degrees: Double) {
        guard let size = PublishedCell.allCases.first(where: { $0.degrees == degrees }) else { return nil }
        self = size
    }

    /// Returns the centre of the cell that contains `coordinate`; the result depends only on the cell.
    public func center(of coordinate: Coordinate) -> Coordinate {
        Coordinate(
            wrappingLatitude: centre(coordinate.latitude, limit: 90),
            longitude: centre(coordinate.longitude, limit: 180)
        )
    }

    /// Returns the closed cell that contains `coordinate`.
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

    /// Returns the box widened to whole cells; the result depends only on the cells that the box touches.
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

    /// Returns the lower edge of the cell in hundredths of a degree.
    private func edge(_ degrees: Double, limit: Double) -> Double {
        // Rounds to hundredths first, so that a coordinate falls into the same fine cell at every cell size, and cells
        // nest.
        let hundredth = min((degrees * 100).rounded(.down), limit * 100 - 1)
        return (hundredth / hundredths).rounded(.down) * hundredths
    }
}

/// The kinds of names in a location.
public enum LocationName: String, CaseIterable, Hashable, Sendable {
    /// The name of the place.
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
    /// The true point; ``Story/location(for:)`` alone decides what is shown to a viewer.
    public var coordinate: Coordinate
    /// The source of the point.
    public var source: LocationSource
    /// The radius in metres that contains the true position with a probability of 68 %, or `nil` if unknown.
    public var accuracy: Double?
    /// The precision for others, as chosen by the owner.
    public var precision: LocationPrecision
    /// The maximum precision for others that the operator's sensitive areas allow.
    ///
    /// Separate from ``precision``, so that the owner's choice is restored when the areas change. Set by the store.
    public var floor: LocationPrecision = .exact
    /// Whether family members see the exact point of an approximate or hidden location.
    public var familySeesExact: Bool
    /// Whether others see the exact date and times of the story even with a coarser place, by the owner's choice; see
    /// ``TimePrecision``.
    public var showsExactTimes: Bool
    /// The names, each at most ``StoryLimits/nameLength`` characters.
    public var names: [LocationName: String]
    /// The names filled in by reverse geocoding rather than by a person.
    public var derived: Set<LocationName>
    /// The time a location was first added to the story, or `nil` if not recorded.
    public var createdAt: Timestamp?
    /// The time of the location's last change, or `nil` if not recorded.
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
    /// The precision for viewers who are neither owner nor trusted family.
    public var published: LocationPrecision { precision.stricter(floor) }

    /// The precision for family.
    var shownToFamily: LocationPrecision { familySeesExact ? floor : published }

    /// Returns the box that is compared with a sensitive area that restricts cells of the given size: the cell of that
    /// size, or the owner's approximate cell if it is larger.
    ///
    /// If the true point were compared instead, an area that covers part of a cell would reveal which part contains the
    /// point.
    public func footprint(inCellsOf cell: PublishedCell) -> BoundingBox {
        guard let own = precision.cell, own.degrees > cell.degrees else { return cell.box(of: coordinate) }
        return own.box(of: coordinate)
    }

    /// Returns the point shown at a precision.
    func point(shown precision: LocationPrecision) -> Coordinate? {
        switch precision {
        case .exact: coordinate
        case .approximate(let cell): cell.center(of: coordinate)
        case .hidden: nil
        }
    }

    /// Returns the location shown to a non-owner at a precision; `nil` if hidden.
    ///
    /// Unless exact, it has no names, no accuracy, and no indication of whether a receiver or a person provided the
    /// point: a correction of a measured point within its cell is invisible to others.
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
        // A timestamp would reveal that the point moved within its cell.
        (shown.createdAt, shown.updatedAt) = (nil, nil)
        return shown
    }
}
