import Web
import Library
import HTTPTypes
import Stories

/// The route by which an app reports that its user viewed a story.
struct ViewedEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [viewed] }

    private var viewed: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/stories/\(PathPart.story)/viewed",
            name: "viewStory",
            summary: "Records that the caller viewed a story, so that it is not announced when they come near.",
            access: .user,
            scope: .storiesRead,
            success: [.init(status: .noContent, mediaType: MediaType.json, schema: nil, description: "Success.")],
            handler: { call in
                try await library.marks.noteViewed(try call[PathPart.story], by: try call.user)
                return .noContent
            }
        )
    }
}
