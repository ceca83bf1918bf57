import Notifications
import Storage
import Stories
import Synchronization

/// An entry that a worker has taken, with what is to be sent.
struct DeliveryClaim: Sendable {
    /// What goes out.
    enum Content: Sendable {
        /// A message to the user.
        case message(ChannelMessage)
        /// A question whether the endpoint's owner wants messages.
        case challenge(String)
    }

    let entry: OutboxEntry
    let channel: ChannelRow
    let target: ChannelTarget
    let content: Content
    let token: String
    /// The attempt's number in the register.
    let attempt: Int

    /// Whether what goes out tells how much its user has not read: not what says nothing of their feed.
    var countsUnread: Bool {
        channel.state == .active && entry.type != .verification && entry.type != .test
    }
}

extension StoryLibrary {
    /// Takes entries that are due, each checked against what holds at this moment, and notes the attempts as begun.
    ///
    /// Everything is decided within one write transaction: what was withdrawn before is seen, and whoever withdraws
    /// something later finds the attempt in the register.
    func claimDeliveries(working: Int, failing: Int) async throws -> [DeliveryClaim] {
        let now = now()
        let due = try await store.read { try $0.dueChannels(at: now, working: working, failing: failing) }
        guard !due.isEmpty else { return [] }
        // Each channel gets one before any gets a second.
        let most = max(1, (working + failing) / due.count)
        var (claims, next): ([DeliveryClaim], Int) = ([], 0)
        while next < due.count {
            let rest = due[next...]
            let begun = Mutex<[Int]>([])
            do {
                let taken = try await store.write { [self] transaction in
                    let still = Set(try transaction.dueChannels(at: now, working: working, failing: failing))
                    var (taken, looked): ([DeliveryClaim], Int) = ([], 0)
                    // A few at a time, so that a fix is not kept waiting while a thousand messages are worded.
                    for id in rest.prefix(StoryLibrary.claimsAtOnce) where taken.count < StoryLibrary.claimsAtOnce {
                        looked += 1
                        guard still.contains(id) else { continue }
                        taken += try claim(id, most: most, at: now, in: transaction) { attempt in
                            begun.withLock { $0.append(attempt) }
                        }
                    }
                    return (claims: taken, looked: looked)
                }
                claims += taken.claims
                next += taken.looked
            } catch {
                // Nothing of this part was taken; what was before it is.
                for attempt in begun.withLock({ $0 }) { desk.register.end(attempt) }
                if claims.isEmpty { throw error }
                break
            }
        }
        return claims
    }

    /// How many entries are put into words within one transaction, give or take the window of a channel.
    private static let claimsAtOnce = 16

