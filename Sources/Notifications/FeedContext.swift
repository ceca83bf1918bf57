public import Geometry
public import Stories

/// Everything that the words of stored notifications depend on: who reads them, and what these tell of as it is now.
///
/// A value: whoever loads it decides what belongs to it, and ``FeedWording`` does the rest.
public struct FeedContext: Sendable {
    /// Who reads.
    public let viewer: Viewer
    /// The stories that are told of, as they are now; one that is not among them is gone.
    public private(set) var stories: [StoryID: Story]
    /// The named places that were told under, of those that the viewer may know of.
    public private(set) var namedPlaces: [NamedPlaceID: NamedPlace]
    /// The names of those who tell the stories, where they may be said.
    public let tellers: [UserID: String]
    /// How much the viewer wants to be said.
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

    /// Returns whether an item still has anything to say: exactly when ``FeedWording/visible(_:in:)`` returns an item.
    ///
    /// Neither named places nor tellers matter, so a context without them answers as well.
    public func showsAnything(of item: FeedItem) -> Bool {
        switch item.subject {
        case .gone: false
        case .familyDeleted, .message: true
        case .newStories(let news): news.content.contains { stories[$0.id]?.isVisible(to: viewer) ?? false }
        case .nearby(let visit): visit.content.contains { shownStory($0.id) != nil }
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

    /// Returns the context with those stories alone that the viewer sees at a place that they have not silenced.
    ///
    /// Several places may be told together; each can be silenced by itself.
    public func silencing(_ places: Set<PlaceID>) -> FeedContext {
        var context = self
        context.stories = stories.filter { id, _ in shownStory(id).map { !places.contains($0.placeID) } ?? false }
        return context
    }

    /// A story as it can be announced to the viewer; `nil` for one that they may not see, or that has no point for them.
    func shownStory(_ id: StoryID) -> NearbyStory? {
        stories[id].flatMap { NearbyStory.visible($0, to: viewer, tellers: tellers) }
    }

    /// The same of a story that the viewer may not see at the moment.
    func storedStory(_ id: StoryID) -> NearbyStory? {
        stories[id].flatMap { NearbyStory($0, for: viewer, tellers: tellers) }
    }
}
