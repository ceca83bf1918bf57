public import Geometry
import Stories
import Synchronization

/// The markers in a box, ordered by id, each rendered to bytes by a function of the caller.
public struct RenderedMarkers: Sendable {
    private struct Entry: Sendable {
        let id: UInt64
        let rendering: UInt32
        let index: UInt32
    }

    private var entries: [Entry] = []
    private var renderings: [MarkerRendering] = []
    /// The single stories whose point the viewer sees more precisely than the public.
    public private(set) var moreExact: [SingleStory] = []

    /// The number of markers.
    public var count: Int { entries.count }

    /// Adds the markers of a list that lie in a box.
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

/// The bytes of a list of markers, stored consecutively.
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
    /// Returns the markers of ``markers(in:zoom:_:)`` as bytes; cached bytes are reused.
    ///
    /// All callers must pass the same `render`, a function of the marker only: it appends the bytes of one marker.
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
