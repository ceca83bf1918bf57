extension Story {
    /// Whether somebody else than the owner gets a more exact point than everybody does: such a look is noted.
    public func givesMore(to viewer: Viewer) -> Bool {
        owner != viewer.user && point(for: viewer) != publishedPoint
    }
}
