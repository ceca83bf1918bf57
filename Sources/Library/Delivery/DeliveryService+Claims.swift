import Notifications
import Storage
import Stories
import Synchronization

extension DeliveryService {
    /// Leases due entries that may be sent according to the current state, and registers their attempts.
    ///
    /// The decision about each entry is made within a write transaction: an earlier withdrawal is seen there, and a
    /// later one finds the attempt in the register. Nothing is claimed while the outcome of an earlier attempt cannot be
    /// stored: what cannot be noted would be sent twice.
    package func claimDeliveries(working: Int, failing: Int) async throws -> [DeliveryClaim] {
        try await state.unstored.store(in: store)
        if egress.sender != nil { try await withdrawals.takeBack() }
        let now = now()
        let due = try await store.read { try $0.dueChannels(at: now, working: working, failing: failing) }
        guard !due.isEmpty else { return [] }
        // Each channel gets one attempt before any gets a second.
        let maximum = max(1, (working + failing) / due.count)
        var (claims, next): ([DeliveryClaim], Int) = ([], 0)
        while next < due.count {
            let rest = due[next...]
            let begun = Mutex<[Int]>([])
            do {
                let taken = try await store.write { [self] transaction in
                    let still = Set(try transaction.dueChannels(at: now, working: working, failing: failing))
                    var (taken, looked): ([DeliveryClaim], Int) = ([], 0)
                    // A few at a time, so that a fix does not wait while a thousand messages are composed.
                    for id in rest.prefix(DeliveryService.claimsAtOnce) where taken.count < DeliveryService.claimsAtOnce
                    {
                        looked += 1
                        guard still.contains(id) else { continue }
                        taken += try claim(id, maximum: maximum, at: now, in: transaction) { attempt in
                            begun.withLock { $0.append(attempt) }
                        }
                    }
                    return (claims: taken, looked: looked)
                }
                claims += taken.claims
                next += taken.looked
            } catch {
                // The transaction of this part was undone; the parts before it were committed.
                for attempt in begun.withLock({ $0 }) { state.register.end(attempt) }
                if claims.isEmpty { throw error }
                break
            }
        }
        return claims
    }

    /// The approximate number of messages composed within one transaction; the window of one channel may exceed it.
    private static let claimsAtOnce = 16

    /// Leases the next entries of a channel, as many as its window has room for, but at most `maximum`; ends those that
    /// must not be sent any more.
    ///
    /// `begins` is called with the number of every registered attempt.
    private func claim(
        _ id: String,
        maximum: Int,
        at now: Timestamp,
        in transaction: StoreTransaction,
        begins: (Int) -> Void
    ) throws -> [DeliveryClaim] {
        guard let channel = try transaction.channel(id) else { return [] }
        let before = try transaction.entriesUnderWay(of: id, at: now)
        let extra = state.room(at: context.clock.lasting).extra + (before == 0 ? 1 : 0)
        var window = min(state.paces.size(of: id), before + extra)
        if window > 1 {
            let isOpen =
                try channel.state == .active && channel.failures == 0
                && transaction.isWaiting(for: id, moreThan: DeliveryWindow.ordered)
            if !isOpen { window = 1 }
        }
        let end = min(window, before + maximum)
        var claims: [DeliveryClaim] = []
        looking: for _ in 0..<200 {
            let underWay = before + claims.count
            // The last waiting entries are sent in their order, so none is leased while another attempt is under way.
            if underWay > 0, try !transaction.isWaiting(for: id, moreThan: DeliveryWindow.ordered) {
                window = 1
                break
            }
            guard underWay < end, let entry = try transaction.nextEntry(of: id, at: now) else { break }
            switch try decide(entry, for: channel, isAlone: underWay == 0, at: now, in: transaction) {
            case .end(let state, let reason):
                try transaction.end(entry.number, as: state, reason: reason, at: now)
                // An earlier attempt may have succeeded although its answer was lost.
                if entry.attempts > 0, channel.kind.takesBack { withdrawals.notes.note(.these([entry.user])) }
            case .wait(let until):
                try transaction.putOff(entry.number, until: until, reason: "quiet_hours", isQuiet: true)
            case .hold(let until):
                try transaction.putOff(entry.number, until: until, reason: "unknown_host")
            case .combine(let entries):
                try combine(entries, for: channel, at: now, in: transaction)
            case .follow:
                window = underWay
                break looking
            case .send(let content, let target, let stories):
                let claim = try lease(
                    entry,
                    of: channel,
                    isExtra: underWay > 0,
                    sending: (content, target, stories),
                    at: now,
                    in: transaction
                )
                begins(claim.attempt)
                claims.append(claim)
            }
        }
        try transaction.release(id, most: window)
        return claims
    }

    /// Leases an entry to an attempt, and registers the attempt.
    private func lease(
        _ entry: OutboxEntry,
        of channel: ChannelRow,
        isExtra: Bool,
        sending message: (content: DeliveryClaim.Content, target: ChannelTarget, stories: Set<StoryID>),
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> DeliveryClaim {
        let token = random.bytes(16).hexDigits
        try transaction.lease(entry, token: token, until: now.advanced(byMilliseconds: state.limits.lease))
        let attempt = state.register.begin(
            .init(
                user: entry.user,
                channel: channel.id,
                stories: message.stories,
                isLocation: entry.epoch != nil,
                isFailing: channel.failures > 0,
                isExtra: isExtra
            ),
            at: context.clock.lasting
        )
        return DeliveryClaim(
            entry: entry,
            channel: channel,
            target: message.target,
            content: message.content,
            token: token,
            attempt: attempt
        )
    }

    /// Combines into one entry those that waited for quiet hours to end.
    private func combine(
        _ entries: [OutboxEntry],
        for channel: ChannelRow,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        let ids = entries.flatMap { entry in
            if case .notices(let ids)? = entry.scope { ids } else { [entry.message] }
        }
        let message = "waymark after quiet hours 1|\(channel.id)|" + ids.joined(separator: ",")
        let id = feed.messageID(of: message)
        for entry in entries { try transaction.end(entry.number, as: .cancelled, reason: "combined", at: now) }
        try transaction.enqueue(id, type: .digest, through: channel, at: now, scope: .notices(ids))
    }
}
