public import Geometry
public import StoryMap

/// The part of a list of stories that is asked for.
public struct ListWindow: Sendable {
    /// Only stories with a point in this box; `nil` means all, also those without a location.
    public var box: BoundingBox?
    /// Only stories after this one.
    public var after: ListCursor?
    /// The most stories, at least one.
    public var limit: Int

    /// Creates a window.
    public init(box: BoundingBox? = nil, after: ListCursor? = nil, limit: Int = 20) {
        self.box = box
        self.after = after
        self.limit = limit
    }
}

/// A page of a list of stories as one viewer gets them.
public struct StoryList: Sendable {
    /// The stories in the order of the list.
    public let stories: [StoryView]
    /// How many stories all pages have together.
    public let matched: Int
    /// Where the next page begins; `nil` when there is none.
    public let next: ListCursor?
}
