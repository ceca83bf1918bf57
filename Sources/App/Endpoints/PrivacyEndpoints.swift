import Web
import Library
import Formats
import HTTPTypes
import Stories

/// The routes of privacy levels (including those that an app's backend sets), of hiding stories and of reports.
struct PrivacyEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec

    var all: [Endpoint] {
        [levels, setPrivacy, autoPrivate, hide, unhide, hidden]
            + ReportEndpoints(library: library, cursors: cursors).all
    }

    private var levels: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/privacy-levels",
            name: "privacyLevels",
            summary: """
                Returns explanations of the three privacy levels and the three precisions of a location in plain \
                English.
                """,
            access: .anyone,
            caching: .revalidate,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("PrivacyLevels"),
                    description: "The explanations, with their version."
                )
            ],
            handler: { _ in Answer(body: PrivacyJSON.levels) }
        )
    }

    private var setPrivacy: Endpoint {
        Endpoint(
            method: .put,
            path: "/v1/stories/\(PathPart.story)/privacy",
            name: "setPrivacy",
            summary: """
                Sets the privacy level of the caller's story, effective immediately everywhere. Without family, the \
                family it names is unchanged.
                """,
            access: .user,
            scope: .storiesWrite,
            headers: [.ifMatch],
            body: .init(schema: "PrivacyInput", maxBytes: 4_096),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("Story"),
                    description: "The story."
                )
            ],
            handler: { call in
                let id = try call[PathPart.story]
                let body = call.body ?? .null
                try await library.stories.change(id, by: call.principal, precondition: call.precondition(.stories)) {
                    story,
                    families in
                    try StoryInput(body: body, ownerFamilies: families).apply(to: &story)
                }
                return try .story(try await library.stories.changedStory(id, by: call.principal))
            }
        )
    }

    private var autoPrivate: Endpoint {
        Endpoint(
            method: .put,
            path: "/v1/service/auto-private",
            name: "setAutoPrivate",
            summary: """
                Makes all stories of an account, or up to 10,000 given stories, temporarily private, or restores the \
                levels their owners chose.
                """,
            access: .service,
            scope: .actAs,
            cost: .heavy,
            body: .init(schema: "AutoPrivateInput", maxBytes: 1 << 20),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("AutoPrivateOutcome"),
                    description:
                        "The number of stories that changed, were already in the requested state, or do not exist."
                )
            ],
            handler: handleAutoPrivate
        )
    }

    @Sendable private func handleAutoPrivate(_ call: Call) async throws -> Answer {
        let body = call.body ?? .null
        let flag = body["auto_private"]?.bool ?? true
        switch (body["user"]?.string, body["stories"]?.array) {
        case (let user?, nil):
            guard let id = UserID(user), let outcome = try await library.moderation.autoPrivate.set(flag, account: id)
            else {
                throw Problem.body([FieldProblem(field: "user", message: "is not the id of an existing user")])
            }
            return Answer(body: PrivacyJSON.outcome(outcome))
        case (nil, let texts?):
            let ids = texts.map { $0.string.flatMap { StoryID($0) } }
            var outcome = try await library.moderation.autoPrivate.set(flag, stories: ids.compactMap(\.self))
            outcome.unknown += ids.count { $0 == nil }
            return Answer(body: PrivacyJSON.outcome(outcome))
        default:
            throw Problem.body([FieldProblem(field: "user", message: "or stories must be given, but not both")])
        }
    }

    private var hide: Endpoint {
        Endpoint(
            method: .put,
            path: "/v1/stories/\(PathPart.story)/hide",
            name: "hideStory",
            summary: "Hides another user's story from all of the caller's own views. Others can still see it.",
            access: .user,
            scope: .storiesWrite,
            success: [PrivacyEndpoints.done],
            handler: { call in
                try await library.marks.setHidden(true, try call[PathPart.story], for: try call.user)
                return .noContent
            }
        )
    }

    private var unhide: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/stories/\(PathPart.story)/hide",
            name: "unhideStory",
            summary: "Unhides a hidden story for the caller.",
            access: .user,
            scope: .storiesWrite,
            success: [PrivacyEndpoints.done],
            handler: { call in
                try await library.marks.setHidden(false, try call[PathPart.story], for: try call.user)
                return .noContent
            }
        )
    }

    private var hidden: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/hidden",
            name: "listHidden",
            summary: "Returns the stories that the caller has hidden and may still see, newest first.",
            access: .user,
            scope: .storiesRead,
            cost: .normal,
            parameters: StoryPages.parameters,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.geoJSON,
                    schema: .named("StoryCollection"),
                    description: "A GeoJSON FeatureCollection."
                )
            ],
            handler: { call in
                let scope = cursors.scope(of: call)
                let window = try StoryPages.window(call, cursors, scope: scope)
                let list = try await library.stories.hiddenStories(window, user: try call.user, viewer: call.viewer)
                return cursors.answer(list, to: call, scope: scope)
            }
        )
    }

    private static let done = Endpoint.Success(
        status: .noContent,
        mediaType: MediaType.json,
        schema: nil,
        description: "Success."
    )
}
