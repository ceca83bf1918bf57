import Notifications
import Stories
import Synchronization

/// What was announced to whom, `PATH.keys/announced.log`: an older copy of the database announces none of it again.
///
/// The file repeats the ledger in the order of the announcements: one record of 40 bytes for each, of which 8 name the
/// user by a keyed digest and 32 are the key of the ledger, a keyed digest as well. So it is bounded by the ledger: it has
/// a record for each announcement that the ledger has, and none of a user whose whereabouts were erased.
///
/// The database leads. It numbers the records and keeps the last of them until they are in the file, so a record is
/// never in the file of something that was not announced, and after a crash the file is completed from the database.
final class AnnouncedList: Sendable {
    /// The size of a record in bytes.
    static let recordBytes = 40
    /// The first bytes of the file, before the number of records that are no longer in it.
    private static let magic = Array("WAYMANN1".utf8)
    private static let headerBytes = 16

    private struct Contents {
        /// The number of records that were removed from the file.
        var removed = 0
        /// The number of records in the file.
        var count = 0
        /// Whether the database may have records that the file lacks.
        var isBehind = true
    }

    private let file: String
    private let key: [UInt8]
    private let contents: Mutex<Contents>

    /// Finds the file in a folder of keys; `key` is that of the list of erasures.
    ///
    /// - Throws: ``StoreError`` if it cannot be read or is another file.
    init(folder: String, key: [UInt8]) throws {
        file = folder + "/announced.log"
        self.key = key
        let bytes = try ErasureFile.read(file)
        var found = Contents()
        if !bytes.isEmpty {
            guard let parts = AnnouncedList.parts(of: bytes) else {
                throw StoreError(
                    .failed,
                    "\(file) is damaged. Restore it from a backup of the folder of keys, or remove it: then an older copy "
                        + "of the database may announce places again."
                )
            }
            (found.removed, found.count) = parts
        }
        contents = Mutex(found)
    }

    /// Returns how many records were removed from a file with these bytes, and how many are in it; `nil` if it is another
    /// file.
    private static func parts(of bytes: [UInt8]) -> (removed: Int, count: Int)? {
        guard bytes.count >= headerBytes, bytes.starts(with: magic) else { return nil }
        let number = bytes[8..<16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // A record that was being written in a power cut is written again. The bound keeps damaged numbers from overflowing.
        return (Int(min(number, 1 << 48)), (bytes.count - headerBytes) / recordBytes)
    }

    /// The number of announcements that a file with these bytes has had; 0 if it is another file.
    static func end(of bytes: [UInt8]) -> Int { parts(of: bytes).map { $0.removed + $0.count } ?? 0 }

    /// The number of announcements that the file has had.
    var end: Int { contents.withLock { $0.removed + $0.count } }

    /// Whether the database may have records that the file lacks.
    var isBehind: Bool { contents.withLock(\.isBehind) }

    /// Records that the database has new records, or may have if its transaction commits.
    func noteNews() { contents.withLock { $0.isBehind = true } }

    /// Returns the first eight bytes of a record about a user.
    func tag(of user: UserID) -> [UInt8] {
        let digest = KeyedID.make(secret: key, message: Array("announced|\(user)".utf8))
        return Array(digest.description.utf8.prefix(16)).chunkedDigits
    }

    /// Returns a record.
    func record(_ key: LedgerKey, of user: UserID) -> [UInt8] { tag(of: user) + key.bytes }

    /// Adds records, the first of which has the number `first`, and returns once they are on the disk.
    ///
    /// If records before it are missing, they are lost, and the file goes on without them.
    ///
    /// - Throws: ``ErasureFile/Failure``; the file is then unchanged.
    func add(_ records: [[UInt8]], first: Int) throws {
        try contents.withLock { contents in
            if !records.isEmpty {
                var bytes: [UInt8] = []
                let missing = first - 1 - (contents.removed + contents.count)
                if contents.count == 0 || missing > 0 {
                    try rewrite(&contents, removed: contents.removed + max(0, missing)) { _ in true }
                }
                for record in records { bytes += record }
                try ErasureFile.append(bytes, to: file, at: position(contents.count))
                try ErasureFile.sync(file)
                contents.count += records.count
            }
            contents.isBehind = false
        }
    }

    /// Returns the records with numbers above `number`.
    ///
    /// - Throws: ``StoreError`` if the file cannot be read.
    func records(after number: Int) throws -> [[UInt8]] {
        try contents.withLock { contents in
            let skipped = max(0, number - contents.removed)
            guard skipped < contents.count else { return [] }
            let bytes = try ErasureFile.read(file)
            return (skipped..<contents.count).map { Array(bytes[position($0)..<position($0 + 1)]) }
        }
    }

    /// Removes all records about a user, on the disk too.
    ///
    /// - Throws: ``ErasureFile/Failure``; the file is then unchanged.
    func forget(_ user: UserID) throws {
        let tag = tag(of: user)
        try contents.withLock { contents in
            let bytes = try ErasureFile.read(file)
            let isNamed = (0..<contents.count).contains { bytes[position($0)..<position($0 + 1)].starts(with: tag) }
            guard isNamed else { return }
            try rewrite(&contents, removed: contents.removed) { !$0.starts(with: tag) }
        }
    }

    /// Writes the file again with the records that are kept; the others count as removed.
    private func rewrite(_ contents: inout Contents, removed: Int, keeping isKept: (ArraySlice<UInt8>) -> Bool) throws {
        let old = try ErasureFile.read(file)
        var body: [UInt8] = []
        var kept = 0
        for index in 0..<contents.count {
            let record = old[position(index)..<position(index + 1)]
            guard isKept(record) else { continue }
            body += record
            kept += 1
        }
        let gone = removed + contents.count - kept
        let header = AnnouncedList.magic + (0..<8).map { UInt8(truncatingIfNeeded: gone >> (56 - 8 * $0)) }
        try ErasureFile.replace(file, by: header + body)
        (contents.removed, contents.count) = (gone, kept)
    }

    private func position(_ index: Int) -> Int { AnnouncedList.headerBytes + index * AnnouncedList.recordBytes }
}

extension [UInt8] {
    /// The bytes that pairs of hexadecimal digits stand for.
    fileprivate var chunkedDigits: [UInt8] {
        func value(_ digit: UInt8) -> UInt8 { digit <= UInt8(ascii: "9") ? digit - 48 : digit - 87 }
        return stride(from: 0, to: count - 1, by: 2).map { value(self[$0]) << 4 | value(self[$0 + 1]) }
    }
}
