// Streets whose names are misspelt by a letter.
extension AddressIndex {
    /// Keys with fewer letters, kinds of streets and directions aside, are found exactly or not at all.
    private static let shortest = 4
    /// The most names that one text may be a misspelling of.
    private static let most = 12

    /// What is taken off for a letter and for each word that is missing.
    private static let misspelt = 0.7
    private static let incomplete = 0.4

    /// Returns the streets whose names are one edit away from a key, in whatever way it is divided into words, and what
    /// is taken off for that.
    ///
    /// Numbers, directions and kinds of streets may be missing but are never changed into others: 108th Street is not
    /// 109th Street.
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

/// The name of a street apart from what is not misspelt: numbers, directions and what kind of street it is.
struct StreetLetters {
    /// All letters, without blanks.
    var letters: [UInt8] = []
    /// The letters of the name alone.
    var name: [UInt8] = []
    /// The words that have to be the same, in their order.
    var fixed: [[UInt8]] = []

    init(_ key: [UInt8]) {
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

    /// The number of words of another name that must be the same and are not there; `nil` if others are.
    func missing(from other: StreetLetters) -> Int? {
        var rest = other.fixed[...]
        for word in fixed {
            guard let place = rest.firstIndex(of: word) else { return nil }
            rest = rest[(place + 1)...]
        }
        return other.fixed.count - fixed.count
    }

    /// Whether it says what kind of street it is, in a word of its own or at the end of one.
    var hasKind: Bool {
        fixed.contains { StreetName.isKind(String(decoding: $0, as: UTF8.self)) }
            || (name.count > 6 && name.suffix(3).elementsEqual("str".utf8))
    }
}

extension AddressBuilder {
    /// Writes the table of the names of streets that may be misspelt; each is named by the first street of that name.
    func writeSpellings(_ space: ScratchSpace, to file: inout GazetteerFile) throws {
        var table = FuzzyTableBuilder(names: streetCount, space)
        // People leave out what kind of street it is, so it is entered without as well.
        forEachName { key, _ in
            table.count(key)
            if let name = Self.shortName(key) { table.count(name) }
        }
        try table.prepare()
        try forEachName { key, street in
            try table.add(key, number: street)
            if let name = Self.shortName(key) { try table.add(name, number: street) }
        }
        try table.write(buckets: AddressFormat.spellingBuckets, entries: AddressFormat.spellings, to: &file)
    }

    private static func shortName(_ key: [UInt8]) -> [UInt8]? {
        let letters = StreetLetters(key)
        return letters.name.isEmpty || letters.fixed.isEmpty ? nil : letters.name
    }
}
