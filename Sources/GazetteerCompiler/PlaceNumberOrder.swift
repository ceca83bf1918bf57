import Gazetteer

/// Sorts places by the keys of their identifiers; see ``PlaceNumber``.
struct PlaceNumberOrder {
    private var words: [UInt64] = []

    init(places: Int) { words.reserveCapacity(places) }

    mutating func add(key: Int, rank: UInt32) {
        words.append(UInt64(key >> PlaceNumber.coarse) << 28 | UInt64(rank))
    }

    mutating func write(_ space: ScratchSpace) throws -> any Scratch {
        words.sort()
        var writer = try space.writer()
        for word in words { try writer.append(UInt32(truncatingIfNeeded: word & 0xFFF_FFFF)) }
        return try writer.finish()
    }
}
