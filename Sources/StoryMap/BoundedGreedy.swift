import Geometry

/// Something on the map that may lead or follow others.
struct Site: Sendable {
    /// Position in Mercator units.
    let x: Double
    let y: Double
    /// Greater leads; no two sites of one zoom are equal.
    let priority: Priority
}

/// The weight of a site and a hash of its cell: a function of visible stories and of the cell alone.
struct Priority: Sendable {
    private let logarithm: UInt8
    private let hash: UInt64

    init(count: Int, zoom: Int, cell: UInt64) {
        logarithm = UInt8(truncatingIfNeeded: Int.bitWidth - max(1, count).leadingZeroBitCount)
        // The mix is a bijection, so that cells of one zoom never tie.
        hash = SplitMix64.mix(cell ^ UInt64(zoom) << 56)
    }

    /// Whether this priority beats the other: by weight, then by hash, or by hash alone.
    func beats(_ other: Priority, byWeight: Bool) -> Bool {
        byWeight && logarithm != other.logarithm ? logarithm > other.logarithm : hash > other.hash
    }
}

/// Which sites lie within reach of each other, as lists one after another.
struct Adjacency: Sendable {
    private let starts: [Int32]
    private let neighbours: [Int32]

    init(pairs: [(Int32, Int32)], count: Int) {
        var starts = [Int32](repeating: 0, count: count + 1)
        for (a, b) in pairs {
            starts[Int(a) + 1] += 1
            starts[Int(b) + 1] += 1
        }
        for index in 0..<count { starts[index + 1] += starts[index] }
        var next = starts
        var neighbours = [Int32](repeating: 0, count: pairs.count * 2)
        for (a, b) in pairs {
            neighbours[Int(next[Int(a)])] = b
            next[Int(a)] += 1
            neighbours[Int(next[Int(b)])] = a
            next[Int(b)] += 1
        }
        self.starts = starts
        self.neighbours = neighbours
    }

    /// Calls `body` with the neighbours of a site until it returns `false`.
    @inline(__always)
    func forEachNeighbour(of site: Int, while body: (Int) -> Bool) {
        var index = Int(starts[site])
        let end = Int(starts[site + 1])
        while index < end, body(Int(neighbours[index])) { index += 1 }
    }
}

/// Greedy grouping in a bounded number of rounds, so that no decision depends on anything far away.
///
/// In each round every free site that beats all free sites within reach leads, and takes the free sites within reach; a
/// site in reach of several new leaders follows the greatest. What is free in the end leads itself. The later half of the
/// rounds goes by hash alone: where density falls off steadily every site waits for a heavier neighbour, and only chance
/// breaks such chains quickly (Blelloch, Fineman and Shun, "Greedy sequential maximal independent set and matching are
/// parallel on average", SPAA 2012). A site's fate
/// after *t* rounds depends on sites within 2·*t* times the reach only: following needs the leaders within reach, and
/// leading needs the sites within reach of those.
enum BoundedGreedy: Sendable {
    /// Returns the leader of every site.
    static func leaders(of sites: [Site], adjacency: Adjacency, rounds: Int) -> [Int32] {
        var leaders = [Int32](repeating: -1, count: sites.count)
        var isNew = [Bool](repeating: false, count: sites.count)
        var free = Array(sites.indices)
        for round in 0..<rounds where !free.isEmpty {
            let byWeight = round * 2 < rounds
            func beats(_ a: Int, _ b: Int) -> Bool { sites[a].priority.beats(sites[b].priority, byWeight: byWeight) }
            let new = free.filter { site in
                var isGreatest = true
                adjacency.forEachNeighbour(of: site) { other in
                    if leaders[other] < 0, beats(other, site) { isGreatest = false }
                    return isGreatest
                }
                return isGreatest
            }
            for leader in new {
                leaders[leader] = Int32(leader)
                isNew[leader] = true
            }
            // Two new leaders are out of each other's reach, so what a leader reaches is no leader of this round.
            for leader in new {
                adjacency.forEachNeighbour(of: leader) { follower in
                    let rival = Int(leaders[follower])
                    if rival < 0 || (isNew[rival] && beats(leader, rival)) { leaders[follower] = Int32(leader) }
                    return true
                }
            }
            for leader in new { isNew[leader] = false }
            free.removeAll { leaders[$0] >= 0 }
        }
        for site in free { leaders[site] = Int32(site) }
        return leaders
    }
}
