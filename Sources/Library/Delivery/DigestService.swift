import Notifications
import Storage
import Stories

/// Enqueues the digests of users who asked for them.
package struct DigestService: StoreService {
    package let context: StoreContext
    package let feed: FeedService

    /// Enqueues a digest for each user whose digest is due and who was notified since the last; returns their number.
    ///
    /// One row is claimed per user and window, in the transaction that writes the entries: there is one digest, however
    /// many services run and however often this is called. Its content is composed when it is sent.
    package func writeDigests() async throws -> Int {
        let now = now()
        let due = try await store.read { transaction in
            try transaction.digestSettings()
                .compactMap { user, settings in
                    settings.digest.lastWindow(before: now, zone: ZoneClock(of: settings).offset).map { (user, $0) }
                }
                .filter { try !transaction.isDigestClaimed(of: $0.0, window: $0.1.key) }
        }
        var count = 0
        for (user, window) in due {
            count += try await store.write { [self] transaction in
                try writeDigest(of: user, window, at: now, in: transaction)
            }
        }
        return count
    }

    private func writeDigest(
        of user: UserID,
        _ window: DigestSchedule.Window,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> Int {
        guard try transaction.claimDigest(of: user, window: window.key, at: now) else { return 0 }
        // Windows that ended a day or more ago are skipped, such as those before the user asked for digests.
        guard now.milliseconds - window.ends.milliseconds < 86_400_000,
            try !transaction.notices(of: user, from: window.begins, to: window.ends, limit: 1).isEmpty
        else { return 0 }
        let channels = try transaction.channels(of: user).filter { $0.kind == .email && $0.state == .active }
        for channel in channels {
            let name = "waymark digest 1|\(channel.id)|\(window.key)"
            try transaction.enqueue(
                feed.messageID(of: name),
                type: .digest,
                through: channel,
                at: now,
                expiresAt: now.advanced(byMilliseconds: 3 * 86_400_000),
                scope: .time(from: window.begins, to: window.ends)
            )
        }
        return channels.isEmpty ? 0 : 1
    }
}
