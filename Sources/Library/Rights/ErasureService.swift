import Notifications
import Storage
package import Stories

/// Erases accounts and data derived from users' whereabouts.
///
/// An erasure begins with one small transaction, which adds it to the list of erasures and hides the account. It then
/// continues in pieces. The call returns after the last piece; if the process ends before that, the next process
/// continues the erasure.
package struct ErasureService: StoreService {
    /// The maximum size of the file, in bytes, at which an erasure overwrites the file before it returns.
    private static let promptSweepSize = 64 << 20
    /// The maximum number of rows in a piece; a story counts for ``rowsOfStory``, because it has about that many index
    /// rows.
    private static let pieceRows = 400
    private static let rowsOfStory = 10
    /// The maximum number of characters of story texts in a piece.
    private static let pieceLength = 200_000
    /// The maximum number of other users' notifications reworded in a piece.
    private static let pieceNotices = 25
    /// The number of stories removed from the map at a time.
    private static let mapStep = 2_000

    package let context: StoreContext
    package let maps: MapService
    package let accesses: AccessLog
    package let feed: FeedService
    package let families: FamilyService
    package let places: PlaceService
    package let fences: FenceService
    /// The erasures in progress.
    package let rounds = ErasureRounds()

    /// Erases an account with all its data.
    ///
    /// The list of erasures records it before the database does. From the first commit on, no read of the database
    /// returns anything of the account. The map and other users' notifications follow, before any row is removed. The
    /// stored rows are then removed in pieces that do not hold up other writes. Returns `nil` if the user does not
    /// exist.
    ///
    /// - Throws: ``StoreError``. Then either nothing is erased, or the erasure is completed at the next opening of the
    ///   library or by its upkeep.
    package func eraseAccount(of user: UserID) async throws -> ErasureReceipt? {
        try await eraseAccount(of: user) { _ in }
    }

    /// Removes a user who owns no story, with all data that erasing their account removes; returns `false` if the user
    /// does not exist.
    ///
    /// This is an ordinary erasure with a line on the list of erasures, so restoring an older copy of the database does
    /// not bring the user back.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if the user still owns stories; nothing is removed then.
    package func removeUser(_ user: UserID) async throws -> Bool {
        let receipt = try await eraseAccount(of: user) { transaction in
            let owned = try transaction.storyCount(of: user)
            guard owned == 0 else {
                throw StoreError(.conflict, "User \(user) still owns \(owned) stories; delete them first.")
            }
        }
        return receipt != nil
    }

    /// Erases an account unless `check`, called in the first transaction of the erasure, throws.
    private func eraseAccount(
        of user: UserID,
        unless check: @escaping @Sendable (StoreTransaction) throws -> Void
    ) async throws -> ErasureReceipt? {
        let (now, id) = (now(), newID())
        let counts = try await store.read {
            [("stories", try $0.storyCount(of: user))] + (try $0.personalCounts(of: user))
        }
        let isBegun = try await store.write { [self] transaction in
            guard try transaction.user(user) != nil else { return false }
            try check(transaction)
            try beginErasing(user, at: now, in: transaction)
            try transaction.put(store.erasures.entry(.account, of: .user(user), at: now, id: id), isSwept: false)
            return true
        }
        guard isBegun else { return nil }
        try await finishErasures(of: user)
        return await receipt(id, .account, at: now, counts: counts)
    }

    /// Deletes all data derived from a user's whereabouts and withdraws their consent.
    ///
    /// The ledger is deleted too: a user who opts in again can be notified of the same stories again. The file needs no
    /// sweep if it cannot contain any such data: no rows are found, and the user has not consented since the last
    /// erasure.
    package func eraseLocationData(of user: UserID) async throws -> ErasureReceipt {
        let (now, id) = (now(), newID())
        // Counted before the consent ends, which deletes the states of the devices.
        let counts = try await store.read { try $0.locationCounts(of: user) }
        let settled = try await store.write { [self] transaction in
            let hadConsented = try transaction.hasConsented(user, since: store.erasures.locationErasure(of: user))
            let settled = try beginErasingLocations(of: user, at: now, source: .erasure, in: transaction)
            let isEmpty = !hadConsented && (counts + settled).allSatisfy { $0.count == 0 }
            try transaction.put(
                store.erasures.entry(.locationData, of: .user(user), at: now, id: id),
                isSwept: isEmpty
            )
            return settled
        }
        try await finishErasures(of: user)
        return await receipt(id, .locationData, at: now, counts: counts + settled)
    }

    private func receipt(
        _ id: StoryID,
        _ kind: ErasureList.Kind,
        at now: Timestamp,
        counts: [(name: String, count: Int)]
    ) async -> ErasureReceipt {
        let isSwept = store.size <= ErasureService.promptSweepSize ? (try? await store.sweep()) ?? false : false
        return ErasureReceipt(id: id, kind: kind, at: now, counts: counts, isOverwritten: isSwept)
    }

    /// Makes an account unknown and hides its stories from everyone; its rows are then removed in pieces.
    func beginErasing(_ user: UserID, at time: Timestamp, in transaction: StoreTransaction) throws {
        try families.leaveSharedFamilies(of: user, in: transaction)
        try transaction.beginErasure(of: user, kind: .account, at: time)
        try AccessEnd(user: user, keys: store.keys).record(at: time, in: transaction)
        startAfterCommit(of: user, transaction)
    }

    /// Withdraws a user's consent and deletes their settings for places, returning the counts of both; the other rows
    /// are removed in pieces.
    func beginErasingLocations(
        of user: UserID,
        at now: Timestamp,
        source: ConsentRecord.Source,
        in transaction: StoreTransaction
    ) throws -> [(name: String, count: Int)] {
        guard try transaction.user(user) != nil else { return [] }
        let old = try transaction.notificationSettings(of: user)
        var settings = old
        let places = settings.forgetPlaces()
        if old.enabled { settings.optOut() }
        if settings != old { try transaction.save(settings, of: user, at: now, source: source, erasure: nil) }
        try transaction.beginErasure(of: user, kind: .locationData, at: now)
        startAfterCommit(of: user, transaction)
        return [("place_settings", places), ("consents_withdrawn", old.enabled ? 1 : 0)]
    }

    /// Finishes all erasures in progress, for all users.
    func finishErasures() async throws {
        let unfinished = try await store.read { try $0.unfinishedErasures() }
        for user in Set(unfinished.map(\.user)).sorted() { try await finishErasures(of: user) }
    }

    /// Continues the erasures of a user as soon as their first transaction is durable.
    ///
    /// This does not depend on the caller: a client that disconnects does not keep stories on the map.
    private func startAfterCommit(of user: UserID, _ transaction: StoreTransaction) {
        // If it fails, the waiting caller retries, and so does the upkeep.
        transaction.afterCommit { [self] in _ = rounds.start(for: user) { try await self.carryOut(of: user) } }
    }

    /// Finishes all erasures of a user.
    private func finishErasures(of user: UserID) async throws {
        while try await nextErasure(of: user) != nil {
            try await rounds.start(for: user) { [self] in try await carryOut(of: user) }.value
        }
    }

    private func carryOut(of user: UserID) async throws {
        while let erasure = try await nextErasure(of: user) {
            if erasure.kind == .account { try await withdraw(erasure) }
            var pace = BackgroundPace(store: store)
            while try await pace.run(commits: 1, { try await erasePiece(of: erasure) }) {}
            accesses.forget()
            fences.memory.forget(user)
            fences.journal.forget(user)
        }
    }

    /// Returns the next erasure of a user; that of the account first, because it hides the most and includes the
    /// others.
    private func nextErasure(of user: UserID) async throws -> UnfinishedErasure? {
        let all = try await store.read { try $0.unfinishedErasures() }.filter { $0.user == user }
        return all.first { $0.kind == .account } ?? all.first
    }

    /// Removes an account from memory and from other users' notifications.
    private func withdraw(_ erasure: UnfinishedErasure) async throws {
        var last: StoryID?
        repeat {
            let ids = try await store.read { [last] in
                try $0.storyIDs(of: erasure.user, after: last, limit: ErasureService.mapStep)
            }
            // Nothing else changes these stories any more, so this need not run on the writer.
            maps.remove(ids)
            last = ids.last
        } while last != nil
        let names = try await store.read { try self.noticesOfOthers(about: erasure.user, in: $0) }
        for start in stride(from: 0, to: names.count, by: ErasureService.pieceNotices) {
            let part = names[start..<min(start + ErasureService.pieceNotices, names.count)]
            try await store.write(isUrgent: true) { try self.forget(part, of: erasure.user, in: $0) }
        }
    }

    /// Erases one piece; returns whether any are left.
    private func erasePiece(of erasure: UnfinishedErasure) async throws -> Bool {
        try await store.write(isUrgent: true) { try self.erasePiece(of: erasure, in: $0) }
    }

    private func erasePiece(of erasure: UnfinishedErasure, in transaction: StoreTransaction) throws -> Bool {
        guard try transaction.unfinishedErasures().contains(erasure) else { return false }
        // Erasing the account includes this erasure and comes next.
        if erasure.kind != .account, try transaction.isErasingAccount(of: erasure.user) { return false }
        var left = ErasureService.pieceRows
        if erasure.kind == .account {
            for place in try transaction.namedPlaces(of: erasure.user).prefix(left / ErasureService.rowsOfStory) {
                try places.remove(place, in: transaction)
                left -= ErasureService.rowsOfStory
            }
            guard left > 0 else { return true }
        }
        left -= try transaction.eraseRows(of: erasure, limit: left)
        guard left > 0 else { return true }
        guard erasure.kind == .account else {
            try transaction.endErasure(erasure)
            return false
        }
        let limit = max(1, left / ErasureService.rowsOfStory)
        let ids = try transaction.eraseStories(of: erasure, limit: limit, length: ErasureService.pieceLength)
        guard ids.isEmpty else { return true }
        try families.leaveAllFamilies(of: erasure.user, in: transaction)
        try transaction.erasePersonalRows(of: erasure)
        return false
    }
}

/// Identifies a notification.
private struct NoticeName: Hashable, Sendable {
    let user: UserID
    let id: String
}

extension ErasureService {
    /// Returns other users' notifications about stories of a user or about invitations they sent.
    private func noticesOfOthers(about user: UserID, in transaction: StoreReader) throws -> [NoticeName] {
        let told = try transaction.noticesOfOthers(tellingOf: user).map { NoticeName(user: $0.user, id: $0.id) }
        let invited = try transaction.noticesOfOthers(aboutInvitationsOf: user)
            .map { NoticeName(user: $0.user, id: $0.id) }
        return told + invited
    }

    /// Removes an erased user's stories and name from other users' notifications.
    private func forget(
        _ names: some Sequence<NoticeName>,
        of owner: UserID,
        in transaction: StoreTransaction
    ) throws {
        for name in names {
            try feed.forgetEverything(of: owner, in: name.id, of: name.user, in: transaction)
        }
    }
}
