import Notifications
import Storage
import Stories

/// Takes back what was withdrawn from where it was shown, where the channel can (DLV-09).
struct WithdrawalService: StoreService {
    let context: StoreContext
    let feed: FeedService
    let composer: MessageComposer
    /// The users from whom something was withdrawn that receivers may still show.
    let notes = WithdrawalNotes()

    /// How long receivers show a message that can still be taken back, in milliseconds: servers of ntfy keep messages
    /// for twelve hours.
    private static let shownFor: Int64 = 12 * 3_600_000
    /// The number of messages looked at in one transaction.
    private static let page = 50

    /// Notes from whom a commit withdrew something.
    func follow(_ change: StoreChange) {
        if change.isEverything { notes.noteAll() } else { notes.note(change.withdrawals) }
    }

    /// Enqueues requests to take back the messages of which nothing is left that their users may see.
    ///
    /// Looks only at the users from whom something was withdrawn since the last call. Each message is taken back once.
    func takeBack() async throws {
        guard let users = notes.take() else { return }
        do {
            let shown = try await shownEntries(of: users)
            for start in stride(from: 0, to: shown.count, by: WithdrawalService.page) {
                let entries = shown[start..<min(start + WithdrawalService.page, shown.count)]
                try await store.write { [self] transaction in
                    for entry in entries { try takeBack(entry, in: transaction) }
                }
            }
        } catch {
            // They are looked at again.
            notes.note(users)
            throw error
        }
    }

    private func shownEntries(of users: WithdrawalNotes.Users) async throws -> [OutboxEntry] {
        let since = now().advanced(byMilliseconds: -WithdrawalService.shownFor)
        let kinds = ChannelKind.allCases.filter { $0.takesBack }
        // A story that was announced to thousands is looked up once, not for each of them.
        var each: [UserID?] = [nil]
        var wanted: Set<UserID>?
        if case .these(let noted) = users {
            wanted = noted
            if noted.count <= 20 { each = noted.sorted() }
        }
        return try await store.read { [each, wanted] transaction in
            var entries: [OutboxEntry] = []
            for kind in kinds {
                for user in each { entries += try transaction.shownEntries(of: user, kind: kind, since: since) }
            }
            return entries.filter { wanted?.contains($0.user) ?? true }
        }
    }

    private func takeBack(_ entry: OutboxEntry, in transaction: StoreTransaction) throws {
        guard let channel = try transaction.channel(entry.channel),
            try composer.isGone(entry.message, of: entry.user, in: transaction)
        else { return }
        let now = now()
        try transaction.enqueue(
            feed.messageID(of: "waymark withdrawal 1|\(channel.id)|\(entry.message)"),
            type: .withdrawal,
            through: channel,
            at: now,
            expiresAt: now.advanced(byMilliseconds: WithdrawalService.shownFor),
            scope: .notices([entry.message])
        )
    }

    /// Decides about an entry that takes a message back; nobody notices it, so settings and quiet hours do not matter.
    func decide(
        _ entry: OutboxEntry,
        from target: ChannelTarget,
        of channel: ChannelRow,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> DeliveryService.Decision {
        typealias Reason = DeliveryDecision.Reason
        guard channel.state == .active else { return .end(.cancelled, reason: Reason.channelDisabled.rawValue) }
        guard channel.kind.takesBack, case .notices(let ids)? = entry.scope, let id = ids.first,
            try composer.isGone(id, of: entry.user, in: transaction)
        else { return .end(.cancelled, reason: "shown_again") }
        if let expiresAt = entry.expiresAt, expiresAt <= now {
            return .end(.cancelled, reason: Reason.expired.rawValue)
        }
        return .send(.withdrawal(id), target, stories: [])
    }
}
