package import Formats
import Storage
package import Stories

/// Carries out changes that clients made while they were offline.
package struct BatchService: StoreService {
    /// The maximum number of other stories with the same media that an answer names.
    private static let duplicateLimit = 20

    /// An item with everything that can be prepared before the transaction, or its rejection.
    private enum Prepared: Sendable {
        case create(BatchItem, StoryDraft)
        case other(BatchItem)
        case refused(BatchOutcome)
    }

    /// The sender of a batch, with the formats in which it receives versions and outcomes.
    package struct Caller: Sendable {
        package let principal: Principal
        package let versions: VersionNames<StoryView>
        package let write: BatchOutcome.Writer

        /// Creates a value from its parts.
        package init(principal: Principal, versions: VersionNames<StoryView>, write: @escaping BatchOutcome.Writer) {
            self.principal = principal
            self.versions = versions
            self.write = write
        }

        /// Returns the version that an item requires.
        fileprivate func precondition(of item: BatchItem) -> Precondition<StoryView>? {
            item.ifMatch.map { Precondition(demand: $0, names: versions) }
        }
    }

    /// The number of items in one transaction, which occupies the only writer for about ten milliseconds.
    private static let step = 16

    package let context: StoreContext
    package let feed: FeedService
    package let stories: StoryService
    private let lines = BatchLines()

    /// Carries out the changes that a client made while offline, in the given order; returns the outcomes as the caller
    /// writes them.
    ///
    /// Each item has its own outcome: a rejected one changes nothing and does not prevent the others. The work is done
    /// in short transactions, one at a time over all batches, so that long batches do not slow down other writes. A
    /// user's batches are done one after the other. With a `requestKey`, repeating the whole batch within a day returns
    /// the same answer and does nothing; if the batch was interrupted, the repetition does the rest.
    ///
    /// - Throws: ``Refusal``: the key was used for another batch, or too many batches of the user are waiting.
    ///   ``StoreError``; earlier items may then be done.
    package func perform(
        _ values: [JSONValue],
        of user: UserID,
        by caller: Caller,
        requestKey: String?,
        check: @escaping BatchItem.ShapeCheck
    ) async throws -> [UInt8] {
        try await lines.users.pass(user) {
            let digest = CreationKeys.digest(of: .array(values))
            let (started, now) = try await begin(requestKey, digest: digest, of: user)
            guard case .unfinished(var progress) = started else { return started.answer }
            let key = requestKey ?? "\(now.milliseconds)|\(digest.hexDigits)"
            let items = values.enumerated().map { prepare($1, index: $0, of: user, check: check) }
            // Read before the first item is done, because deletions by this batch do not count as earlier ones.
            let deletions = try await store.read { [self] in try earlierDeletions(in: items, of: user, in: $0) }
            repeat {
                let part = Array(items[progress.done..<min(progress.done + BatchService.step, items.count)])
                let isLast = progress.done + part.count == items.count
                progress = try await lines.turns.pass(true) {
                    try await store.write { [self, progress] transaction in
                        var progress = progress
                        try perform(part, deletions, by: caller, of: user, into: &progress, in: transaction)
                        if isLast {
                            let touched = Set(progress.touched)
                            try announce(progress.counts, stories: touched, of: user, key: key, in: transaction)
                        }
                        if let requestKey {
                            let bytes = isLast ? progress.answer : progress.stored
                            try transaction.saveBatchAnswer(bytes, key: requestKey, of: user, digest: digest, at: now)
                        }
                        return progress
                    }
                }
            } while progress.done < values.count
            return progress.answer
        }
    }

    /// The state of a batch when it arrives.
    private enum BatchStart: Sendable {
        case unfinished(BatchProgress)
        case finished([UInt8])

        var answer: [UInt8] {
            switch self {
            case .unfinished(let progress): progress.answer
            case .finished(let bytes): bytes
            }
        }
    }

    private func begin(
        _ requestKey: String?,
        digest: [UInt8],
        of user: UserID
    ) async throws -> (start: BatchStart, now: Timestamp) {
        let now = now()
        guard let requestKey else { return (.unfinished(BatchProgress()), now) }
        // By the time that is certain: a clock that was set forward a day must not make a repetition a new batch.
        let yesterday = Timestamp(milliseconds: context.certainTime.milliseconds - 86_400_000)
        let start = try await store.write { transaction -> BatchStart in
            try transaction.dropBatchAnswers(of: user, before: yesterday)
            guard let known = try transaction.batchAnswer(requestKey, of: user) else {
                return .unfinished(BatchProgress())
            }
            guard known.digest == digest else { throw Refusal.keyReused }
            return BatchProgress(stored: known.answer).map(BatchStart.unfinished) ?? .finished(known.answer)
        }
        return (start, now)
    }

    /// Carries out some items in order, and notifies the families of the stories created.
    private func perform(
        _ items: [Prepared],
        _ deletions: [StoryID: Int],
        by caller: Caller,
        of user: UserID,
        into progress: inout BatchProgress,
        in transaction: StoreTransaction
    ) throws {
        let now = now()
        var made: [StoryID] = []
        for item in items {
            let outcome = try outcome(of: item, deletions, by: caller, at: now, in: transaction)
            progress.add(outcome, writtenBy: caller.write)
            if outcome.kind == .created, let id = outcome.id { made.append(id) }
        }
        try stories.news.announce(made, by: user, in: transaction)
    }

    private func prepare(
        _ value: JSONValue,
        index: Int,
        of user: UserID,
        check: BatchItem.ShapeCheck
    ) -> Prepared {
        do {
            let item = try BatchItem(value, index: index, check: check)
            guard item.operation == .create else { return .other(item) }
            return .create(item, stories.draft(item.story, knownProblems: item.storyProblems, owner: user))
        } catch let error as any RefusalConvertible {
            let refusal = error.refusal
            let clientID = value["client_id"]?.string ?? value["story"]?["client_id"]?.string
            let outcome = BatchOutcome(
                kind: .refused,
                id: value["id"]?.string.flatMap { StoryID($0) },
                clientID: clientID.flatMap { $0.utf8.count <= StoryLimits.nameLength ? $0 : nil },
                reason: refusal.code,
                errors: refusal.errors
            )
            return .refused(outcome)
        } catch {
            return .refused(BatchOutcome(kind: .refused, reason: "invalid-body"))
        }
    }

    /// Returns the stories already deleted before the batch that it deletes too, each with the index of its last
    /// deletion in the batch.
    ///
    /// Items for such a story before that index were already carried out, and then undone by the deletion.
    private func earlierDeletions(
        in items: [Prepared],
        of user: UserID,
        in transaction: StoreReader
    ) throws -> [StoryID: Int] {
        var deletions: [StoryID: Int] = [:]
        for case .other(let item) in items where item.operation == .delete {
            let found = try address(of: item, user: user, in: transaction)
            if found.isDeleted, let id = found.id { deletions[id] = item.index }
        }
        return deletions
    }

    private func outcome(
        of prepared: Prepared,
        _ deletions: [StoryID: Int],
        by caller: Caller,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> BatchOutcome {
        let item: BatchItem
        switch prepared {
        case .refused(let outcome): return outcome
        case .create(let created, _): item = created
        case .other(let other): item = other
        }
        do {
            return try transaction.attempt {
                if case .create(_, let draft) = prepared {
                    return try create(item, draft, deletions, by: caller, in: transaction)
                }
                if let mark = item.operation.mark {
                    return try set(mark, item, by: caller, at: now, in: transaction)
                }
                guard !item.operation.isCollection else {
                    return try changeCollection(item, by: caller, at: now, in: transaction)
                }
                return try change(item, deletions, by: caller, at: now, in: transaction)
            }
        } catch let error as any RefusalConvertible {
            return BatchService.outcome(of: item, refusedFor: error.refusal)
        }
    }

    /// Creates a story, or finds the one the client created before with the same client id.
    private func create(
        _ item: BatchItem,
        _ draft: StoryDraft,
        _ deletions: [StoryID: Int],
        by caller: Caller,
        in transaction: StoreTransaction
    ) throws -> BatchOutcome {
        let story = try stories.story(of: draft, in: transaction)
        if let existing = try stories.earlierStory(of: draft, in: transaction) {
            let isSame = try stories.isRepetition(draft, of: existing, in: transaction)
            let kind: BatchOutcome.Kind = isSame ? .unchanged : .conflict
            var outcome = try answer(kind, existing.id, item, in: transaction, by: caller)
            if !isSame { (outcome.reason, outcome.errors) = (Refusal.clientIDTaken.code, Refusal.clientIDTaken.errors) }
            return outcome
        }
        if let clientID = draft.clientID,
            let gone = try stories.deletedStory(of: draft.owner, clientID, in: transaction)
        {
            let isUndone = deletions[gone].map { $0 > item.index } ?? false
            let isRepeat = try isUndone || transaction.deletedCreation(of: gone) == stories.keys.creation(draft.digest)
            return isRepeat ? BatchService.repetition(item, of: gone) : BatchService.deleted(gone, item)
        }
        try stories.insert(story, from: draft, in: transaction)
        return try answer(.created, story.id, item, in: transaction, by: caller)
    }

    /// Sets a mark of the user on a story, which may be anybody's (SYN-05).
    private func set(
        _ mark: StoryMark,
        _ item: BatchItem,
        by caller: Caller,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> BatchOutcome {
        let user = caller.principal.viewer.user
        guard let user, let id = try address(of: item, user: user, in: transaction).id else { throw Refusal.notFound }
        let isChanged = try MarkService.set(mark, on: id, for: user, at: now, in: transaction)
        return BatchOutcome(kind: isChanged ? .updated : .unchanged, id: id, clientID: item.clientID, subject: .mark)
    }

    /// Changes or removes a story.
    private func change(
        _ item: BatchItem,
        _ deletions: [StoryID: Int],
        by caller: Caller,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> BatchOutcome {
        let isDeletion = item.operation == .delete
        let found = try address(of: item, user: caller.principal.viewer.user, in: transaction)
        guard let id = found.id else { throw Refusal.notFound }
        if found.isDeleted {
            let isUndone = deletions[id].map { $0 > item.index } ?? false
            return isDeletion || isUndone ? BatchService.repetition(item, of: id) : BatchService.deleted(id, item)
        }
        do {
            guard !isDeletion else {
                try stories.delete(
                    id,
                    by: caller.principal,
                    precondition: caller.precondition(of: item),
                    in: transaction
                )
                return BatchOutcome(kind: .deleted, id: id, clientID: item.clientID)
            }
            let precondition = caller.precondition(of: item)
            let outcome = try stories.change(
                id,
                by: caller.principal,
                precondition: precondition,
                at: now,
                in: transaction
            ) {
                try stories.apply(item.story, knownProblems: item.storyProblems, to: &$0, ownerFamilies: $1)
            }
            let isNews = outcome.isChanged || outcome.isNewProposal
            return try answer(isNews ? .updated : .unchanged, id, item, in: transaction, by: caller)
        } catch let refusal as Refusal where refusal.kind == .changed {
            // The answer to a change may have been lost: a story that is already as the client wants it is no conflict.
            if !isDeletion, try !isDifferent(after: item, id, at: now, in: transaction) {
                return try answer(.unchanged, id, item, in: transaction, by: caller)
            }
            var outcome = BatchOutcome(kind: .conflict, id: id, clientID: item.clientID)
            outcome.version = refusal.current
            outcome.reason = refusal.code
            outcome.errors = [FieldProblem(field: "if_match", message: refusal.detail)]
            return outcome
        }
    }

    /// Returns whether a change would alter a story.
    private func isDifferent(
        after item: BatchItem,
        _ id: StoryID,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> Bool {
        guard let old = try transaction.story(id), let viewer = try transaction.viewer(old.owner) else { return true }
        var story = old
        story.updatedAt = now
        try stories.apply(
            item.story,
            knownProblems: item.storyProblems,
            to: &story,
            ownerFamilies: Set(viewer.families.keys)
        )
        story.updatedAt = old.updatedAt
        story.location?.stamp(at: now, replacing: old.location)
        story.stampPlaces(at: now, replacing: old)
        return story != old
    }

    /// Returns the story that an item refers to, and whether the user had it and deleted it.
    private func address(
        of item: BatchItem,
        user: UserID?,
        in transaction: StoreReader
    ) throws -> (id: StoryID?, isDeleted: Bool) {
        guard let user else { return (nil, false) }
        if let text = item.id {
            guard let id = StoryID(text) else { return (nil, false) }
            return (id, try transaction.isDeleted(id, owner: user) && transaction.story(id) == nil)
        }
        guard let clientID = item.clientID else { return (nil, false) }
        if let id = try transaction.storyID(owner: user, clientID: clientID) { return (id, false) }
        return (try stories.deletedStory(of: user, clientID, in: transaction), true)
    }

    /// Returns an outcome with the story's version, and with other stories with the same media.
    private func answer(
        _ kind: BatchOutcome.Kind,
        _ id: StoryID,
        _ item: BatchItem,
        in transaction: StoreTransaction,
        by caller: Caller
    ) throws -> BatchOutcome {
        guard let (story, viewer) = try StoryService.story(id, for: caller.principal, in: transaction) else {
            throw Refusal.notFound
        }
        let clientID = story.owner == viewer.user ? story.clientID : item.clientID
        var outcome = BatchOutcome(kind: kind, id: id, clientID: clientID)
        outcome.version = caller.versions.name(try StoryService.view(of: story, viewer: viewer, in: transaction))
        if story.owner == viewer.user, item.operation == .create || item.story["media_sha256"] != nil {
            outcome.duplicates = try transaction.duplicates(of: story, limit: BatchService.duplicateLimit)
        }
        return outcome
    }

    /// Returns the outcome for an item that was done before, and whose story was deleted afterwards.
    private static func repetition(_ item: BatchItem, of id: StoryID) -> BatchOutcome {
        BatchOutcome(kind: .unchanged, id: id, clientID: item.clientID)
    }

    /// Returns the rejection of an item whose story was deleted since; the story is neither changed nor created again.
    private static func deleted(_ id: StoryID, _ item: BatchItem) -> BatchOutcome {
        let field = item.id == nil ? "client_id" : "id"
        let problem = FieldProblem(field: field, message: "belongs to a story that has been deleted")
        return BatchOutcome(kind: .refused, id: id, clientID: item.clientID, reason: "deleted", errors: [problem])
    }

    private static func outcome(of item: BatchItem, refusedFor refusal: Refusal) -> BatchOutcome {
        BatchOutcome(
            kind: .refused,
            id: item.id.flatMap { StoryID($0) },
            clientID: item.clientID,
            reason: refusal.code,
            errors: item.problems(of: refusal)
        )
    }
}
