public import Geometry
public import Stories

/// A further place of a story on the map, beside the story's own location (LOC-10).
///
/// Who sees it, and how precisely, follows from its own location by the rules of the story's location. Only places that
/// their owner has confirmed belong here.
public struct FurtherPlace: Hashable, Sendable {
    /// The id, unique among the places of the story.
    ///
    /// Viewers are shown the ids of the places they see, so ids must be random: from consecutive numbers, a gap would
    /// tell of a hidden place.
    public let id: StoryID
    /// The true point, with its own precision, floor and names.
    public let location: StoryLocation
    /// The line or the area, which only viewers of the exact place are shown: their version of the map changes with it,
    /// and of the rest of the index only fences read it.
    public let shape: PlaceShape?
    /// What else every viewer of the place is shown, as text: the version of the map changes with it, and nothing else
    /// reads it.
    public let shown: String
    /// Whether it is the line or the area of the story's own location, of which it is shown as the cell where it is shown
    /// as one.
    public let isExtent: Bool

    /// Whether it makes a fence, by the rule of ``StoryPlace/makesFence``.
    var makesFence: Bool { StoryPlace.makesFence(at: location, shape) }

    /// The outline of its fence, or `nil` if it makes none, or one around a point.
    var outline: Outline? { makesFence ? shape?.outline : nil }

    /// Creates a further place.
    public init(
        id: StoryID,
        location: StoryLocation,
        shape: PlaceShape? = nil,
        shown: String = "",
        isExtent: Bool = false
    ) {
        self.id = id
        self.location = location
        self.shape = shape
        self.shown = shown
        self.isExtent = isExtent
    }
}

/// A place of a story as a viewer sees it.
public struct ShownPlace: Hashable, Sendable {
    /// The id of the further place; `nil` for the story's own location.
    public let place: StoryID?
    /// The point shown to the viewer.
    public let point: Coordinate
}

extension MapSnapshot {
    /// Returns the places of a story that the viewer sees, the story's own location first, then by id; empty if the
    /// viewer may not see the story.
    public func places(of id: StoryID, viewer: Viewer) -> [ShownPlace] {
        guard contains(id, viewer: viewer), let (index, row) = MapSnapshot.find(id, in: segments) else { return [] }
        let segment = segments[index]
        return segment.places(of: row) { viewer.sees(segment.words.layers[$0]) }
            .sorted { ($0.place ?? .ownLocation) < ($1.place ?? .ownLocation) }
    }

    /// Returns the number of places of the query's matches in the closed box: a story counts as often as the viewer
    /// sees places of it there.
    ///
    /// ``count(in:_:)`` is the number of the stories themselves.
    public func placeCount(in box: BoundingBox, _ query: StoryQuery) -> Int {
        views.view(of: query).scope(query, segments: segments).placeCount(in: box)
    }
}

extension Segment {
    /// Returns the places of a row that remain after the placements in the visible layers are summed.
    func places(of row: Int, sees: (_ layer: UInt32) -> Bool) -> [ShownPlace] {
        var remaining: [ShownPlace] = []
        var cancelled: [ShownPlace] = []
        for index in placements(of: row) {
            let position = Int(placements[index])
            guard sees(layer(ofPosition: position)) else { continue }
            let place = run.further.place(at: position).furtherPlace
            let shown = ShownPlace(place: place, point: run.points[position])
            if run.marks[position] > 0 { remaining.append(shown) } else { cancelled.append(shown) }
        }
        for shown in cancelled {
            if let index = remaining.firstIndex(of: shown) { remaining.remove(at: index) }
        }
        return remaining
    }
}

extension SegmentView {
    /// Returns the places of a row's story shown to the viewer.
    func places(of row: Int) -> [ShownPlace] { segment.places(of: row) { layer($0) != nil } }
}

extension StoryID {
    /// What stands for a story's own location among the ids of places; no place has this id.
    static let ownLocation = StoryID(high: 0, low: 0)

    /// The id of a further place, `nil` for a story's own location.
    var furtherPlace: StoryID? { self == .ownLocation ? nil : self }
}
