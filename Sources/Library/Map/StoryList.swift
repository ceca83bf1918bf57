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
    /// The order of the list.
    public var order = ListOrder.newest
    /// Whether stories that match the words of the search best come first, instead of the order; without words, the
    /// order applies.
    public var isByRelevance = false
    /// Only stories that the viewer sees without a point, newest first; box and order do not apply.
    public var isUnplaced = false
    /// Whether stories that the viewer sees without a point are in the list beside those in the box, newest first; order
    /// does not apply, nor does this to the lists of share links.
    package var includesUnplaced = false

    /// Creates a window.
    public init(box: BoundingBox? = nil, after: ListCursor? = nil, limit: Int = 20) {
        self.box = box
        self.after = after
        self.limit = limit
    }

    /// The box whose stories are counted: only stories with a point have a distance.
    var countedBox: BoundingBox? {
        if case .nearest = order { return box ?? .world }
        return box
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