    /// The next entries of a channel that are still to be sent, as many as its window has room for, but no more than
    /// `most`; what is not any more is ended on the way.
    ///
    /// `begins` is called with every attempt that the register has by then.
    private func claim(
        _ id: String,
        most: Int,
        at now: Timestamp,
        in transaction: StoreTransaction,
        begins: (Int) -> Void
    ) throws -> [DeliveryClaim] {
        guard let channel = try transaction.channel(id) else { return [] }
        let before = try transaction.entriesUnderWay(of: id, at: now)
        let extra = desk.room(at: clock.lasting).extra + (before == 0 ? 1 : 0)
        var window = min(desk.paces.size(of: id), before + extra)
        if window > 1 {
            let isOpen =
                try channel.state == .active && channel.failures == 0
                && transaction.isWaiting(for: id, moreThan: DeliveryWindow.ordered)
            if !isOpen { window = 1 }
        }
        let end = min(window, before + most)
        var claims: [DeliveryClaim] = []
        looking: for _ in 0..<200 {
            let underWay = before + claims.count
            // The last that wait go in their order, so none of them is taken beside others.
            if underWay > 0, try !transaction.isWaiting(for: id, moreThan: DeliveryWindow.ordered) {
                window = 1
                break
            }
            guard underWay < end, let entry = try transaction.nextEntry(of: id, at: now) else { break }
            switch try decide(entry, for: channel, isAlone: underWay == 0, at: now, in: transaction) {
            case .end(let state, let reason):
                try transaction.end(entry.number, as: state, reason: reason, at: now)
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
                let claim = try take(
                    entry,
                    of: channel,
                    isExtra: underWay > 0,
                    telling: (content, target, stories),
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

    /// Lends an entry to an attempt, which the register has from here on.
    private func take(
        _ entry: OutboxEntry,
        of channel: ChannelRow,
        isExtra: Bool,
        telling told: (content: DeliveryClaim.Content, target: ChannelTarget, stories: Set<StoryID>),
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> DeliveryClaim {
        let token = random.bytes(16).hexDigits
        try transaction.lease(entry, token: token, until: now.advanced(byMilliseconds: desk.limits.lease))
        let attempt = desk.register.begin(
            .init(
                user: entry.user,
                channel: channel.id,
                stories: told.stories,
                isLocation: entry.epoch != nil,
                isFailing: channel.failures > 0,
                isExtra: isExtra
            ),
            at: clock.lasting
        )
        return DeliveryClaim(
            entry: entry,
            channel: channel,
            target: told.target,
            content: told.content,
            token: token,
            attempt: attempt
        )
    }

    /// What is to become of an entry now.
    private enum Decision {
        case send(DeliveryClaim.Content, ChannelTarget, stories: Set<StoryID>)
        case end(OutboxEntry.State, reason: String)
        case wait(Timestamp)
        /// Its host has taken nothing yet, and was tried often enough.
        case hold(Timestamp)
        case combine([OutboxEntry])
        /// What is under way decides whether, and in which words, it goes.
        case follow
    }

    /// `isAlone` says that nothing of its channel is under way.
    private func decide(
        _ entry: OutboxEntry,
        for channel: ChannelRow,
        isAlone: Bool,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> Decision {
        if channel.state == .single {
            guard let mail = try invitationMail(entry, channel, at: now, in: transaction) else {
                return .end(.cancelled, reason: "nothing_to_tell")
            }
            return .send(.message(mail.message), mail.target, stories: [])
        }
        guard let target = openTarget(of: channel) else { return .end(.dead, reason: LostSeal.reason) }
        if channel.deliveredAt == nil, let host = target.unaskedHost, let until = desk.hosts.wait(for: host, at: now) {
            return .hold(until)
        }
        if entry.type == .verification {
            let challenge = challenge(of: channel)
            if channel.kind == .email { return .send(.message(confirmation(entry, challenge)), target, stories: []) }
            return .send(.challenge(challenge), target, stories: [])
        }
        let (settings, viewer) = (
            try transaction.notificationSettings(of: entry.user), try transaction.viewer(entry.user)
        )
        var waiting: [OutboxEntry] = []
        let decision = try DeliveryRules.decide(
            DeliveryQuestion(entry, for: channel, isAlone: isAlone, isUserKnown: viewer != nil),
            settings: settings,
            at: now,
            zone: ZoneClock(of: settings).offset,
            waiting: {
                waiting = try transaction.deferredEntries(of: channel.id, at: now)
                return waiting.count
            },
            sent: { try sent(to: channel, at: now, in: transaction) }
        )
        switch decision {
        case .cancel(let reason): return .end(.cancelled, reason: reason.rawValue)
        case .giveUp(let reason): return .end(.dead, reason: reason.rawValue)
        case .wait(let end): return .wait(end)
        case .combine: return .combine(waiting)
        case .follow: return .follow
        case .sample:
            return .send(.message(sample(entry, through: channel.kind, settings: settings)), target, stories: [])
        case .tell: break
        }
        guard let viewer else { return .end(.cancelled, reason: DeliveryDecision.Reason.noUser.rawValue) }
        guard
            var told = try message(
                of: entry,
                through: channel.kind,
                viewer: viewer,
                settings: settings,
                in: transaction
            )
        else { return .end(.cancelled, reason: "nothing_to_tell") }
        let saysMore = try addLeftOut(
            to: &told,
            of: entry,
            channel,
            viewer: viewer,
            settings: settings,
            in: transaction
        )
        // It is said once, by the one before if that arrives.
        if saysMore, !isAlone { return .follow }
        return .send(.message(told.message), target, stories: told.stories)
    }

    /// What was sent to a channel lately.
    private func sent(
        to channel: ChannelRow,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> DeliveryRules.Sent {
        DeliveryRules.Sent(
            lastHour: try transaction.sent(to: channel.id, since: now.advanced(byMilliseconds: -3_600_000)),
            lastDay: try transaction.sent(to: channel.id, since: now.advanced(byMilliseconds: -86_400_000)),
            secondsSinceLast: try transaction.lastSent(to: channel.id)
                .map { Double(now.milliseconds - $0.milliseconds) / 1_000 }
        )
    }

    /// Makes one entry of those that waited for the quiet to end.
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

extension DeliveryQuestion {
    /// Creates the question of an entry that comes up.
    fileprivate init(_ entry: OutboxEntry, for channel: ChannelRow, isAlone: Bool, isUserKnown: Bool) {
        let extent: Extent =
            switch entry.scope {
            case nil: .one
            case .notices?: .several
            case .time?: .period
            }
        self.init(type: entry.type, extent: extent, kind: channel.kind)
        epoch = entry.epoch
        expiresAt = entry.expiresAt
        attempts = entry.attempts
        isDeferred = entry.isDeferred
        isActive = channel.state == .active
        isEnabled = channel.isEnabled
        self.isAlone = isAlone
        self.isUserKnown = isUserKnown
    }
}
