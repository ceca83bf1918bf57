import Geometry

/// Something on the map that may lead or follow others.
struct Site: Sendable {
    /// Position in Mercator units; east of the antimeridian it begins anew, so that differences wrap around.
    let x: UInt32
    let y: UInt32
    /// The cell that the position lies in.
    let column: UInt32
    let row: UInt32
    /// Greater leads; see ``Priority``.
    let priority: Priority

    /// The square of the distance in units, the shorter way round the globe.
    @inline(__always)
    func squaredDistance(to other: Site) -> Int64 {
        let dx = Int64(Int32(truncatingIfNeeded: x &- other.x))
        let dy = Int64(y) - Int64(other.y)
        // At zoom 0 the globe is as high as wide: beyond half of it nothing is near.
        return abs(dy) > 1 << 31 ? .max : dx * dx + dy * dy
    }
}

/// The weight of a site and a hash of its cell: a function of visible stories and of the cell alone.
struct Priority: Sendable {
    /// The power of two of the weight, then the hash.
    let rank: UInt64
    /// Told apart last by the cell itself.
    private let cell: UInt64

    init(count: Int, zoom: Int, column: UInt32, row: UInt32) {
        let logarithm = UInt64(Int.bitWidth - max(1, count).leadingZeroBitCount)
        cell = UInt64(column) << 24 | UInt64(row)
        rank = logarithm << 58 | SplitMix64.mix(cell ^ UInt64(zoom) << 56) >> 6
    }

    @inline(__always)
    func beats(_ other: Priority) -> Bool { rank != other.rank ? rank > other.rank : cell > other.cell }
}

/// Greedy grouping of sites: in order of priority each site that does not follow yet leads all free sites within reach.
///
/// This is the lexicographically first maximal independent set (Blelloch, Fineman and Shun, "Greedy sequential maximal
/// independent set and matching are parallel on average", SPAA 2012): a property of the whole map, which is seldom
/// decided by anything far away. Here only the sites of a region are known. What may depend on sites beyond it is marked,
/// and the mark passed on, so that everything without a mark is as it would be with all sites of the world.
struct GreedyCover: Sendable {
    /// What became of a site.
    enum Fate: UInt8, Sendable {
        /// Not looked at yet.
        case free
        /// Leads, whatever lies beyond the region.
        case leads
        /// Follows its leader, whatever lies beyond.
        case follows
        /// Follows somebody, but what lies beyond decides whom.
        case strays
        /// What lies beyond decides whether it leads.
        case open
    }

    private(set) var fates: [Fate]
    /// The leader of each site that leads or follows, otherwise -1.
    private(set) var leaders: [Int32]

    /// Groups `sites`.
    ///
    /// - Parameters:
    ///   - sites: what is grouped.
    ///   - grid: the same sites by cell.
    ///   - reach: the reach in Mercator units, at most two cells.
    ///   - isOpen: whether sites beyond the region may decide about a site.
    ///   - areTogether: whether two sites within reach may follow each other.
    @inline(__always)
    init(_ sites: [Site], grid: SiteGrid, reach: Int64, isOpen: [Bool], areTogether: (Int, Int) -> Bool) {
        var fates = isOpen.map { $0 ? Fate.open : Fate.free }
        var leaders = [Int32](repeating: -1, count: sites.count)
        let square = reach * reach
        let order = GreedyCover.order(sites)
        // Safety: the order and the grid hold numbers of sites, and there are as many fates and leaders.
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

    /// The sites by falling priority: the number of each in the low half of an entry.
    private static func order(_ sites: [Site]) -> [UInt64] {
        // The high halves of the ranks, upside down, hardly ever tie.
        var entries = sites.indices.map { ~(sites[$0].priority.rank >> 32) << 32 | UInt64($0) }
        entries.sortByHighHalf()
        // What ties is put in order by all there is, one by one.
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
    /// Sorts by the high 32 bits, ascending and stable: by digits of eight bits from the lowest on.
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
