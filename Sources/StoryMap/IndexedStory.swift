import Geometry
import Stories

/// The indexed part of a story, without texts; strings are represented by numbers from the segment's interners.
struct IndexedStory: Sendable {
    let id: StoryID
    /// The published time of creation in milliseconds since 1970; see ``CloserTimes``.
    let created: Int64
    /// The digest of the fields shown to every viewer of the story.
    let content: UInt64
    let kind: UInt32
    let owner: UInt32
    let layer: UInt32
    /// The collection, or ``none``.
    let collection: UInt32
    /// The first day as published; later than ``last`` if the story is undated.
    let first: Int32
    let last: Int32

    /// The number that represents no collection.
    static let none = UInt32.max

    /// Returns whether this story comes before the other in lists: newest first, then by id.
    func isListed(before other: IndexedStory) -> Bool {
        created != other.created ? created > other.created : id < other.id
    }
}

/// One appearance of a story on the map of a layer.
struct IndexedPlacement: Sendable {
    let layer: UInt32
    let point: Coordinate
    /// The weight: ±1, or ±2 for a point shown to trusted viewers beyond the published one.
    let mark: Int8
    /// The index in ``SegmentBuilder/further``, or ``IndexedStory/none`` for a story with only its own location.
    var further = IndexedStory.none
}
