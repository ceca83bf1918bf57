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

    /// The layer of what an owner shows at a level: to one family where that is named, else to all of theirs.
    public init(of owner: UserID, privacy: Privacy, family: FamilyID?) {
        switch privacy {
        case .public: self = .public
        case .private: self = .own(owner)
        case .familyOnly: self = family.map(VisibilityLayer.group) ?? .kin(owner)
        }
    }

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
    /// The service that looks through these eyes; `nil` for the user themselves.
    ///
    /// It changes nothing of what is seen.
    public var service: String?

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
    public var layer: VisibilityLayer { VisibilityLayer(of: owner, privacy: effectivePrivacy, family: family) }

    /// Whether the viewer may know that the story exists.
    public func isVisible(to viewer: Viewer) -> Bool {
        owner == viewer.user || viewer.sees(layer)
    }

    /// Whether the viewer counts as family of this story: a member of the named family, or kin of the owner.
    private func isFamily(_ viewer: Viewer) -> Bool {
        guard let family else { return viewer.kin.contains(owner) }
        return viewer.families[family] != nil
    }

    /// How exactly the viewer gets the location, ``LocationPrecision/hidden`` when there is none (LOC-08).
    ///
    /// The one function that decides it: the owner exactly, trusted family as exactly as the operator's sensitive areas
    /// allow, all others as it is published. It does not ask whether the story is visible at all.
    public func precision(for viewer: Viewer) -> LocationPrecision {
        guard let location else { return .hidden }
        if viewer.user == owner { return .exact }
        return location.familySeesExact && isFamily(viewer) ? location.floor : location.published
    }

    /// The layers whose viewers get the exact point of the story, which they all see: ``precision(for:)`` told by layers.
    public var exactLayers: [VisibilityLayer] {
        guard let location else { return [] }
        if location.published == .exact { return [layer] }
        guard location.familySeesExact, location.floor == .exact, effectivePrivacy != .private else {
            return [.own(owner)]
        }
        return [.own(owner), trustedLayer]
    }

    /// The point the viewer gets, or `nil` when they see the story without a location.
    ///
    /// Everything a viewer gets is computed from this point.
    public func point(for viewer: Viewer) -> Coordinate? {
        location?.point(shown: precision(for: viewer))
    }

    /// The point that everybody gets who is neither owner nor trusted family; fences use it for all but the owner.
    public var publishedPoint: Coordinate? {
        location.flatMap { $0.point(shown: $0.published) }
    }

    /// The location as the viewer may see it: with the exact names only where the exact point is theirs.
    ///
    /// Others get an approximate location without any name, a hidden one not at all.
    public func location(for viewer: Viewer) -> StoryLocation? {
        if viewer.user == owner { return location }
        var shown = location?.shown(precision(for: viewer))
        // Whether family gets more is between them and the owner.
        if !isFamily(viewer) { shown?.familySeesExact = false }
        return shown
    }

    /// Where the story appears on the maps of which layers; the sum over a viewer's layers is ``point(for:)``.
    public var mapPlacements: [MapPlacement] {
        guard let location else { return [] }
        var placements: [MapPlacement] = []
        func move(_ old: Coordinate?, to new: Coordinate?, in layer: VisibilityLayer) {
            guard old != new else { return }
            if let new { placements.append(MapPlacement(layer: layer, coordinate: new, weight: 1)) }
            if let old { placements.append(MapPlacement(layer: layer, coordinate: old, weight: -1)) }
        }
        // Each audience is part of the one before it: all who see the story, trusted family, the owner.
        let published = publishedPoint
        move(nil, to: published, in: layer)
        var known = published
        if location.familySeesExact, effectivePrivacy != .private {
            known = location.point(shown: location.floor)
            // The owner belongs to the named family, and sees the layer of their own kin.
            move(published, to: known, in: trustedLayer)
        }
        move(known, to: location.coordinate, in: .own(owner))
        return placements
    }
}
