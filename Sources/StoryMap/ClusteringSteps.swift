import Geometry

/// Cells grouped around leading cells.
struct FirstStep: Sendable {
    let cover: GreedyCover
    /// Whether a leading cell may have further, unknown followers.
    private(set) var isUncertain: [Bool]
    /// The cells that may lead groups of unknown extent.
    private(set) var ghosts: [Int] = []

    /// Groups cells with the same parent; if `parents` is empty, any cells within reach of each other.
    init(_ sites: [Site], grid: SiteGrid, region: CellRegion, zoom: Int, parents: [UInt64]) {
        let reach = Clustering.units(pixels: Clustering.reach, zoom: zoom)
        let isOpen = sites.map { region.depth(x: $0.x, y: $0.y) <= reach }
        cover =
            parents.isEmpty
            ? GreedyCover(sites, grid: grid, reach: reach, isOpen: isOpen) { _, _ in true }
            : parents.withUnsafeBufferPointer { parents in
                GreedyCover(sites, grid: grid, reach: reach, isOpen: isOpen) { parents[$0] == parents[$1] }
            }
        isUncertain = [Bool](repeating: false, count: sites.count)
        for site in sites.indices where cover.fates[site] == .open || cover.fates[site] == .strays {
            if cover.fates[site] == .open { ghosts.append(site) }
            grid.forEachNear(sites[site], steps: 2) { leader in
                guard cover.fates[leader] == .leads, !isUncertain[leader] else { return }
                guard sites[site].squaredDistance(to: sites[leader]) <= reach * reach else { return }
                guard parents.isEmpty || parents[site] == parents[leader] else { return }
                isUncertain[leader] = true
                ghosts.append(leader)
            }
        }
    }
}

/// Groups that are too close to each other, grouped again.
struct SecondStep: Sendable {
    let cover: GreedyCover
    private let means: [Site]
    private let ghosts: [Site]
    private let grid: SiteGrid
    private let zoom: Int

    /// Groups the groups with the given means again; there may be unknown groups around the `ghosts`.
    init(_ means: [Site], parents: [UInt64], region: CellRegion, ghosts: [Site], zoom: Int) {
        self.means = means
        self.ghosts = ghosts
        self.zoom = zoom
        let grid = SiteGrid(means, in: region)
        let drift = Clustering.units(pixels: Clustering.drift, zoom: zoom)
        var isOpen = means.map { region.depth(x: $0.x, y: $0.y) <= drift }
        for ghost in ghosts {
            grid.forEachNear(ghost, steps: 3) { group in
                if ghost.squaredDistance(to: means[group]) <= drift * drift { isOpen[group] = true }
            }
        }
        let reach = Clustering.units(pixels: Clustering.secondReach, zoom: zoom)
        let near = Clustering.units(pixels: Clustering.strangersReach, zoom: zoom)
        cover =
            parents.isEmpty
            ? GreedyCover(means, grid: grid, reach: reach, isOpen: isOpen) { _, _ in true }
            : GreedyCover(means, grid: grid, reach: reach, isOpen: isOpen) { a, b in
                parents[a] == parents[b] || means[a].squaredDistance(to: means[b]) <= near * near
            }
        self.grid = grid
    }

    /// Returns whether all markers positioned in the core are known, with all their stories.
    func isComplete(around core: CellRegion) -> Bool {
        let drift = Clustering.units(pixels: Clustering.drift, zoom: zoom)
        let reach = Clustering.units(pixels: Clustering.secondReach, zoom: zoom)
        for ghost in ghosts where core.distance(x: ghost.x, y: ghost.y) <= drift { return false }
        for (group, mean) in means.enumerated() {
            switch cover.fates[group] {
            case .open:
                if core.distance(x: mean.x, y: mean.y) <= reach { return false }
                if hasLeader(near: mean, reach: reach, core: core) { return false }
            case .strays:
                if hasLeader(near: mean, reach: reach, core: core) { return false }
            default: break
            }
        }
        return true
    }

    /// Returns whether a group may belong to a marker that may be positioned in the core.
    private func hasLeader(near mean: Site, reach: Int64, core: CellRegion) -> Bool {
        var isFound = false
        grid.forEachNear(mean, steps: 2) { leader in
            guard cover.fates[leader] == .leads else { return }
            guard means[leader].squaredDistance(to: mean) <= reach * reach else { return }
            if core.distance(x: means[leader].x, y: means[leader].y) <= reach { isFound = true }
        }
        return isFound
    }
}
