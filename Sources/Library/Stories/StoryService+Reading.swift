package import Notifications
package import Storage
package import Stories
import StoryMap

extension StoryService {
    /// Returns a story as the viewer may see it, or `nil` if it does not exist or they may not see it.
    package func story(_ id: StoryID, viewer: Viewer) async throws -> StoryView? {
        try await read { transaction in
            try transaction.story(id, visibleTo: viewer)
                .map { try StoryService.view(of: $0, viewer: viewer, in: transaction) }
        }
    }

    /// Returns a story as the viewer may see it, with the places that await their confirmation if it is theirs.
    ///
    /// Returns `nil` if it does not exist or they may not see it.
    package func storyWithProposals(
        _ id: StoryID,
        viewer: Viewer
    ) async throws -> (view: StoryView, proposals: [LocationProposal])? {
        let found = try await store.read { transaction -> (view: StoryView, proposals: [LocationProposal])? in
            guard let story = try transaction.story(id, visibleTo: viewer) else { return nil }
            let view = try StoryService.view(of: story, viewer: viewer, in: transaction)
            guard let user = viewer.user, user == story.owner else { return (view, []) }
            return (view, try transaction.proposals(for: id, of: user))
        }
        guard let found else { return nil }
        try await accesses.note([found.view.story], for: viewer)
        return (found.view, found.proposals.map { $0.derivingNames(from: maps) })
    }

    /// Returns a story that the viewer has just written, with warnings about it; `nil` if it is gone by now.
    package func writtenStory(_ id: StoryID, viewer: Viewer) async throws -> StoryView? {
        try await read { transaction in
            try transaction.story(id, visibleTo: viewer)
                .map { try StoryService.view(of: $0, viewer: viewer, warning: true, in: transaction) }
        }
    }

    /// Returns a story as shown to the caller who changed it, or `nil` if it is gone by now.
    package func changedStory(_ id: StoryID, by principal: Principal) async throws -> StoryView? {
        try await read { transaction in
            try StoryService.story(id, for: principal, in: transaction)
                .map { try StoryService.view(of: $0.story, viewer: $0.viewer, warning: true, in: transaction) }
        }
    }

    private func read(
        _ find: @escaping @Sendable (StoreReader) throws -> StoryView?
    ) async throws -> StoryView? {
        guard let found = try await store.read(find) else { return nil }
        try await accesses.note([found.story], for: found.viewer)
        return found
    }

    /// Returns a story as shown to the viewer, with their marks: hidden or favourite.
    ///
    /// With `warning`, also states whether others could locate it more precisely than it is shown.
    package static func view(
        of story: Story,
        viewer: Viewer,
        warning: Bool = false,
        in transaction: StoreReader
    ) throws -> StoryView {
        let hidden: Set<StoryID> = try viewer.user.map(transaction.hiddenStories) ?? []
        let favourites = try viewer.user.map { try transaction.favourites(of: $0, among: [story.id]) } ?? []
        let narrowed: Set<StoryID> =
            try warning ? viewer.user.map { try transaction.narrowed(of: $0, among: [story]) } ?? [] : []
        return StoryView(
            story: story,
            viewer: viewer,
            ownerName: try transaction.names(of: [story.owner])[story.owner],
            isHidden: hidden.contains(story.id),
            isFavourite: favourites.contains(story.id),
            isNarrowed: narrowed.contains(story.id)
        )
    }

    /// Returns a page of the stories a user has hidden and may still see, newest first.
    package func hiddenStories(_ window: ListWindow, user: UserID, viewer: Viewer) async throws -> StoryList {
        let hidden = try await store.read { try $0.hiddenStories(of: user) }
        let query = StoryQuery(viewer: viewer, among: StorySet(hidden))
        return try await maps.stories(window, query: query, marking: hidden)
    }

    /// Returns the stories that a notification is about, newest first, with their current content.
    package func stories(of item: FeedItem, _ window: ListWindow, viewer: Viewer) async throws -> StoryList {
        var search = StorySearch()
        search.ids = Set(item.content.map(\.id))
        return try await maps.stories(window, search: search, viewer: viewer)
    }
}
