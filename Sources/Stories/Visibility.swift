public import Geometry

/// A layer: one of the disjoint sets of stories with the same audience.
public enum VisibilityLayer: Hashable, Comparable, Sendable {
    /// Stories for everyone.
    case `public`
    /// Stories for all families of an owner.
    case kin(UserID)
    /// Stories for one specific family.
    case group(FamilyID)
    /// Stories for their owner only.
    case own(UserID)

    /// Creates the layer for an owner's content at a level: for one family if specified, else for all of the owner's
    /// families.
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

    /// Orders layers by kind, then by id.
    public static func < (a: VisibilityLayer, b: VisibilityLayer) -> Bool { a.order < b.order }
}

/// The user for whom content is read.
public struct Viewer: Hashable, Sendable {
    /// The user, or `nil` for the anonymous viewer.
    public let user: UserID?
    /// The families the user belongs to, with all their members.
    public let families: [FamilyID: Set<UserID>]
    /// The owners who share at least one family with the user, excluding the user.
    public let kin: Set<UserID>
    /// The service acting for the user; `nil` for the user themselves.
    ///
    /// It does not affect visibility.
    public var service: String?

    /// The anonymous viewer, who sees only public stories.
    public static let anonymous = Viewer()

    private init() {
        user = nil
        families = [:]
        kin = []
    }

    /// Creates the viewer for a user, with the members of each of their families.
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

    /// Returns whether the viewer sees the stories in a layer.
    public func sees(_ layer: VisibilityLayer) -> Bool {
        switch layer {
        case .public: true
        case .kin(let owner): owner == user || kin.contains(owner)
        case .group(let family): families[family] != nil
        case .own(let owner): owner == user
        }
    }
}

/// One appearance of a story on the map: in a layer, at a point, added or removed.
///
/// A viewer's map is the sum of the placements in their layers; a weight of `-1` cancels a less precise placement in a
/// layer with a larger audience.
public struct MapPlacement: Hashable, Sendable {
    /// The layer.
    public let layer: VisibilityLayer
    /// The point.
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
    /// The owner must belong to the family: the store makes a story private when its owner leaves that family, so that
    /// an owner always sees the layer of their own stories.
    public var layer: VisibilityLayer { VisibilityLayer(of: owner, privacy: effectivePrivacy, family: family) }

    /// Returns whether the viewer may know that the story exists.
    public func isVisible(to viewer: Viewer) -> Bool {
        owner == viewer.user || viewer.sees(layer)
    }

    /// Returns whether the viewer counts as family for this story: a member of its family, or kin of the owner.
    func isFamily(_ viewer: Viewer) -> Bool {
        guard let family else { return viewer.kin.contains(owner) }
        return viewer.families[family] != nil
    }

    /// Returns the precision of the location for the viewer, ``LocationPrecision/hidden`` if there is none (LOC-08).
    ///
    /// This is the only function that decides the precision: exact for the owner, as precise as the operator's
    /// sensitive areas allow for trusted family, as published for everyone else. It does not check whether the story
    /// itself is visible.
    public func precision(for viewer: Viewer) -> LocationPrecision {
        guard let location else { return .hidden }
        if viewer.user == owner { return .exact }
        return location.familySeesExact && isFamily(viewer) ? location.floor : location.published
    }

    /// The layers whose viewers see both the story and its exact point, in accordance with ``precision(for:)``.
    public var exactLayers: [VisibilityLayer] { location.map(exactLayers) ?? [] }

    /// Returns the layers whose viewers see both the story and the exact point of its location or of a further place.
    func exactLayers(of location: StoryLocation) -> [VisibilityLayer] {
        if location.published == .exact { return [layer] }
        guard location.familySeesExact, location.floor == .exact, effectivePrivacy != .private else {
            return [.own(owner)]
        }
        return [.own(owner), trustedLayer]
    }

    /// Returns the point shown to the viewer, or `nil` if they see the story without a location.
    ///
    /// All output for a viewer is computed from this point.
    public func point(for viewer: Viewer) -> Coordinate? {
        location?.point(shown: precision(for: viewer))
    }

    /// The point for viewers who are neither owner nor trusted family; fences use it for everyone except the owner.
    public var publishedPoint: Coordinate? {
        location.flatMap { $0.point(shown: $0.published) }
    }

    /// Returns the location as visible to the viewer, with the exact names only if the viewer sees the exact point.
    ///
    /// Other viewers see an approximate location without names, and a hidden one not at all.
    public func location(for viewer: Viewer) -> StoryLocation? {
        if viewer.user == owner { return location }
        var shown = location?.shown(precision(for: viewer))
        // Only the family and the owner may learn whether family members see more.
        if !isFamily(viewer) { shown?.familySeesExact = false }
        return shown
    }

    /// The placements of the story on the maps of its layers; their sum over a viewer's layers is ``point(for:)``.
    public var mapPlacements: [MapPlacement] {
        guard let location else { return [] }
        return placements(of: location, published: publishedPoint, trusted: location.point(shown: location.floor))
    }

    /// Returns the placements of the location, or of a further place, with the point for everybody and the one for family
    /// that is trusted with the place.
    func placements(of location: StoryLocation, published: Coordinate?, trusted: Coordinate?) -> [MapPlacement] {
        var placements: [MapPlacement] = []
        func move(_ old: Coordinate?, to new: Coordinate?, in layer: VisibilityLayer) {
            guard old != new else { return }
            if let new { placements.append(MapPlacement(layer: layer, coordinate: new, weight: 1)) }
            if let old { placements.append(MapPlacement(layer: layer, coordinate: old, weight: -1)) }
        }
        // Each audience is part of the one before it: all viewers of the story, trusted family, the owner.
        move(nil, to: published, in: layer)
        var known = published
        if location.familySeesExact, effectivePrivacy != .private {
            known = trusted
            // The owner sees this layer too: the owner belongs to the story's family, and sees the layer of their own
            // kin.
            move(published, to: known, in: trustedLayer)
        }
        move(known, to: location.coordinate, in: .own(owner))
        return placements
    }
}
