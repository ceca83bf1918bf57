public import Stories

/// A story as one viewer gets it, with what is known of it beside its row.
public struct StoryView: Sendable {
    /// The story as it is stored.
    public let story: Story
    /// Through whose eyes it is read.
    public let viewer: Viewer
    /// The display name of its owner.
    public let ownerName: String?
    /// Whether it is marked as hidden by the viewer.
    package var isHidden = false
    /// Whether it is one of the viewer's favourites.
    package var isFavourite = false
    /// Whether it is the viewer's own and others could place it better than it is shown, by neighbours of the same day.
    package var isNarrowed = false

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
