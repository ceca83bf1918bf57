public import Geometry

/// One of the disjoint sets of stories that share an audience.
public enum VisibilityLayer: Hashable, Comparable, Sendable {
    /// Stories for everyone.
    case `public`
    /// Stories for all families of an owner.
    case kin(UserID)
    /// Stories for one named family.
    case group(FamilyID)
    /// Stories for their owner alone.
    case own(UserID)

    private var order: (Int, String) {
        switch self {
        case .public: (0, "")
        case .kin(let owner): (1, owner.rawValue)
        case .group(let family): (2, family.rawValue)
        case .own(let owner): (3, owner.rawValue)
        }
    }

    /// Orders layers by kind, then by name.
    public static func < (a: VisibilityLayer, b: VisibilityLayer) -> Bool { a.order < b.order }
}

/// Through whose eyes something is looked at.
public struct Viewer: Hashable, Sendable {
    /// The user, or `nil` for the anonymous viewer.
    public let user: UserID?
    /// The families the user belongs to, with all their members.
    public let families: [FamilyID: Set<UserID>]
    /// The owners who share at least one family with the user, the user not among them.
    public let kin: Set<UserID>

    /// Somebody unknown: sees public stories only.
    public static let anonymous = Viewer()

    private init() {
        user = nil
        families = [:]
        kin = []
    }

    /// Creates the viewer of a user from the families they belong to and the members of each.
    public init(user: UserID, families: [FamilyID: Set<UserID>] = [:]) {
        self.user = user
        self.families = families
        let members = families.values.reduce(into: Set<UserID>()) { $0.formUnion($1) }
        self.kin = members.subtracting([user])
    }

    /// The layers the viewer may see, sorted.
    public var layers: [VisibilityLayer] {
        guard let user else { return [.public] }
        let all =
            [.public, .kin(user), .own(user)] + kin.map(VisibilityLayer.kin) + families.keys.map(VisibilityLayer.group)
        return all.sorted()
    }

    /// Whether the viewer sees the stories of a layer.
    public func sees(_ layer: VisibilityLayer) -> Bool {
        switch layer {
        case .public: true
        case .kin(let owner): owner == user || kin.contains(owner)
        case .group(let family): families[family] != nil
        case .own(let owner): owner == user
        }
    }
}

/// One appearance of a story on the map: in a layer, at a point, added or taken away.
///
/// A viewer's map is the sum over their layers; a `-1` cancels what a layer below shows them less exactly.
public struct MapPlacement: Hashable, Sendable {
    /// Whose map it concerns.
    public let layer: VisibilityLayer
    /// Where.
    public let coordinate: Coordinate
    /// `1` or `-1`.
    public let weight: Int

    /// Creates a placement.
    public init(layer: VisibilityLayer, coordinate: Coordinate, weight: Int) {
        self.layer = layer
        self.coordinate = coordinate
        self.weight = weight
    }
}

extension Story {
    /// The layer of the story.
    ///
    /// The owner must belong to the named family: a store makes a story private when its owner leaves that family, so
    /// that an owner always sees the layer of their own story.
    public var layer: VisibilityLayer {
        switch effectivePrivacy {
        case .public: .public
        case .private: .own(owner)
        case .familyOnly: family.map(VisibilityLayer.group) ?? .kin(owner)
        }
    }

    /// Whether the viewer may know that the story exists.
    public func isVisible(to viewer: Viewer) -> Bool {
        owner == viewer.user || viewer.sees(layer)
    }

    /// Whether the viewer counts as family of this story: a member of the named family, or kin of the owner.
    private func isFamily(_ viewer: Viewer) -> Bool {
        guard let family else { return viewer.kin.contains(owner) }
        return viewer.families[family] != nil
    }

    /// The point the viewer gets, or `nil` when they see the story without a location (LOC-08).
    ///
    /// The one function that decides it; everything a viewer gets is computed from this point. It does not ask whether
    /// the story is visible at all.
    public func point(for viewer: Viewer) -> Coordinate? {
        guard let location else { return nil }
        if viewer.user == owner || (location.familySeesExact && isFamily(viewer)) { return location.coordinate }
        return publishedPoint
    }

    /// The point that everybody gets who is neither owner nor trusted family; fences use it for all but the owner.
    public var publishedPoint: Coordinate? {
        guard let location else { return nil }
        switch location.precision {
        case .exact: return location.coordinate
        case .approximate(let cell): return cell.center(of: location.coordinate)
        case .hidden: return nil
        }
    }

    /// The location as the viewer may see it: with the exact names only where the exact point is theirs.
    ///
    /// Others get an approximate location without any name, a hidden one not at all.
    public func location(for viewer: Viewer) -> StoryLocation? {
        guard var shown = location, let point = point(for: viewer) else { return nil }
        if viewer.user == owner { return shown }
        shown.coordinate = point
        guard case .approximate = shown.precision, !(shown.familySeesExact && isFamily(viewer)) else { return shown }
        shown.accuracy = nil
        shown.names = [:]
        shown.derived = []
        return shown
    }

    /// Where the story appears on the maps of which layers; the sum over a viewer's layers is ``point(for:)``.
    public var mapPlacements: [MapPlacement] {
        guard let location else { return [] }
        let published = publishedPoint
        var placements: [MapPlacement] = []
        if let published { placements.append(MapPlacement(layer: layer, coordinate: published, weight: 1)) }
        if published == location.coordinate { return placements }
        for trusted in trustedLayers {
            placements.append(MapPlacement(layer: trusted, coordinate: location.coordinate, weight: 1))
            if let published { placements.append(MapPlacement(layer: trusted, coordinate: published, weight: -1)) }
        }
        return placements
    }

    /// The disjoint layers whose viewers get the exact point of a location that others get less exactly.
    private var trustedLayers: [VisibilityLayer] {
        let mine = VisibilityLayer.own(owner)
        guard location?.familySeesExact == true, effectivePrivacy != .private else { return [mine] }
        // The owner sees their own kin layer, so it serves both; a named group may be one the owner is not in.
        guard let family else { return [.kin(owner)] }
        return [.group(family)]
    }
}
