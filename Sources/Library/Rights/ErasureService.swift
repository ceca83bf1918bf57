import Notifications
import Storage
package import Stories

/// Erases accounts, and what was derived from where people were.
///
/// An erasure begins with one small transaction, which puts it on the list and hides the account, and goes on in
/// pieces. It is answered when the last is done; whatever ends the process meanwhile, the next one goes on.
package struct ErasureService: StoreService {
    /// Up to this size of the file, in bytes, an erasure waits until it has been overwritten.
    private static let promptSweepSize = 64 << 20
    /// The maximum number of rows of a piece; a story counts for ``rowsOfStory``, because it has about as many rows of
    /// indexes.
    private static let pieceRows = 400
    private static let rowsOfStory = 10
    /// The maximum number of characters of texts in a piece.
    private static let pieceLength = 200_000
    /// How many notifications of others are worded anew in a piece.
    private static let pieceNotices = 25
    /// How many stories are taken off the map at a time.
    private static let mapStep = 2_000

    package let context: StoreContext
    package let maps: MapService
    package let accesses: AccessLog
    package let feed: FeedService
    package let families: FamilyService
    package let places: PlaceService
    package let fences: FenceService
    /// What is under way.
    package let rounds = ErasureRounds()

    /// Erases an account with everything of it.
    ///
    /// The list of erasures knows of it before the database does. From the first commit on nothing that is read from
    /// the database shows anything of it; the map and the notifications of others follow, before anything is removed.
    /// What is stored then goes in pieces that hold up no other write. Returns `nil` when there is no such user.
    ///
    /// - Throws: ``StoreError``; nothing is erased then, or all of it when the library is next opened or kept up.
    package func eraseAccount(of user: UserID) async throws -> ErasureReceipt? {
        try await eraseAccount(of: user) { _ in }
    }

    /// Removes a user who owns no story, with all that erasing their account removes; returns whether there was one.
    ///
    /// It is the same erasure, on the list of erasures too: an older copy of the database does not bring them back.
    ///
    /// - Throws: ``StoreError`` with code `conflict` when the user still owns stories; nothing is removed then.
    package func removeUser(_ user: UserID) async throws -> Bool {
        let receipt = try await eraseAccount(of: user) { transaction in
            let owned = try transaction.storyCount(of: user)
            guard owned == 0 else {
                throw StoreError(.conflict, "User \(user) still owns \(owned) stories; delete them first.")
            }
        }
        return receipt != nil
    }

    /// Erases an account unless `check` throws, which is asked in the transaction that the erasure begins with.
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

    /// Deletes everything that was derived from where a user was, and ends their consent to more.
    ///
    /// The ledger goes as well: a user who opts in again can be notified again of the same stories. The file is swept
    /// unless it cannot hold anything of that: nothing is there, and nothing was agreed to since the last time.
    package func eraseLocationData(of user: UserID) async throws -> ErasureReceipt {
        let (now, id) = (now(), newID())
        // Counted before the consent ends, which takes the states of the devices with it.
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

    /// Makes an account unknown and hides its stories from everybody; the rows of it go in pieces from then on.
    func beginErasing(_ user: UserID, at time: Timestamp, in transaction: StoreTransaction) throws {
        try families.leaveSharedFamilies(of: user, in: transaction)
        try transaction.beginErasure(of: user, kind: .account, at: time)
        try AccessEnd(user: user, keys: store.keys).record(at: time, in: transaction)
        startAfterCommit(of: user, transaction)
    }

    /// Ends a user's consent and forgets the settings of places, whose counts it returns; the rest goes in pieces.
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

    /// Finishes every erasure that has begun, for all users.
    func finishErasures() async throws {
        let unfinished = try await store.read { try $0.unfinishedErasures() }
        for user in Set(unfinished.map(\.user)).sorted() { try await finishErasures(of: user) }
    }

    /// Goes on with the erasures of a user as soon as their beginning is durable.
    ///
    /// That does not depend on the one who asked for it: a client that goes away keeps nothing on the map.
    private func startAfterCommit(of user: UserID, _ transaction: StoreTransaction) {
        // A failure is retried by the caller that waits for it, and by the upkeep.
        transaction.afterCommit { [self] in _ = rounds.start(for: user) { try await self.carryOut(of: user) } }
    }

    /// Returns when nothing of the erasures of a user is left to do.
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
        }
    }

    /// Returns the next erasure of a user; the account first, because it hides the most and takes the rest along.
    private func nextErasure(of user: UserID) async throws -> UnfinishedErasure? {
        let all = try await store.read { try $0.unfinishedErasures() }.filter { $0.user == user }
        return all.first { $0.kind == .account } ?? all.first
    }

    /// Removes an account from memory and from the notifications of others.
    private func withdraw(_ erasure: UnfinishedErasure) async throws {
        var last: StoryID?
        repeat {
            let ids = try await store.read { [last] in
                try $0.storyIDs(of: erasure.user, after: last, limit: ErasureService.mapStep)
            }
            // Nothing else changes these stories any more, so that they need not wait for the writer.
            maps.remove(ids)
            last = ids.last
        } while last != nil
        let names = try await store.read { try self.noticesOfOthers(about: erasure.user, in: $0) }
        for start in stride(from: 0, to: names.count, by: ErasureService.pieceNotices) {
            let part = names[start..<min(start + ErasureService.pieceNotices, names.count)]
            try await store.write(isUrgent: true) { try self.forget(part, of: erasure.user, in: $0) }
        }
    }

    /// Erases one piece; returns whether there is more.
    private func erasePiece(of erasure: UnfinishedErasure) async throws -> Bool {
        try await store.write(isUrgent: true) { try self.erasePiece(of: erasure, in: $0) }
    }

    private func erasePiece(of erasure: UnfinishedErasure, in transaction: StoreTransaction) throws -> Bool {
        guard try transaction.unfinishedErasures().contains(erasure) else { return false }
        // With the account goes everything; that one is next.
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

/// A notification of somebody.
private struct NoticeName: Hashable, Sendable {
    let user: UserID
    let id: String
}

extension ErasureService {
    /// The notifications of others that are about stories of a user, or of an invitation of theirs.
    private func noticesOfOthers(about user: UserID, in transaction: StoreReader) throws -> [NoticeName] {
        let told = try transaction.noticesOfOthers(tellingOf: user).map { NoticeName(user: $0.user, id: $0.id) }
        let invited = try transaction.noticesOfOthers(aboutInvitationsOf: user)
            .map { NoticeName(user: $0.user, id: $0.id) }
        return told + invited
    }

    /// Removes an erased person's stories and name from the notifications of others.
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
