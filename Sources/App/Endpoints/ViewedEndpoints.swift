import HTTPTypes
import Storage
import Stories

/// The route by which an app says that its user looked at a story.
struct ViewedEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [viewed] }

    private var viewed: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/stories/{id}/viewed",
            name: "viewStory",
            summary: "Notes that the caller looked at a story, so that they are not told of it when they come near.",
            access: .user,
            scope: .storiesRead,
            success: [.init(status: .noContent, mediaType: MediaType.json, schema: nil, description: "Noted.")],
            handler: { call in
                try await library.noteViewed(try call.storyID(), by: try call.user)
                return .noContent
            }
        )
    }
}

extension StoryLibrary {
    /// Remembers that a user looked at a story that they see.
    ///
    /// - Throws: ``Problem``: not found for a story they may not see.
    func noteViewed(_ id: StoryID, by user: UserID) async throws {
        let now = now()
        try await store.write { transaction in
            guard let viewer = try transaction.viewer(user), try transaction.story(id, visibleTo: viewer) != nil else {
                throw Problem.notFound
            }
            try transaction.noteViewed(id, by: user, at: now)
        }
    }
}
