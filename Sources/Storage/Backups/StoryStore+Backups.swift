import GRDB

extension StoryStore {
    /// The keys that were lost and that an operator has not dealt with yet; reads a small file.
    package var lostKeys: [StoreKeys.Name] { LostKeys.named(beside: path) }

    /// The number of bytes that the writer has written since the store was opened.
    package func bytesWritten() async throws -> Int {
        try await explaining {
            try await self.database.writeWithoutTransaction { db in
                let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4_096
                return WriterMeter.pagesWritten(by: db) * size
            }
        }
    }
}
