import GRDB
import Logging
import Synchronization

extension StoryStore {
    /// Opens the sums of a database, and says every page that is found damaged in the log.
    static func openSums(_ path: String, isWritable: Bool, logger: Logger) throws -> PageSums? {
        let sums = try PageSums(database: path, isWritable: isWritable)
        sums?
            .onDamage { damage in
                let reading =
                    damage.isCorrected
                    ? "it is corrected by its checksum when it is read. 'waymark check --repair' corrects the file"
                    : "its content cannot be read. 'waymark check' says what is concerned"
                logger.error(
                    "a page of the database is damaged; \(reading). Check the disk",
                    metadata: ["page": "\(damage.page)"]
                )
            }
        return sums
    }

    /// The numbers of the pages that were found damaged since the file was opened, in order.
    package var damagedPages: [Int64] { sums?.damages.map(\.page) ?? [] }

    /// Whether a damaged page was found whose content could not be corrected.
    package var hasUnreadablePages: Bool { sums?.damages.contains { !$0.isCorrected } ?? false }

    /// Runs a part of the start that may be left out if what it reads is damaged.
    package func skippingDamage(_ part: () async throws -> Void) async throws {
        do {
            try await part()
        } catch let error as StoreError where error.code == .damaged {
            logger.error("a part of the start was left out", metadata: ["error": "\(error)"])
        }
    }

    /// Whether stories could not be read when the map was last built.
    package var hasUnreadableStories: Bool { unreadable.withLock { !$0.isEmpty } }

    /// Records the stories that could not be read, and says so in the log.
    package func note(_ unreadable: UnreadableRows) {
        self.unreadable.withLock { $0 = unreadable }
        guard !unreadable.isEmpty else { return }
        logger.error(
            "stories cannot be read because their pages are damaged, and are left out; see 'waymark check'",
            metadata: [
                "stories": "\(unreadable.ids.prefix(20).joined(separator: " "))", "count": "\(unreadable.ids.count)",
            ]
        )
    }

    /// Returns the numbers of all pages in the file that do not match their sums; for tests.
    package func uncheckedPages() async throws -> [Int64] {
        guard let sums else { return [] }
        let scan = try await read { try PageScan(of: $0.db, sums: sums) }
        return scan.unknown + scan.sumFlipped + scan.flipped + scan.different
    }
}
