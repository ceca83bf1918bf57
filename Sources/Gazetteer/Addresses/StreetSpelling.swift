// Lookup of street names with one typo.
extension AddressIndex {
    /// The minimum number of letters, not counting street types and directions; shorter keys must match exactly.
    private static let shortest = 4
    /// The maximum number of names considered for one misspelt text.
    private static let most = 12

    /// The penalties for a typo and for each missing word.
    private static let misspelt = 0.7
    private static let incomplete = 0.4

    /// Returns the streets whose names are at most one edit away from a key, ignoring spaces, and the penalty for each
    /// name.
    ///
    /// Numbers, directions and street types may be missing but are never changed into others: 108th Street is not 109th
    /// Street.
    func streets(like key: [UInt8]) -> [(streets: Range<Int>, penalty: Double)] {
        let typed = StreetLetters(key)
        guard typed.name.count >= Self.shortest, typed.letters.count <= FuzzyTable.longest else { return [] }
        var numbers: Set<Int> = []
        for letters in typed.fixed.isEmpty ? [typed.name] : [typed.letters, typed.name] {
            letters.withUnsafeBytes { bytes in
                FuzzyTable.forEachHash(bytes) { hash in spellings.forEachKey(hash) { numbers.insert($0) } }
            }
        }
        var found: [(streets: Range<Int>, penalty: Double)] = []
        let wanted = FoldedText.letters(typed.name)
        for number in numbers.sorted() where number < streetCount {
            let key = Array(self.key(number))
            let name = StreetLetters(key)
            guard let missing = typed.missing(from: name),
                let outcome = EditCost.between(wanted, FoldedText.letters(name.name)), outcome.edits <= 1
            else { continue }
            let changed = outcome.edits == 0 ? 0.1 : Self.misspelt + outcome.cost / 4
            let penalty = Self.incomplete * Double(missing) + changed
            found.append((streets(named: key), penalty))
        }
        found.sort { ($0.penalty, $0.streets.lowerBound) < ($1.penalty, $1.streets.lowerBound) }
        return Array(found.prefix(Self.most))
    }
}

/// The parts of a street name: the letters that may be misspelt, and the numbers, directions and types that may not.
package struct StreetLetters {
    /// All letters, without spaces.
    var letters: [UInt8] = []
    /// The letters of the name only.
    package var name: [UInt8] = []
    /// The words that must match exactly, in order.
    package var fixed: [[UInt8]] = []

    /// Splits a folded street name.
    package init(_ key: [UInt8]) {
        for word in key.split(separator: 0x20) {
            letters += word
            let text = String(decoding: word, as: UTF8.self)
            let isNumber = word.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            if isNumber || StreetName.isKind(text) || StreetName.isDirection(text) {
                fixed.append(Array(word))
            } else {
                name += word
            }
        }
    }

    /// Returns how many fixed words of `other` are missing from this name; `nil` if `other` does not contain all fixed
    /// words of this name in the same order.
    func missing(from other: StreetLetters) -> Int? {
        var rest = other.fixed[...]
        for word in fixed {
            guard let place = rest.firstIndex(of: word) else { return nil }
            rest = rest[(place + 1)...]
        }
        return other.fixed.count - fixed.count
    }

    /// Whether it includes a street type, as a separate word or at the end of one.
    var hasKind: Bool {
        fixed.contains { StreetName.isKind(String(decoding: $0, as: UTF8.self)) }
            || (name.count > 6 && name.suffix(3).elementsEqual("str".utf8))
    }
}
