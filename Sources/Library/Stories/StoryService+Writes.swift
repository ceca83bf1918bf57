package import Formats
import Geometry
import Notifications
package import Storage
package import Stories
import StoryMap

extension StoryService {
    /// The outcome of a request to create a story.
    package enum Creation: Sendable {
        /// The story is new.
        case created(StoryID)
        /// The story exists: the owner's client sent it before, with this client id or this `Idempotency-Key`.
        case existing(StoryID)
    }

    /// Stores a new story of `owner`.
    ///
    /// `requestKey` is the client's `Idempotency-Key`: for a day, repeating the request returns the story it created.
    ///
    /// - Throws: ``Refusal`` naming every invalid field; or stating that the key or the client id was used for another
    ///   request, or that the story it created was deleted. Nothing is stored then.
    package func create(
        _ body: JSONValue,
        knownProblems: [FieldProblem] = [],
        owner: UserID,
        requestKey: String?
    ) async throws -> Creation {
        let draft = draft(body, knownProblems: knownProblems, owner: owner)
        let now = now()
        return try await store.write { [self] transaction in
            let story = try story(of: draft, in: transaction)
            if let known = try earlierStory(of: draft, in: transaction) {
                guard try isRepetition(draft, of: known, in: transaction) else { throw Refusal.clientIDTaken }
                return .existing(known.id)
            }
            if let requestKey,
                let known = try earlier(requestKey, of: owner, body: body, in: transaction)
            {
                return .existing(known)
            }
            if let clientID = draft.clientID, try deletedStory(of: owner, clientID, in: transaction) != nil {
                throw Refusal(
                    .gone,
                    "deleted",
                    "The story created with this client_id has been deleted. Use a new client_id to create another."
                )
            }
            try insert(story, from: draft, in: transaction)
            try news.announce([story.id], by: owner, in: transaction)
            if let requestKey {
                try transaction.saveRequestKey(requestKey, of: owner, digest: draft.digest, story: story.id, at: now)
            }
            return .created(story.id)
        }
    }

    /// Prepares a new story: generates its id and derives the names of its location.
    ///
    /// Invalid fields are reported later, by ``story(of:in:)``, together with all other problems.
    func draft(_ body: JSONValue, knownProblems: [FieldProblem], owner: UserID) -> StoryDraft {
        var generator = random
        let given = body["location"].flatMap { $0.isNull ? nil : $0 }
        let reading = given.map { LocationInput(body: $0, prefix: "location.").whole(for: nil) }
        let id = StoryID(using: &generator)
        var holder = Story(id: id, kind: .interview, title: "", owner: owner, createdAt: now())
        // An extracted location becomes a proposal.
        if reading?.location.source != .aiExtracted { holder.location = reading?.location }
        // A story without places has none that a program could move.
        let places = try? PlaceListInput(body: body, for: self)?.places(of: holder)
        let problems = knownProblems.adding((reading?.problems ?? []) + (places?.problems ?? []))
        let place = StoryDraft.Place(
            location: reading.map { maps.derivingNames($0.location) },
            further: places?.places
        )
        return StoryDraft(
            id: id,
            owner: owner,
            body: body,
            clientID: body["client_id"]?.string,
            place: problems.isEmpty ? place : StoryDraft.Place(),
            problems: problems,
            createdAt: holder.createdAt,
            digest: CreationKeys.digest(of: body)
        )
    }

    /// Returns the story that a draft describes.
    ///
    /// - Throws: ``Refusal`` naming every invalid field.
    package func story(of draft: StoryDraft, in transaction: StoreTransaction) throws -> Story {
        let families = try transaction.viewer(draft.owner)?.families.keys ?? [:].keys
        var story = Story(id: draft.id, kind: .interview, title: "", owner: draft.owner, createdAt: draft.createdAt)
        story.clientID = draft.clientID
        try StoryInput(body: draft.body, ownerFamilies: Set(families), known: draft.problems).apply(to: &story)
        story.location = draft.place.location
        story.location?.stamp(at: draft.createdAt, replacing: nil)
        story.places = draft.place.further ?? []
        story.stampPlaces(at: draft.createdAt, replacing: nil)
        return story
    }

    /// Returns the existing story with the client id of the draft, or `nil`.
    func earlierStory(of draft: StoryDraft, in transaction: StoreTransaction) throws -> Story? {
        guard let clientID = draft.clientID,
            let known = try transaction.storyID(owner: draft.owner, clientID: clientID)
        else { return nil }
        return try transaction.story(known)
    }

