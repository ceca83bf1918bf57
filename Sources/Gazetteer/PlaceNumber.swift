/// Numbers of places for interfaces that know no other identifiers: the same as long as the identifier is.
public enum PlaceNumber: Sendable {
    /// Returns the number of an identifier: 48 bits of its FNV-1a hash, exact in JavaScript too.
    public static func of(_ identifier: String) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in identifier.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(hash >> 16)
    }

    /// The bits of a number that places are ordered by; those below leave room for a rank.
    static let coarse = 12

    /// Puts places in the order of their numbers.
    struct Order {
        private var words: [UInt64] = []

        init(places: Int) { words.reserveCapacity(places) }

        mutating func add(_ number: Int, rank: UInt32) {
            words.append(UInt64(number >> PlaceNumber.coarse) << 28 | UInt64(rank))
        }

        mutating func write(_ space: ScratchSpace) throws -> any Scratch {
            words.sort()
            var writer = try space.writer()
            for word in words { try writer.append(UInt32(truncatingIfNeeded: word & 0xFFF_FFFF)) }
            return try writer.finish()
        }
    }
}

extension GazetteerIndex {
    /// Returns the place whose identifier has a number, if there is one.
    ///
    /// - Complexity: O(log *n*).
    public func match(number: Int) -> GazetteerMatch? {
        func numbered(_ index: Int) -> Int? {
            place(Int(idents.load(index * 4, as: UInt32.self))).map { PlaceNumber.of(identifier(of: $0)) }
        }
        let wanted = number >> PlaceNumber.coarse
        var (low, high) = (0, idents.count / 4)
        while low < high {
            let middle = (low + high) / 2
            if (numbered(middle) ?? 0) >> PlaceNumber.coarse < wanted { low = middle + 1 } else { high = middle }
        }
        while low < idents.count / 4, let found = numbered(low), found >> PlaceNumber.coarse == wanted {
            if found == number { return place(Int(idents.load(low * 4, as: UInt32.self))).map(describe) }
            low += 1
        }
        return nil
    }
}

extension PlaceSearch {
    /// Returns the place whose identifier has a number, in a language where the data has its name in it.
    public func match(number: Int, language: String? = nil) -> GazetteerMatch? {
        guard let match = addedPlaces?.match(number: number) ?? places.match(number: number) else { return nil }
        guard let language, let spellings else { return match }
        return spellings.localized(match, language: language)
    }
}
