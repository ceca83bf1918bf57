import Formats
import HTTPTypes
import Storage
import Stories

extension StoryLibrary {
    /// The most other stories with the same media that an answer names.
    private static let duplicateLimit = 20

    /// An item with what can be prepared before the transaction, or why it cannot be done at all.
    private enum Prepared: Sendable {
        case create(BatchItem, Draft)
        case other(BatchItem)
        case refused(BatchOutcome)
    }

    /// Does what a client did while it was offline, in the order given, in one transaction; returns the answer's JSON.
    ///
    /// Every item answers for itself: what is refused changes nothing and keeps nothing else from being done. With a
    /// `requestKey` a repetition of the whole batch within a day gets the same answer and does nothing.
    func batch(
        _ values: [JSONValue],
        of user: UserID,
        by principal: Principal,
        requestKey: String?,
        components: [String: Schema]
    ) async throws -> [UInt8] {
        let prepared = values.enumerated().map { prepare($1, index: $0, of: user, components: components) }
        let digest = StoryLibrary.digest(of: .array(values))
        let now = now()
        let yesterday = Timestamp(milliseconds: now.milliseconds - 86_400_000)
        return try await store.write { [self] transaction in
            try transaction.dropBatchAnswers(of: user, before: yesterday)
            if let requestKey, let known = try transaction.batchAnswer(requestKey, of: user) {
                guard known.digest == digest else { throw Problem.keyReused }
                return known.answer
            }
            var json = JSONWriter(capacity: 200 * prepared.count)
            json.beginObject()
            json.key("items")
            json.beginArray()
            var (made, counts): ([StoryID], [BatchOutcome.Kind: Int]) = ([], [:])
            var touched: Set<StoryID> = []
            for (index, item) in prepared.enumerated() {
                let outcome = try outcome(of: item, by: principal, at: now, in: transaction)
                outcome.write(index: index, to: &json)
                counts[outcome.kind, default: 0] += 1
                if outcome.kind == .created, let id = outcome.id { made.append(id) }
                if outcome.kind == .created || outcome.kind == .updated, let id = outcome.id { touched.insert(id) }
            }
            json.endArray()
            json.endObject()
            try tellFamilies(of: made, by: user, in: transaction)
            try tellOfSync(
                counts,
                stories: touched,
                of: user,
                key: requestKey ?? "\(now.milliseconds)|\(digest.hexDigits)",
                in: transaction
            )
            if let requestKey {
                try transaction.saveBatchAnswer(json.bytes, key: requestKey, of: user, digest: digest, at: now)
            }
            return json.bytes
        }
    }

    private func prepare(
        _ value: JSONValue,
        index: Int,
        of user: UserID,
        components: [String: Schema]
    ) -> Prepared {
        do {
            let item = try BatchItem(value, index: index, components: components)
            guard item.operation == .create else { return .other(item) }
            do {
                return .create(item, try draft(item.story, owner: user))
            } catch let problem as Problem {
                return .refused(StoryLibrary.refusal(of: item, problem))
            }
        } catch let problem as Problem {
            let clientID = value["client_id"]?.string ?? value["story"]?["client_id"]?.string
            let outcome = BatchOutcome(
                kind: .refused,
                id: value["id"]?.string.flatMap { StoryID($0) },
                clientID: clientID.flatMap { $0.utf8.count <= StoryLimits.nameLength ? $0 : nil },
                reason: problem.code,
                errors: problem.errors
            )
            return .refused(outcome)
        } catch {
            return .refused(BatchOutcome(kind: .refused, reason: "invalid-body"))
        }
    }

