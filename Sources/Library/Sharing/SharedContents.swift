import Storage
import Stories

/// What a link shows at one moment, as its viewer gets it: read in one transaction, by the rule of ``ShareLink``.
struct SharedContents: Sendable {
    /// The link as it is stored now.
    let link: ShareLink
    /// The name of its owner.
    let ownerName: String?
    /// The collection that it names.
    let collection: StoryCollection?
    /// The stories as shown, without their texts, sorted by id.
    let stories: [Story]

    /// Reads what a link shows, at most `limit` stories; `nil` if its owner or its collection is gone.
    init?(of link: ShareLink, in transaction: StoreReader, limit: Int) throws {
        guard let owner = try transaction.viewer(link.owner) else { return nil }
        let collection: StoryCollection?
        let ids: [StoryID]
        switch link.subject {
        case .story(let id):
            collection = nil
            ids = [id]
        case .collection(let id):
            guard let named = try transaction.collection(id), named.owner == link.owner else { return nil }
            collection = named
            ids = try transaction.storyIDs(of: named.ofOwnerAlone, viewer: owner).sorted()
        }
        let found = try transaction.stories(ids, visibleTo: owner, withText: false)
        self.link = link
        self.collection = collection
        ownerName = try transaction.names(of: [link.owner])[link.owner]
        let shown = ids.compactMap { id in found[id].flatMap { link.shown($0, in: collection) } }
        stories = Array(shown.prefix(limit))
    }

    /// Reads what a link shows to its holder.
    ///
    /// - Throws: ``Refusal/endedLink`` if the link has ended, or shows nothing: both look the same from outside.
    init(open link: ShareLink, in transaction: StoreReader, at now: Timestamp) throws {
        guard let current = try transaction.shareLink(link.id), current.digest == link.digest, current.isOpen(at: now),
            let contents = try SharedContents(of: current, in: transaction, limit: StoryLimits.sharedStoryCount),
            !contents.stories.isEmpty
        else { throw Refusal.endedLink }
        self = contents
    }

    /// Returns those of the stories that are shown, with their texts, by id.
    func texts(of ids: [StoryID], in transaction: StoreReader) throws -> [StoryID: Story] {
        let known = Set(stories.map(\.id))
        let wanted = ids.filter(known.contains)
        return try transaction.stories(wanted, visibleTo: Viewer(user: link.owner))
            .compactMapValues { link.shown($0, in: collection) }
    }
}

extension StoryCollection {
    /// The collection without what other members of its family contribute.
    fileprivate var ofOwnerAlone: StoryCollection {
        StoryCollection(id: id, owner: owner, title: title, text: text, privacy: .private, createdAt: createdAt)
    }
}
