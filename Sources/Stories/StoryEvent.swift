/// A change to the stored stories.
public enum StoryEvent: Hashable, Sendable {
    /// A story was added or replaced; its text is omitted, because few listeners need it and many would hold it in
    /// memory.
    case put(Story)
    /// A story was removed or must no longer be shown.
    case remove(StoryID)

    /// The id of the story.
    public var id: StoryID {
        switch self {
        case .put(let story): story.id
        case .remove(let id): id
        }
    }
}
