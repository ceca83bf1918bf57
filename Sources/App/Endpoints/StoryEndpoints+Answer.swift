import Web
import Library
import HTTPTypes

extension VersionNames where Subject == StoryView {
    /// The versions of stories, as ETags of their JSON.
    ///
    /// Warnings are excluded, so that a story added nearby later does not make a version outdated.
    static var stories: VersionNames<StoryView> {
        .entityTags { view in
            var plain = view
            plain.isNarrowed = false
            return StoryJSON.object(plain)
        }
    }
}

extension Answer {
    /// Returns an answer with a story, and its version as ETag.
    ///
    /// - Throws: ``Problem`` (404) without a story.
    static func story(_ view: StoryView?) throws -> Answer {
        guard let view else { throw Problem.notFound }
        let body = StoryJSON.object(view)
        let tag = view.isNarrowed ? VersionNames<StoryView>.stories.name(view) : EntityTag.strong(body)
        return Answer(headers: [.eTag: tag], body: body)
    }
}
