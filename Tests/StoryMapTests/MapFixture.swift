import Geometry
import Stories
import StoryMap
import TestSupport

let testKey = DigestKey(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)

/// The snapshot of a fresh index with these stories.
func mapped(_ stories: some Sequence<Story>) -> MapSnapshot {
    let index = MapIndex(digestKey: testKey)
    index.load(stories)
    return index.snapshot()
}

extension StoryQuery {
    init(_ parts: StoryQueryParts) {
        self.init(
            viewer: parts.viewer,
            filter: parts.filter,
            among: parts.among.map(StorySet.init),
            except: parts.except
        )
    }

    /// Everything that everybody may see.
    static let everybody = StoryQuery(viewer: .anonymous)
}

/// Public stories at these points, created one second apart.
func publicStories(at points: [(latitude: Double, longitude: Double)]) -> [Story] {
    guard let owner = UserID("ana") else { return [] }
    return points.enumerated()
        .map { index, point in
            var story = Story(
                id: StoryID(high: 7, low: SplitMix64.mix(UInt64(index))),
                kind: .interview,
                title: "Story \(index)",
                owner: owner,
                createdAt: Timestamp(milliseconds: Int64(index) * 1_000)
            )
            story.location = StoryLocation(
                coordinate: Coordinate(wrappingLatitude: point.latitude, longitude: point.longitude)
            )
            return story
        }
}

/// Boxes that tile the world: `columns` by `rows` at random cuts, the first column starting anywhere.
func worldTiling(columns: Int, rows: Int, using generator: inout SplitMix64) -> [BoundingBox] {
    let longitudes = (0..<columns).map { _ in generator.unit() * 360 - 180 }.sorted()
    let latitudes = [-90] + (1..<rows).map { _ in generator.unit() * 180 - 90 }.sorted() + [90]
    var boxes: [BoundingBox] = []
    for (south, north) in zip(latitudes, latitudes.dropFirst()) {
        for index in longitudes.indices {
            let west = longitudes[index]
            let east = longitudes[(index + 1) % columns]
            if let box = BoundingBox(west: west, south: south, east: east, north: north) { boxes.append(box) }
        }
    }
    return boxes
}
