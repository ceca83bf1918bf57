import Geometry
import Stories

/// Rewrites the text of stored notifications to match what their reader may currently see.
///
/// A pure function of the ``FeedContext`` and the source of place names.
public struct FeedWording: Sendable {
    private let names: any PlaceNaming & Sendable

    /// Creates a wording; `names` is consulted only if neither a named place nor a story gives a place a name.
    public init(names: any PlaceNaming & Sendable = NoPlaceNames()) {
        self.names = names
    }

    /// Returns the item limited to content that its reader may see; `nil` if there is none.
    ///
    /// The text is rewritten if stories are missing, or if a story or the name of the place has changed; otherwise the
    /// item is returned unchanged.
    public func visible(_ item: FeedItem, in context: FeedContext) -> FeedItem? {
        switch item.subject {
        case .gone: return nil
        case .familyDeleted: return item
        case .newStories(let news):
            let seen = context.stories.filter { $0.value.isVisible(to: context.viewer) }
            return NewStoryWording.reworded(item, news, tellingOf: seen, preview: context.preview)
        case .message(let message):
            let left = message.keeping { context.stories[$0]?.isVisible(to: context.viewer) ?? false }
            return item.reworded(.message(left), title: item.title, body: item.body)
        case .nearby(let visit):
            return visible(item, visit, in: context)
        }
    }

    /// Returns the item without the stories that are missing from the context, and with a text that does not mention
    /// them; `nil` if no story is left.
    ///
    /// Stories that the reader merely cannot see at the moment stay: they may become visible again.
    public func remaining(_ item: FeedItem, in context: FeedContext) -> FeedItem? {
        switch item.subject {
        case .gone, .familyDeleted: return item
        case .newStories(let news):
            return NewStoryWording.reworded(item, news, tellingOf: context.stories, preview: context.preview)
        case .message(let message):
            let left = message.keeping { context.stories[$0] != nil }
            return item.reworded(.message(left), title: item.title, body: item.body)
        case .nearby(let visit):
            return remaining(item, visit, in: context)
        }
    }

    private func visible(_ item: FeedItem, _ visit: FeedItem.Visit, in context: FeedContext) -> FeedItem? {
        let nearby = visit.content.compactMap(context.shownStory)
        guard !nearby.isEmpty else { return nil }
        let hasChanged = visit.content.compactMap { context.stories[$0.id] }
            .contains { story in
                let updatedAt = story.owner == context.viewer.user ? story.updatedAt : story.shownUpdatedAt
                return updatedAt > story.createdAt && updatedAt >= item.createdAt
            }
        let place = visit.namedPlace.flatMap { context.namedPlaces[$0] }
        let isNamedOtherwise = visit.namedPlace != nil && place?.name != visit.placeName
        if nearby.count == visit.content.count, !hasChanged, !isNamedOtherwise { return item }
        return worded(item, visit, tellingOf: nearby, under: place, preview: context.preview)
    }

    private func remaining(_ item: FeedItem, _ visit: FeedItem.Visit, in context: FeedContext) -> FeedItem? {
        let content = visit.content.filter { context.stories[$0.id] != nil }
        guard !content.isEmpty else { return nil }
        let nearby = content.compactMap(context.storedStory)
        let place = visit.namedPlace.flatMap { context.namedPlaces[$0] }
        let words = worded(item, visit, tellingOf: nearby, under: place, preview: context.preview)
        // If no story has a point for the reader, the item has no text; once a story has a point again, the text is
        // written when the item is read.
        let left = FeedItem.Visit(
            kind: visit.kind,
            placeName: words?.visit?.placeName ?? "",
            place: words?.visit?.place ?? Coordinate(wrappingLatitude: 0, longitude: 0),
            content: content,
            confidence: visit.confidence,
            isArea: visit.isArea,
            namedPlace: visit.namedPlace
        )
        return item.reworded(.nearby(left), title: words?.title ?? "", body: words?.body ?? "")
    }

    /// Returns the item with a text about the given stories; `nil` if there are none.
    ///
    /// The place is the item's own if one of the stories is there, else the point of the first story.
    private func worded(
        _ item: FeedItem,
        _ visit: FeedItem.Visit,
        tellingOf nearby: [NearbyStory],
        under place: NamedPlace?,
        preview: NotificationSettings.Preview
    ) -> FeedItem? {
        guard let first = nearby.first(where: { $0.placeID == PlaceID(visit.place) }) ?? nearby.first else {
            return nil
        }
        let named = place.flatMap { first.isExact && $0.contains(first.point) ? $0 : nil }
        var options = NoticeOptions()
        options.preview = preview
        // Stories announced together stay together, even if one has since moved away; its new place is then not named.
        let together = nearby.map { story in
            let isAround =
                visit.isArea || named?.contains(story.point) ?? false
                || GreatCircle.distance(story.point, first.point) <= options.diameter + 0.01
            return isAround ? story : story.withoutNames
        }
        let entry = PlaceVisit(
            placeID: first.placeID,
            coordinate: first.point,
            kind: visit.kind,
            at: item.at,
            confidence: visit.confidence,
            isSimulated: item.isSimulated
        )
        let planner = NoticePlanner(options: options)
        guard
            let notice = planner.notice(
                of: entry,
                tellingOf: together,
                isArea: visit.isArea,
                under: named,
                names: names
            )
        else { return nil }
        let told = FeedItem.Visit(
            kind: visit.kind,
            placeName: notice.placeName,
            place: notice.place,
            content: notice.content,
            confidence: visit.confidence,
            isArea: visit.isArea,
            namedPlace: notice.namedPlace
        )
        return item.reworded(.nearby(told), title: notice.title, body: notice.body)
    }
}
