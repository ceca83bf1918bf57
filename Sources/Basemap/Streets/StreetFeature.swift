import Formats

/// The layers of street tiles: names and meaning as in the OpenMapTiles schema, so that one style draws both.
public enum StreetLayer: String, CaseIterable, Sendable {
    /// What grows or lies on the ground.
    case landcover
    /// What the ground is used for.
    case landuse
    /// Protected areas.
    case park
    /// Areas of water.
    case water
    /// Lines of water.
    case waterway
    /// Runways and taxiways.
    case aeroway
    /// Roads, paths, rails and ferries.
    case transportation
    /// Buildings.
    case building
    /// Names of settlements and their parts.
    case place
    /// Names of water.
    case waterNames = "water_name"
    /// Names of roads: points along them, unlike in OpenMapTiles, whose lines need fonts to be labelled.
    case roadNames = "transportation_name"
    /// Names of parks, schools and other areas.
    case poi
}

/// What is drawn: its layer and class, and from which zoom on.
public struct StreetKind: Hashable, Sendable {
    /// The layer.
    public let layer: StreetLayer
    /// The class within the layer.
    public let name: String
    /// The lowest zoom that shows it, however large it is.
    public let floor: Int
    /// The class within the class; empty for none.
    public var subclass = ""
    /// `bridge` or `tunnel`; empty for neither.
    public var brunnel = ""
    /// Whether it is a ramp of a larger road.
    public var isRamp = false
    /// The layer in which the name is written; `nil` if the map does not name it.
    public var names: StreetLayer?
    /// The class under which it is named.
    public var nameClass = ""

    init(_ layer: StreetLayer, _ name: String, floor: Int, names: StreetLayer? = nil) {
        self.layer = layer
        self.name = name
        self.floor = floor
        self.names = names
        nameClass = name
    }

    /// The properties in tiles.
    var properties: [(key: String, value: VectorTile.Value)] {
        var properties: [(key: String, value: VectorTile.Value)] = []
        if !name.isEmpty { properties.append(("class", .text(name))) }
        if !subclass.isEmpty { properties.append(("subclass", .text(subclass))) }
        if !brunnel.isEmpty { properties.append(("brunnel", .text(brunnel))) }
        if isRamp { properties.append(("ramp", .integer(1))) }
        return properties
    }
}

/// What is drawn, with its name.
public struct StreetFeature: Hashable, Sendable {
    /// What it is.
    public let kind: StreetKind
    /// The name; empty if it has none or the map does not name it.
    public let name: String

    /// The maximum length of a name in characters; the rest is cut off.
    static let nameLength = 100

    init(_ kind: StreetKind, name: String) {
        self.kind = kind
        self.name = kind.names == nil ? "" : String(name.prefix(StreetFeature.nameLength))
    }
}

/// A position in ten-millionths of a degree, as OpenStreetMap has them.
public struct StreetNode: Hashable, Sendable {
    /// The longitude.
    public let longitude: Int32
    /// The latitude.
    public let latitude: Int32

    /// Creates a position; returns `nil` if a number is not finite or out of range.
    public init?(longitude: Double, latitude: Double) {
        guard abs(longitude) <= 180, abs(latitude) <= 90 else { return nil }
        self.longitude = Int32((longitude * 1e7).rounded())
        self.latitude = Int32((latitude * 1e7).rounded())
    }

    /// Creates a position that is known to be in range.
    package init(longitude: Int32, latitude: Int32) {
        self.longitude = longitude
        self.latitude = latitude
    }

    /// Its place in the world.
    var point: WorldPoint { WorldPoint(longitude: Double(longitude) / 1e7, latitude: Double(latitude) / 1e7) }
}
