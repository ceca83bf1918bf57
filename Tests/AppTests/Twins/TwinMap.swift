import Geometry
import Library
import Stories
import StoryMap

/// The clusters and tiles of a twin world, for requests that ask for them.
struct TwinMap {
    private(set) var clusters: [String] = []
    private(set) var tiles: [String] = []

    private static let zooms = [0, 2, 5, 9, 13, 17, 20]
    /// So many of each are enough.
    private static let most = 60

    /// What there is for the viewer of a world, and what there is for others and not for them.
    static func both(of world: TwinPopulation) -> (there: TwinMap, elsewhere: TwinMap) {
        let index = MapIndex(digestKey: DigestKey(high: 1, low: 2), further: { $0.placesOnMap })
        index.load(world.stories)
        let snapshot = index.snapshot()
        let owners = Set(world.stories.filter { !$0.isVisible(to: world.viewer) }.map(\.owner)).sorted()
        let there = TwinMap(snapshot, viewers: [world.viewer], except: TwinMap())
        let others = owners.map { TwinCast.viewer($0.rawValue) }
        return (there.shortened, TwinMap(snapshot, viewers: others, except: there).shortened)
    }

    private init() {}

    private init(_ snapshot: MapSnapshot, viewers: [Viewer], except known: TwinMap) {
        var (clusters, tiles): (Set<String>, Set<String>) = ([], [])
        for viewer in viewers {
            for zoom in TwinMap.zooms {
                for marker in snapshot.markers(in: .world, zoom: zoom, StoryQuery(viewer: viewer)) {
                    clusters.insert(marker.clusterID.description)
                    let point = MercatorPoint(marker.position)
                    tiles.insert("\(zoom)/\(point.x >> UInt32(32 - zoom))/\(point.y >> UInt32(32 - zoom))")
                }
            }
        }
        self.clusters = clusters.subtracting(known.clusters).sorted()
        self.tiles = tiles.subtracting(known.tiles).sorted()
    }

    /// Some of everything, from all zooms.
    private var shortened: TwinMap {
        func some(_ all: [String]) -> [String] {
            stride(from: 0, to: all.count, by: max(1, all.count / TwinMap.most)).map { all[$0] }
        }
        var map = self
        (map.clusters, map.tiles) = (some(clusters), some(tiles))
        return map
    }

    /// The address of any tile, seldom of one that there is not.
    static func tile(using draw: inout TwinDraw) -> String {
        let zoom = draw.pick(0...21)
        let side = 1 << zoom
        return "\(zoom)/\(draw.pick(0...side))/\(draw.pick(0...(side - 1)))"
    }

    /// The id of any cell, seldom of one that there is not.
    static func cluster(using draw: inout TwinDraw) -> String {
        let zoom = draw.pick(0...21)
        let side = UInt64(16) << UInt64(zoom)
        return "\(UInt64(zoom) << 48 | (draw.next() % side) << 24 | draw.next() % side)"
    }
}
