extension Story {
    /// Whether somebody else than the owner gets a more exact point than everybody does: such a look is noted.
    ///
    /// A service that looks through the owner's eyes is somebody else.
    public func givesMore(to viewer: Viewer) -> Bool {
        (owner != viewer.user || viewer.service != nil) && point(for: viewer) != publishedPoint
    }

    /// The story without its text, to be kept while only its points matter.
    public var withoutText: Story {
        var story = self
        story.text = nil
        return story
    }
}
