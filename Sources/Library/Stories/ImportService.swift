import Geometry
package import Importing
import Notifications
import Storage
import Stories

/// Stores stories read from files.
package struct ImportService: StoreService {
    package let context: StoreContext
    package let maps: MapService
    package let feed: FeedService
    package let proposals: ProposalService
    /// Removes the stories that a source no longer has.
    package let removal: StoryRemoval
    let running = RunningImports()

    /// Creates a value from its parts.
    package init(
        context: StoreContext,
        maps: MapService,
        feed: FeedService,
        proposals: ProposalService,
        removal: StoryRemoval
    ) {
        self.context = context
        self.maps = maps
        self.feed = feed
        self.proposals = proposals
        self.removal = removal
    }

    /// The number of rows from which an import of new stories is loaded as a whole.
    package static let loadedFrom = 1_000

    /// Reads a file and stores its stories in one transaction: all of them or none.
    ///
    /// Reading, preparing and storing go on at the same time, each on its own thread. A row stored by an earlier import is
    /// applied only if the row itself has changed since: changes made by the owner in the meantime are kept. The import is
    /// recorded, so that it can be undone. `progress` is called on the writer. With `inPieces`, short transactions are
    /// used instead of one, as others write as well.
    ///
    /// If the bytes were made of another file, `digest` is the SHA-256 of that one, by which it is recognised later. If the
    /// file is rejected, the result says so, and nothing is stored.
    ///
    /// - Throws: ``ImportConflict``; nothing is stored then.
    package func add(
        reading bytes: [UInt8],
        fileName: String,
        digest: [UInt8]? = nil,
        by importer: StoryImporter,
        choices: ImportChoices = ImportChoices(),
        dryRun: Bool = false,
        inPieces: Bool = false,
        loadingFrom least: Int = ImportService.loadedFrom,
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) async throws -> (result: ImportResult, outcome: ImportOutcome) {
        let (now, feed) = (now(), ImportFeed())
        let digest = digest ?? FileDigest.of(bytes)
        let importer = try await importer.knowingFamilies(in: store)
        let origin = ImportService.origin(fileName: fileName, digest: digest, by: importer)
        guard dryRun || !inPieces else {
            return try await addInPieces(
                bytes,
                from: origin,
                fileName,
                by: importer,
                choices: choices,
                progress: progress
            )
        }
        let begun: (number: Int64, id: String)? = dryRun ? nil : try await begin(origin, choices: choices, at: now)
        let number = begun?.number
        if dryRun { try await checkContent(of: origin, choices: choices) }
        defer { if let begun { running.end(begun.id, for: origin.owner) } }
        async let result = BackgroundThread.run("import reading") { cancellation in
            try feed.read(bytes, fileName: fileName, by: importer, until: cancellation)
        }
        async let preparing: Void = BackgroundThread.run("import preparing") { _ in
            feed.prepare { prepared($0, isNew: $1 && !dryRun, now: now) }
        }
        var outcome = ImportOutcome()
        do {
            let next = { @Sendable [feed] () -> ImportRows in
                ImportRows(next: { try feed.next() }, isKnown: { feed.expectKnownRows() }, progress: progress)
            }
            if dryRun {
                outcome = try await store.read { [self] reader in
                    var rows = next()
                    return try count(&rows, from: origin, choices: choices, skipped: { feed.skippedRows }, in: reader)
                }
            } else {
                outcome = try await store.write(isLong: true) { [self] transaction in
                    var rows = next()
                    var run = ImportRun(number: number, now: now, seen: choices.replaces ? [] : nil)
                    try store(&rows, least: least, from: origin, choices: choices, run: &run, in: transaction)
                    if choices.replaces {
                        try removeGone(
                            from: origin,
                            skipped: feed.skippedRows,
                            choices: choices,
                            run: &run,
                            in: transaction
                        )
                    }
                    try finish(run, reading: feed.result, at: self.now(), in: transaction)
                    return run.outcome
                }
            }
        } catch is ImportFeed.Refused {
            // The result says why.
            try await drop(number)
        } catch {
            feed.abandon()
            _ = try? await (result, preparing)
            try? await drop(number)
            throw error
        }
        try await preparing
        return (try await result, outcome)
    }

    /// Stores stories in one transaction: all of them or none; see ``add(reading:fileName:by:dryRun:loadingFrom:progress:)``.
    package func add(
        _ imported: [ImportedStory],
        dryRun: Bool = false,
        loadingFrom least: Int = ImportService.loadedFrom
    ) async throws -> ImportOutcome {
        let now = now()
        // A source's row that occurs twice changes the story that it made first.
        let isOneSource = imported.allSatisfy { ($0.owner, $0.source) == (imported[0].owner, imported[0].source) }
        let isLoaded = isOneSource && Set(imported.map(\.sourceID)).count == imported.count && !dryRun
        return try await store.write(isLong: true) { [self] transaction in
            var rest = imported[...]
            var rows = ImportRows(next: {
                guard !rest.isEmpty else { return nil }
                let part = rest.prefix(500).map { prepared($0, isNew: false, now: now) }
                rest = rest.dropFirst(500)
                let done = imported.count - rest.count
                return ImportBatch(
                    rows: part,
                    progress: ImportProgress(rows: done, bytes: done, totalBytes: imported.count)
                )
            })
            var run = ImportRun(now: now)
            try store(&rows, least: isLoaded ? least : .max, dryRun: dryRun, run: &run, in: transaction)
            return run.outcome
        }
    }

    /// Stores rows one after the other, or as a whole if at least `least` are expected and none was imported before.
    func store(
        _ rows: inout ImportRows,
        least: Int,
        from origin: StoredImport.Origin? = nil,
        choices: ImportChoices = ImportChoices(),
        dryRun: Bool = false,
        run: inout ImportRun,
        in transaction: StoreTransaction
    ) throws {
        if let origin {
            run.mayReturn = try transaction.mayHaveReturning(of: origin.owner, source: origin.source)
            if !choices.isSourceGiven { try checkRows(try rows.peek()?.rows ?? [], from: origin, in: transaction) }
        }
        try feed.writeStories(in: transaction) { writes in
            guard let start = try rows.peek(), let first = start.rows.first?.row, start.expectedRows >= least,
                try !transaction.hasStories(of: first.owner, source: first.source)
            else {
                rows.isKnown()
                while let row = try rows.next() {
                    try store(row, by: writes, run: &run, dryRun: dryRun, in: transaction)
                }
                return
            }
            try writes.load(expecting: start.expectedRows, by: run.number) { load in
                while let row = try rows.next() { try store(row, by: load, run: &run, in: transaction) }
            }
        }
    }

    /// Stores a row that no earlier import stored.
    private func store(
        _ row: PreparedRow,
        by load: StoryLoad,
        run: inout ImportRun,
        in transaction: StoreTransaction
    ) throws {
        run.seen?.insert(row.id)
        try run.checkFamily(of: row.row, in: transaction)
        guard try !load.isDeletedImport(row.id) else {
            run.outcome.unchanged += 1
            return
        }
        let new = row.new ?? newStory(of: row.row, id: row.id, digest: row.digest, now: run.now)
        run.outcome.created += 1
        let stored = try load.insert(new.story)
        try saveWords(of: row.row, for: stored.id, isKnown: false, at: run.now, in: transaction)
        try run.noteNew(stored.id, in: transaction)
        if let proposal = new.proposal { try propose(proposal, for: stored, at: run.now, in: transaction) }
    }

    /// Stores a row if it is new or has changed.
    func store(
        _ prepared: PreparedRow,
        by writes: StoryWrites,
        run: inout ImportRun,
        dryRun: Bool,
        in transaction: StoreTransaction
    ) throws {
        let (row, digest) = (prepared.row, prepared.digest)
        try run.checkFamily(of: row, in: transaction)
        let known = try transaction.imported(owner: row.owner, source: row.source, sourceID: row.sourceID)
        let id = known?.id ?? prepared.id
        run.seen?.insert(id)
        let isSame = try known?.digest == digest && !addsPlace(row, to: id, in: transaction)
        if try isSame || (known == nil && transaction.isDeletedImport(id)) {
            run.outcome.unchanged += 1
            return
        }
        let story: Story
        let proposal: StoryLocation?
        if known == nil, let new = prepared.new {
            (story, proposal) = (new.story.story, new.proposal)
        } else {
            (story, proposal) = try self.story(of: row, id: id, known: known, now: run.now, in: transaction)
        }
        if known == nil { run.outcome.created += 1 } else { run.outcome.updated += 1 }
        guard !dryRun else { return }
        let stored: Story
        if known == nil {
            stored = try writes.insert(story)
            if let number = run.number { try transaction.noteImport(number, of: id) }
            try run.noteNew(id, in: transaction)
        } else {
            let before = try run.before(id, in: transaction)
            stored = try writes.update(story, isEdit: run.number == nil)
            try run.noteChange(of: id, before: before, in: transaction)
        }
        let place = row.isProposal ? nil : row.location
        // A place that is kept still counts as the file's.
        let kept = place == nil && stored.location?.source == .geocoded ? stored.location : nil
        try transaction.stampImport(of: id, digest: digest, location: place ?? kept)
        try saveWords(of: row, for: id, isKnown: known != nil, at: run.now, in: transaction)
        if let proposal { try propose(proposal, for: stored, at: run.now, in: transaction) }
    }

    /// Computes what does not depend on the database; `isNew` if the row is probably not stored yet.
    func prepared(_ row: ImportedStory, isNew: Bool, now: Timestamp) -> PreparedRow {
        let (id, digest) = (id(of: row), row.contentDigest)
        let new = isNew ? newStory(of: row, id: id, digest: digest, now: now) : nil
        return PreparedRow(row: row, id: id, digest: digest, new: new)
    }

    private func newStory(of row: ImportedStory, id: StoryID, digest: [UInt8], now: Timestamp) -> NewStory {
        let (story, proposal) = newStory(of: row, id: id, now: now)
        let place = row.isProposal ? nil : row.location
        return NewStory(story: PreparedStory(story, digest: digest, place: place), proposal: proposal)
    }

    /// Returns the new story of a row, and the location that waits for its owner.
    private func newStory(
        of row: ImportedStory,
        id: StoryID,
        now: Timestamp
    ) -> (story: Story, proposal: StoryLocation?) {
        var story = row.story(id: id, now: now)
        story.location = story.location.map(maps.derivingNames)
        let proposal = row.settleLocation(of: &story, replacing: nil)
        story.location?.stamp(at: now, replacing: nil)
        story.places = places.new(of: row, for: id)
        // Kept places have the times of the file.
        if row.kept == nil { story.stampPlaces(at: now, replacing: nil) }
        row.keepTimes(of: &story)
        return (story, proposal)
    }

    /// Stores the location that the file's extraction proposes, unless the owner rejected its place before.
    private func propose(
        _ proposal: StoryLocation,
        for story: Story,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        do {
            _ = try proposals.settle(story, replacing: nil, proposal, at: now, in: transaction)
        } catch is ExtractionRefusal {
            return
        }
    }

    /// Returns the new story of a row or, if an earlier import created it, the existing story with the changes of the
    /// row.
    ///
    /// A location extracted by a program is returned as a proposal: it waits for the owner, even if the owner imports
    /// it (LOC-11).
    ///
    /// All stories of a file have the same creation time: their order would otherwise reveal the number of stories
    /// between them that a viewer may not see.
    private func story(
        of row: ImportedStory,
        id: StoryID,
        known: StoreTransaction.ImportedRow?,
        now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> (story: Story, proposal: StoryLocation?) {
        guard let known, let old = try transaction.story(id) else {
            return newStory(of: row, id: id, now: now)
        }
        var story = old
        // A location that the owner removed does not come back, whether the row has contained a location all along or
        // contains one only now.
        let isRemoved = old.absentLocation?.isRemoved == true
        let isKept = try keepsPlace(old, of: row, in: transaction)
        let isReplacing = !isRemoved && !isKept && transaction.hasImportedLocation(old, known)
        row.update(&story, replacingLocation: isReplacing)
        story.location = story.location.map(maps.derivingNames)
        story.location?.floor = old.location?.floor ?? .exact
        let proposal = row.settleLocation(of: &story, replacing: old)
        story.location?.stamp(at: now, replacing: old.location)
        let takes = isReplacing || (row.isProposal && !isRemoved)
        story.places = try places.merged(of: row, into: old, at: story.location, takesExtents: takes, in: transaction)
        story.stampPlaces(at: now, replacing: old)
        story.touch(at: now, replacing: old)
        return (story, proposal)
    }

    private func id(of row: ImportedStory) -> StoryID {
        row.kept?.id ?? storyID(owner: row.owner, source: row.source, sourceID: row.sourceID)
    }
}

extension ImportedStory {
    /// Accepts the location that the row gave a story; a proposed one is removed from the story and returned, to wait
    /// for the owner.
    fileprivate func settleLocation(of story: inout Story, replacing old: Story?) -> StoryLocation? {
        guard isProposal, story.location?.source == .aiExtracted else {
            if story.location != nil {
                story.absentLocation = nil
            } else if let gone = old?.location {
                // The row no longer contains the location, which does not count as a removal by the owner. A later
                // import may add one again, at no higher precision.
                story.absentLocation = AbsentLocation(
                    precision: gone.precision,
                    familySeesExact: gone.familySeesExact
                )
            }
            return nil
        }
        do {
            return try story.settleLocation(replacing: old)
        } catch {
            story.location = old?.location
            return nil
        }
    }

    /// A digest of the whole content of a row, to detect whether it changed since it was stored.
    var contentDigest: [UInt8] {
        var digest = ContentDigest()
        for value in [
            kind.rawValue, privacy.rawValue, family?.rawValue, title, text, date?.text, date?.first?.description,
            date?.last?.description, collection, mediaURL, thumbnailURL, alt,
        ] {
            // A missing value differs from an empty one.
            digest.add(value.map { "=" + $0 } ?? "")
        }
        for list in [tags, people, mentions] {
            digest.add(String(list.count))
            list.forEach { digest.add($0) }
        }
        // What was found by the row's words belongs to the gazetteer, and not to the row.
        let location = givenLocation
        digest.add(location.map { "\($0.coordinate.latitude) \($0.coordinate.longitude)" } ?? "")
        digest.add(location.map { "\($0.source) \($0.accuracy ?? -1) \($0.precision) \($0.familySeesExact)" } ?? "")
        if location?.showsExactTimes == true { digest.add("exact times") }
        // Only for extracted locations, so that the digests of older imports stay valid.
        if location?.source == .aiExtracted { digest.add(isLocationConfirmed ? "confirmed" : "proposed") }
        for name in LocationName.allCases { digest.add(location?.names[name].map { "=" + $0 } ?? "") }
        // Only for rows with further places, for the same reason.
        for place in places { digest.add(place.content) }
        return Array(digest.hexadecimal.utf8)
    }
}