    /// Returns whether a draft equals the request that created a story, or the story as it is now.
    func isRepetition(_ draft: StoryDraft, of existing: Story, in transaction: StoreTransaction) throws -> Bool {
        if try transaction.clientDigest(of: existing.id) == draft.digest { return true }
        let families = try transaction.viewer(draft.owner)?.families.keys ?? [:].keys
        var story = existing
        try StoryInput(body: draft.body, ownerFamilies: Set(families)).apply(to: &story)
        // An extracted location became a proposal; the location of the story was chosen by its owner.
        if draft.place.location?.source != .aiExtracted {
            story.location = draft.place.location
            story.location?.adoptUpkeep(of: existing.location)
        }
        if let places = draft.place.further, !places.areGivenLike(existing.places) { return false }
        return story == existing
    }

    /// Stores the story of a draft, and the digest by which a repeated request is recognized.
    ///
    /// A location extracted by a program becomes a proposal.
    package func insert(_ given: Story, from draft: StoryDraft, in transaction: StoreTransaction) throws {
        var story = given
        let proposal = try story.settleLocation(replacing: nil)
        try feed.insert(story, in: transaction)
        _ = try proposals.settle(story, replacing: nil, proposal, at: story.createdAt, in: transaction)
        guard let clientID = story.clientID else { return }
        let key = keys.client(clientID, of: story.owner)
        try transaction.saveClientDigest(draft.digest, clientKey: key, of: story.id)
    }

    /// Returns the deleted story that had this client id of `owner`, or `nil`.
    package func deletedStory(of owner: UserID, _ clientID: String, in transaction: StoreReader) throws -> StoryID? {
        try transaction.deletedStory(owner: owner, clientKey: keys.client(clientID, of: owner))
    }

    /// Returns the story that a request with this key created during the last day, or `nil`.
    ///
    /// - Throws: ``Refusal`` if the key was used for another request, or if the story was deleted.
    private func earlier(
        _ key: String,
        of owner: UserID,
        body: JSONValue,
        in transaction: StoreTransaction
    ) throws -> StoryID? {
        // By the time that is certain: a clock that was set forward a day must not make a repetition a new request.
        let yesterday = Timestamp(milliseconds: context.certainTime.milliseconds - 86_400_000)
        try transaction.dropRequestKeys(of: owner, usedBefore: yesterday)
        guard let known = try transaction.requestKey(key, of: owner) else { return nil }
        guard known.digest == CreationKeys.digest(of: body) else {
            throw Refusal.keyReused
        }
        // A story deleted meanwhile is not created again.
        guard try transaction.story(known.story) != nil else {
            throw Refusal(
                .gone,
                "deleted",
                "The story created with this Idempotency-Key has been deleted. Use a new key to create another."
            )
        }
        return known.story
    }

    /// Applies `change` to a story, for its owner or a service.
    ///
    /// Nothing is changed if a `precondition` requires another version.
    ///
    /// - Throws: ``Refusal``: not found for a story the caller may not see; forbidden if it belongs to another user;
    ///   precondition failed. ``ExtractionRefusal`` for an extracted location that is not stored; any error of
    ///   `change`.
    @discardableResult
    package func change(
        _ id: StoryID,
        by principal: Principal,
        precondition: Precondition<StoryView>?,
        _ change: @escaping @Sendable (inout Story, _ ownerFamilies: Set<FamilyID>) throws -> Void
    ) async throws -> Outcome {
        let now = now()
        return try await store.write { [self] transaction in
            try self.change(id, by: principal, precondition: precondition, at: now, in: transaction, change)
        }
    }

    /// Applies the body of a `PATCH` to a story; throws the errors of ``change(_:by:precondition:_:)``, and ``Refusal``
    /// naming every invalid field, including `knownProblems`.
    package func patch(
        _ id: StoryID,
        with body: JSONValue,
        knownProblems: [FieldProblem],
        by principal: Principal,
        precondition: Precondition<StoryView>?
    ) async throws {
        try await change(id, by: principal, precondition: precondition) { [self] story, families in
            try apply(body, knownProblems: knownProblems, to: &story, ownerFamilies: families)
        }
    }

    /// The outcome of a change of a story.
    package struct Outcome: Sendable {
        /// Whether anything in the story changed.
        var isChanged = false
        /// Whether the given location waits for the story's owner as a proposal.
        package var isProposal = false
        /// Whether that proposal is new.
        var isNewProposal = false

        /// Creates a value from its parts.
        package init(isChanged: Bool = false, isProposal: Bool = false, isNewProposal: Bool = false) {
            self.isChanged = isChanged
            self.isProposal = isProposal
            self.isNewProposal = isNewProposal
        }
    }

