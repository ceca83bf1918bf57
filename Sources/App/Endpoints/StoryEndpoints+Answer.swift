import Library
import HTTPTypes

extension VersionNames where Subject == StoryView {
    /// The versions of stories, as ETags of what is read of them.
    ///
    /// A warning is no part of it: a neighbour that comes later makes nobody's version an old one.
    static var stories: VersionNames<StoryView> {
        .entityTags { view in
            var plain = view
            plain.isNarrowed = false
            return StoryJSON.object(plain)
        }
    }
}

extension Answer {
    /// The answer that is one story, with its version as ETag.
    ///
    /// - Throws: ``Problem``, not found, when there is none.
    static func story(_ view: StoryView?) throws -> Answer {
        guard let view else { throw Problem.notFound }
        let body = StoryJSON.object(view)
        let tag = view.isNarrowed ? VersionNames<StoryView>.stories.name(view) : EntityTag.strong(body)
        return Answer(headers: [.eTag: tag], body: body)
    }
}
