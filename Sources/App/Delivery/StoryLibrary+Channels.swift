import Formats
import Notifications
import Storage
import Stories

extension StoryLibrary {
    /// The most channels of a user.
    static let mostChannels = 20
    /// After how many wrong ones a code that came by e-mail is good no more.
    static let mostWrongCodes = 10

    var channelSeal: ChannelSeal { ChannelSeal(secret: store.keys[.channels]) }

    /// Where a channel goes; `nil` when the key it was sealed under is lost.
    func openTarget(of channel: ChannelRow) -> ChannelTarget? {
        channelSeal.open(channel.target, of: channel.id).flatMap { try? ChannelTarget(kind: channel.kind, fields: $0) }
    }

    func challenge(of channel: ChannelRow) -> String { channelSeal.challenge(of: channel) }

    /// Makes a channel for a user, or finds the one that leads to the same end; whether it is new says `isNew`.
    ///
    /// A webhook and an e-mail address have to prove first that their owner wants messages.
    func makeChannel(
        _ kind: ChannelKind,
        fields: [String: String],
        name: String?,
        for user: UserID
    ) async throws -> (channel: ChannelRow, target: ChannelTarget, isNew: Bool) {
        guard desk.writer.credentials.allow(kind) else {
            throw Refusal.body([FieldProblem(field: "kind", message: "is not set up by the operator of this service")])
        }
        var generator = random
        let target: ChannelTarget
        do {
            target = try ChannelTarget(kind: kind, completing: fields, using: &generator)
        } catch {
            throw Refusal.body(error.problems.map { FieldProblem(field: "target.\($0.field)", message: $0.message) })
        }
        for field in ["url", "endpoint"] {
            guard let url = target.fields[field], let refusal = desk.sender?.refusal(of: url) else { continue }
            throw Refusal.body([FieldProblem(field: "target.\(field)", message: refusal)])
        }
        let id = StoryID(using: &generator).description
        let sealed = try channelSeal.seal(target.fields, of: id, random: random)
        let now = now()
        return try await store.write { [self] transaction in
            let channels = try transaction.channels(of: user)
            for channel in channels where channel.kind == kind {
                guard let known = openTarget(of: channel), known.leadsWhere(target) else { continue }
                return (channel, known, false)
            }
            guard channels.count < StoryLibrary.mostChannels else {
                throw Refusal(
                    .conflict,
                    "too-many-channels",
                    "You have \(StoryLibrary.mostChannels) channels. Delete one of them first."
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
            if channel.state == .unproven { try askForProof(of: channel, at: now, in: transaction) }
            return (channel, target, true)
        }
    }

    /// Has the question sent whether a channel's end wants messages.
    ///
    /// - Throws: ``Refusal`` when their user had too many asked within the hour.
    func askForProof(of channel: ChannelRow, at now: Timestamp, in transaction: StoreTransaction) throws {
        guard desk.mayAsk(channel.user, at: now) else { throw Refusal.tooManyRequests(seconds: 3_600) }
        let message = "waymark verification 1|\(channel.id)|\(now.milliseconds)"
        let id = feed.messageID(of: message)
        let expiresAt = now.advanced(byMilliseconds: 86_400_000)
        try transaction.enqueue(id, type: .verification, through: channel, at: now, expiresAt: expiresAt)
    }

    /// A user's own channel.
    ///
    /// - Throws: ``Refusal``: not found for anybody else's and for none alike.
    static func channel(_ id: String, of user: UserID, in transaction: StoreReader) throws -> ChannelRow {
        guard let channel = try transaction.channel(id), channel.user == user, channel.state != .single else {
            throw Refusal.notFound
        }
        return channel
    }

    /// Switches a channel off or on, or gives it another name; what is `nil` stays.
    ///
    /// Returns how many messages wait, too.
    func changeChannel(
        _ id: String,
        of user: UserID,
        isEnabled: Bool?,
        name: String??
    ) async throws -> (channel: ChannelRow, waiting: Int) {
        let now = now()
        let changed = try await store.write { transaction in
            var channel = try StoryLibrary.channel(id, of: user, in: transaction)
            if let isEnabled { channel.isEnabled = isEnabled }
            if let name { channel.name = name }
            try transaction.save(channel)
            // What waited was for then: switched on again, a channel begins with what comes next.
            if !channel.isEnabled { try transaction.cancelEntries(of: id, reason: "switched_off", at: now) }
            return (channel, try transaction.waiting(for: id))
        }
        await desk.settled()
        return changed
    }

    /// Removes a channel; nothing is sent there any more.
    func removeChannel(_ id: String, of user: UserID) async throws {
        try await store.write { transaction in
            let channel = try StoryLibrary.channel(id, of: user, in: transaction)
            try transaction.removeChannel(channel.id)
        }
        await desk.settled()
    }

    /// Takes the code that came by e-mail, or asks again: a webhook by a message, an address by another e-mail.
    ///
    /// A code ends after ``mostWrongCodes`` wrong ones; the next e-mail then has a new one.
    func proveChannel(_ id: String, of user: UserID, code: String?) async throws -> ChannelRow {
        let now = now()
        let (channel, refusal) = try await store.write { [self] transaction -> (ChannelRow, Refusal?) in
            var channel = try StoryLibrary.channel(id, of: user, in: transaction)
            guard channel.state != .active else { return (channel, nil) }
            guard openTarget(of: channel) != nil else { throw Refusal.sealLost }
            if let code {
                let refusal = try take(code, of: &channel, in: transaction)
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
            if channel.wrongCodes >= StoryLibrary.mostWrongCodes {
                channel.wrongCodes = 0
                channel.codeNumber += 1
                try transaction.save(channel)
            }
            if channel.state == .unproven { try askForProof(of: channel, at: now, in: transaction) }
            return (channel, nil)
        }
        if let refusal { throw refusal }
        return channel
    }

    /// Takes a code; returns what is wrong with it, which must not undo the transaction: a wrong one is counted.
    private func take(
        _ code: String,
        of channel: inout ChannelRow,
        in transaction: StoreTransaction
    ) throws -> Refusal? {
        guard channel.kind == .email else {
            return .body([FieldProblem(field: "code", message: "is for e-mail; a webhook answers itself")])
        }
        guard channel.wrongCodes < StoryLibrary.mostWrongCodes else { return .endedCode }
        if isSameSecret(Array(code.utf8), Array(challenge(of: channel).utf8)) {
            channel.prove()
            channel.wrongCodes = 0
        } else {
            channel.wrongCodes += 1
        }
        try transaction.save(channel)
        if channel.wrongCodes == 0 { return nil }
        return channel.wrongCodes < StoryLibrary.mostWrongCodes ? .wrongCode : .endedCode
    }

    /// Gives a webhook new keys; for a day it is signed with the old ones too.
    func rotateKeys(of id: String, user: UserID) async throws -> (channel: ChannelRow, target: ChannelTarget) {
        let now = now()
        return try await store.write { [self] transaction in
            var channel = try StoryLibrary.channel(id, of: user, in: transaction)
            guard channel.kind == .webhook, let old = openTarget(of: channel) else {
                throw Refusal(.conflict, "no-keys", "Only a webhook has keys of its own.")
            }
            var generator = random
            let new = try old.rotated(at: now, using: &generator)
            channel.target = try channelSeal.seal(new.fields, of: channel.id, random: random)
            try transaction.save(channel)
            return (channel, new)
        }
    }

    /// Has a sample sent through a channel.
    func testChannel(_ id: String, of user: UserID) async throws -> (channel: ChannelRow, message: String) {
        let now = now()
        return try await store.write { [self] transaction in
            let channel = try StoryLibrary.channel(id, of: user, in: transaction)
            guard channel.state == .active else {
                throw Refusal(
                    .conflict,
                    "not-active",
                    "Nothing is sent through this channel yet: it is \(channel.state.rawValue). Verify it first."
                )
            }
            guard channel.isEnabled else {
                throw Refusal(.conflict, "switched-off", "This channel is switched off. Switch it on to try it.")
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
    /// Whether two targets are one end: the same but for keys that a webhook makes anew each time.
    func leadsWhere(_ other: ChannelTarget) -> Bool {
        let made: Set = ["secret", "signing_key", "previous_secret", "previous_signing_key", "rotated_at"]
        func place(_ target: ChannelTarget) -> [String: String] { target.fields.filter { !made.contains($0.key) } }
        return kind == other.kind && place(self) == place(other)
    }
}

extension Refusal {
    /// A code that is not the one that was sent.
    static let wrongCode = Refusal.body([FieldProblem(field: "code", message: "is not the code that was sent")])
    /// A code that was guessed at too often.
    static let endedCode = Refusal.body([
        FieldProblem(
            field: "code",
            message:
                "can not be taken: the code that was sent has ended after \(StoryLibrary.mostWrongCodes) wrong ones; "
                + "ask for a new one by leaving 'code' out"
        )
    ])
}
