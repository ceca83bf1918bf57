import Foundation
import Stories
import Synchronization

// Detects lost lines. The database knows how many there were, so a list that was removed or truncated cannot pass for
// one that never had more.
extension ErasureList {
    /// The total number of lines ever added, including those removed by ``compact(now:)``.
    var total: Int { contents.withLock(\.total) }

    /// Whether lines were lost and an operator has not yet dealt with it; see ``noteLoss(of:at:)``.
    public var hasLostLines: Bool { isShort.withLock { $0 } || FileManager.default.fileExists(atPath: lossNote) }

    /// Leaves a note for the operator that lines are missing, and continues counting from `known`, the number of lines
    /// that the database knew of.
    ///
    /// The operator removes the note once the loss has been dealt with. If the note cannot be written, the next opening
    /// detects the same loss.
    func noteLoss(of known: Int, at now: Timestamp) {
        isShort.withLock { $0 = true }
        let words = """
            \(known - total) lines of erasures.log were missing when the database was opened. They recorded erasures,
            deletions, revocations and withdrawals. The database itself is intact. But copies of it made before now lack
            these records and can bring back content that was erased since.

            The service refuses to start, because this database may be such a copy. If erasures.key is the same as in your
            last backup of this folder, insert the lines of the backup's erasures.log before those in erasures.log. If it
            differs, restore the whole folder from the backup: erasures since then are reported as missing once more.
            Without a backup, destroy every older copy of the database and start once with 'waymark serve --after-old-copy private', which makes every story temporarily
            private and switches channels off until you and their owners have looked. Then remove this file.

            """
        do {
            try ErasureFile.replace(lossNote, by: Array(words.utf8))
            try contents.withLock { contents in
                // The narrowings among the lost lines are unknown: the list begins anew, and no database is as new as it.
                for line in [count(of: known, at: now), beginning(at: now)] {
                    for line in contents.numbered([line]) {
                        let bytes = Array((text(of: line) + "\n").utf8)
                        try ErasureFile.append(bytes, to: file, at: contents.size)
                        contents.size += bytes.count
                        contents.add(line)
                    }
                }
                try ErasureFile.sync(file)
            }
            // From now on the note alone reports the loss, until it is removed.
            isShort.withLock { $0 = false }
        } catch {}
    }

    /// Returns a line that records how many lines were added to the list before it, including removed and lost ones.
    func count(of lines: Int, at now: Timestamp) -> Entry {
        entry(.counted, of: .retained, at: now, until: Timestamp(milliseconds: Int64(lines)))
    }
}
