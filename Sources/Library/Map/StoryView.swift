package import Geometry
public import Stories

/// A story as seen by one viewer, with related data from outside its row.
public struct StoryView: Sendable {
    /// The story as it is stored.
    public let story: Story
    /// The viewer it was read for.
    public let viewer: Viewer
    /// The display name of its owner.
    public let ownerName: String?
    /// Whether the viewer has hidden it.
    package var isHidden = false
    /// Whether it is one of the viewer's favourites.
    package var isFavourite = false
    /// Whether it is read through a share link, by an anonymous viewer.
    package var isShared = false
    /// Whether the story is the viewer's own, and another of their stories of the same day reveals its position more
    /// precisely than it is shown.
    package var isNarrowed = false
    /// Where the words of a search stand in what the viewer sees of it.
    package var excerpts: [FieldExcerpt] = []

    /// Creates a value from its parts.
    package init(
        story: Story,
        viewer: Viewer,
        ownerName: String?,
        isHidden: Bool = false,
        isFavourite: Bool = false,
        isNarrowed: Bool = false
    ) {
        self.story = story
        self.viewer = viewer
        self.ownerName = ownerName
        self.isHidden = isHidden
        self.isFavourite = isFavourite
        self.isNarrowed = isNarrowed
    }
}

extension StoryView {
    /// The points at which the story stands on the viewer's map, its own location first.
    package var points: [Coordinate] {
        let own = story.point(for: viewer).map { [$0] } ?? []
        return own + story.places(for: viewer).filter(\.isConfirmed).map(\.location.coordinate)
    }

    /// The family to which the story is limited, if the viewer may know it: only the owner and that family do.
    package var shownFamily: FamilyID? {
        guard let family = story.family else { return nil }
        return viewer.user == story.owner || viewer.families[family] != nil ? family : nil
    }

    /// Returns whether the viewer sees the further place with this id; of `nil`, the story's own location, always.
    func shows(_ place: StoryID?) -> Bool {
        place.map { id in story.places(for: viewer).contains { $0.id == id } } ?? true
    }

    /// Returns the view with excerpts of what the viewer sees of it around folded words.
    func marking(_ words: [String]) -> StoryView {
        var view = self
        view.excerpts = story.excerpts(marking: words, for: viewer)
        return view
    }
}

extension StoryList {
    /// Returns the list with excerpts around folded words.
    func marking(_ words: [String]) -> StoryList {
        guard !words.isEmpty else { return self }
        return StoryList(stories: stories.map { $0.marking(words) }, matched: matched, next: next)
    }
}
