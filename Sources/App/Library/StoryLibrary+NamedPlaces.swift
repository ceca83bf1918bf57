public import Geometry
import Notifications
import Storage
public import Stories

/// What is given of a named place, or of a change of one; `nil` leaves what there is.
public struct NamedPlaceInput: Sendable {
    /// What it is called.
    public var name: String?
    /// The latitude of its middle in degrees.
    public var latitude: Double?
    /// The longitude of its middle in degrees.
    public var longitude: Double?
    /// How far it reaches in metres.
    public var radius: Double?
    /// Who may know of it.
    public var privacy: Privacy?
    /// The one family that may know of it; `.some(nil)` means all the owner's.
    public var family: FamilyID??

    /// Creates an input that leaves everything.
    public init() {}

    /// Applies it to a place of somebody of these families.
    ///
    /// - Throws: ``NamedPlaceRefusal``; `place` is then to be discarded.
    func apply(to place: inout NamedPlace, ownerFamilies: Set<FamilyID>) throws(NamedPlaceRefusal) {
        if let name {
            guard let name = DisplayName(name) else { throw .badName }
            place.name = name.text
        }
        let (latitude, longitude) = (latitude ?? place.coordinate.latitude, longitude ?? place.coordinate.longitude)
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { throw .badPosition }
        place.coordinate = coordinate
        if let radius {
            guard NamedPlace.radii.contains(radius) else { throw .badRadius }
            place.radius = radius
        }
        if let privacy { place.privacy = privacy }
        if let family { place.family = family }
        guard place.family != nil else { return }
        guard place.privacy == .familyOnly else {
            // Another level than before takes the family along, unless both were asked for.
            if let family, family != nil { throw .familyNotAsked }
            place.family = nil
            return
        }
        guard place.family.map(ownerFamilies.contains) ?? true else { throw .notYourFamily }
    }
}

/// Why a named place is not made or changed.
public enum NamedPlaceRefusal: Error, Hashable, Sendable {
    /// The name is no ``DisplayName``.
    case badName
    /// The position is beyond the globe.
    case badPosition
    /// The radius is out of bounds.
    case badRadius
    /// A family is named for a level that is not a family's.
    case familyNotAsked
    /// The owner does not belong to the family.
    case notYourFamily
    /// Its owner is no operator, and everybody would be told its name.
    case notForEverybody
    /// The owner has as many as one can have.
    case tooMany

    /// The field it is about, and what is wrong with that.
    public var problem: (field: String, message: String) {
        switch self {
        case .badName: ("name", DisplayName.rule())
        case .badPosition: ("lat", "must be a latitude, with lon a longitude")
        case .badRadius:
            (
                "radius",
                "must be \(Int(NamedPlace.radii.lowerBound)) to \(Int(NamedPlace.radii.upperBound)) metres"
            )
        case .familyNotAsked: ("family", "is only for the level family_only")
        case .notYourFamily: ("family", "is not a family that its owner belongs to")
        case .notForEverybody:
            (
                "privacy",
                "can be public only for a service's key or on the command line, and a public place is changed there alone:"
                    + " everybody is told its name"
            )
        case .tooMany: ("place", "is one too many: nobody has more than \(StoryLimits.namedPlaceCount) named places")
        }
    }
}

extension NamedPlaceRefusal: RefusalConvertible {
    /// Something the caller may not do, a conflict with what they have, or a wrong field.
    var refusal: Refusal {
        let (field, message) = problem
        return switch self {
        case .notForEverybody: Refusal(.forbidden, "not-for-everybody", "The \(field) \(message).")
        case .tooMany: Refusal(.conflict, "too-many-named-places", "The \(field) \(message).")
        default: .body([FieldProblem(field: field, message: message)])
        }
    }
}

extension StoryLibrary {
    /// The named places that a viewer may know of, newest first: at most so many after a position, with a box those whose
    /// middle lies in it.
    public func namedPlaces(
        visibleTo viewer: Viewer,
        in box: BoundingBox? = nil,
        after position: (createdAt: Timestamp, id: String)? = nil,
        limit: Int
    ) async throws -> [NamedPlace] {
        try await store.read { try $0.namedPlaces(visibleTo: viewer, in: box, after: position, limit: limit) }
    }

