package import Formats
import Storage
public import Stories

/// A collection as shown to a viewer.
public struct CollectionView: Sendable {
    /// The collection.
    public let collection: StoryCollection
    /// The display name of its owner.
    public let ownerName: String?
    /// The number of its stories that the viewer may see and has not hidden.
    public let storyCount: Int
}

/// Manages collections of stories.
package struct CollectionService: StoreService {
    package let context: StoreContext

    /// Creates a value from its parts.
    package init(context: StoreContext) {
        self.context = context
    }

    /// Returns at most `limit` collections that a viewer may see, newest first, starting after a position.
    package func collections(
        visibleTo viewer: Viewer,
        after position: (createdAt: Timestamp, id: String)? = nil,
        limit: Int
    ) async throws -> [CollectionView] {
        try await store.read { transaction in
            let found = try transaction.collections(visibleTo: viewer, after: position, limit: limit)
            let names = try transaction.names(of: Set(found.map(\.owner)))
            return try found.map { collection in
                CollectionView(
                    collection: collection,
                    ownerName: names[collection.owner],
                    storyCount: try transaction.storyCount(of: collection, viewer: viewer)
                )
            }
        }
    }

    /// Returns the collection with an id.
    ///
    /// - Throws: ``Refusal``: not found, also if the viewer may not see it.
    package func collection(_ id: CollectionID, visibleTo viewer: Viewer) async throws -> CollectionView {
        try await store.read { transaction in
            guard let found = try transaction.collection(id, visibleTo: viewer) else { throw Refusal.notFound }
            return CollectionView(
                collection: found,
                ownerName: try transaction.names(of: [found.owner])[found.owner],
                storyCount: try transaction.storyCount(of: found, viewer: viewer)
            )
        }
    }

    /// Creates a collection of `owner` with a new id, from its JSON.
    ///
    /// - Throws: ``CollectionRefusal``; nothing is stored then.
    package func addCollection(_ json: JSONValue, owner: UserID) async throws -> StoryCollection {
        try await add(draft(json, owner: owner))
    }

    /// Creates a collection of `owner` with a new id.
    ///
    /// - Throws: ``CollectionRefusal``; nothing is stored then.
    package func addCollection(
        title: String,
        text: String?,
        privacy: Privacy,
        family: FamilyID?,
        owner: UserID
    ) async throws -> StoryCollection {
        try await add(draft(title: title, text: text, privacy: privacy, family: family, owner: owner))
    }

    private func add(_ collection: StoryCollection) async throws -> StoryCollection {
        try await store.write { try CollectionService.insert(collection, in: $0) }
        return collection
    }

    /// Returns a new collection of `owner`, not stored yet, from its JSON.
    ///
    /// - Throws: ``CollectionRefusal`` for an invalid part.
    func draft(_ json: JSONValue, owner: UserID) throws -> StoryCollection {
        let family = json["family"]?.string
        let familyID = family.flatMap { FamilyID($0) }
        guard family == nil || familyID != nil else { throw CollectionRefusal.notYourFamily }
        return try draft(
            title: json["title"]?.string ?? "",
            text: json["text"]?.string.flatMap { $0.isEmpty ? nil : $0 },
            privacy: json["privacy"]?.string.flatMap(Privacy.init) ?? .private,
            family: familyID,
            owner: owner
        )
    }

    private func draft(
        title: String,
        text: String?,
        privacy: Privacy,
        family: FamilyID?,
        owner: UserID
    ) throws -> StoryCollection {
        guard DisplayName(title) != nil else { throw CollectionRefusal.badTitle }
        guard CollectionID(title) == nil else { throw CollectionRefusal.titleLikeID }
        guard text.map({ $0.utf8.count <= StoryLimits.collectionTextLength }) ?? true else {
            throw CollectionRefusal.longText
        }
        guard family == nil || privacy == .familyOnly else { throw CollectionRefusal.familyNotAsked }
        var generator = random
        return StoryCollection(
            id: CollectionID(using: &generator),
            owner: owner,
            title: title,
            text: text,
            privacy: privacy,
            family: family,
            createdAt: now()
        )
    }

    /// Stores a new collection.
    ///
    /// - Throws: ``CollectionRefusal``; nothing is stored then.
    static func insert(_ collection: StoryCollection, in transaction: StoreTransaction) throws {
        let owner = collection.owner
        // The message is identical for a family that does not exist and one the owner does not belong to.
        if let family = collection.family, try transaction.role(of: owner, in: family) == nil {
            throw CollectionRefusal.notYourFamily
        }
        guard try transaction.collectionID(owner: owner, title: collection.title) == nil else {
            throw CollectionRefusal.titleTaken
        }
        guard try transaction.collectionCount(of: owner) < StoryLimits.collectionCount else {
            throw CollectionRefusal.tooMany
        }
        try transaction.insert(collection)
    }

    /// Removes a collection, for its owner or a service; its stories are unchanged, and links to it
    /// end (MAP-09).
    ///
    /// - Throws: ``Refusal``: not found, also if the caller may not see it; forbidden if it belongs to another user.
    package func removeCollection(_ id: CollectionID, by principal: Principal) async throws {
        let now = now()
        try await store.write { try CollectionService.remove(id, by: principal, at: now, in: $0) }
    }

    /// Removes a collection within a transaction; see ``removeCollection(_:by:)``.
    static func remove(
        _ id: CollectionID,
        by principal: Principal,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        let viewer = try principal.viewer.user.flatMap { try transaction.viewer($0) } ?? .anonymous
        let seen = try transaction.collection(id, visibleTo: viewer)
        guard let found = try seen ?? (principal.isService ? transaction.collection(id) : nil) else {
            throw Refusal.notFound
        }
        guard found.owner == viewer.user || principal.isService else { throw Refusal.forbidden }
        try transaction.endCollection(id, at: now)
    }
}

/// The reason a collection is rejected.
public enum CollectionRefusal: Error, Hashable, Sendable {
    /// The title is not a valid ``DisplayName``.
    case badTitle
    /// The title looks like the id of a collection.
    case titleLikeID
    /// The text is too long.
    case longText
    /// A family is given, but the level is not `family_only`.
    case familyNotAsked
    /// The owner does not belong to the family.
    case notYourFamily
    /// The owner already has a collection with this title.
    case titleTaken
    /// The owner has the maximum number of collections.
    case tooMany

    /// The invalid field and the problem with it.
    public var problem: (field: String, message: String) {
        switch self {
        case .badTitle: ("title", DisplayName.rule())
        case .titleLikeID: ("title", "must not be 32 hexadecimal digits, which would look like an id")
        case .longText: ("text", "must have at most \(StoryLimits.collectionTextLength) bytes")
        case .familyNotAsked: ("family", "is allowed only with the privacy family_only")
        case .notYourFamily: ("family", "is not a family you belong to")
        case .titleTaken: ("title", "is already used by another of your collections")
        case .tooMany:
            (
                "title",
                "cannot be used for another collection: a user can have at most \(StoryLimits.collectionCount) of them"
            )
        }
    }
}

extension CollectionRefusal: RefusalConvertible {
    /// A conflict with the caller's existing collections, or an invalid field.
    package var refusal: Refusal {
        let (field, message) = problem
        return switch self {
        case .titleTaken: Refusal(.conflict, "title-taken", "The \(field) \(message).")
        case .tooMany: Refusal(.conflict, "too-many-collections", "The \(field) \(message).")
        default: .body([FieldProblem(field: field, message: message)])
        }
    }
}
