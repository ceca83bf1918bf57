extension Story {
    /// Returns whether a viewer other than the owner gets a more precise point than the public: such access is logged.
    ///
    /// A service that acts for the owner counts as another viewer.
    public func givesMore(to viewer: Viewer) -> Bool {
        (owner != viewer.user || viewer.service != nil) && point(for: viewer) != publishedPoint
    }

    /// The story without its text, for uses that need only its points.
    public var withoutText: Story {
        var story = self
        story.text = nil
        return story
    }
}