    /// Makes a named place of `owner`, with an id of its own; private and of the usual size unless the input says more.
    ///
    /// `mayBePublic` says whether whoever asks may give everybody a name for a place.
    ///
    /// - Throws: ``NamedPlaceRefusal``; nothing is stored then.
    public func addNamedPlace(
        _ input: NamedPlaceInput,
        at coordinate: Coordinate,
        owner: UserID,
        mayBePublic: Bool
    ) async throws -> NamedPlace {
        var generator = random
        let empty = NamedPlace(
            id: NamedPlaceID(using: &generator),
            owner: owner,
            name: "",
            coordinate: coordinate,
            privacy: .private,
            createdAt: now()
        )
        var named = input
        // Without one it would have none.
        named.name = input.name ?? ""
        return try await store.write { [named] transaction in
            var place = empty
            let families = try transaction.viewer(owner)?.families.keys
            try named.apply(to: &place, ownerFamilies: Set(families ?? [:].keys))
            guard mayBePublic || place.privacy != .public else { throw NamedPlaceRefusal.notForEverybody }
            guard try transaction.namedPlaceCount(of: owner) < StoryLimits.namedPlaceCount else {
                throw NamedPlaceRefusal.tooMany
            }
            place.isHeld = try transaction.isHeld(place)
            try transaction.save(place)
            return place
        }
    }

    /// Changes a named place, for its owner or a service; what was told under its name is worded anew.
    ///
    /// - Throws: ``Refusal``: not found, also when the caller may not know of it; forbidden when it belongs to somebody
    ///   else; precondition failed. ``NamedPlaceRefusal``. Nothing is changed then.
    func change(
        _ id: NamedPlaceID,
        by principal: Principal,
        precondition: Precondition<NamedPlace>?,
        _ input: NamedPlaceInput
    ) async throws -> NamedPlace {
        let now = now()
        return try await store.write { [self] transaction in
            let old = try StoryLibrary.ownPlace(id, of: principal, precondition: precondition, in: transaction)
            var place = old
            let families = try transaction.viewer(old.owner)?.families.keys
            try input.apply(to: &place, ownerFamilies: Set(families ?? [:].keys))
            // Nor may it be renamed or moved under everybody's eyes; its owner can narrow or remove it.
            guard principal.isService || place.privacy != .public || place == old else {
                throw NamedPlaceRefusal.notForEverybody
            }
            place.isHeld = try transaction.isHeld(place)
            guard place != old else { return old }
            place.updatedAt = max(now, old.updatedAt)
            try transaction.save(place)
            try feed.reword(namedBy: id, in: transaction)
            return place
        }
    }

    /// Removes a named place, for its owner or a service; the same errors as ``change(_:by:precondition:_:)``.
    func removeNamedPlace(
        _ id: NamedPlaceID,
        by principal: Principal,
        precondition: Precondition<NamedPlace>?
    ) async throws {
        try await store.write { [self] transaction in
            try remove(
                try StoryLibrary.ownPlace(id, of: principal, precondition: precondition, in: transaction),
                in: transaction
            )
        }
    }

    /// Removes a named place and its name from what was told; returns whether there was such a one.
    public func removeNamedPlace(_ id: NamedPlaceID) async throws -> Bool {
        try await store.write { [self] transaction in
            guard let place = try transaction.namedPlace(id) else { return false }
            try remove(place, in: transaction)
            return true
        }
    }

    /// Removes a named place and its name from what was told.
    func remove(_ place: NamedPlace, in transaction: StoreTransaction) throws {
        try feed.reword(namedBy: place.id, without: place, in: transaction)
        try transaction.removeNamedPlace(place.id)
    }

    /// Holds named places to the sensitive areas, after these were replaced.
    func holdNamedPlaces(at now: Timestamp, in transaction: StoreTransaction) throws {
        for var place in try transaction.outdatedNamedPlaces() {
            place.updatedAt = max(now, place.updatedAt)
            try transaction.save(place)
            try feed.reword(namedBy: place.id, in: transaction)
        }
    }

    /// The named place with an id.
    ///
    /// - Throws: ``Refusal``, not found, also when the viewer may not know of it.
    func namedPlace(_ id: NamedPlaceID, visibleTo viewer: Viewer) async throws -> NamedPlace {
        try await store.read { transaction in
            guard let place = try transaction.namedPlace(id, visibleTo: viewer) else { throw Refusal.notFound }
            return place
        }
    }

    /// A named place that the caller may change: their own, or anybody's for a service.
    private static func ownPlace(
        _ id: NamedPlaceID,
        of principal: Principal,
        precondition: Precondition<NamedPlace>?,
        in transaction: StoreTransaction
    ) throws -> NamedPlace {
        let viewer = try principal.viewer.user.flatMap { try transaction.viewer($0) } ?? .anonymous
        let seen = try transaction.namedPlace(id, visibleTo: viewer)
        guard let place = try seen ?? (principal.isService ? transaction.namedPlace(id) : nil) else {
            throw Refusal.notFound
        }
        guard place.owner == principal.viewer.user || principal.isService else { throw Refusal.forbidden }
        try precondition?.check(place, called: "place")
        return place
    }
}
