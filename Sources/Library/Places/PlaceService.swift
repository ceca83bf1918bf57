package import Geometry
import Notifications
package import Storage
package import Stories

/// Named places: names that people give to areas.
package struct PlaceService: StoreService {
    package let context: StoreContext
    package let feed: FeedService

    /// Creates a value from its parts.
    package init(context: StoreContext, feed: FeedService) {
        self.context = context
        self.feed = feed
    }

    /// The named places that a viewer may know of, newest first: at most so many after a position, with a box those whose
    /// middle lies in it.
    package func namedPlaces(
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
    package func addNamedPlace(
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
    package func change(
        _ id: NamedPlaceID,
        by principal: Principal,
        precondition: Precondition<NamedPlace>?,
        _ input: NamedPlaceInput
    ) async throws -> NamedPlace {
        let now = now()
        return try await store.write { [self] transaction in
            let old = try PlaceService.ownPlace(id, of: principal, precondition: precondition, in: transaction)
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
    package func removeNamedPlace(
        _ id: NamedPlaceID,
        by principal: Principal,
        precondition: Precondition<NamedPlace>?
    ) async throws {
        try await store.write { [self] transaction in
            try remove(
                try PlaceService.ownPlace(id, of: principal, precondition: precondition, in: transaction),
                in: transaction
            )
        }
    }

    /// Removes a named place and its name from what was told; returns whether there was such a one.
    package func removeNamedPlace(_ id: NamedPlaceID) async throws -> Bool {
        try await store.write { [self] transaction in
            guard let place = try transaction.namedPlace(id) else { return false }
            try remove(place, in: transaction)
            return true
        }
    }

    /// Removes a named place and its name from what was told.
    package func remove(_ place: NamedPlace, in transaction: StoreTransaction) throws {
        try feed.reword(namedBy: place.id, without: place, in: transaction)
        try transaction.removeNamedPlace(place.id)
    }

    /// Holds named places to the sensitive areas, after these were replaced.
    package func holdNamedPlaces(at now: Timestamp, in transaction: StoreTransaction) throws {
        for var place in try transaction.outdatedNamedPlaces() {
            place.updatedAt = max(now, place.updatedAt)
            try transaction.save(place)
            try feed.reword(namedBy: place.id, in: transaction)
        }
    }

    /// The named place with an id.
    ///
    /// - Throws: ``Refusal``, not found, also when the viewer may not know of it.
    package func namedPlace(_ id: NamedPlaceID, visibleTo viewer: Viewer) async throws -> NamedPlace {
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
