package import Storage
package import Stories

/// Lists past imports and undoes them.
///
/// An import is undone in short transactions, in the way in which stories are deleted, restored and changed by their
/// owners. So feeds, the map, clients that sync and older copies of the database follow. If it is interrupted, undoing it
/// again goes on.
package struct ImportHistory: StoreService {
    /// The number of stories in one transaction, which occupies the only writer for some tens of milliseconds.
    private static let step = 32

    package let context: StoreContext
    package let feed: FeedService
    package let imports: ImportService
    package let retention: RetentionService

    /// Creates a value from its parts.
    package init(
        context: StoreContext,
        feed: FeedService,
        imports: ImportService,
        retention: RetentionService
    ) {
        self.context = context
        self.feed = feed
        self.imports = imports
        self.retention = retention
    }

    /// Returns imports, newest first: of one user or of all, at most `limit`, only those before a number if given.
    package func list(of owner: UserID?, before number: Int64? = nil, limit: Int) async throws -> [StoredImport] {
        try await store.read { try $0.imports(of: owner, before: number, limit: limit) }
    }

    /// Returns the import with a number, or `nil`.
    package func find(_ number: Int64) async throws -> StoredImport? {
        try await store.read { try $0.storedImport(number) }
    }

    /// Returns the import of a user with an id.
    ///
    /// - Throws: ``Refusal`` (not found).
    package func find(_ id: String, of owner: UserID) async throws -> StoredImport {
        guard let found = try await store.read({ try $0.storedImport(id, of: owner) }) else { throw Refusal.notFound }
        return found
    }

    /// Returns whether an import that is recorded as running does so in this process.
    package func isRunningHere(_ stored: StoredImport) -> Bool { imports.running.contains(stored.id) }

    /// Records, when the database is opened for writing, that imports of a process that was killed were interrupted.
    package func endInterrupted() async throws {
        guard store.isWritable, try await store.read({ try $0.hasRunningImport() }) else { return }
        try await store.write { [running = imports.running, now = now()] transaction in
            try transaction.interruptImports(except: running.ids, at: now)
        }
    }

    /// Returns what undoing an import would do now.
    package func plan(_ stored: StoredImport) async throws -> UndoPlan {
        try await store.read { try $0.undoPlan(of: stored) }
    }

    /// Returns stories that undoing an import leaves as they are, because somebody edited them since, by title.
    package func editedSince(_ stored: StoredImport, limit: Int) async throws -> [(id: StoryID, title: String)] {
        try await store.read { try $0.editedSince(stored, limit: limit) }
    }

    /// Undoes an import: the stories that it created go, those that it changed are as before, and those that it removed
    /// come back.
    ///
    /// Stories that somebody edited since, or that a later import changed, stay as they are. Returns what was done.
    /// `progress` is called after each transaction with the number of stories.
    ///
    /// - Throws: ``Refusal`` (conflict) while an import of the owner is under way.
    package func undo(
        _ stored: StoredImport,
        progress: @escaping @Sendable (_ done: Int) -> Void = { _ in }
    ) async throws -> UndoPlan {
        guard imports.running.begin(for: stored.origin.owner) else { throw ImportConflict.underWay.refusal }
        return try await undoInTurn(stored, progress: progress)
    }

    /// Cancels an import if it is running here, and undoes it; see ``undo(_:progress:)``.
    ///
    /// It ends between two transactions, or leaves its line if it is still waiting. No other import of its owner comes
    /// between its end and its undoing.
    ///
    /// - Throws: ``Refusal`` (conflict) if somebody else is cancelling it, or another import of the owner is under way.
    package func cancel(
        _ stored: StoredImport,
        progress: @escaping @Sendable (_ done: Int) -> Void = { _ in }
    ) async throws -> UndoPlan {
        guard let isFirst = await imports.running.cancel(stored.id) else {
            return try await undo(stored, progress: progress)
        }
        guard isFirst else { throw ImportConflict.underWay.refusal }
        return try await undoInTurn(stored, progress: progress)
    }

    /// Undoes an import in the turn of its owner, which ends with it.
    private func undoInTurn(
        _ stored: StoredImport,
        progress: @escaping @Sendable (_ done: Int) -> Void
    ) async throws -> UndoPlan {
        defer { imports.running.end(nil, for: stored.origin.owner) }
        let plan = try await self.plan(stored)
        guard !plan.isEmpty || stored.state != .undone else { return plan }
        var done = UndoPlan()
        (done.edited, done.changedLater, done.lost) = (plan.edited, plan.changedLater, plan.lost)
        var pace = BackgroundPace(store: store)
        try await store.write { [self] in try $0.noteUndoing(of: stored.number, isDone: false, at: now()) }
        var last = ""
        while true {
            let after = last
            let part = try await pace.run(commits: 1) {
                try await store.write { [self] in try restore(stored, after: after, in: $0) }
            }
            guard let part else { break }
            last = part.last
            done.restored += part.restored
            done.returned += part.returned
            progress(done.restored + done.returned)
        }
        last = ""
        while true {
            let after = last
            let part = try await pace.run(commits: 1) {
                try await store.write { [self] in try remove(stored, after: after, in: $0) }
            }
            guard let part else { break }
            last = part.last
            done.removed += part.count
            progress(done.restored + done.returned + done.removed)
        }
        try await store.write { [self] in try $0.noteUndoing(of: stored.number, isDone: true, at: now()) }
        return done
    }

    /// Puts some stories back that an import changed or removed; returns `nil` if none is left.
    private func restore(
        _ stored: StoredImport,
        after: String,
        in transaction: StoreTransaction
    ) throws -> (last: String, restored: Int, returned: Int)? {
        let some = try transaction.undoable(of: stored, after: after, limit: ImportHistory.step)
        guard let last = some.last else { return nil }
        var (restored, returned) = (0, 0)
        try feed.writeStories(in: transaction) { writes in
            for (id, bytes) in some {
                if let bytes {
                    let before = try transaction.read(before: bytes)
                    guard let story = try transaction.story(id) else { continue }
                    try writes.update(back(story, to: before.story), isEdit: false)
                    try transaction.restoreImportData(before, changedBy: stored.number)
                    restored += 1
                } else {
                    if try retention.restore(id, in: transaction) { returned += 1 }
                    try transaction.dropChange(of: id, by: stored.number)
                }
            }
        }
        return (last.id.description, restored, returned)
    }

    /// Returns a story as it was before an import.
    ///
    /// What the import did not change stays as it is now: what operators and families decided, its picture, and the
    /// precision that sensitive areas allow.
    private func back(_ story: Story, to before: Story) -> Story {
        var old = before
        old.autoPrivate = story.autoPrivate
        old.isWithheld = story.isWithheld
        old.picture = story.picture
        old.family = story.family
        if let floor = story.location?.floor { old.location?.floor = floor }
        old.updatedAt = story.updatedAt
        old.shownUpdatedAt = story.shownUpdatedAt
        old.touch(at: now(), replacing: story)
        return old
    }

    /// Removes some stories that an import created; returns `nil` if none is left.
    private func remove(
        _ stored: StoredImport,
        after: String,
        in transaction: StoreTransaction
    ) throws -> (last: String, count: Int)? {
        let some = try transaction.created(by: stored, after: after, limit: ImportHistory.step)
        guard let last = some.last else { return nil }
        for story in some {
            try imports.removal.remove(story.id, in: transaction)
            // Importing the file again brings its stories back.
            try transaction.allowImport(of: story.id)
        }
        return (last.sourceID, some.count)
    }
}
