package import Geofencing
package import Geometry
import Notifications
import Storage
package import Stories
import StoryMap

extension FenceService {
    /// The maximum age in milliseconds at which an entry detected by a device is announced, the same as for fixes.
    private static let oldestEntry: Int64 = 600_000

    /// Returns the fences that a device monitors by itself; `nil` if the user has not opted in, or has denied the
    /// device access to its location (NTF-11).
    ///
    /// Places with nothing left to announce are left out.
    package func fencePack(
        around center: Coordinate,
        limit: Int,
        of user: UserID,
        device: String
    ) async throws -> FencePack? {
        try await store.read { [self] transaction in
            let settings = try transaction.notificationSettings(of: user)
            guard settings.enabled, let viewer = try transaction.viewer(user),
                try transaction.permission(of: device, user: user) != .denied
            else { return nil }
            let rules = rules(viewer: viewer, settings: settings, hidden: try transaction.hiddenStories(of: user))
            let source = StoredSource(transaction: transaction, user: user, secret: store.keys[.ledger])
            let fences = try UntoldFences(rules: rules, source: source)
            let pack = FencePack(around: center, limit: limit, in: fences)
            if let failure = fences.failure { throw failure }
            return pack
        }
    }

    /// Processes a device's report that its user entered a fence, using the same ledger as all other announcements.
    ///
    /// The notice is named after the reported place. If nothing is left to announce at that place itself, nothing is
    /// announced: stories at neighbouring places are kept for entries there. An entry is not announced if it is more
    /// than ten minutes old, or if the stay was shorter or the speed higher than the user's settings allow.
    ///
    /// Returns `nil` if the user has no such fence. Returns an empty report without examining the entry if the user has
    /// not opted in, or has denied the device access to its location.
    package func enter(
        _ place: PlaceID,
        of user: UserID,
        device: String,
        at time: Timestamp,
        stayedSeconds: Int,
        speed: Double?
    ) async throws -> FixReport? {
        try await self.time.hear(time)
        let now = now()
        return try await store.write { [self] transaction in
            var report = FixReport()
            let settings = try transaction.notificationSettings(of: user)
            guard settings.enabled, let viewer = try transaction.viewer(user),
                try transaction.permission(of: device, user: user) != .denied
            else { return report }
            report.isMonitoring = true
            var recorder = try NoticeRecorder(self, for: viewer, settings, at: now, in: transaction)
            guard let fence = recorder.rules.fence(at: place) else { return nil }
            guard time.milliseconds >= now.milliseconds - FenceService.oldestEntry,
                stayedSeconds >= settings.minimumDwell,
                speed ?? 0 <= settings.maximumSpeed ?? .infinity
            else { return report }
            let visit = PlaceVisit(
                placeID: place,
                coordinate: fence.coordinate,
                kind: .entered,
                at: min(time, now),
                decidedAt: now,
                confidence: FenceService.deviceConfidence
            )
            for notice in try recorder.rules.notices(for: [[visit]], from: recorder.source) {
                try recorder.write(notice)
            }
            report.notices = recorder.written
            return report
        }
    }

    /// The confidence of an entry detected by the region monitoring of a phone, which waits until the boundary is
    /// clearly crossed and reports no accuracy.
    private static let deviceConfidence = 0.9
}

extension FenceNotifications {
    /// Returns the fence around a place; `nil` if the viewer has none there.
    package func fence(at place: PlaceID) -> Fence? {
        let box = BoundingBox(place.coordinate).expanded(byMetres: 3)
        return fences.fences(in: box, mostOutlines: .max).first { $0.id == place }
    }
}

/// The fences of places with stories that can still be announced to a user.
private final class UntoldFences: FenceSource {
    private let rules: FenceNotifications
    private let source: StoredSource
    private let ledger: Set<LedgerKey>
    /// The first error; a fence source cannot throw.
    private(set) var failure: (any Error)?

    init(rules: FenceNotifications, source: StoredSource) throws {
        self.rules = rules
        self.source = source
        ledger = try source.transaction.ledger(of: source.user)
    }

    var largestRadius: Double { rules.fences.largestRadius }

    func fences(in box: BoundingBox) -> [Fence] {
        guard failure == nil else { return [] }
        let fences = rules.fences.fences(in: box, mostOutlines: .max)
        do {
            let places = rules.places(in: box)
            let own = own(in: box)
            let stories = places.values.flatMap(\.stories)
            let epochs = try source.locationEpochs(stories)
            let viewed = rules.settings.notifiesViewed ? [] : try source.viewed(among: stories)
            return fences.filter { fence in
                guard let place = places[fence.id] else { return false }
                let further = Set(place.further)
                return place.stories.contains { story in
                    let epoch = epochs[story] ?? 0
                    return !own.contains(story) && !viewed.contains(story)
                        && !isTold(story, locationEpoch: epoch, isFurther: further.contains(story))
                }
            }
        } catch {
            failure = error
            return []
        }
    }

    private func isTold(_ story: StoryID, locationEpoch: Int, isFurther: Bool) -> Bool {
        LocationEpoch.silencing(locationEpoch, isFurther: isFurther)
            .contains { ledger.contains(source.key(of: story, locationEpoch: $0)) }
    }

    /// Returns the user's own stories in a box; empty if the user is also notified of their own stories.
    private func own(in box: BoundingBox) -> Set<StoryID> {
        guard !rules.settings.notifiesOwn else { return [] }
        var query = rules.query
        query.filter.kinds = []
        query.filter.owners = [source.user]
        return Set(rules.snapshot.places(in: box, query, asPublished: true).flatMap(\.stories))
    }
}
