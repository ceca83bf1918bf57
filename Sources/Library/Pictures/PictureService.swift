import Crypto
import Pictures
import Storage
package import Stories

/// Stores and returns the small pictures of stories.
///
/// A picture is as visible as its story, and changes with it: who may change the story may change its picture.
package struct PictureService: StoreService {
    package let context: StoreContext
    package let stories: StoryService
    /// Limits the pictures that wait to be decoded per user, per address and in total; each holds its bytes.
    package let shares = WorkShares(perUser: 2, perAddress: 4, inAll: 16)
    /// One picture is decoded at a time, because that can take 200 MB.
    private let turns = Turnstile<Bool>()

    /// Creates a value from its parts.
    package init(context: StoreContext, stories: StoryService) {
        self.context = context
        self.stories = stories
    }

    /// Returns the bytes of a story's picture; `nil` if it has none, does not exist, or the viewer may not see it.
    package func picture(of id: StoryID, viewer: Viewer) async throws -> [UInt8]? {
        try await store.read { transaction in
            try transaction.story(id, visibleTo: viewer).flatMap { try transaction.pictureBytes(of: $0) }
        }
    }

    /// Gives a story a small picture made of `bytes`, in place of the former one, for its owner or a service.
    ///
    /// Nothing but the pixels is kept. Decoding runs on the threads for long work, once the caller's right is known,
    /// and ends if `client` disconnects before it begins.
    ///
    /// - Throws: ``Refusal`` for bytes that are no picture or too large a one, or if too many pictures wait; the errors
    ///   of ``StoryService/change(_:by:precondition:_:)``. Nothing is changed then.
    package func put(
        _ bytes: [UInt8],
        on id: StoryID,
        by principal: Principal,
        precondition: Precondition<StoryView>? = nil,
        address: String? = nil,
        client: (any WaitingClient)? = nil
    ) async throws {
        _ = try await store.read {
            try StoryService.ownStory(id, of: principal, precondition: precondition, in: $0)
        }
        let share = try shares.take(user: principal.viewer.user, address: address)
        let thumbnail = try await LongWork.run(for: client) {
            defer { withExtendedLifetime(share) {} }
            return try await turns.pass(true) {
                try Task.checkCancellation()
                return try PictureService.thumbnail(of: bytes)
            }
        }
        let picture = StoryPicture(
            version: PictureService.version(of: thumbnail.jpeg),
            width: thumbnail.width,
            height: thumbnail.height
        )
        let now = now()
        try await store.write { [stories] transaction in
            _ = try stories.change(id, by: principal, precondition: precondition, at: now, in: transaction) {
                story,
                _ in
                story.picture = picture
            }
            try transaction.savePicture(thumbnail.jpeg, picture, of: id, at: now)
        }
    }

    /// Removes the picture of a story, if it has one, for its owner or a service.
    ///
    /// - Throws: the errors of ``StoryService/change(_:by:precondition:_:)``.
    package func remove(
        from id: StoryID,
        by principal: Principal,
        precondition: Precondition<StoryView>? = nil
    ) async throws {
        try await stories.change(id, by: principal, precondition: precondition) { story, _ in story.picture = nil }
    }

    private static func thumbnail(of bytes: [UInt8]) throws -> Thumbnail {
        guard !bytes.isEmpty else { throw Refusal.picture("is missing: the body is empty; send a JPEG, PNG or WebP") }
        guard bytes.count <= StoryLimits.pictureBytes else {
            throw Refusal.picture("has \(bytes.count) bytes; the maximum is \(StoryLimits.pictureBytes)")
        }
        do {
            return try Thumbnail(of: bytes, side: StoryLimits.pictureSide)
        } catch .outOfMemory {
            throw Refusal(
                .unavailable,
                "picture-memory",
                "There is not enough memory for this picture now. Try again later, or send a smaller one.",
                retryAfter: 60
            )
        } catch {
            throw Refusal.picture(error.description)
        }
    }

    /// Returns the first 64 bits of the SHA-256 of a picture; whoever gets them gets the picture too.
    private static func version(of bytes: [UInt8]) -> UInt64 {
        SHA256.hash(data: bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension Refusal {
    /// Returns the refusal of a picture; `problem` continues "The picture".
    fileprivate static func picture(_ problem: String) -> Refusal {
        Refusal(.invalid, "bad-picture", "The picture \(problem).")
    }
}
