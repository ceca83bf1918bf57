package import Geometry
import Notifications
package import Storage
package import Stories

/// Manages named places: names that users give to areas.
package struct PlaceService: StoreService {
    package let context: StoreContext
    package let feed: FeedService

    /// Creates a value from its parts.
    package init(context: StoreContext, feed: FeedService) {
        self.context = context
        self.feed = feed
    }

    /// Returns at most `limit` named places that a viewer may see, newest first, starting after a position; with a box,
    /// only places whose centre lies in it.
    package func namedPlaces(
        visibleTo viewer: Viewer,
        in box: BoundingBox? = nil,
        after position: (createdAt: Timestamp, id: String)? = nil,
        limit: Int
    ) async throws -> [NamedPlace] {
        try await store.read { try $0.namedPlaces(visibleTo: viewer, in: box, after: position, limit: limit) }
    }

    /// Creates a named place of `owner` with a new id; private and of the default radius unless the input differs.
    ///
    /// `mayBePublic` states whether the caller may create a public place, whose name everyone is shown.
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
        // A missing name must be rejected like an empty one.
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

    /// Changes a named place, for its owner or a service, and rewords the notifications that contain its name.
    ///
    /// - Throws: ``Refusal``: not found, also if the caller may not see it; forbidden if it belongs to another user;
    ///   precondition failed. ``NamedPlaceRefusal``. Nothing is changed then.
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
            // The owner may not rename or move a public place either, only narrow its audience or remove it.
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

    /// Removes a named place, for its owner or a service; throws the errors of ``change(_:by:precondition:_:)``.
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

    /// Removes a named place, and its name from notifications; returns `false` if it does not exist.
    package func removeNamedPlace(_ id: NamedPlaceID) async throws -> Bool {
        try await store.write { [self] transaction in
            guard let place = try transaction.namedPlace(id) else { return false }
            try remove(place, in: transaction)
            return true
        }
    }

    /// Removes a named place, and its name from notifications.
    package func remove(_ place: NamedPlace, in transaction: StoreTransaction) throws {
        try feed.reword(namedBy: place.id, without: place, in: transaction)
        try transaction.removeNamedPlace(place.id)
    }

    /// Applies the sensitive areas to named places after the areas were replaced.
    package func holdNamedPlaces(at now: Timestamp, in transaction: StoreTransaction) throws {
        for var place in try transaction.outdatedNamedPlaces() {
            place.updatedAt = max(now, place.updatedAt)
            try transaction.save(place)
            try feed.reword(namedBy: place.id, in: transaction)
        }
    }

    /// Returns the named place with an id.
    ///
    /// - Throws: ``Refusal``: not found, also if the viewer may not see it.
    package func namedPlace(_ id: NamedPlaceID, visibleTo viewer: Viewer) async throws -> NamedPlace {
        try await store.read { transaction in
            guard let place = try transaction.namedPlace(id, visibleTo: viewer) else { throw Refusal.notFound }
            return place
        }
    }

    /// Returns a named place that the caller may change: their own, or any place for a service.
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
