import Geometry

/// The markers of a region at a zoom, computed from the outermost zoom inwards, because each marker splits off from one
/// a zoom further out.
struct ClusterChain: Sendable {
    /// The clustering at the wanted zoom.
    let clustering: Clustering

    /// The number of cells by which the wanted region is extended at first: eight cells, 256 pixels, are usually
    /// enough.
    private static let margin: UInt32 = 8

    /// Finds all markers in the cells of `core`.
    init(_ scope: Scope, zoom: Int, core: CellRegion) {
        var margin = ClusterChain.margin
        while true {
            if let chain = ClusterChain.levels(scope, zoom: zoom, core: core, margin: margin) {
                self = chain
                return
            }
            margin += margin / 2
        }
    }

    private init(clustering: Clustering) {
        self.clustering = clustering
    }

    /// Computes the markers zoom by zoom; returns `nil` if `margin` is too small.
    private static func levels(_ scope: Scope, zoom: Int, core: CellRegion, margin: UInt32) -> ClusterChain? {
        var cores = [core]
        for _ in 0..<zoom {
            guard let last = cores.last else { return nil }
            cores.append(last.grown(cells: margin).parent)
        }
        var chain: ClusterChain?
        for (level, core) in cores.reversed().enumerated() {
            let outer = chain?.clustering
            let next = Clustering(scope, region: core.grown(cells: margin), core: core, zoom: level) { column, row in
                outer?.marker(column: column, row: row) ?? 0
            }
            guard next.isComplete else { return nil }
            chain = ClusterChain(clustering: next)
        }
        return chain
    }
}
