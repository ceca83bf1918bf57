import Geometry
import Stories

/// What the index keeps of a story: no texts, every word a number of the segment's interners.
struct IndexedStory: Sendable {
    let id: StoryID
    /// Milliseconds since 1970 of its creation, as it is published; see ``CloserTimes``.
    let created: Int64
    /// The digest of what everybody who sees it gets of its fields.
    let content: UInt64
    let kind: UInt32
    let owner: UInt32
    let layer: UInt32
    /// The collection, or ``none``.
    let collection: UInt32
    /// The first day, as it is published; later than ``last`` when the story is undated.
    let first: Int32
    let last: Int32

    /// Stands for "no collection".
    static let none = UInt32.max

    /// Whether this story stands before the other in lists: newest first, then by id.
    func isListed(before other: IndexedStory) -> Bool {
        created != other.created ? created > other.created : id < other.id
    }
}

/// One appearance of a story on the map of a layer.
struct IndexedPlacement: Sendable {
    let layer: UInt32
    let point: Coordinate
    /// The weight, ±1, or ±2 for what trusted viewers get beyond the published point.
    let mark: Int8
}
