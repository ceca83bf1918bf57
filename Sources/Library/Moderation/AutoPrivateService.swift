import Storage
package import Stories

/// The outcome of setting or clearing `auto_private`, in numbers of stories.
package struct AutoPrivateOutcome: Hashable, Sendable {
    /// The number of stories that changed.
    package var changed = 0
    /// The number of stories that already had the requested value.
    package var unchanged = 0
    /// The number of ids without a story.
    package var unknown = 0
}

/// Makes stories temporarily private on behalf of another service (PRV-05).
package struct AutoPrivateService: StoreService {
    package let context: StoreContext
    package let feed: FeedService

    /// The maximum number of stories changed in one transaction, small enough for other writes to run in between.
    private static let chunk = 500

    /// Makes stories temporarily private, or restores the level chosen by their owners (PRV-05).
    package func set(_ flag: Bool, stories ids: [StoryID]) async throws -> AutoPrivateOutcome {
        var outcome = AutoPrivateOutcome()
        let ids = Set(ids).sorted()
        for start in stride(from: 0, to: ids.count, by: AutoPrivateService.chunk) {
            let part = Array(ids[start..<min(start + AutoPrivateService.chunk, ids.count)])
            let changed = try await store.write { [self] transaction in
                let found = try transaction.stories(part, withText: false)
                return (found.count, try set(flag, part.compactMap { found[$0] }, in: transaction))
            }
            outcome.changed += changed.1
            outcome.unchanged += changed.0 - changed.1
            outcome.unknown += part.count - changed.0
        }
        return outcome
    }

    /// Makes all stories of an account temporarily private, including those added later, or restores the levels chosen
    /// by their owner (PRV-05); returns `nil` if the user does not exist.
    package func set(_ flag: Bool, account: UserID) async throws -> AutoPrivateOutcome? {
        let isKnown = try await store.write { transaction in
            guard try transaction.user(account) != nil else { return false }
            try transaction.setAutoPrivate(flag, account: account)
            return true
        }
        guard isKnown else { return nil }
        var outcome = AutoPrivateOutcome()
        var last: StoryID?
        while true {
            let (after, limit) = (last, AutoPrivateService.chunk)
            let (found, changed) = try await store.write { [self] transaction in
                let found = try transaction.stories(of: account, after: after, limit: limit)
                return (found, try set(flag, found, in: transaction))
            }
            outcome.changed += changed
            outcome.unchanged += found.count - changed
            last = found.last?.id
            guard found.count == limit else { return outcome }
        }
    }

    private func set(_ flag: Bool, _ stories: [Story], in transaction: StoreTransaction) throws -> Int {
        let now = now()
        let changed = stories.filter { $0.autoPrivate != flag }
            .map { old in
                var story = old
                story.autoPrivate = flag
                story.touch(at: now, replacing: old)
                return (old: old, new: story)
            }
        try feed.writeStories(in: transaction) { writes in
            for (old, new) in changed { try writes.updateAutoPrivate(of: new, replacing: old) }
        }
        return changed.count
    }
}
