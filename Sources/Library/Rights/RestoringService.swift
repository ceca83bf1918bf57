import Notifications
import Storage
import Stories

/// Applies the list of erasures, which is stored beside the database, to an older copy of the database.
struct RestoringService: StoreService {
    let context: StoreContext
    let erasures: ErasureService
    let removal: StoryRemoval

    /// Applies the list of erasures to an older copy of the database, before any of it is served.
    ///
    /// Keeps accounts created, consents given and keys issued after the time of the line that would erase them.
    func applyErasures() async throws {
        // On a full disk the list is not compacted.
        let isShorter = (try? store.erasures.compact(now: context.certainTime)) ?? false
        let entries = store.erasures.entries
        // Erasures already begun in this copy are finished before any later line is applied.
        try await finishErasuresIfThereIsRoom()
        if store.isBeyondList { try await holdEverything() }
        let isOlder = try await store.read { [self] in try self.isOlder(entries, in: $0) }
        if isOlder || isShorter || store.isBeyondList {
            do {
                try await store.write(isUrgent: true, isLong: true) { [self] in
                    try apply(entries, isShorter: isShorter, in: $0)
                    try applyNarrowings(in: $0)
                    if store.isBeyondList { try $0.doubtWaitingEntries() }
                }
            } catch let error as StoreError where error.code == .diskFull && !isOlder && !store.isBeyondList {
                // Forgetting lines later does no harm.
            }
        }
        try await finishErasuresIfThereIsRoom()
        if try await store.read({ [store] in try $0.lacksAnnouncements(on: store.erasures) }) {
            try await store.write(isUrgent: true, isLong: true) { transaction in
                try transaction.applyAnnouncements()
                try transaction.doubtWaitingEntries()
            }
        }
        // On a full disk narrowings are on the list from a later start on.
        try? await beginNarrowings()
        // If there is no room for it now, the upkeep retries.
        _ = try? await store.sweep()
    }

    /// Finishes erasures and ignores a full disk, so that the library can be read: begun erasures are already
    /// invisible, and the upkeep continues them.
    private func finishErasuresIfThereIsRoom() async throws {
        do {
            try await erasures.finishErasures()
        } catch let error as StoreError where error.code == .diskFull {}
    }

    private func apply(
        _ entries: [ErasureList.Entry],
        isShorter: Bool,
        in transaction: StoreTransaction
    ) throws {
        let pending = try transaction.unapplied(entries)
        if !pending.isEmpty {
            let subjects = try ErasureSubjects(of: pending, on: store.erasures, in: transaction)
            for entry in pending {
                try apply(entry, to: subjects, in: transaction)
                try transaction.markApplied(entry, isSwept: false)
            }
        }
        if isShorter { try transaction.forgetApplied(but: entries) }
    }

    private func apply(
        _ entry: ErasureList.Entry,
        to subjects: ErasureSubjects,
        in transaction: StoreTransaction
    ) throws {
        switch entry.kind {
        case .account, .locationData, .consent, .signOut:
            // A user created later with the same name is not affected.
            guard let user = subjects.user(of: entry), let created = try transaction.creationTime(of: user),
                created <= entry.at
            else { return }
            try apply(entry, to: user, in: transaction)
        case .key:
            guard let id = subjects.key(of: entry), let key = try transaction.key(id), key.createdAt <= entry.at
            else { return }
            _ = try transaction.removeKey(id)
        case .signIn:
            guard let id = subjects.signIn(of: entry) else { return }
            try transaction.endSignIn(id)
        case .storyDeleted, .storyPurged:
            guard let id = subjects.story(of: entry) else { return }
            try apply(entry, to: id, in: transaction)
        case .retention:
            while try transaction.purgeSealed(deletedUpTo: entry.at, limit: 500) > 0 {}
        case .takenBack, .counted, .begun, .storyReach, .placeReach, .accountHold, .membership, .invitation, .hide,
            .channel, .silence:
            break
        }
    }

    private func apply(_ entry: ErasureList.Entry, to user: UserID, in transaction: StoreTransaction) throws {
        if entry.kind == .account {
            return try erasures.beginErasing(user, at: entry.at, in: transaction)
        }
        if entry.kind == .signOut {
            let since = try transaction.accessEpoch(of: user)?.since
            guard since.map({ $0 < entry.at }) ?? true else { return }
            return try transaction.endSignIns(of: user, begunBy: entry.at, epoch: entry.epoch, at: entry.at)
        }
        var settings = try transaction.notificationSettings(of: user)
        let old = settings
        if settings.enabled, settings.consentAt ?? entry.at <= entry.at { settings.optOut() }
        if entry.kind == .locationData { _ = settings.forgetPlaces() }
        if settings != old { try transaction.save(settings, of: user, at: entry.at, source: .restore, erasure: nil) }
        if entry.kind == .locationData { try transaction.beginErasure(of: user, kind: .locationData, at: entry.at) }
    }

    /// Deletes a story that was deleted after this copy was made.
    ///
    /// The story is kept sealed for the rest of its retention, unless the line says that it was deleted for good.
    private func apply(_ entry: ErasureList.Entry, to id: StoryID, in transaction: StoreTransaction) throws {
        let isForGood = entry.kind == .storyPurged
        if let story = try transaction.story(id), story.createdAt <= entry.at {
            try removal.take(id, forGood: isForGood, at: entry.at, in: transaction)
        }
        if isForGood { _ = try transaction.purgeSealed(id) }
    }
}