    /// Applies `change` within a transaction; throws the errors of ``change(_:by:precondition:_:)``.
    package func change(
        _ id: StoryID,
        by principal: Principal,
        precondition: Precondition<StoryView>?,
        at now: Timestamp,
        in transaction: StoreTransaction,
        _ change: (inout Story, _ ownerFamilies: Set<FamilyID>) throws -> Void
    ) throws -> Outcome {
        var story = try StoryService.ownStory(id, of: principal, precondition: precondition, in: transaction)
        let old = story
        story.updatedAt = now
        try change(&story, Set(try transaction.viewer(story.owner)?.families.keys ?? [:].keys))
        story.updatedAt = old.updatedAt
        let proposal = try story.settleLocation(replacing: old)
        story.location?.stamp(at: now, replacing: old.location)
        story.settleExtents(replacing: old)
        try extracted.settle(&story, replacing: old, at: now, in: transaction)
        var outcome = Outcome(isProposal: proposal != nil)
        outcome.isNewProposal = try proposals.settle(story, replacing: old, proposal, at: now, in: transaction)
        // An unchanged story keeps its version.
        guard story != old else { return outcome }
        story.touch(at: now, replacing: old)
        try feed.update(story, in: transaction)
        outcome.isChanged = true
        return outcome
    }

    /// Removes a story, for its owner or a service; throws the errors of ``change(_:by:precondition:_:)``.
    package func delete(_ id: StoryID, by principal: Principal, precondition: Precondition<StoryView>?) async throws {
        try await store.write { [self] transaction in
            try delete(id, by: principal, precondition: precondition, in: transaction)
        }
    }

    /// Removes a story within a transaction; throws the errors of ``change(_:by:precondition:_:)``.
    package func delete(
        _ id: StoryID,
        by principal: Principal,
        precondition: Precondition<StoryView>?,
        in transaction: StoreTransaction
    ) throws {
        _ = try StoryService.ownStory(id, of: principal, precondition: precondition, in: transaction)
        try removal.remove(id, in: transaction)
    }

    /// Applies the body of a `PATCH` to a story value.
    ///
    /// - Throws: ``Refusal`` naming every invalid field.
    package func apply(
        _ body: JSONValue,
        knownProblems: [FieldProblem] = [],
        to story: inout Story,
        ownerFamilies: Set<FamilyID>
    ) throws {
        let given = body["location"]
        let reading = given.flatMap { value in
            value.isNull ? nil : LocationInput(body: value, prefix: "location.").change(of: story)
        }
        var holder = story
        if given != nil, reading?.location.source != .aiExtracted { holder.location = reading?.location }
        let places = try PlaceListInput(body: body, for: self)?.places(of: holder)
        let problems = knownProblems.adding((reading?.problems ?? []) + (places?.problems ?? []))
        try StoryInput(body: body, ownerFamilies: ownerFamilies, known: problems).apply(to: &story)
        if given != nil { story.location = reading.map { maps.derivingNames($0.location) } }
        if let places { story.places = places.places }
    }

    /// Returns a story that the caller may change: their own, or any story for a service (PRV-08).
    static func ownStory(
        _ id: StoryID,
        of principal: Principal,
        precondition: Precondition<StoryView>?,
        in transaction: StoreReader
    ) throws -> Story {
        guard let (story, viewer) = try story(id, for: principal, in: transaction) else { throw Refusal.notFound }
        guard story.owner == principal.viewer.user || principal.isService else { throw Refusal.forbidden }
        if let precondition {
            try precondition.check(try view(of: story, viewer: viewer, in: transaction), called: "story")
        }
        return story
    }

    /// Returns a story and the viewer that represents the caller now; `nil` if they may not know that it exists.
    ///
    /// A service may also change stories that are invisible to the user it acts for; the viewer is then that of the
    /// story's owner.
    package static func story(
        _ id: StoryID,
        for principal: Principal,
        in transaction: StoreReader
    ) throws -> (story: Story, viewer: Viewer)? {
        var viewer = try principal.viewer.user.map { try transaction.viewer($0) } ?? Viewer.anonymous
        viewer?.service = principal.viewer.service
        if let viewer, let story = try transaction.story(id, visibleTo: viewer) { return (story, viewer) }
        guard principal.isService, let story = try transaction.story(id),
            var owner = try transaction.viewer(story.owner)
        else { return nil }
        owner.service = principal.service
        return (story, owner)
    }
}
