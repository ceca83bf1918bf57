public import Geometry
public import Stories

/// The data that the text of stored notifications depends on: the viewer, and the current state of the notifications'
/// subjects.
///
/// The code that loads the data decides what to include; ``FeedWording`` decides from it what the viewer sees.
public struct FeedContext: Sendable {
    /// The reader of the notifications.
    public let viewer: Viewer
    /// The current stories of the notifications, by id; a missing story has been removed.
    public private(set) var stories: [StoryID: Story]
    /// The named places used in the notifications, as far as the viewer may know of them.
    public private(set) var namedPlaces: [NamedPlaceID: NamedPlace]
    /// The names of the storytellers that may be shown to the viewer, by user.
    public let tellers: [UserID: String]
    /// The viewer's preview setting: how much a notification reveals.
    public let preview: NotificationSettings.Preview

    /// Creates a context.
    public init(
        viewer: Viewer,
        stories: [StoryID: Story],
        namedPlaces: [NamedPlaceID: NamedPlace] = [:],
        tellers: [UserID: String] = [:],
        preview: NotificationSettings.Preview
    ) {
        self.viewer = viewer
        self.stories = stories
        self.namedPlaces = namedPlaces
        self.tellers = tellers
        self.preview = preview
    }

    /// Returns whether the viewer may still see any content of an item: true exactly when
    /// ``FeedWording/visible(_:in:)`` returns an item.
    ///
    /// Named places and tellers do not affect the result, so the context may omit them.
    public func showsAnything(of item: FeedItem) -> Bool {
        switch item.subject {
        case .gone: false
        case .familyDeleted, .message: true
        case .newStories(let news): news.content.contains { stories[$0.id]?.isVisible(to: viewer) ?? false }
        case .nearby(let visit): visit.content.contains { shownStory($0) != nil }
        }
    }

    /// Returns the context without a named place, as if it were removed.
    public func without(_ place: NamedPlace) -> FeedContext {
        var context = self
        context.namedPlaces[place.id] = nil
        return context
    }

    /// Returns the context without the stories and named places of an owner, as if they were removed.
    public func withoutEverything(of owner: UserID) -> FeedContext {
        var context = self
        context.stories = stories.filter { $0.value.owner != owner }
        context.namedPlaces = namedPlaces.filter { $0.value.owner != owner }
        return context
    }

    /// Returns the context with only the stories of an item that the viewer sees and that are not at one of the muted
    /// `places`.
    ///
    /// A notification may cover several places; each can be muted separately.
    public func silencing(_ places: Set<PlaceID>, in item: FeedItem) -> FeedContext {
        let heard = item.content.filter { told in shownStory(told).map { !places.contains($0.placeID) } ?? false }
        let ids = Set(heard.map(\.id))
        var context = self
        context.stories = stories.filter { ids.contains($0.key) }
        return context
    }

    /// Returns a story at the place where it was announced to the viewer, as that place is now; `nil` if the viewer may
    /// not see it, or if the place is gone or has no point that the viewer may see.
    func shownStory(_ told: FeedItem.Content) -> NearbyStory? {
        stories[told.id].flatMap { NearbyStory.visible($0, at: told.place, to: viewer, tellers: tellers) }
    }

    /// Returns a story as ``shownStory(_:)`` does, but regardless of whether the viewer may currently see it.
    func storedStory(_ told: FeedItem.Content) -> NearbyStory? {
        stories[told.id].flatMap { NearbyStory($0, at: told.place, for: viewer, tellers: tellers) }
    }
}
