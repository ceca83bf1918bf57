import GRDB

extension StoryStore {
    /// Calls `body` with what every commit changed, unless that is nothing.
    ///
    /// It runs on the writer, in the order of the commits, once the commit is durable and before its caller is answered; it
    /// must not wait.
    public func onChange(_ body: @escaping @Sendable (StoreChange) -> Void) { changeSignal.listen(body) }

    /// A number that is another one when another program has changed the file, and not by what this store writes.
    ///
    /// The writer's connection alone can tell: its own changes do not count, and nothing else of ours writes.
    public func outsideVersion() async throws -> Int {
        try await explaining {
            try await self.database.writeWithoutTransaction { db in
                try Int.fetchOne(db, sql: "PRAGMA data_version") ?? 0
            }
        }
    }
}
