import Logging
import Notifications
import ServiceLifecycle
import Storage
import Stories

/// Writes the digests that are due, and forgets what the outbox has kept long enough.
struct DigestRounds: Service {
    let library: StoryLibrary
    let logger: Logger

    func run() async throws {
        var daily = DailyWork([.init("deliveries") { [library] in try await library.forgetDeliveries() }])
        for await _ in AsyncTimerSequence(every: .seconds(60)).cancelOnGracefulShutdown() {
            do {
                _ = try await library.writeDigests()
                _ = try await library.invitations.announceExpired()
            } catch {
                logger.error("digests failed", metadata: ["error": "\(error)"])
            }
            for failure in await daily.run(at: library.now()) {
                logger.error("digests failed", metadata: ["part": "\(failure.part)", "error": "\(failure.error)"])
            }
        }
    }
}

extension StoryLibrary {
    /// For how many days deliveries that ended are listed, and those that were given up.
    static let deliveryDays: (ended: Int64, dead: Int64) = (14, 90)

    /// Writes an entry for everybody whose digest is due and who was told something since the last; returns how many.
    ///
    /// One row is claimed for a user and window in the transaction that writes the entries: however many services look,
    /// and however often, there is one digest. What it says is found when it is sent.
    public func writeDigests() async throws -> Int {
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
        // The window before somebody asked for digests is not told.
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

    /// Forgets deliveries that have been listed long enough.
    package func forgetDeliveries() async throws {
        let now = context.certainTime
        let ended = now.advanced(byMilliseconds: -StoryLibrary.deliveryDays.ended * 86_400_000)
        let dead = now.advanced(byMilliseconds: -StoryLibrary.deliveryDays.dead * 86_400_000)
        try await store.write { try $0.dropOutbox(endedBefore: ended, dead: dead) }
    }
}