    private func outcome(
        of prepared: Prepared,
        by principal: Principal,
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
                    return try create(item, draft, by: principal, in: transaction)
                }
                return try change(item, by: principal, at: now, in: transaction)
            }
        } catch let problem as Problem {
            return StoryLibrary.refusal(of: item, problem)
        }
    }

    /// Makes a story, or finds the one the client made before under the same id.
    private func create(
        _ item: BatchItem,
        _ draft: Draft,
        by principal: Principal,
        in transaction: StoreTransaction
    ) throws -> BatchOutcome {
        let story = try story(of: draft, in: transaction)
        guard let clientID = draft.clientID else {
            try insert(story, from: draft, in: transaction)
            return try answer(.created, story.id, item, in: transaction, by: principal)
        }
        if let known = try transaction.storyID(owner: draft.owner, clientID: clientID),
            let existing = try transaction.story(known)
        {
            let isRepeat = try transaction.clientDigest(of: known) == draft.digest
            let isSame = try isRepeat || self.isSame(existing, as: draft, in: transaction)
            var outcome = try answer(isSame ? .unchanged : .conflict, known, item, in: transaction, by: principal)
            if !isSame {
                outcome.reason = "exists"
                outcome.errors = [
                    FieldProblem(field: "client_id", message: "is that of a story with other content, which stays")
                ]
            }
            return outcome
        }
        if let gone = try deletedStory(of: draft.owner, clientID, in: transaction) {
            return StoryLibrary.deleted(gone, item)
        }
        try insert(story, from: draft, in: transaction)
        return try answer(.created, story.id, item, in: transaction, by: principal)
    }

    /// Whether a story already says all that a draft says.
    private func isSame(_ existing: Story, as draft: Draft, in transaction: StoreTransaction) throws -> Bool {
        let families = try transaction.viewer(draft.owner)?.families.keys ?? [:].keys
        var story = existing
        try StoryInput(body: draft.body, ownerFamilies: Set(families)).apply(to: &story)
        story.location = draft.location
        return story == existing
    }

    /// Changes or removes a story.
    private func change(
        _ item: BatchItem,
        by principal: Principal,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> BatchOutcome {
        let isDeletion = item.operation == .delete
        let found = try address(of: item, user: principal.viewer.user, in: transaction)
        guard let id = found.id else { throw Problem.notFound }
        if found.isDeleted {
            guard isDeletion else { return StoryLibrary.deleted(id, item) }
            return BatchOutcome(kind: .unchanged, id: id, clientID: item.clientID)
        }
        do {
            guard !isDeletion else {
                try delete(id, by: principal, precondition: item.ifMatch, in: transaction)
                return BatchOutcome(kind: .deleted, id: id, clientID: item.clientID)
            }
            let isChanged = try change(id, by: principal, precondition: item.ifMatch, at: now, in: transaction) {
                try apply(item.story, to: &$0, ownerFamilies: $1)
            }
            return try answer(isChanged ? .updated : .unchanged, id, item, in: transaction, by: principal)
        } catch let problem as Problem where problem.status == .preconditionFailed {
            // The answer to a change may have been lost: what is already as the client wants it is no conflict.
            if !isDeletion, try !isDifferent(after: item, id, at: now, in: transaction) {
                return try answer(.unchanged, id, item, in: transaction, by: principal)
            }
            var outcome = BatchOutcome(kind: .conflict, id: id, clientID: item.clientID)
            outcome.entityTag = problem.current
            outcome.reason = problem.code
            outcome.errors = [FieldProblem(field: "if_match", message: problem.detail)]
            return outcome
        }
    }

    /// Whether a change would make a story any different.
    private func isDifferent(
        after item: BatchItem,
        _ id: StoryID,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> Bool {
        guard let old = try transaction.story(id), let viewer = try transaction.viewer(old.owner) else { return true }
        var story = old
        story.updatedAt = now
        try apply(item.story, to: &story, ownerFamilies: Set(viewer.families.keys))
        story.updatedAt = old.updatedAt
        return story != old
    }

    /// Which story an item means, and whether the user had it and deleted it.
    private func address(
        of item: BatchItem,
        user: UserID?,
        in transaction: StoreTransaction
    ) throws -> (id: StoryID?, isDeleted: Bool) {
        guard let user else { return (nil, false) }
        if let text = item.id {
            guard let id = StoryID(text) else { return (nil, false) }
            return (id, try transaction.isDeleted(id, owner: user) && transaction.story(id) == nil)
        }
        guard let clientID = item.clientID else { return (nil, false) }
        if let id = try transaction.storyID(owner: user, clientID: clientID) { return (id, false) }
        return (try deletedStory(of: user, clientID, in: transaction), true)
    }

    /// An outcome with the story's ETag and the others with the same media.
    private func answer(
        _ kind: BatchOutcome.Kind,
        _ id: StoryID,
        _ item: BatchItem,
        in transaction: StoreTransaction,
        by principal: Principal
    ) throws -> BatchOutcome {
        guard let (story, viewer) = try StoryLibrary.story(id, for: principal, in: transaction) else {
            throw Problem.notFound
        }
        let clientID = story.owner == viewer.user ? story.clientID : item.clientID
        var outcome = BatchOutcome(kind: kind, id: id, clientID: clientID)
        outcome.entityTag = try StoryLibrary.entityTag(of: story, viewer: viewer, in: transaction)
        if story.owner == viewer.user, item.operation == .create || item.story["media_sha256"] != nil {
            outcome.duplicates = try transaction.duplicates(of: story, limit: StoryLibrary.duplicateLimit)
        }
        return outcome
    }

    /// The story was deleted since; it is neither changed nor made again.
    private static func deleted(_ id: StoryID, _ item: BatchItem) -> BatchOutcome {
        let field = item.id == nil ? "client_id" : "id"
        let problem = FieldProblem(field: field, message: "is that of a story that was deleted since")
        return BatchOutcome(kind: .refused, id: id, clientID: item.clientID, reason: "deleted", errors: [problem])
    }

    private static func refusal(of item: BatchItem, _ problem: Problem) -> BatchOutcome {
        let field = item.id == nil && item.clientID != nil ? "client_id" : "id"
        let errors =
            problem.errors.isEmpty
            ? [FieldProblem(field: item.operation == .create ? "story" : field, message: problem.detail)]
            : problem.errors.map { FieldProblem(field: "story." + $0.field, message: $0.message) }
        return BatchOutcome(
            kind: .refused,
            id: item.id.flatMap { StoryID($0) },
            clientID: item.clientID,
            reason: problem.code,
            errors: errors
        )
    }
}
