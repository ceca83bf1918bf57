import Notifications
import Storage
import Stories

extension DeliveryService {
    /// Makes one attempt and stores its outcome, or keeps it in ``DeliveryState/unstored`` until it can be stored.
    package func deliver(_ claim: DeliveryClaim) async {
        let (begun, trace) = (now(), AttemptTrace(of: claim, through: egress))
        let result = await attempt(claim, in: trace)
        defer { state.register.end(claim.attempt) }
        trace.end(as: word(result), status: result.status, hasFailed: outcome(result).map { $0 != .delivered } ?? false)
        let storing: UnstoredOutcomes.Storing = { [self] transaction in
            try note(result, of: claim, begun: begun, in: transaction)
        }
        do { try await store.write(storing) } catch { state.unstored.keep(claim.attempt, storing) }
    }

    /// The result of an attempt.
    private enum Result: Sendable {
        /// The endpoint answered.
        case answered(ChannelAnswer, DeliveryOutcome)
        /// There was no answer.
        case failed(DeliveryOutcome)
        /// Its content was withdrawn, or the service is shutting down.
        case calledOff
        /// It never began: too many attempts were under way.
        case delayed

        /// The status of the answer, if there was one.
        var status: Int? { if case .answered(let answer, _) = self { answer.status } else { nil } }
    }

    /// The time that a delayed entry waits, in milliseconds.
    private static let delay: Int64 = 2_000

    private func attempt(_ claim: DeliveryClaim, in trace: AttemptTrace) async -> Result {
        guard let sender = egress.sender, !state.register.isCalledOff(claim.attempt) else { return .calledOff }
        let (writer, now) = (egress.writer, now())
        var generator = random
        // Whether the message may be under way; then it must not be sent again to a receiver that cannot drop a repeat.
        var isSent = false
        let sendsOnce = egress.sendsOnce(claim.channel.kind)
        do {
            if claim.channel.kind == .fcm, let request = try writer.tokenRequest(at: now) {
                guard writer.keepToken(from: try await sender.send(request), at: self.now()) else {
                    return .failed(.retry(.credentials))
                }
            }
            let message: OutgoingMessage
            switch claim.content {
            case .message(var content):
                // Counted outside the transaction that leased the entry: counting a long feed would hold up all writes.
                if claim.countsUnread { content.badge = try await unreadCount(of: claim.entry.user) }
                // Drawn outside the transaction as well, of what the reader may see by now; if a story is withdrawn
                // meanwhile, the attempt is called off.
                content.picture = await picture(of: content, for: claim.entry.user)
                message = try writer.write(
                    content,
                    to: claim.target,
                    subscribedAt: claim.channel.createdAt,
                    at: now,
                    using: &generator
                )
            case .challenge(let text):
                message = try writer.challenge(text, id: claim.entry.message, to: claim.target, at: now)
            case .withdrawal(let id):
                message = try writer.withdrawal(of: id, from: claim.target)
            }
            // It may have been called off while the message was written.
            guard !state.register.isCalledOff(claim.attempt) else { return .calledOff }
            isSent = true
            let answer = try await sender.send(trace.carried(by: message))
            let isUncertain = sendsOnce && DeliveryOutcome.mayHaveDelivered(answer, claim.channel.kind)
            if state.register.isCalledOff(claim.attempt), !isUncertain, !(200..<300).contains(answer.status) {
                return .calledOff
            }
            return .answered(answer, outcome(of: answer, claim).avoidingRepeat(mayHaveArrived: isUncertain))
        } catch let error as SendingError {
            let isUncertain = sendsOnce && isSent && error.mayHaveArrived
            if state.register.isCalledOff(claim.attempt), !isUncertain { return .calledOff }
            return .failed(DeliveryOutcome(failure: error.problem).avoidingRepeat(mayHaveArrived: isUncertain))
        } catch is CancellationError {
            return sendsOnce && isSent ? .failed(.uncertain(.unreachable)) : .calledOff
        } catch is SendingDelay {
            return state.register.isCalledOff(claim.attempt) ? .calledOff : .delayed
        } catch ChannelError.noCredentials {
            return .failed(.retry(.credentials))
        } catch {
            return .failed(.rejected(.badMessage))
        }
    }

    /// Returns the unread count of a user's feed; `nil` if it cannot be read now.
    private func unreadCount(of user: UserID) async throws -> Int? {
        do {
            return try await feed.keptBadge(of: user).unread
        } catch let error as CancellationError {
            throw error
        } catch {
            return nil
        }
    }

    /// Returns the small map of a message; `nil` if it has none, or none can be drawn: the text is complete without.
    private func picture(of message: ChannelMessage, for user: UserID) async -> InlinePicture? {
        guard !message.mapped.isEmpty, let draw = egress.map else { return nil }
        return try? await draw(message.mapped, user)
    }

