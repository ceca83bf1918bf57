import Crypto
package import Formats
package import Importing
import Storage
import Stories

/// What a file is recognised by.
package enum FileDigest: Sendable {
    /// Returns the SHA-256 of a file.
    package static func of(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}

// The record of an import, and what it removes.
extension ImportService {
    /// How many of a file's first rows are compared with other sources, and how many of them must be there at least.
    static let comparedRows = (most: 100, least: 5)

    /// Returns where the stories of a file come from.
    static func origin(fileName: String, digest: [UInt8], by importer: StoryImporter) -> StoredImport.Origin {
        StoredImport.Origin(
            owner: importer.options.owner,
            source: importer.source(of: fileName),
            file: lastName(of: fileName),
            digest: digest
        )
    }

    /// Returns a name without folders.
    package static func lastName(of path: String) -> String {
        path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? path
    }

    /// Returns a client's key of a request as it is stored.
    package static func requestKey(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

    /// Records that an import begins, and returns its number and its id, by which it is known to run.
    ///
    /// - Throws: ``ImportConflict`` if the same content is stored for another owner or under another source.
    func begin(
        _ origin: StoredImport.Origin,
        choices: ImportChoices,
        requestKey: [UInt8]? = nil,
        at now: Timestamp
    ) async throws -> (number: Int64, id: String) {
        var generator = random
        let id = StoryID(using: &generator).description
        guard running.begin(id, for: origin.owner) else { throw ImportConflict.underWay }
        do {
            try await checkContent(of: origin, choices: choices)
            let number = try await store.write { [running] transaction in
                // Asked here and not before, so that it includes imports that began meanwhile.
                try transaction.interruptImports(except: running.ids, at: now)
                return try transaction.beginImport(id, from: origin, requestKey: requestKey, at: now)
            }
            return (number, id)
        } catch {
            running.end(id, for: origin.owner)
            throw error
        }
    }

    /// Rejects a file whose content is stored for another owner or under another source, unless the owner or the source
    /// was named on purpose.
    func checkContent(of origin: StoredImport.Origin, choices: ImportChoices) async throws {
        if !choices.isOwnerGiven, let other = try await store.read({ try $0.importOfSameContent(butNotOf: origin) }) {
            throw ImportConflict.sameContentOfOther(other)
        }
        guard !choices.isSourceGiven else { return }
        if let same = try await store.read({ try $0.importOfSameContent(as: origin) }) {
            throw ImportConflict.sameContent(same)
        }
    }

    /// Rejects a file whose first rows are mostly stored under another source.
    func checkRows(_ rows: [PreparedRow], from origin: StoredImport.Origin, in reader: StoreReader) throws {
        guard try !reader.hasStories(of: origin.owner, source: origin.source) else { return }
        let sample = rows.prefix(ImportService.comparedRows.most).map { ($0.row.sourceID, $0.row.title) }
        guard sample.count >= ImportService.comparedRows.least,
            let found = try reader.otherSource(with: sample, of: origin.owner, except: origin.source),
            found.count >= ImportService.comparedRows.least, found.count * 2 > sample.count
        else { return }
        throw ImportConflict.sameRows(source: found.source)
    }

    /// Removes the stories of a source that no row had, in the way of all deletions.
    ///
    /// Stories that were edited since they were imported stay: a person has worked on them.
    ///
    /// - Throws: ``ImportConflict`` if rows were skipped, or if these are more than half of the stories.
    func removeGone(
        from origin: StoredImport.Origin,
        skipped: Int,
        choices: ImportChoices,
        run: inout ImportRun,
        in transaction: StoreTransaction
    ) throws {
        let gone = try gone(from: origin, skipped: skipped, choices: choices, run: &run, in: transaction)
        run.outcome.removed = 0
        for id in gone { try remove(id, run: &run, in: transaction) }
    }

    /// Removes a story that the source no longer has.
    func remove(_ id: StoryID, run: inout ImportRun, in transaction: StoreTransaction) throws {
        try removal.remove(id, in: transaction)
        // The source may have it again later.
        try transaction.allowImport(of: id)
        if let number = run.number { try transaction.noteRemoval(of: id, by: number) }
        run.outcome.removed += 1
    }

    /// Returns the stories of a source that no row had and that nobody edited, and counts them.
    func gone(
        from origin: StoredImport.Origin,
        skipped: Int,
        choices: ImportChoices,
        run: inout ImportRun,
        in reader: StoreReader
    ) throws -> [StoryID] {
        guard skipped == 0 else { throw ImportConflict.skipsRows(skipped) }
        let seen = run.seen ?? []
        // In a dry run the new stories are not among those that are counted.
        var (gone, kept, all) = ([StoryID](), 0, run.number == nil ? 0 : -run.outcome.created)
        try reader.forEachStory(of: origin.owner, source: origin.source) { id, _, isEdited in
            all += 1
            guard !seen.contains(id) else { return }
            if isEdited { kept += 1 } else { gone.append(id) }
        }
        guard choices.mayRemoveMost || gone.count * 2 <= all else {
            throw ImportConflict.removesMost(removed: gone.count, of: all)
        }
        (run.outcome.removed, run.outcome.kept) = (gone.count, kept)
        return gone
    }

    /// Counts what an import would do; see ``add(reading:fileName:by:choices:dryRun:loadingFrom:progress:)``.
    func count(
        _ rows: inout ImportRows,
        from origin: StoredImport.Origin,
        choices: ImportChoices,
        skipped: () -> Int,
        in reader: StoreReader
    ) throws -> ImportOutcome {
        if !choices.isSourceGiven { try checkRows(try rows.peek()?.rows ?? [], from: origin, in: reader) }
        rows.isKnown()
        var run = ImportRun(now: now(), seen: choices.replaces ? [] : nil)
        while let prepared = try rows.next() {
            let row = prepared.row
            let known = try reader.imported(owner: row.owner, source: row.source, sourceID: row.sourceID)
            let id = known?.id ?? prepared.id
            run.seen?.insert(id)
            if try known?.digest == prepared.digest || (known == nil && reader.isDeletedImport(id)) {
                run.outcome.unchanged += 1
            } else if known == nil {
                run.outcome.created += 1
            } else {
                run.outcome.updated += 1
            }
        }
        if choices.replaces {
            _ = try gone(from: origin, skipped: skipped(), choices: choices, run: &run, in: reader)
        }
        return run.outcome
    }

    /// Records that an import is complete.
    func finish(
        _ run: ImportRun,
        reading result: ImportResult?,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        guard let number = run.number else { return }
        try transaction.saveImport(
            number,
            state: .complete,
            format: result?.format?.rawValue,
            counts: run.counts(refused: result?.badRows ?? 0),
            problems: ImportProblemList.json(result?.problems ?? []),
            endedAt: now
        )
    }

    /// Removes the record of an import that stored nothing.
    func drop(_ number: Int64?) async throws {
        guard let number else { return }
        try await store.write { try $0.dropImport(number) }
    }
}

extension ImportProblemList {
    /// Returns the first problems as a JSON array; `nil` without any.
    static func json(_ problems: [ImportProblem]) -> String? {
        guard !problems.isEmpty else { return nil }
        var json = JSONWriter()
        json.beginArray()
        for problem in problems.prefix(most) { json.value(problem) }
        json.endArray()
        return json.text
    }
}

extension JSONWriter {
    /// Writes a problem as an object: `row`, `field`, `severity` and `message`.
    package mutating func value(_ problem: ImportProblem) {
        beginObject()
        if let row = problem.row { member("row", row) }
        if let field = problem.field { member("field", field) }
        member("severity", problem.severity.rawValue)
        member("message", problem.message)
        endObject()
    }
}

extension StoryImporter {
    /// Returns an importer whose rows may name the families that the owner is in now.
    func knowingFamilies(in store: StoryStore) async throws -> StoryImporter {
        let owner = options.owner
        return knowing(try await store.read { Set(try $0.families(of: owner).map(\.family.id)) })
    }
}
