import Web
import Library
import HTTPTypes
import Stories

/// The routes of the stories' small pictures, each as visible as its story.
struct PictureEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [read, put, remove] }

    private static let path = "/v1/stories/\(PathPart.story)/thumbnail"
    static let version = QueryParameter<String?>
        .optional(
            "v",
            .text(1...64),
            "The version in the story's thumbnail. The answer is always the current picture."
        )

    private var read: Endpoint {
        Endpoint(
            method: .get,
            path: PictureEndpoints.path,
            name: "readThumbnail",
            summary: """
                Returns the picture of a story, at most \(StoryLimits.pictureSide) pixels on a side. 404: the story has \
                none, does not exist, or is not visible to the viewer.
                """,
            access: .anyone,
            scope: .storiesRead,
            caching: .revalidate,
            parameters: [PictureEndpoints.version],
            success: [.init(status: .ok, mediaType: MediaType.jpeg, schema: nil, description: "The picture.")],
            handler: { call in
                let id = try call[PathPart.story]
                guard let bytes = try await library.pictures.picture(of: id, viewer: call.viewer) else {
                    throw Problem.notFound
                }
                return Answer(mediaType: StoryPicture.mediaType, body: bytes)
            }
        )
    }

    private var put: Endpoint {
        Endpoint(
            method: .put,
            path: PictureEndpoints.path,
            name: "setThumbnail",
            summary: """
                Gives the caller's story a picture, made of a JPEG, PNG or WebP of at most 50 million pixels. It is \
                reduced to \(StoryLimits.pictureSide) pixels, turned upright, and kept without metadata. The story's \
                alt describes it.
                """,
            access: .user,
            scope: .storiesWrite,
            cost: .heavy,
            headers: [.ifMatch],
            body: .init(
                schema: "PictureFile",
                maxBytes: StoryLimits.pictureBytes,
                isRaw: true,
                mediaType: MediaType.jpeg,
                otherTypes: [MediaType.png, MediaType.webp, MediaType.octets]
            ),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("Story"),
                    description: "The story with its picture."
                )
            ],
            refusals: [
                .init(
                    status: .tooManyRequests,
                    description: "Too many pictures, of the caller or of all callers, are waiting to be decoded."
                )
            ],
            handler: { call in
                let id = try call[PathPart.story]
                try await library.pictures.put(
                    call.bytes,
                    on: id,
                    by: call.principal,
                    precondition: call.precondition(.stories),
                    address: call.sharedAddress,
                    client: call.client
                )
                return try .story(try await library.stories.changedStory(id, by: call.principal))
            }
        )
    }

    private var remove: Endpoint {
        Endpoint(
            method: .delete,
            path: PictureEndpoints.path,
            name: "removeThumbnail",
            summary: "Removes the picture of the caller's story, if it has one.",
            access: .user,
            scope: .storiesWrite,
            headers: [.ifMatch],
            success: [
                .init(status: .noContent, mediaType: MediaType.json, schema: nil, description: "Success.")
            ],
            handler: { call in
                try await library.pictures.remove(
                    from: try call[PathPart.story],
                    by: call.principal,
                    precondition: call.precondition(.stories)
                )
                return .noContent
            }
        )
    }
}

// Schemas.
extension PictureEndpoints {
    static let schemas: [(name: String, schema: Schema)] = [
        ("PictureFile", .text(maxBytes: StoryLimits.pictureBytes)), ("Thumbnail", thumbnail),
    ]

    /// The path of a picture.
    static let address = Schema.text(maxBytes: 100)

    private static let thumbnail = Schema.object([
        .init("url", address, required: true, "The path of the picture. Other bytes have another one."),
        .init("width", .integer(1...StoryLimits.pictureSide), required: true, "Pixels."),
        .init("height", .integer(1...StoryLimits.pictureSide), required: true, "Pixels."),
        .init("media_type", .constant(StoryPicture.mediaType), required: true),
    ])
}
