import Logging
import Notifications
import Storage
import Stories

// An older copy of the database becomes as narrow as what it replaced, and stays as narrow as it is.
extension RestoringService {
    /// The reason stored with a channel that was switched off because of an older copy.
    static let channelReason = "old_copy"

    /// Returns whether a copy of the database lacks lines of the list.
    func isOlder(_ entries: [ErasureList.Entry], in reader: StoreReader) throws -> Bool {
        if try !reader.unapplied(entries).isEmpty { return true }
        return try !store.erasures.narrowings(after: reader.narrowedLines()).isEmpty
    }

    /// Puts on the list, once, that every narrowing is on it from here on.
    func beginNarrowings() async throws {
        guard store.erasures.begun == nil else { return }
        let now = context.now()
        try await store.write { [store] transaction in
            try transaction.markNarrowed(upTo: store.erasures.narrowingEnd)
            transaction.begin(at: now)
        }
    }

    /// Applies the narrowings that this copy of the database has not seen.
    ///
    /// This is one transaction: until all are applied the copy counts as older.
    func applyNarrowings(in transaction: StoreTransaction) throws {
        let pending = store.erasures.narrowings(after: try transaction.narrowedLines())
        if !pending.isEmpty {
            let subjects = try NarrowingSubjects(of: pending, on: store.erasures, in: transaction)
            for entry in pending { try apply(entry, to: subjects, in: transaction) }
            store.logger.warning(
                "this is an older copy of the database; what became narrower since was narrowed again",
                metadata: ["lines": "\(pending.count)"]
            )
        }
        if store.erasures.begun != nil { try transaction.markNarrowed(upTo: store.erasures.narrowingEnd) }
    }

    private func apply(
        _ entry: ErasureList.Entry,
        to subjects: NarrowingSubjects,
        in transaction: StoreTransaction
    ) throws {
        let now = context.now()
        switch entry.kind {
        case .storyReach:
            guard let id = subjects.story(of: entry), let reach = entry.reach else { return }
            try narrow(id, to: reach, subjects, at: now, in: transaction)
        case .placeReach:
            guard let (id, place) = subjects.storyPlace(of: entry), let reach = entry.placeReach else { return }
            try narrow(place, of: id, to: reach, at: now, in: transaction)
        case .accountHold:
            guard let user = subjects.user(of: entry) else { return }
            try hold(user, at: now, in: transaction)
        case .membership:
            guard let (user, family, role) = subjects.membership(of: entry) else { return }
            try erasures.families.narrowMembership(of: user, in: family, to: role, in: transaction)
        case .invitation:
            guard let id = subjects.text(of: entry).flatMap({ InvitationID($0) }) else { return }
            _ = try transaction.end(id, as: .cancelled)
        case .hide:
            guard let (user, story) = subjects.hide(of: entry) else { return }
            try transaction.hide(story, from: user, at: now)
        case .channel:
            guard let id = subjects.text(of: entry) else { return }
            try narrowChannel(id, to: entry.channel, at: now, in: transaction)
        case .silence:
            guard let user = subjects.user(of: entry), let newer = subjects.settings(of: entry) else { return }
            let older = try transaction.notificationSettings(of: user)
            let settings = SettingsReach.narrowed(older, to: newer)
            guard settings != older else { return }
            try transaction.save(settings, of: user, at: now, source: .restore, erasure: nil)
        default:
            break
        }
    }

    private func narrow(
        _ id: StoryID,
        to reach: StoryReach,
        _ subjects: NarrowingSubjects,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        guard let old = try transaction.story(id) else { return }
        let digest = old.family.map { store.erasures.digest(ofFamily: $0) }
        var story = reach.narrow(old, digest: digest, family: subjects.family)
        guard story != old else { return }
        story.settleExtents(replacing: old)
        story.touch(at: now, replacing: old)
        try removal.feed.update(story, in: transaction)
        guard story.isWithheld, try !transaction.isWithheldByReport(id) else { return }
        // Without a report no operator could show the story again.
        let number = KeyedID.make(secret: store.keys[.storyIDs], message: Array("restored report|\(id)".utf8))
        var report = Report(
            id: number,
            story: id,
            reporter: nil,
            reason: .other,
            text: nil,
            createdAt: now,
            updatedAt: now
        )
        report.status = .actioned
        report.note = "Withheld before an older copy of the database was put back."
        try transaction.save(report)
    }

    private func narrow(
        _ place: StoryID,
        of id: StoryID,
        to reach: PlaceReach,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        guard let old = try transaction.story(id) else { return }
        var story = old
        story.places = old.places.compactMap { $0.id == place ? reach.narrow($0) : $0 }
        guard story != old else { return }
        story.touch(at: now, replacing: old)
        try removal.feed.update(story, in: transaction)
    }

    /// Makes all stories of an account temporarily private.
    private func hold(_ account: UserID, at now: Timestamp, in transaction: StoreTransaction) throws {
        try transaction.setAutoPrivate(true, account: account)
        var last: StoryID?
        repeat {
            let found = try transaction.stories(of: account, after: last, limit: 500)
            try removal.feed.writeStories(in: transaction) { writes in
                for old in found where !old.autoPrivate {
                    var story = old
                    story.autoPrivate = true
                    story.touch(at: now, replacing: old)
                    try writes.updateAutoPrivate(of: story, replacing: old)
                }
            }
            last = found.last?.id
        } while last != nil
    }

    private func narrowChannel(
        _ id: String,
        to reach: ChannelReach,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        guard var channel = try transaction.channel(id) else { return }
        switch reach {
        case .active: return
        case .removed: return try transaction.removeChannel(id)
        case .off: channel.isEnabled = false
        case .unproven where channel.state == .active: channel.state = .unproven
        case .disabled where channel.state != .disabled:
            (channel.state, channel.reason) = (.disabled, RestoringService.channelReason)
        case .unproven, .disabled: return
        }
        try transaction.save(channel)
        try transaction.cancelEntries(of: id, reason: RestoringService.channelReason, at: now)
    }

    /// Makes every story temporarily private and switches every channel off, because nobody knows what became narrower
    /// since this copy was made.
    ///
    /// An operator releases the accounts one by one, and users check their channels. If it is interrupted, the next start
    /// does it again.
    func holdEverything() async throws {
        let now = context.now()
        let users = try await store.read { try $0.users().map(\.id) }
        for user in users {
            try await store.write(isUrgent: true, isLong: true) { [self] in try hold(user, at: now, in: $0) }
        }
        var last = ""
        while true {
            let after = last
            let channels = try await store.read { try $0.channels(after: after, limit: 500) }
            guard let end = channels.last else { break }
            try await store.write(isUrgent: true) { [self] transaction in
                for channel in channels { try narrowChannel(channel.id, to: .disabled, at: now, in: transaction) }
            }
            last = end.id
        }
        store.logger.warning(
            """
            every story is temporarily private and every channel is off, because this may be an older copy of the \
            database; release the accounts one by one after checking their families
            """,
            metadata: ["accounts": "\(users.count)"]
        )
    }
}
