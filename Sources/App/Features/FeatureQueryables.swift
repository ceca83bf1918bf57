import Library
import Queries
import Stories

/// The properties of stories by which features are filtered.
enum FeatureQueryables: Sendable {
    /// A property with its description.
    struct Entry: Sendable {
        let property: QueryProperty
        let description: String

        init(_ name: String, _ kind: QueryProperty.Kind, _ description: String) {
            property = QueryProperty(name, kind)
            self.description = description
        }
    }

    static let all: [Entry] = [
        Entry("id", .text, "The id of the story."),
        Entry(
            "kind",
            .text,
            "The kind: interview, photo, document, video_object, observation, event or one of the operator's."
        ),
        Entry("title", .text, "The title."),
        Entry("text", .text, "The text."),
        Entry("date", .time, "The date of what is told. Comparisons use its first day, T_ functions all of its days."),
        Entry("collection", .text, "The name of the story's collection."),
        Entry("owner", .text, "The id of the user to whom the story belongs."),
        Entry("owner_name", .text, "The name of that user."),
        Entry("privacy", .text, "Who may see the story: public, family_only or private."),
        Entry("city", .text, "The city of the place, where the viewer sees it exactly."),
        Entry("state", .text, "The state of the place, where the viewer sees it exactly."),
        Entry("country", .text, "The country of the place, where the viewer sees it exactly."),
        Entry("accuracy", .number, "The accuracy of the place in metres, where the viewer sees it exactly."),
        Entry("favourite", .boolean, "Whether the story is one of the viewer's favourites."),
        Entry("created_at", .time, "When the story was created, as precisely as the viewer may know it."),
        Entry("updated_at", .time, "When the story was last changed, as precisely as the viewer may know it."),
        Entry("geometry", .geometry, "The point that the viewer gets."),
    ]

    /// Returns the value of a property as the viewer may see it; `nil` without one.
    static func value(_ name: String, of view: StoryView) -> QueryValue? {
        let (story, viewer) = (view.story, view.viewer)
        func text(_ value: String?) -> QueryValue? { value.map { .text($0) } }
        func instant(_ time: Timestamp) -> QueryValue {
            .time(QuerySpan(start: time.milliseconds, end: time.milliseconds))
        }
        switch name {
        case "id": return text(story.id.description)
        case "kind": return text(story.kind.rawValue)
        case "title": return text(story.title)
        case "text": return text(story.text)
        case "date": return story.times(for: viewer).date?.days.map { .time(QueryTime.span($0)) }
        case "collection": return text(story.collection)
        case "owner": return text(story.owner.rawValue)
        case "owner_name": return text(view.ownerName)
        case "privacy": return text(story.privacy.rawValue)
        case "city": return text(story.location(for: viewer)?.names[.city])
        case "state": return text(story.location(for: viewer)?.names[.state])
        case "country": return text(story.location(for: viewer)?.names[.country])
        case "accuracy": return story.location(for: viewer)?.accuracy.map { .number($0) }
        case "favourite": return .boolean(view.isFavourite)
        case "created_at": return instant(story.times(for: viewer).createdAt)
        case "updated_at": return instant(story.times(for: viewer).updatedAt)
        case "geometry": return story.point(for: viewer).map { .point($0) }
        default: return nil
        }
    }
}
