import GRDB

extension StoryStore {
    /// Calls `body` with the changes of every commit that changed anything, as long as what it returns is held.
    ///
    /// A store has one listener; another takes its place.
    ///
    /// `body` runs on the writer, in commit order, once the commit is durable and before the callers of its writes are
    /// answered. It must not block. Without `followingStories`, the changes do not name the stories concerned: a commit
    /// of a million stories would need more memory for them than for anything else.
    public func onChange(
        followingStories: Bool = true,
        _ body: @escaping @Sendable (StoreChange) -> Void
    ) -> ChangeListening {
        changeSignal.listen(followingStories: followingStories, body)
    }

    /// Returns a number that changes when another program changes the file, but not when this store writes.
    ///
    /// Only the writer's connection can provide it: its own changes do not count, and nothing else in this process
    /// writes.
    public func outsideVersion() async throws -> Int {
        try await explaining {
            try await self.database.writeWithoutTransaction { [sums, logger] db in
                // Between two writes of ours: another program has moved its commits from the log into the file.
                if let sums, sums.isChangedByOthers { try PageJudgement.judge(db, sums: sums, logger: logger) }
                return try Int.fetchOne(db, sql: "PRAGMA data_version") ?? 0
            }
        }
    }
}