    /// Interprets an answer; the answer to a verification request has to contain the challenge.
    private func outcome(of answer: ChannelAnswer, _ claim: DeliveryClaim) -> DeliveryOutcome {
        // A server that cannot take messages back is not gone.
        if case .withdrawal = claim.content, [404, 405, 410].contains(answer.status) { return .rejected(.notFound) }
        let outcome = DeliveryOutcome(
            reading: answer,
            of: claim.channel.kind,
            at: now(),
            registeredAt: claim.channel.createdAt
        )
        if outcome.problem == .credentials { egress.writer.forgetTokens(of: claim.channel.kind) }
        guard case .challenge(let text) = claim.content, outcome == .delivered else { return outcome }
        return ChannelWriter.isAnswered(text, by: answer) ? .delivered : .rejected(.badAnswer)
    }

    /// Stores the result of an attempt, and updates the entry, the channel and its pace.
    private func note(
        _ result: Result,
        of claim: DeliveryClaim,
        begun: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        let now = now()
        // If this worker took longer than its lease, another one has the entry, and that one's outcome counts.
        guard var channel = try transaction.channel(claim.channel.id) else { return }
        guard try transaction.holds(claim.entry.number, token: claim.token) else {
            // The entry may also have been erased meanwhile; then there is room for another.
            return try transaction.release(channel.id, most: state.paces.size(of: channel.id))
        }
        try transaction.giveBack(claim.entry.number)
        defer { if case .calledOff = result {} else { state.count(word(result), of: channel.kind) } }
        guard let outcome = outcome(result) else {
            // Nothing was sent, so this does not count as an attempt and shows nothing about the endpoint.
            var (until, reason) = (now, "called_off")
            if case .delayed = result {
                (until, reason) = (now.advanced(byMilliseconds: DeliveryService.delay), "busy")
            }
            try transaction.putOff(claim.entry.number, until: until, reason: reason, returns: true)
            if case .delayed = result { state.paces.note(nil, of: channel.id, channel.kind, begun: begun, at: now) }
            return try transaction.release(channel.id, most: state.paces.size(of: channel.id))
        }
        let status = result.status
        try transaction.noteAttempt(
            claim.entry,
            outcome: outcome.problem?.rawValue ?? outcome.word,
            status: status,
            at: begun,
            tookMs: now.milliseconds - begun.milliseconds
        )
        try settle(outcome, of: claim, begun: begun, status: status, channel: &channel, at: now, in: transaction)
        try transaction.save(channel)
        state.paces.note(outcome, of: channel.id, channel.kind, begun: begun, at: now)
        try transaction.release(channel.id, most: state.paces.size(of: channel.id))
    }

    /// Returns the outcome of a result; `nil` if nothing was sent.
    private func outcome(_ result: Result) -> DeliveryOutcome? {
        switch result {
        case .answered(_, let outcome), .failed(let outcome): outcome
        case .calledOff, .delayed: nil
        }
    }

    /// Returns the name of a result in the metrics and in traces.
    private func word(_ result: Result) -> String {
        if case .delayed = result { return "busy" }
        return outcome(result)?.word ?? "called_off"
    }

    /// Applies an outcome to the entry and its channel.
    private func settle(
        _ outcome: DeliveryOutcome,
        of claim: DeliveryClaim,
        begun: Timestamp,
        status: Int?,
        channel: inout ChannelRow,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        let (number, reason) = (claim.entry.number, outcome.problem?.rawValue)
        let attempt = DeliveryAttempt(
            kind: channel.kind,
            createdAt: claim.entry.createdAt,
            expiresAt: claim.entry.expiresAt,
            number: claim.entry.attempts + 1,
            begun: begun
        )
        var generator = random
        let settlement = DeliveryRules.settle(
            outcome,
            of: attempt,
            at: channel.health,
            retries: state.retries,
            now: now,
            using: &generator
        )
        channel.health = settlement.health
        switch settlement.entry {
        case .done: try transaction.end(number, as: .done, reason: nil, status: status, at: now)
        case .dead:
            var reason = reason
            if case .uncertain = outcome { reason = DeliveryOutcome.uncertainReason }
            try transaction.end(number, as: .dead, reason: reason, status: status, at: now)
        case .again(let time): try transaction.putOff(number, until: time, reason: reason, status: status)
        }
        switch outcome {
        case .delivered:
            channel.deliveredAt = now
            state.count(delivered: now.milliseconds - claim.entry.createdAt.milliseconds, of: channel.kind)
            if let host = claim.target.unverifiedHost { state.hosts.trust(host) }
            if claim.entry.type == .verification, channel.kind != .email { channel.prove() }
        case .rejected:
            // Shows the channel's user why it is not verified.
            if channel.state == .unproven { channel.reason = reason }
        case .endpointGone, .throttled, .retry, .uncertain: break
        }
        if let end = settlement.end {
            try channels.switchOff(&channel, reason: end.rawValue, at: now, in: transaction)
        }
    }
}

extension ChannelRow {
    /// The health of the endpoint, according to its answers so far.
    fileprivate var health: EndpointHealth {
        get { EndpointHealth(failures: failures, failingSince: failingSince, pausedUntil: pausedUntil) }
        set { (failures, failingSince, pausedUntil) = (newValue.failures, newValue.failingSince, newValue.pausedUntil) }
    }
}
