/// A set of positions in a run, one bit each.
struct PositionSet: Sendable {
    private var words: [UInt64]

    /// Creates an empty set for positions below `count`.
    init(count: Int) {
        words = [UInt64](repeating: 0, count: (count + 63) / 64)
    }

    mutating func insert(_ position: UInt32) {
        words[Int(position >> 6)] |= 1 << UInt64(position & 63)
    }

    mutating func insert(_ positions: some Sequence<UInt32>) {
        for position in positions { insert(position) }
    }

    mutating func remove(_ position: UInt32) {
        words[Int(position >> 6)] &= ~(1 << UInt64(position & 63))
    }

    func contains(_ position: UInt32) -> Bool {
        words[Int(position >> 6)] >> UInt64(position & 63) & 1 != 0
    }

    /// Keeps only the members that are also in the other set.
    mutating func formIntersection(_ other: PositionSet) {
        for index in words.indices { words[index] &= other.words[index] }
    }

    /// Returns the members in a range, ascending.
    func members(in range: Range<UInt32>) -> [UInt32] {
        guard !range.isEmpty else { return [] }
        var members: [UInt32] = []
        let (first, last) = (Int(range.lowerBound >> 6), Int((range.upperBound - 1) >> 6))
        members.reserveCapacity(words[first...last].reduce(0) { $0 + $1.nonzeroBitCount })
        for index in first...last {
            var word = words[index]
            if index == first { word &= ~0 << UInt64(range.lowerBound & 63) }
            if index == last, range.upperBound & 63 != 0 { word &= (1 << UInt64(range.upperBound & 63)) - 1 }
            while word != 0 {
                members.append(UInt32(index << 6 | word.trailingZeroBitCount))
                word &= word - 1
            }
        }
        return members
    }
}
