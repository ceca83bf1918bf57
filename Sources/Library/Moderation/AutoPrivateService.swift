import Storage
package import Stories

/// What setting or clearing `auto_private` came to, in stories.
package struct AutoPrivateOutcome: Hashable, Sendable {
    /// How many stories changed.
    package var changed = 0
    /// How many were as asked for already.
    package var unchanged = 0
    /// How many there are not.
    package var unknown = 0
}

/// Makes stories private for the time being on behalf of another service (PRV-05).
package struct AutoPrivateService: StoreService {
    package let context: StoreContext
    package let feed: FeedService

    /// How many stories of a call change in one transaction: few enough that others get their turn in between.
    private static let chunk = 500

    /// Makes stories private for the time being, or gives them back the level their owner chose (PRV-05).
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

    /// The same for an account: for all its stories, and for those it gets until that is taken back (PRV-05); `nil`
    /// when there is no such user.
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
