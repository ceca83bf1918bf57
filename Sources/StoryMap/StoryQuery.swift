public import Stories

/// Through whose eyes, and what of it: the part that all questions to the map share.
public struct StoryQuery: Hashable, Sendable {
    /// Who looks.
    public var viewer: Viewer
    /// What is wanted.
    public var filter: StoryFilter
    /// The only stories that count, `nil` for all: the result of a text search or the favourites.
    public var among: StorySet?
    /// Stories that do not count: what the viewer has hidden from their own views.
    public var except: Set<StoryID>

    /// Creates a query, by default for everything the viewer may see.
    public init(
        viewer: Viewer,
        filter: StoryFilter = StoryFilter(),
        among: StorySet? = nil,
        except: Set<StoryID> = []
    ) {
        self.viewer = viewer
        self.filter = filter
        self.among = among
        self.except = except
    }

    /// Whether everything visible is wanted.
    var isUnfiltered: Bool { filter.isEmpty && among == nil && except.isEmpty }
}
