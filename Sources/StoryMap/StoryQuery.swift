public import Stories

/// The viewer and the wanted stories: the part shared by all map queries.
public struct StoryQuery: Hashable, Sendable {
    /// The viewer.
    public var viewer: Viewer
    /// The filter.
    public var filter: StoryFilter
    /// The stories to consider, `nil` for all: the result of a text search or the favourites.
    public var among: StorySet?
    /// Stories to exclude: those the viewer has hidden from their own views.
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
