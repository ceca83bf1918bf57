import Notifications
package import Storage
package import Stories

// No notification is sent to a webhook or an e-mail address before its owner has confirmed it (DLV-03).
extension ChannelService {
    /// Enqueues the verification request of a channel.
    ///
    /// - Throws: ``Refusal`` (429) if its user is over the ``VerificationLimit``.
    func requestVerification(of channel: ChannelRow, at now: Timestamp, in transaction: StoreTransaction) throws {
        guard verifications.allows(channel.user, at: now) else { throw Refusal.tooManyRequests(seconds: 3_600) }
        let message = "waymark verification 1|\(channel.id)|\(now.milliseconds)"
        let id = feed.messageID(of: message)
        let expiresAt = now.advanced(byMilliseconds: 86_400_000)
        try transaction.enqueue(id, type: .verification, through: channel, at: now, expiresAt: expiresAt)
    }

    /// Checks the code that was sent by e-mail or, without a code, sends another verification request.
    ///
    /// A code becomes invalid after ``maximumWrongCodes`` wrong ones; the next e-mail then contains a new code. Without
    /// a code, a disabled channel is switched on, or verified first if its kind requires that.
    ///
    /// - Throws: ``Refusal`` if the code is wrong or invalid, the user has no such channel or is over the
    ///   ``VerificationLimit``, or the target of the channel cannot be read.
    package func verify(_ id: String, of user: UserID, code: String?) async throws -> ChannelRow {
        let now = now()
        let (channel, refusal) = try await store.write { [self] transaction -> (ChannelRow, Refusal?) in
            var channel = try ChannelService.channel(id, of: user, in: transaction)
            guard channel.state != .active else { return (channel, nil) }
            guard seal.target(of: channel) != nil else { throw Refusal.sealLost }
            guard channel.reason != EndedSubscription.reason else { throw Refusal.endedSubscription }
            if let code {
                let refusal = try accept(code, of: &channel, in: transaction)
                return (channel, refusal)
            }
            if channel.state == .disabled {
                channel.state = channel.kind == .webhook || channel.kind == .email ? .unproven : .active
                channel.reason = nil
                channel.failures = 0
                channel.failingSince = nil
                channel.pausedUntil = nil
                try transaction.save(channel)
            }
            if channel.wrongCodes >= ChannelService.maximumWrongCodes {
                channel.wrongCodes = 0
                channel.codeNumber += 1
                try transaction.save(channel)
            }
            if channel.state == .unproven { try requestVerification(of: channel, at: now, in: transaction) }
            return (channel, nil)
        }
        if let refusal { throw refusal }
        return channel
    }

    /// Checks a code; returns the reason for rejecting it, or `nil`.
    ///
    /// The reason is returned, not thrown, because the transaction has to store the number of wrong codes.
    private func accept(
        _ code: String,
        of channel: inout ChannelRow,
        in transaction: StoreTransaction
    ) throws -> Refusal? {
        guard channel.kind == .email else {
            return .body([FieldProblem(field: "code", message: "is for e-mail only; omit it to verify a webhook")])
        }
        guard channel.wrongCodes < ChannelService.maximumWrongCodes else { return .endedCode }
        if seal.isChallenge(code, of: channel) {
            channel.prove()
            channel.wrongCodes = 0
        } else {
            channel.wrongCodes += 1
        }
        try transaction.save(channel)
        if channel.wrongCodes == 0 { return nil }
        return channel.wrongCodes < ChannelService.maximumWrongCodes ? .wrongCode : .endedCode
    }
}

extension ChannelRow {
    /// Activates an unverified channel after its owner has confirmed it.
    package mutating func prove() {
        guard state == .unproven else { return }
        state = .active
        reason = nil
    }
}

extension Refusal {
    /// A code that differs from the one that was sent.
    static let wrongCode = Refusal.body([FieldProblem(field: "code", message: "is not the code that was sent")])
    /// A browser whose subscription ended with a key of this service.
    static let endedSubscription = Refusal(
        .conflict,
        "subscription-ended",
        "This service has a new key for browsers. Remove the channel and add the browser again."
    )
    /// A code that became invalid after too many wrong ones.
    static let endedCode = Refusal.body([
        FieldProblem(
            field: "code",
            message:
                "is no longer accepted: the code that was sent expired after \(ChannelService.maximumWrongCodes) wrong "
                + "attempts; omit 'code' to ask for a new one"
        )
    ])
}
