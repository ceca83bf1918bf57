import Geometry

/// An object on the map that may lead or follow others.
struct Site: Sendable {
    /// The position in Mercator units; it restarts east of the antimeridian, so that differences wrap around.
    let x: UInt32
    let y: UInt32
    /// The cell that contains the position.
    let column: UInt32
    let row: UInt32
    /// The priority; the greater one leads, see ``Priority``.
    let priority: Priority

    /// Returns the squared distance in units, the shorter way round the globe.
    @inline(__always)
    func squaredDistance(to other: Site) -> Int64 {
        let dx = Int64(Int32(truncatingIfNeeded: x &- other.x))
        let dy = Int64(y) - Int64(other.y)
        // At zoom 0 the globe is as high as it is wide: half of it away, nothing is near, and the sum could overflow.
        return abs(dy) >= 1 << 31 ? .max : dx * dx + dy * dy
    }
}

/// The weight of a site and a hash of its cell: a function of the visible stories and the cell only.
struct Priority: Sendable {
    /// The base-2 logarithm of the weight, then the hash.
    let rank: UInt64
    /// The cell itself, as the final tie-breaker.
    private let cell: UInt64

    init(count: Int, zoom: Int, column: UInt32, row: UInt32) {
        let logarithm = UInt64(Int.bitWidth - max(1, count).leadingZeroBitCount)
        cell = UInt64(column) << 24 | UInt64(row)
        rank = logarithm << 58 | SplitMix64.mix(cell ^ UInt64(zoom) << 56) >> 6
    }

    @inline(__always)
    func beats(_ other: Priority) -> Bool { rank != other.rank ? rank > other.rank : cell > other.cell }
}

/// Greedy grouping of sites: in order of priority, each site that does not follow yet leads all free sites within
/// reach.
///
/// This is the lexicographically first maximal independent set (Blelloch, Fineman and Shun, "Greedy sequential maximal
/// independent set and matching are parallel on average", SPAA 2012): a property of the whole map that rarely depends
/// on distant sites. Here only the sites of a region are known. Sites that may depend on others beyond it are marked,
/// and the mark is propagated, so that everything unmarked is as it would be with all sites in the world.
struct GreedyCover: Sendable {
    /// The status of a site.
    enum Fate: UInt8, Sendable {
        /// Not processed yet.
        case free
        /// Leads, whatever lies beyond the region.
        case leads
        /// Follows its leader, whatever lies beyond the region.
        case follows
        /// Follows a leader that depends on sites beyond the region.
        case strays
        /// May lead, depending on sites beyond the region.
        case open
    }

    private(set) var fates: [Fate]
    /// The leader of each site that leads or follows, otherwise -1.
    private(set) var leaders: [Int32]

    /// Groups `sites`.
    ///
    /// - Parameters:
    ///   - sites: the sites to group.
    ///   - grid: the same sites by cell.
    ///   - reach: the reach in Mercator units, at most two cells.
    ///   - isOpen: whether sites beyond the region may affect a site.
    ///   - areTogether: whether two sites within reach may follow each other.
    @inline(__always)
    init(_ sites: [Site], grid: SiteGrid, reach: Int64, isOpen: [Bool], areTogether: (Int, Int) -> Bool) {
        var fates = isOpen.map { $0 ? Fate.open : Fate.free }
        var leaders = [Int32](repeating: -1, count: sites.count)
        let square = reach * reach
        let order = GreedyCover.order(sites)
        // Safety: the order and the grid contain only indices of sites, and there are as many fates and leaders as
        // sites.
        fates.withUnsafeMutableBufferPointer { fates in
            leaders.withUnsafeMutableBufferPointer { leaders in
                sites.withUnsafeBufferPointer { sites in
                    grid.withNeighbours { neighbours in
                        for entry in order {
                            let site = Int(entry & 0xFFFF_FFFF)
                            let isLeader = fates[site] == .free
                            guard isLeader || fates[site] == .open else { continue }
                            if isLeader {
                                fates[site] = .leads
                                leaders[site] = Int32(site)
                            }
                            let from = sites[site]
                            neighbours.forEach(near: from, steps: 2) { other in
                                let fate = fates[other]
                                guard fate == .free || (fate == .open && isLeader) else { return }
                                guard from.squaredDistance(to: sites[other]) <= square, areTogether(site, other)
                                else { return }
                                if !isLeader {
                                    fates[other] = .open
                                } else if fate == .free {
                                    fates[other] = .follows
                                    leaders[other] = Int32(site)
                                } else {
                                    fates[other] = .strays
                                }
                            }
                        }
                    }
                }
            }
        }
        self.fates = fates
        self.leaders = leaders
    }

    /// Returns the sites by descending priority: the low 32 bits of each entry are the index of a site.
    private static func order(_ sites: [Site]) -> [UInt64] {
        // The inverted high halves of the ranks rarely tie.
        var entries = sites.indices.map { ~(sites[$0].priority.rank >> 32) << 32 | UInt64($0) }
        entries.sortByHighHalf()
        // Ties are broken one by one, by the full priority.
        for index in entries.indices.dropFirst() {
            var place = index
            while place > 0, entries[place - 1] >> 32 == entries[place] >> 32 {
                let (a, b) = (Int(entries[place - 1] & 0xFFFF_FFFF), Int(entries[place] & 0xFFFF_FFFF))
                guard sites[b].priority.beats(sites[a].priority) else { break }
                entries.swapAt(place - 1, place)
                place -= 1
            }
        }
        return entries
    }
}

extension [UInt64] {
    /// Sorts by the high 32 bits, ascending and stable: an eight-bit radix sort, lowest digit first.
    mutating func sortByHighHalf() {
        guard count > 64 else { return sort { $0 >> 32 < $1 >> 32 } }
        var other = self
        for shift in stride(from: UInt64(32), to: 64, by: 8) {
            var starts = [Int](repeating: 0, count: 257)
            for entry in self { starts[Int(entry >> shift & 0xFF) + 1] += 1 }
            for digit in 0..<256 { starts[digit + 1] += starts[digit] }
            for entry in self {
                let digit = Int(entry >> shift & 0xFF)
                other[starts[digit]] = entry
                starts[digit] += 1
            }
            swap(&self, &other)
        }
    }
}
