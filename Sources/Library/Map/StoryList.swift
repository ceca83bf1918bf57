public import Geometry
public import StoryMap

/// The requested part of a list of stories.
public struct ListWindow: Sendable {
    /// Only stories with a point in this box; `nil` for all, including those without a location.
    public var box: BoundingBox?
    /// Only stories after this position in the list; `nil` to start at the beginning.
    public var after: ListCursor?
    /// The maximum number of stories, at least one.
    public var limit: Int

    /// Creates a window.
    public init(box: BoundingBox? = nil, after: ListCursor? = nil, limit: Int = 20) {
        self.box = box
        self.after = after
        self.limit = limit
    }
}

/// A page of a list of stories as seen by one viewer.
public struct StoryList: Sendable {
    /// The stories in the order of the list.
    public let stories: [StoryView]
    /// The number of stories on all pages together.
    public let matched: Int
    /// The position of the next page; `nil` if there is none.
    public let next: ListCursor?
}
