public import Geometry
public import Stories

/// The index at one moment: immutable, so that all answers within a request agree.
///
/// Every answer is a function of the data visible to the query's viewer: other layers are never read.
public struct MapSnapshot: Sendable {
    /// The deepest zoom of clusters, in tiles of 512 pixels.
    public static let maximumZoom = 20

    /// The segments, oldest first; the map is their sum.
    let segments: [Segment]
    /// The generation, incremented by every change.
    let generation: UInt64
    let log: ChangeLog
    let views: ViewStore

    init(segments: [Segment], generation: UInt64, log: ChangeLog, views: ViewStore) {
        self.segments = segments
        self.generation = generation
        self.log = log
        self.views = views
    }

    /// Returns a reader for the tiles of a query.
    func reader(_ query: StoryQuery) -> TileReader {
        let view = views.view(of: query)
        return TileReader(
            scope: view.scope(query, segments: segments),
            generation: generation,
            log: log,
            layers: view.layers,
            store: view.tiles
        )
    }

    /// Returns the version of the data visible to a viewer: the sum of the digests of the rows of their layers.
    ///
    /// - Complexity: O(number of the viewer's layers).
    public func version(for viewer: Viewer) -> Digest {
        var sum = Digest.zero
        for layer in viewer.layers {
            for segment in segments {
                guard let number = segment.words.layers.number(of: layer) else { continue }
                sum = sum + segment.layers[Int(number)].digest
            }
        }
        return sum
    }

    /// The number of stories, visible or not: for choosing a search strategy only, never to be disclosed.
    package var storyCount: Int { segments.reduce(0) { $0 + 2 * $1.addedCount - $1.rows.count } }

    /// Returns the newest segment that contains the story, and its row there, if the story exists.
    static func find(_ id: StoryID, in segments: [Segment]) -> (segment: Int, row: Int)? {
        for index in segments.indices.reversed() {
            guard let row = segments[index].row(of: id) else { continue }
            return row < segments[index].addedCount ? (index, row) : nil
        }
        return nil
    }

    /// Returns, for each story, a digest of the fields shown to all its viewers, or 0 if the story does not exist.
    ///
    /// The digest changes with every change visible to all these viewers, including changes to the text of the story.
    public func digests(of stories: [StoryID]) -> [UInt64] {
        stories.map { id in
            MapSnapshot.find(id, in: segments).map { segments[$0.segment].rows[$0.row].content } ?? 0
        }
    }

    /// Returns whether the viewer may see the story.
    public func contains(_ id: StoryID, viewer: Viewer) -> Bool {
        guard let (index, row) = MapSnapshot.find(id, in: segments) else { return false }
        let segment = segments[index]
        return viewer.sees(segment.words.layers[segment.rows[row].layer])
    }

    /// Returns the point of a story's own location shown to the viewer; `nil` if the viewer may not see the story or sees
    /// it without a point.
    ///
    /// ``places(of:viewer:)`` returns its further places too.
    public func point(of id: StoryID, viewer: Viewer) -> Coordinate? {
        places(of: id, viewer: viewer).first { $0.place == nil }?.point
    }

    /// Returns the number of the query's matches, with and without a location.
    ///
    /// - Complexity: O(number of the viewer's layers) without a filter.
    public func total(_ query: StoryQuery) -> Int {
        if let few = few(query) { return few.count }
        var total = 0
        for view in Scope(query, segments: segments).views {
            for visible in view.layers {
                let layer = visible.layer
                total += view.wantedCount(in: layer.added) - view.wantedCount(in: layer.removed)
            }
        }
        return total
    }

    /// Returns the number of the query's matches with a place in the closed box, compared in stored degrees.
    public func count(in box: BoundingBox, _ query: StoryQuery) -> Int {
        views.view(of: query).scope(query, segments: segments).count(in: box)
    }
}

extension SegmentView {
    /// Returns the number of wanted stories at these positions in the segment's `layerRows`.
    func wantedCount(in range: Range<Int>) -> Int {
        if isUnfiltered { return range.count }
        return range.reduce(0) { $0 + (wants(Int(segment.layerRows[$1])) ? 1 : 0) }
    }
}
