import Formats
package import Geofencing
import Geometry
import Notifications
package import Storage
package import Stories
import StoryMap

extension FenceService {
    /// The number of stories at a place, split by the reason why some are not announced; each story is counted once.
    package struct PlaceTold: Sendable {
        package var stories = 0
        /// The number of stories already announced: those in the ledger.
        package var told = 0
        /// The number of the user's own stories not announced yet; 0 if the user is also notified of their own stories.
        package var own = 0
        /// The number of the remaining stories that the user has viewed; 0 if the user is also notified of viewed
        /// stories.
        package var viewed = 0

        /// The counts as text.
        package var text: String {
            "\(told) of \(stories) already announced" + (own > 0 ? ", \(own) your own" : "")
                + (viewed > 0 ? ", \(viewed) viewed" : "")
        }
    }

    /// Returns a kept fix of a user with the story counts of each place near it; `nil` if there is no such fix.
    ///
    /// Places are looked up in their current state: stories the user may no longer see are not counted.
    package func explanation(
        of id: StoryID,
        user: UserID
    ) async throws -> (fix: KeptFix, told: [String: PlaceTold])? {
        let keptSince = try await store.read { try $0.notificationSettings(of: user) }.keptSince(now())
        return try await store.read { [self] transaction in
            guard let fix = try transaction.keptFix(id, of: user), fix.received >= keptSince,
                let viewer = try transaction.viewer(user)
            else { return nil }
            let settings = try transaction.notificationSettings(of: user)
            let rules = rules(viewer: viewer, settings: settings, hidden: try transaction.hiddenStories(of: user))
            let source = StoredSource(transaction: transaction, user: user, secret: store.keys[.ledger])
            let box = BoundingBox(fix.coordinate).expanded(byMetres: NotificationSettings.radii.upperBound + 2_000)
            var told: [String: PlaceTold] = [:]
            for (place, found) in rules.places(in: box) {
                let (stories, further) = (found.stories, Set(found.further))
                let epochs = try source.locationEpochs(stories)
                let known = try source.stories(stories)
                let viewed = settings.notifiesViewed ? [] : try source.viewed(among: stories)
                var counts = PlaceTold(stories: stories.count)
                for story in stories {
                    let epoch = epochs[story] ?? 0
                    if try source.isTold(story, locationEpoch: epoch, isFurther: further.contains(story)) {
                        counts.told += 1
                    } else if !settings.notifiesOwn, known[story]?.owner == user {
                        counts.own += 1
                    } else if viewed.contains(story) {
                        counts.viewed += 1
                    }
                }
                told[place.description] = counts
            }
            return (fix, told)
        }
    }

    /// Deletes the kept fixes whose retention period has ended.
    package func dropOldFixes() async throws {
        let now = context.certainTime
        let due = try await store.read { transaction in
            try transaction.keepersOfFixes()
                .compactMap { user in
                    let limit = try transaction.notificationSettings(of: user).keptSince(now)
                    return try transaction.hasKeptFixes(of: user, receivedBefore: limit) ? (user, limit) : nil
                }
        }
        guard !due.isEmpty else { return }
        // What people were promised goes when its time is up, also if little space is left.
        try await store.write(isUrgent: true) { transaction in
            for (user, limit) in due { try transaction.dropKeptFixes(of: user, receivedBefore: limit) }
        }
    }
}

extension NotificationSettings {
    /// Returns the earliest receipt time of fixes that may still be kept.
    package func keptSince(_ now: Timestamp) -> Timestamp {
        // With `keptDays` 0, the limit is one millisecond later, which excludes even fixes received at `now`.
        Timestamp(milliseconds: now.milliseconds - Int64(keptDays) * 86_400_000 + (keptDays == 0 ? 1 : 0))
    }
}

extension KeptFix {
    /// Returns the decided fixes among the effects; accepted ones include their explanations.
    package static func all(_ effects: [FenceEffect], user: UserID, device: String, secret: [UInt8]) -> [KeptFix] {
        var explanations: [Int64: [FenceExplanation]] = [:]
        for case .explained(let explanation) in effects {
            explanations[explanation.time, default: []].append(explanation)
        }
        return effects.compactMap { effect in
            guard case .outcome(let fix, let outcome) = effect, let name = name(outcome) else { return nil }
            let message =
                "fix|\(user.rawValue)|\(device)|\(fix.time)|\(fix.coordinate.latitude)|\(fix.coordinate.longitude)"
            return KeptFix(
                id: KeyedID.make(secret: secret, message: Array(message.utf8)),
                device: device,
                time: Timestamp(milliseconds: fix.time),
                received: Timestamp(milliseconds: fix.received),
                coordinate: fix.coordinate,
                accuracy: fix.accuracy,
                speed: fix.speed,
                course: fix.course,
                outcome: name,
                explanation: stored(outcome == .accepted ? explanations[fix.time] ?? [] : [])
            )
        }
    }

    /// Returns the stored text of explanations: a JSON array with an object for each.
    private static func stored(_ explanations: [FenceExplanation]) -> String {
        var json = JSONWriter()
        json.beginArray()
        for explanation in explanations {
            json.beginObject()
            json.member("place", explanation.place.description)
            json.member("d", explanation.distance)
            json.member("r", explanation.radius)
            json.member("acc", explanation.accuracy)
            json.member("p", explanation.probability)
            json.member("likely_d", explanation.likelyDistance)
            json.member("likely_acc", explanation.likelyAccuracy)
            json.member("state", "\(explanation.before.rawValue)->\(explanation.after.rawValue)")
            json.member("why", explanation.why)
            json.endObject()
        }
        json.endArray()
        return json.text
    }

    /// Returns the stored name of an outcome; `nil` for fixes that are undecided, kept already or too old to be kept.
    private static func name(_ outcome: FixOutcome) -> String? {
        switch outcome {
        case .accepted: "accepted"
        case .held, .duplicate, .rejected(.old): nil
        case .late: "late"
        case .suspect: "suspect"
        case .rejected(let reason): "rejected: " + reason.rawValue
        }
    }
}
