import Formats
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories
import StoryMap

extension StoryLibrary {
    /// What became of a story that was to be created.
    enum Creation: Sendable {
        /// It is new.
        case created(StoryID)
        /// The owner's client sent it before under the same id.
        case existing(StoryID)
    }

    /// Stores a new story of `owner`.
    ///
    /// - Throws: ``Problem`` naming every wrong field; nothing is stored then.
    func create(_ body: JSONValue, owner: UserID) async throws -> Creation {
        var generator = SystemRandomNumberGenerator()
        let id = StoryID(using: &generator)
        let location = try newLocation(body["location"])
        let now = now()
        return try await store.write { [map] transaction in
            let families = try transaction.viewer(owner)?.families.keys ?? [:].keys
            let input = StoryInput(body: body, ownerFamilies: Set(families))
            var story = Story(id: id, kind: .interview, title: "", owner: owner, createdAt: now)
            story.clientID = body["client_id"]?.string
            try input.apply(to: &story)
            story.location = location
            if let clientID = story.clientID, let known = try transaction.storyID(owner: owner, clientID: clientID) {
                return .existing(known)
            }
            try transaction.insert(story)
            transaction.afterCommit { [story] in map.apply([.put(story)]) }
            return .created(id)
        }
    }

    /// Changes a story of `user` as `change` says.
    ///
    /// `precondition` is the client's `If-Match`; with one that names another version nothing is changed.
    ///
    /// - Throws: ``Problem``: not found for a story the user may not see, forbidden for somebody else's, precondition
    ///   failed, or what `change` throws.
    func change(
        _ id: StoryID,
        user: UserID,
        precondition: String?,
        _ change: @escaping @Sendable (inout Story, _ ownerFamilies: Set<FamilyID>) throws -> Void
    ) async throws {
        let now = now()
        try await store.write { [map] transaction in
            var (story, viewer) = try StoryLibrary.ownedStory(
                id,
                user: user,
                precondition: precondition,
                in: transaction
            )
            story.updatedAt = max(now, Timestamp(milliseconds: story.updatedAt.milliseconds + 1))
            try change(&story, Set(viewer.families.keys))
            try transaction.update(story)
            transaction.afterCommit { [story] in map.apply([.put(story)]) }
        }
    }

    /// Removes a story of `user`; the same errors as ``change(_:user:precondition:_:)``.
    func delete(_ id: StoryID, user: UserID, precondition: String?) async throws {
        try await store.write { [map] transaction in
            _ = try StoryLibrary.ownedStory(id, user: user, precondition: precondition, in: transaction)
            try transaction.deleteStory(id)
            transaction.afterCommit { map.apply([.remove(id)]) }
        }
    }

    private static func ownedStory(
        _ id: StoryID,
        user: UserID,
        precondition: String?,
        in transaction: StoreTransaction
    ) throws -> (Story, Viewer) {
        guard let viewer = try transaction.viewer(user), let story = try transaction.story(id),
            story.isVisible(to: viewer)
        else { throw Problem.notFound }
        guard story.owner == user else { throw Problem.forbidden }
        if let precondition {
            let tag = EntityTag.strong(try json(of: story, viewer: viewer, in: transaction))
            guard EntityTag.matches(precondition, tag) else {
                var problem = Problem(
                    .preconditionFailed,
                    "changed",
                    "The story has changed since you read it. Read it again and repeat the change."
                )
                problem.headers[.eTag] = tag
                throw problem
            }
        }
        return (story, viewer)
    }

    private static func json(of story: Story, viewer: Viewer, in transaction: StoreTransaction) throws -> [UInt8] {
        let names = try transaction.names(of: [story.owner])
        var json = JSONWriter(capacity: 1_024)
        StoryJSON(viewer: viewer, ownerNames: names).write(story, to: &json)
        return json.bytes
    }

    /// Reads the location of a body and fills its names; `nil` when the body has none.
    func newLocation(_ value: JSONValue?) throws -> StoryLocation? {
        guard let value, !value.isNull else { return nil }
        return derivingNames(try StoryInput.location(value, prefix: "location."))
    }

    /// Refuses to let a program's guess replace what a person or a receiver said (LOC-01).
    static func checkReplacing(_ old: StoryLocation?, by new: StoryLocation?) throws {
        guard let old, let new, new.source == .aiExtracted, old.source != .aiExtracted else { return }
        throw Problem(
            .conflict,
            "location-kept",
            "A location read out of the text does not replace one given by \(old.source.rawValue)."
        )
    }
}
