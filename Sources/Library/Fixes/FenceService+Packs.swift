package import Geofencing
package import Geometry
import Notifications
import Storage
package import Stories
import StoryMap

extension FenceService {
    /// How old an entry that a device saw by itself may be in milliseconds to be told of, as for fixes.
    private static let oldestEntry: Int64 = 600_000

    /// The fences that a device is to watch by itself; `nil` when the user has not opted in, or the device may not know
    /// where it is (NTF-11).
    ///
    /// Places where there is nothing left to be told take no room.
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

    /// Takes in that a device saw its user enter a fence: told through the same ledger as everything else.
    ///
    /// It has the name of the place that was reported; where nothing is left to be told of that place itself, its
    /// neighbours stay for their own entries. `nil` when there is no such fence for the user; without having opted in nothing is looked at.
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
            var recorder = try NoticeRecorder(
                service: self,
                transaction: transaction,
                viewer: viewer,
                settings: settings,
                now: now
            )
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

    /// How sure it is that somebody is where a phone's own region monitoring says: it waits for the boundary to be left
    /// behind clearly, and says nothing of its accuracy.
    private static let deviceConfidence = 0.9
}

extension FenceNotifications {
    /// The fence around a place, when there is one for the viewer.
    package func fence(at place: PlaceID) -> Fence? {
        fences.fences(in: BoundingBox(place.coordinate).expanded(byMetres: 3)).first { $0.id == place }
    }
}

/// The fences of places where somebody can still be told of something.
private final class UntoldFences: FenceSource {
    private let rules: FenceNotifications
    private let source: StoredSource
    private let ledger: Set<LedgerKey>
    /// What went wrong on the way; a fence source cannot throw.
    private(set) var failure: (any Error)?

    init(rules: FenceNotifications, source: StoredSource) throws {
        self.rules = rules
        self.source = source
        ledger = try source.transaction.ledger(of: source.user)
    }

    var largestRadius: Double { rules.fences.largestRadius }

    func fences(in box: BoundingBox) -> [Fence] {
        guard failure == nil else { return [] }
        let fences = rules.fences.fences(in: box)
        do {
            let places = rules.places(in: box)
            let own = own(in: box)
            let stories = places.values.flatMap { $0 }
            let epochs = try source.locationEpochs(stories)
            let viewed = rules.settings.notifiesViewed ? [] : try source.viewed(among: stories)
            return fences.filter { fence in
                (places[fence.id] ?? [])
                    .contains { story in
                        !own.contains(story) && !viewed.contains(story)
                            && !ledger.contains(source.key(of: story, locationEpoch: epochs[story] ?? 0))
                    }
            }
        } catch {
            failure = error
            return []
        }
    }

    /// The user's own stories there, when they are not told of.
    private func own(in box: BoundingBox) -> Set<StoryID> {
        guard !rules.settings.notifiesOwn else { return [] }
        var query = rules.query
        query.filter.kinds = []
        query.filter.owners = [source.user]
        return Set(rules.snapshot.places(in: box, query, asPublished: true).flatMap(\.stories))
    }
}
