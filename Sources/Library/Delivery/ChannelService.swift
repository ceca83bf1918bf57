package import Notifications
package import Storage
package import Stories
import Synchronization

/// Creates, changes, verifies, disables and removes users' channels.
package final class ChannelService: StoreService {
    /// The maximum number of channels of a user.
    static let maximumChannels = 20
    /// The number of wrong codes after which a code sent by e-mail becomes invalid.
    package static let maximumWrongCodes = 10

    package let context: StoreContext
    package let feed: FeedService
    package let egress: Egress
    /// The attempts under way, which a change to a channel may call off.
    package let attempts: AttemptRegister
    package let verifications = VerificationLimit()
    /// The number of channels whose targets could not be read at the start.
    let lostAtStart = Mutex(0)

    /// Creates the service; it shares `attempts` with the service that delivers.
    package init(_ context: StoreContext, feed: FeedService, egress: Egress, attempts: AttemptRegister) {
        self.context = context
        self.feed = feed
        self.egress = egress
        self.attempts = attempts
    }

    /// Seals and opens the targets of channels.
    package var seal: ChannelSeal { ChannelSeal(keys: store.keys) }

    /// Creates a channel for a user, or returns the existing one with the same endpoint; `isNew` tells them apart.
    ///
    /// Webhooks and e-mail addresses have to be verified by their owners first.
    ///
    /// - Throws: ``Refusal`` if the fields are wrong, the operator does not support the kind, the user has too many
    ///   channels, or the user is over the ``VerificationLimit``.
    package func make(
        _ kind: ChannelKind,
        fields: [String: String],
        name: String?,
        for user: UserID
    ) async throws -> (channel: ChannelRow, target: ChannelTarget, isNew: Bool) {
        var generator = random
        let target = try checkedTarget(kind, fields: fields, using: &generator)
        let id = StoryID(using: &generator).description
        let sealed = try seal.seal(target.fields, of: id, random: random)
        let now = now()
        return try await store.write { [self] transaction in
            let (channels, seal) = (try transaction.channels(of: user), seal)
            for channel in channels where channel.kind == kind {
                guard let known = seal.target(of: channel), known.hasSameEndpoint(as: target) else { continue }
                return (channel, known, false)
            }
            guard channels.count < ChannelService.maximumChannels else {
                throw Refusal(
                    .conflict,
                    "too-many-channels",
                    "You have \(ChannelService.maximumChannels) channels, the maximum. Delete one first."
                )
            }
            let channel = ChannelRow(
                id: id,
                user: user,
                kind: kind,
                name: name,
                target: sealed,
                state: kind == .webhook || kind == .email ? .unproven : .active,
                createdAt: now
            )
            try transaction.save(channel)
            if channel.state == .unproven { try requestVerification(of: channel, at: now, in: transaction) }
            return (channel, target, true)
        }
    }

    /// Returns the target that the fields describe.
    private func checkedTarget(
        _ kind: ChannelKind,
        fields: [String: String],
        using generator: inout RandomSource
    ) throws -> ChannelTarget {
        guard egress.writer.credentials.allow(kind) else {
            let message = "is not offered: the operator of this service has not configured it"
            throw Refusal.body([FieldProblem(field: "kind", message: message)])
        }
        let target: ChannelTarget
        do {
            target = try ChannelTarget(kind: kind, completing: fields, using: &generator)
        } catch {
            throw Refusal.body(error.problems.map { FieldProblem(field: "target.\($0.field)", message: $0.message) })
        }
        for field in ["url", "endpoint"] {
            guard let url = target.fields[field], let refusal = egress.sender?.refusal(of: url) else { continue }
            throw Refusal.body([FieldProblem(field: "target.\(field)", message: refusal)])
        }
        return target
    }

    /// Returns a user's own channel.
    ///
    /// - Throws: ``Refusal``, not found, if it does not exist, belongs to another user or exists for a single message.
    package static func channel(_ id: String, of user: UserID, in transaction: StoreReader) throws -> ChannelRow {
        guard let channel = try transaction.channel(id), channel.user == user, channel.state != .single else {
            throw Refusal.notFound
        }
        return channel
    }

    /// Switches a channel on or off, or renames it; `nil` leaves a value unchanged.
    ///
    /// Returns the channel and the number of messages waiting for it.
    package func change(
        _ id: String,
        of user: UserID,
        isEnabled: Bool?,
        name: String??
    ) async throws -> (channel: ChannelRow, waiting: Int) {
        let now = now()
        let changed = try await store.write { transaction in
            var channel = try ChannelService.channel(id, of: user, in: transaction)
            if let isEnabled { channel.isEnabled = isEnabled }
            if let name { channel.name = name }
            try transaction.save(channel)
            // Waiting messages are cancelled: a channel that is switched on again starts with new ones.
            if !channel.isEnabled { try transaction.cancelEntries(of: id, reason: "switched_off", at: now) }
            return (channel, try transaction.waiting(for: id))
        }
        await attempts.settled()
        return changed
    }

    /// Removes a channel; nothing more is sent to it.
    package func remove(_ id: String, of user: UserID) async throws {
        try await store.write { transaction in
            let channel = try ChannelService.channel(id, of: user, in: transaction)
            try transaction.removeChannel(channel.id)
        }
        await attempts.settled()
    }

    /// Gives a webhook new keys; for a day its messages are signed with the old keys too.
    package func rotateKeys(of id: String, user: UserID) async throws -> (channel: ChannelRow, target: ChannelTarget) {
        let now = now()
        return try await store.write { [self] transaction in
            var channel = try ChannelService.channel(id, of: user, in: transaction)
            guard channel.kind == .webhook, let old = seal.target(of: channel) else {
                throw Refusal(.conflict, "no-keys", "Only a webhook has keys of its own.")
            }
            var generator = random
            let new = try old.rotated(at: now, using: &generator)
            channel.target = try seal.seal(new.fields, of: channel.id, random: random)
            try transaction.save(channel)
            return (channel, new)
        }
    }

    /// Enqueues a sample for a channel; returns the channel and the message's id.
    ///
    /// - Throws: ``Refusal`` if the user has no such channel, or if it is not active or is switched off.
    package func test(_ id: String, of user: UserID) async throws -> (channel: ChannelRow, message: String) {
        let now = now()
        return try await store.write { [self] transaction in
            let channel = try ChannelService.channel(id, of: user, in: transaction)
            guard channel.state == .active else {
                throw Refusal(
                    .conflict,
                    "not-active",
                    "Nothing is sent through this channel while it is \(channel.state.rawValue). Verify it first."
                )
            }
            guard channel.isEnabled else {
                throw Refusal(.conflict, "switched-off", "This channel is switched off. Switch it on to test it.")
            }
            let message = "waymark test 1|\(channel.id)|\(now.milliseconds)"
            let id = feed.messageID(of: message)
            try transaction.enqueue(
                id,
                type: .test,
                through: channel,
                at: now,
                expiresAt: now.advanced(byMilliseconds: 900_000)
            )
            return (channel, id)
        }
    }
}

extension ChannelTarget {
    /// Returns whether two targets have the same endpoint; keys generated for each webhook may differ.
    func hasSameEndpoint(as other: ChannelTarget) -> Bool {
        let generated: Set = ["secret", "signing_key", "previous_secret", "previous_signing_key", "rotated_at"]
        func place(_ target: ChannelTarget) -> [String: String] {
            target.fields.filter { !generated.contains($0.key) }
        }
        return kind == other.kind && place(self) == place(other)
    }
}
