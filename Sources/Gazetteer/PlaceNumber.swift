/// Numeric ids of places, for interfaces that support only numbers; the number is stable as long as the identifier is.
public enum PlaceNumber: Sendable {
    /// Returns the number of an identifier: 31 bits of its FNV-1a hash, because clients store such numbers in signed 32
    /// bits.
    ///
    /// Of a hundred thousand places, two or three share a number with another; see ``GazetteerIndex/matches(number:)``.
    public static func of(_ identifier: String) -> Int { key(of: identifier) >> 17 }

    /// Returns the first 48 bits of an identifier's hash, which begin with its number.
    package static func key(of identifier: String) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in identifier.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(hash >> 16)
    }

    /// The number of key bits ignored when sorting places, to leave room for a rank.
    package static let coarse = 12
}

extension GazetteerIndex {
    /// Returns the places with a number, the best known first: usually one, and none for most numbers.
    ///
    /// - Complexity: O(log *n*).
    public func matches(number: Int) -> [GazetteerMatch] {
        guard (0...Int(Int32.max)).contains(number) else { return [] }
        return places(from: number << 17) { PlaceNumber.key(of: $0) >> 17 == number }
            .filter { PlaceNumber.of(identifier(of: $0)) == number }
            .map(describe)
    }

    /// Returns the place with an identifier, if there is one.
    ///
    /// - Complexity: O(log *n*).
    public func match(id: String) -> GazetteerMatch? {
        let key = PlaceNumber.key(of: id) >> PlaceNumber.coarse
        return places(from: key << PlaceNumber.coarse) { PlaceNumber.key(of: $0) >> PlaceNumber.coarse == key }
            .first { identifier(of: $0) == id }
            .map(describe)
    }

    /// Returns the places with keys of at least `key`, up to the first identifier that `isWanted` rejects, sorted by
    /// rank.
    private func places(from key: Int, while isWanted: (String) -> Bool) -> [PlaceRecord] {
        func entry(_ index: Int) -> PlaceRecord? { place(Int(idents.load(index * 4, as: UInt32.self))) }
        let wanted = key >> PlaceNumber.coarse
        var (low, high) = (0, idents.count / 4)
        while low < high {
            let middle = (low + high) / 2
            let found = entry(middle).map { PlaceNumber.key(of: identifier(of: $0)) } ?? 0
            if found >> PlaceNumber.coarse < wanted { low = middle + 1 } else { high = middle }
        }
        var found: [PlaceRecord] = []
        while low < idents.count / 4, let place = entry(low), isWanted(identifier(of: place)) {
            found.append(place)
            low += 1
        }
        return found.sorted { $0.number < $1.number }
    }
}
