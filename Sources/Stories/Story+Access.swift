extension Story {
    /// Returns whether a viewer other than the owner gets a more precise point than the public: such access is logged.
    ///
    /// A service that acts for the owner counts as another viewer.
    public func givesMore(to viewer: Viewer) -> Bool {
        guard owner != viewer.user || viewer.service != nil else { return false }
        guard point(for: viewer) == publishedPoint else { return true }
        guard !places.isEmpty else { return false }
        return places(for: viewer).map(\.location.coordinate) != publishedPlaces.map(\.location.coordinate)
    }

    /// The story without its text, for uses that need only its points.
    public var withoutText: Story {
        var story = self
        story.text = nil
        return story
    }
}
