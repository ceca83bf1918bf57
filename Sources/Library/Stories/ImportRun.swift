import Importing
import Storage
import Stories

/// What an import writes while its transaction runs, besides the stories themselves.
struct ImportRun: Sendable {
    /// The number of stories that one import changes and that are kept as they were: more would let the file grow by as
    /// much as a whole collection.
    static let mostChangesKept = 100_000

    /// Its number; `nil` if it is not recorded.
    let number: Int64?
    /// The time of all its stories.
    let now: Timestamp
    var outcome = ImportOutcome()
    /// The stories of the rows so far, if those without a row are to be removed.
    var seen: Set<StoryID>?
    /// Whether stories may come back that an import removed.
    var mayReturn = false
    private var changesKept = 0
    /// The families of the owners in this transaction.
    private var families: [UserID: Set<FamilyID>] = [:]

    init(number: Int64? = nil, now: Timestamp, seen: Set<StoryID>? = nil) {
        (self.number, self.now, self.seen) = (number, now, seen)
    }

    /// The same run in a later transaction, before which owners may have left families.
    var inNextTransaction: ImportRun {
        var next = self
        next.families = [:]
        return next
    }

    /// Checks that the owner of a row is still in the family that the row names: its members would see what somebody
    /// else's file shows them.
    ///
    /// - Throws: ``Refusal``.
    mutating func checkFamily(of row: ImportedStory, in transaction: StoreTransaction) throws {
        guard let family = row.family else { return }
        let known = try families[row.owner] ?? Set(transaction.families(of: row.owner).map(\.family.id))
        families[row.owner] = known
        guard known.contains(family) else {
            throw Refusal(
                .conflict,
                "family-left",
                "The owner left a family that the file names while it was imported. The import ended there. Correct the file, "
                    + "and import it again."
            )
        }
    }

    /// Takes note of a new story that was stored.
    func noteNew(_ id: StoryID, in transaction: StoreTransaction) throws {
        guard mayReturn else { return }
        // It is no longer deleted, neither here nor in an older copy.
        try transaction.removeSealed(id)
        try transaction.dropRemovals(of: id)
        transaction.noteReturn(of: id, at: now)
    }

    /// Returns what a story is before this import changes it, if that is kept.
    mutating func before(_ id: StoryID, in transaction: StoreTransaction) throws -> [UInt8]? {
        guard number != nil, changesKept < ImportRun.mostChangesKept else { return nil }
        changesKept += 1
        return try transaction.storyBefore(id)
    }

    /// Takes note of a story that was there and was changed.
    func noteChange(of id: StoryID, before: [UInt8]?, in transaction: StoreTransaction) throws {
        guard let number else { return }
        try transaction.noteChange(of: id, by: number, before: before)
    }

    /// The numbers of stories, as recorded.
    func counts(refused: Int) -> StoredImport.Counts {
        var counts = StoredImport.Counts()
        counts.created = outcome.created
        counts.changed = outcome.updated
        counts.unchanged = outcome.unchanged
        counts.removed = outcome.removed
        counts.refused = refused
        return counts
    }
}

/// How many rows an import stores in one transaction while others write as well.
///
/// A transaction waits for the disk once, so large ones are faster; but each occupies the only writer. So their size
/// follows the time that they take.
package struct PieceSize: Hashable, Sendable {
    /// The number of rows of the next transaction.
    package private(set) var rows = 64

    /// Creates the size of the first transaction.
    package init() {}

    /// Takes note of how long the last transaction occupied the writer.
    package mutating func note(_ time: Duration) {
        if time < .milliseconds(20) { rows = min(512, rows * 2) }
        if time > .milliseconds(50) { rows = max(16, rows / 2) }
    }
}
