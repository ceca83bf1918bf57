import Geometry
import Stories

/// Words stored notifications anew, as their reader may see them now.
///
/// Pure: everything that the words depend on is in the ``FeedContext`` and in the names of places.
public struct FeedWording: Sendable {
    private let names: any PlaceNaming & Sendable

    /// Creates a wording; `names` is asked only where no named place and no story says what a place is called.
    public init(names: any PlaceNaming & Sendable = NoPlaceNames()) {
        self.names = names
    }

    /// Returns the item with what its reader may see of it; `nil` when that is nothing.
    ///
    /// It is worded anew when that is less than it tells, or something else now; otherwise it stays as it is.
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

    /// Returns the item without the stories that are not in the context, and without a word of them; `nil` when it tells of
    /// no other.
    ///
    /// What the reader does not see at the moment stays: it may be shown to them again.
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
        let nearby = visit.content.compactMap { context.shownStory($0.id) }
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
        let nearby = content.compactMap { context.storedStory($0.id) }
        let place = visit.namedPlace.flatMap { context.namedPlaces[$0] }
        let words = worded(item, visit, tellingOf: nearby, under: place, preview: context.preview)
        // Where none has a published point there is nothing to say: whichever gets one again is worded anew when it is read.
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

    /// The item in the words of these stories, at the place that it names while one of them is there, else at the point of
    /// the first; `nil` for none.
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
        // What was told together stays together, also when one of them moved away since; that one's new place is not named.
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
