/// A story that was stored or removed.
public enum StoryEvent: Hashable, Sendable {
    /// It is new or replaces the one with its id; without its text, which few need and many would hold.
    case put(Story)
    /// It is gone, or must not be shown any more.
    case remove(StoryID)

    /// Whose change it is.
    public var id: StoryID {
        switch self {
        case .put(let story): story.id
        case .remove(let id): id
        }
    }
}
