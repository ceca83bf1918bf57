/// Decides which keys and which list of erasures a restored database gets: those in the backup or those present beside
/// the database that it replaces.
///
/// The rule: what must not come back decides about the list of erasures and about what was revoked by a new key; what
/// the rows are sealed with decides about the rest.
package struct KeyMerge: Hashable, Sendable {
    /// The files of a folder of keys.
    package struct Folder: Hashable, Sendable {
        /// The content of the files by name.
        package var files: [String: [UInt8]]
        /// The number of lines that its list of erasures ever had.
        package var lines: Int

        /// Creates a value.
        package init(files: [String: [UInt8]] = [:], lines: Int = 0) {
            self.files = files
            self.lines = lines
        }

        fileprivate var erasuresKey: [UInt8]? { files["erasures.key"] }
    }

    /// The files of the resulting folder by name.
    package let files: [String: [UInt8]]
    /// What was decided, in sentences for the operator; none if there was nothing to decide.
    package let notes: [String]

    /// The list of erasures with its key and its note of lost lines, and what was announced, named under the same key.
    private static let list: Set<String> = ["erasures.key", "erasures.log", "erasures.lost", announced]
    private static let announced = "announced.log"
    /// The keys that only make texts valid: an older one would make valid again what a newer one ended.
    private static let ending: Set<String> = ["tokens.key", "cursors.key", "versions.key"]

    /// Decides.
    package init(present: Folder, backup: Folder) {
        var (files, notes) = (backup.files, [String]())
        // The digests of the keys are of another choice of keys; the next start makes them anew.
        files[KeyChecks.fileName] = nil
        let isSame = backup.erasuresKey == nil || backup.erasuresKey == present.erasuresKey
        var replaced: [String] = []
        for (name, bytes) in present.files where !KeyMerge.list.contains(name) && name != KeyChecks.fileName {
            // With the backup's keys, those of before are no longer lost.
            if name == LostKeys.file, backup.files["tokens.key"] != nil { continue }
            guard let other = files[name] else {
                files[name] = bytes
                continue
            }
            guard other != bytes, isSame, KeyMerge.ending.contains(name) else {
                if other != bytes { replaced.append(name) }
                continue
            }
            files[name] = bytes
            notes.append(
                "The present \(name) was kept, because it is newer: what was made with the older one stays invalid."
            )
        }
        notes.sort()
        if !replaced.isEmpty {
            notes.append(
                "The backup's \(replaced.sorted().joined(separator: ", ")) replaced the present ones, because the restored "
                    + "database was used with them."
            )
        }
        if present.erasuresKey != nil, present.lines > 0 || backup.erasuresKey == nil {
            for name in KeyMerge.list { files[name] = present.files[name] }
            let mayAdd = isSame && backup.files["erasures.log"] != nil
            if mayAdd, present.lines < backup.lines || present.files["erasures.lost"] != nil {
                files["erasures.log"] = KeyMerge.joined(backup.files["erasures.log"], present.files["erasures.log"])
                notes.append("The lists of erasures were joined, because the present one has lost lines.")
            } else if !isSame {
                notes.append(
                    "The present list of erasures was kept and applied: it says what was erased since the backup. It has "
                        + "another key than the backup's, whose lines are therefore reported as missing."
                )
            }
        }
        if isSame { files[KeyMerge.announced] = KeyMerge.longer(present, backup) }
        self.files = files
        self.notes = notes
    }

    /// Returns what was announced: both files repeat one ledger in its order, so the present one has all of the backup's
    /// unless it has lost some.
    private static func longer(_ present: Folder, _ backup: Folder) -> [UInt8]? {
        guard let older = backup.files[announced] else { return present.files[announced] }
        guard let newer = present.files[announced] else { return older }
        return AnnouncedList.end(of: older) > AnnouncedList.end(of: newer) ? older : newer
    }

    /// Returns the lines of both lists, the older first, each once.
    private static func joined(_ older: [UInt8]?, _ newer: [UInt8]?) -> [UInt8] {
        let feed = UInt8(ascii: "\n")
        let later = newer ?? []
        let known = Set(later.split(separator: feed))
        let earlier = (older ?? []).split(separator: feed).filter { !known.contains($0) }
        return Array(earlier.map { $0 + [feed] }.joined()) + later
    }
}
