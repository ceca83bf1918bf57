import Importing
import Storage
import Stories

// Storing a file while the service runs.
extension ImportService {
    /// The number of stories that one transaction removes, which occupies the only writer for some tens of milliseconds.
    private static let removedAtOnce = 32

    /// Records and stores a file in short transactions.
    ///
    /// - Throws: ``ImportConflict``; nothing is stored then. ``ImportCancelled`` if the task or the import was cancelled.
    func addInPieces(
        _ bytes: [UInt8],
        from origin: StoredImport.Origin,
        _ fileName: String,
        by importer: StoryImporter,
        choices: ImportChoices,
        progress: @escaping @Sendable (ImportProgress) -> Void
    ) async throws -> (result: ImportResult, outcome: ImportOutcome) {
        let (number, id) = try await begin(origin, choices: choices, at: now())
        defer { running.end(id, for: origin.owner) }
        guard let stored = try await store.read({ try $0.storedImport(number) }) else { throw Refusal.notFound }
        let work = Task(executorPreference: LongWorkExecutor.shared) { [self] in
            try await storeInPieces(
                bytes,
                of: stored,
                fileName: fileName,
                by: importer,
                choices: choices,
                progress: progress
            )
        }
        running.onCancel(of: id) { work.cancel() }
        do {
            let done = try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                work.cancel()
            }
            if done.result.isRefused { try await drop(number) }
            return done
        } catch let conflict as ImportConflict {
            try await drop(number)
            throw conflict
        } catch {
            try? await store.write { [self] in try $0.interruptImport(number, at: now()) }
            if work.isCancelled { throw ImportCancelled(number: number) }
            throw error
        }
    }

    /// Stores a file in short transactions, after it was checked whole; see ``UploadService``.
    ///
    /// The record says in the end what became of it.
    ///
    /// - Throws: ``ImportConflict``; nothing is stored then.
    @discardableResult
    func storeInPieces(
        _ bytes: [UInt8],
        of stored: StoredImport,
        fileName: String,
        by importer: StoryImporter,
        choices: ImportChoices,
        progress: @escaping @Sendable (ImportProgress) -> Void
    ) async throws -> (result: ImportResult, outcome: ImportOutcome) {
        let (now, origin) = (now(), stored.origin)
        let importer = try await importer.knowingFamilies(in: store)
        let checked = try await check(bytes, fileName: fileName, by: importer, sees: choices.replaces)
        guard !checked.result.isRefused else {
            try await close(stored, ImportRun(now: now), .refused, checked.result)
            return (checked.result, ImportOutcome())
        }
        let first = ImportRun(number: stored.number, now: now, seen: checked.seen)
        let (run, gone, isKnown) = try await store.read { [self] reader in
            var run = first
            let isKnown = try reader.hasStories(of: origin.owner, source: origin.source)
            if !choices.isSourceGiven { try checkRows(checked.first, from: origin, in: reader) }
            run.mayReturn = try reader.mayHaveReturning(of: origin.owner, source: origin.source)
            guard choices.replaces else { return (run, [StoryID](), isKnown) }
            let skipped = checked.result.badRows
            let gone = try self.gone(from: origin, skipped: skipped, choices: choices, run: &run, in: reader)
            run.outcome.removed = 0
            return (run, gone, isKnown)
        }
        var pace = BackgroundPace(store: store)
        // The first reading has reported everything.
        var stage = try await storeRows(
            bytes,
            of: stored,
            fileName: fileName,
            by: importer.silenced,
            expectingNew: !isKnown,
            run: run,
            pace: &pace,
            progress: progress
        )
        for start in stride(from: 0, to: gone.count, by: ImportService.removedAtOnce) {
            try Task.checkCancellation()
            let (part, last) = (gone[start..<min(start + ImportService.removedAtOnce, gone.count)], stage)
            stage = try await pace.run(commits: 1) {
                try await store.write { [self] transaction in
                    var run = last
                    for id in part { try remove(id, run: &run, in: transaction) }
                    return run
                }
            }
        }
        try await close(stored, stage, .complete, checked.result)
        return (checked.result, stage.outcome)
    }

    /// What a first reading of a file found.
    private struct Checked: Sendable {
        let result: ImportResult
        let first: [PreparedRow]
        let seen: Set<StoryID>?
    }

    private func check(
        _ bytes: [UInt8],
        fileName: String,
        by importer: StoryImporter,
        sees: Bool
    ) async throws -> Checked {
        let now = now()
        return try await BackgroundThread.run("import checking") { [self] cancellation in
            var (first, seen) = ([PreparedRow](), sees ? Set<StoryID>() : nil)
            let result = importer.stopping { cancellation.isCancelled }
                .read(bytes, fileName: fileName) { _ in
                } each: { story, _ in
                    let isSample = first.count < ImportService.comparedRows.most
                    guard isSample || sees else { return }
                    let row = prepared(story, isNew: false, now: now)
                    if isSample { first.append(row) }
                    seen?.insert(row.id)
                }
            try cancellation.check()
            return Checked(result: result, first: first, seen: seen)
        }
    }

    /// Reads the file again and stores its rows; returns what was done.
    private func storeRows(
        _ bytes: [UInt8],
        of stored: StoredImport,
        fileName: String,
        by importer: StoryImporter,
        expectingNew: Bool,
        run start: ImportRun,
        pace: inout BackgroundPace,
        progress: @escaping @Sendable (ImportProgress) -> Void
    ) async throws -> ImportRun {
        let (now, rows) = (start.now, ImportFeed())
        // New stories are made on a thread of their own, with the names of their places, and not while others wait to write.
        if !expectingNew { rows.expectKnownRows() }
        async let reading = BackgroundThread.run("import reading") { cancellation in
            try rows.read(bytes, fileName: fileName, by: importer, until: cancellation)
        }
        async let preparing: Void = BackgroundThread.run("import preparing") { _ in
            rows.prepare { [self] row, isNew in prepared(row, isNew: isNew, now: now) }
        }
        var (run, size) = (start, PieceSize())
        do {
            while let batch = try await BackgroundThread.run("import waiting", { _ in try rows.next() }) {
                var rest = batch.rows[...]
                while !rest.isEmpty {
                    try Task.checkCancellation()
                    let (part, last) = (rest.prefix(size.rows), run)
                    rest = rest.dropFirst(part.count)
                    let time: Duration
                    (run, time) = try await pace.run(commits: 1) {
                        try await store.write { [self] in try storePiece(part, of: stored, after: last, in: $0) }
                    }
                    size.note(time)
                }
                progress(batch.progress)
            }
        } catch {
            rows.abandon()
            _ = try? await (reading, preparing)
            // The reading thread notices a cancellation as well, and then says that the file is refused.
            try Task.checkCancellation()
            throw error
        }
        _ = try await (reading, preparing)
        return run
    }

    /// Stores some rows; also returns for how long they occupied the writer.
    private func storePiece(
        _ rows: ArraySlice<PreparedRow>,
        of stored: StoredImport,
        after last: ImportRun,
        in transaction: StoreTransaction
    ) throws -> (run: ImportRun, time: Duration) {
        let start = ContinuousClock.now
        var run = last.inNextTransaction
        try feed.writeStories(in: transaction) { writes in
            for row in rows { try store(row, by: writes, run: &run, dryRun: false, in: transaction) }
        }
        try transaction.saveImport(
            stored.number,
            state: .running,
            format: nil,
            counts: run.counts(refused: 0),
            endedAt: nil
        )
        return (run, ContinuousClock.now - start)
    }

    /// Records what became of an import.
    private func close(
        _ stored: StoredImport,
        _ run: ImportRun,
        _ state: StoredImport.State,
        _ result: ImportResult
    ) async throws {
        try await store.write { [self] transaction in
            try transaction.saveImport(
                stored.number,
                state: state,
                format: result.format?.rawValue,
                counts: run.counts(refused: result.badRows),
                problems: ImportProblemList.json(result.problems),
                endedAt: self.now()
            )
        }
    }
}
