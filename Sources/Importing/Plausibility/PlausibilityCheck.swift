public import Gazetteer
public import Geometry

/// Where a position lies on the map.
public struct MapRegion: Hashable, Sendable {
    /// The ISO 3166 code of the country; `nil` on water, or if nothing is known.
    public var country: String?
    /// The state, province or region.
    public var state: String?
    /// What it is called in a message: "Georgia, United States" or "Southern Ocean".
    public var name: String
    /// Whether it is land.
    public var isLand: Bool

    /// Creates a region.
    public init(country: String? = nil, state: String? = nil, name: String, isLand: Bool) {
        self.country = country
        self.state = state
        self.name = name
        self.isLand = isLand
    }

    /// Whether people live there: stories rarely lie in the sea or on the ice.
    var isLikely: Bool { isLand && country != "aq" }
}

/// Knows the outlines of land, sea and regions.
public protocol MapOutlines: Sendable {
    /// Returns where positions lie, in their order.
    func regions(of coordinates: [Coordinate]) -> [MapRegion]
}

/// The outlines of the gazetteer.
public struct GazetteerOutlines: MapOutlines {
    private let index: GazetteerIndex

    /// Creates outlines.
    public init(_ index: GazetteerIndex) { self.index = index }

    /// Returns where positions lie, in their order.
    public func regions(of coordinates: [Coordinate]) -> [MapRegion] {
        // No settlement is looked for: only outlines count.
        index.reverse(coordinates, options: ReverseOptions(farthestKilometres: 0.1, farthestAtSeaKilometres: 0.1))
            .map { match in
                guard let match else { return MapRegion(name: "the open sea", isLand: false) }
                if let water = match.water { return MapRegion(name: "the \(water)", isLand: false) }
                let place = match.place
                let state = place.admin1
                let name = [state, place.country].compactMap(\.self).joined(separator: ", ")
                return MapRegion(
                    country: place.countryCode,
                    state: state,
                    name: name.isEmpty ? place.name : name,
                    isLand: place.countryCode != nil
                )
            }
    }
}

/// How the positions of a file are compared with the map and with its own words.
public struct PlausibilityCheck: Sendable {
    /// The outlines.
    public let outlines: any MapOutlines
    /// Finds what the words of a row mean; `nil` leaves words out.
    public let locator: (any PlaceLocator)?
    /// Whether a doubt rejects the file.
    public let isStrict: Bool

    /// Creates a check.
    public init(outlines: any MapOutlines, locator: (any PlaceLocator)?, isStrict: Bool = false) {
        self.outlines = outlines
        self.locator = locator
        self.isStrict = isStrict
    }
}

/// A doubt about the positions of a file.
public struct PlausibilityFinding: Hashable, Sendable {
    /// What seems to be wrong.
    public enum Kind: Hashable, Sendable {
        case exchanged, latitudeSign, longitudeSign, bothSigns, feet, metres, zero, offset
        /// Positions lie far from where their words say, and no single mistake explains it.
        case elsewhere
    }

    /// What seems to be wrong.
    public let kind: Kind
    /// The number of rows concerned, among those looked at.
    public let count: Int
    /// The first row concerned.
    public let row: Int?
    /// The doubt and what to do, without a full stop.
    public let message: String
}
