public import Geometry
import Stories
import Synchronization

/// Markers of a box as the bytes that a caller made of each, ordered by id.
public struct RenderedMarkers: Sendable {
    private struct Entry: Sendable {
        let id: UInt64
        let rendering: UInt32
        let index: UInt32
    }

    private var entries: [Entry] = []
    private var renderings: [MarkerRendering] = []
    /// The single stories of which the viewer gets a more exact point than everybody does.
    public private(set) var moreExact: [SingleStory] = []

    /// How many markers there are.
    public var count: Int { entries.count }

    /// Adds those of a list of markers that lie in a box.
    fileprivate mutating func add(_ markers: [Marker], _ rendering: MarkerRendering, in box: MarkerBox) {
        renderings.append(rendering)
        let number = UInt32(renderings.count - 1)
        for index in markers.indices where box.contains(markers[index].position) {
            let id = markers[index].clusterID.rawValue
            entries.append(Entry(id: id, rendering: number, index: UInt32(index)))
            if let single = markers[index].single, single.isMoreExact { moreExact.append(single) }
        }
    }

    fileprivate mutating func sort() { entries.sort { $0.id < $1.id } }

    /// Calls `body` with the bytes of each marker.
    public func forEach(_ body: (ArraySlice<UInt8>) -> Void) {
        for entry in entries { body(renderings[Int(entry.rendering)][Int(entry.index)]) }
    }
}

/// The bytes of a list of markers, one after another.
final class MarkerRendering: Sendable {
    private let bytes: [UInt8]
    private let ends: [Int]

    init(_ markers: [Marker], by render: (Marker, inout [UInt8]) -> Void) {
        var bytes: [UInt8] = []
        ends = markers.map { marker in
            render(marker, &bytes)
            return bytes.count
        }
        self.bytes = bytes
    }

    subscript(index: Int) -> ArraySlice<UInt8> { bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]] }
}

extension MapSnapshot {
    /// The markers of ``markers(in:zoom:_:)`` as bytes; what was made of them before is used again.
    ///
    /// All callers have to give the same `render`, a function of the marker alone: it appends the bytes of one marker.
    public func rendered(
        in box: BoundingBox,
        zoom: Int,
        _ query: StoryQuery,
        by render: (Marker, inout [UInt8]) -> Void
    ) -> RenderedMarkers {
        let edges = MarkerBox(box)
        var result = RenderedMarkers()
        if let tiles = tiles(in: edges, zoom: zoom, query) {
            for tile in tiles {
                guard let markers = tile.markers, !markers.isEmpty else { continue }
                result.add(markers, tile.rendering(by: render), in: edges)
            }
        } else {
            let markers = markers(in: box, zoom: zoom, query)
            result.add(markers, MarkerRendering(markers, by: render), in: edges)
        }
        result.sort()
        return result
    }
}
