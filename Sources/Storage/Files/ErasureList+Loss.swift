import Foundation
import Stories
import Synchronization

// Whether lines are lost. The database knows how many there were, so that a list that went or was cut does not pass for
// one that never had more.
extension ErasureList {
    /// How many lines there have ever been, those that ``compact(now:)`` left out among them.
    var total: Int { contents.withLock(\.total) }

    /// Whether lines were lost and nobody has said that it was seen to: see ``noteLoss(of:at:)``.
    public var hasLostLines: Bool { isShort.withLock { $0 } || FileManager.default.fileExists(atPath: lossNote) }

    /// Notes that the database knew of more lines than there are, in words for an operator, who removes the note when it
    /// has been seen to, and goes on counting from there.
    ///
    /// Where the note cannot be written, the next opening finds the same.
    func noteLoss(of known: Int, at now: Timestamp) {
        isShort.withLock { $0 = true }
        let words = """
            \(known - total) lines of erasures.log were missing when the database was opened. They said what was erased,
            deleted, revoked and withdrawn. The database itself is as it should be. But copies of it made before now can
            bring back what was erased since: they do not know.

            Stop the service. If erasures.key is still that of your last backup of this folder, put the lines of its
            erasures.log in front of those in erasures.log. If it is another, put the whole folder back from the backup: what
            was erased since then is reported as missing once more. Without a backup destroy every older copy of the
            database. Then remove this file.

            """
        do {
            try ErasureFile.replace(lossNote, by: Array(words.utf8))
            try contents.withLock { contents in
                let line = count(of: known, at: now)
                let bytes = Array((text(of: line) + "\n").utf8)
                try ErasureFile.append(bytes, to: file, at: contents.size)
                contents.size += bytes.count
                contents.add(line)
                try ErasureFile.sync(file)
            }
            // From here on the note alone says so: it ends when it is removed.
            isShort.withLock { $0 = false }
        } catch {}
    }

    /// The line that says how many there were up to it.
    func count(of lines: Int, at now: Timestamp) -> Entry {
        entry(.counted, of: .retained, at: now, until: Timestamp(milliseconds: Int64(lines)))
    }
}
