package import Notifications
package import Storage
package import Stories

extension DeliveryService {
    /// The next step for an entry, with the data that the step needs.
    package enum Decision {
        /// It is sent now.
        case send(DeliveryClaim.Content, ChannelTarget, stories: Set<StoryID>)
        /// It ends without being sent.
        case end(OutboxEntry.State, reason: String)
        /// It waits until quiet hours end.
        case wait(Timestamp)
        /// It waits because its host has not accepted anything yet and the limit on attempts to it is reached.
        case hold(Timestamp)
        /// It is combined with others that waited for quiet hours to end.
        case combine([OutboxEntry])
        /// It waits for the outcome of the attempts under way, which decides whether it is sent, and with which text.
        case follow
    }

    /// Decides about an entry by the current state; `isAlone` means that no attempt of its channel is under way.
    package func decide(
        _ entry: OutboxEntry,
        for channel: ChannelRow,
        isAlone: Bool,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> Decision {
        if channel.state == .single {
            let mail =
                entry.type == .signInMail
                ? try composer.signInMail(entry, channel, at: now, in: transaction)
                : try composer.invitationMail(entry, channel, at: now, in: transaction)
            guard let mail else {
                return .end(.cancelled, reason: "nothing_to_tell")
            }
            return .send(.message(mail.message), mail.target, stories: [])
        }
        guard let target = channels.seal.target(of: channel) else { return .end(.dead, reason: LostSeal.reason) }
        if entry.reason == StoreTransaction.interruptedReason, egress.sendsOnce(channel.kind) {
            return .end(.dead, reason: DeliveryOutcome.uncertainReason)
        }
        if channel.deliveredAt == nil, let host = target.unverifiedHost,
            let until = state.hosts.wait(for: host, at: now)
        {
            return .hold(until)
        }
        if entry.type == .verification {
            // The operator vouched for it meanwhile: its endpoint does not understand challenges.
            if channel.kind == .webhook, channel.state == .active { return .end(.cancelled, reason: "verified") }
            let challenge = channels.seal.challenge(of: channel)
            if channel.kind == .email {
                return .send(.message(composer.confirmation(entry, challenge)), target, stories: [])
            }
            return .send(.challenge(challenge), target, stories: [])
        }
        if entry.type == .withdrawal {
            return try withdrawals.decide(entry, from: target, of: channel, at: now, in: transaction)
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
            let sample = composer.sample(entry, through: channel.kind, settings: settings)
            return .send(.message(sample), target, stories: [])
        case .send: break
        }
        guard let viewer else { return .end(.cancelled, reason: DeliveryDecision.Reason.noUser.rawValue) }
        guard
            var composed = try composer.message(
                of: entry,
                through: channel.kind,
                viewer: viewer,
                settings: settings,
                in: transaction
            )
        else { return .end(.cancelled, reason: "nothing_to_tell") }
        let saysMore = try composer.addLeftOut(
            to: &composed,
            of: entry,
            channel,
            viewer: viewer,
            settings: settings,
            in: transaction
        )
        // The attempt under way reports the omitted notifications too; this message does so only if that attempt fails.
        if saysMore, !isAlone { return .follow }
        return .send(.message(composed.message), target, stories: composed.stories)
    }

    /// Returns how many messages were sent to a channel in the last hour and day, and the seconds since the last one.
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
}

extension DeliveryQuestion {
    /// Creates the question about an entry that is due.
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
