/// A text parsed into a street, optionally a house number, and the names of the surrounding places.
struct AddressQuery: Sendable {
    /// One interpretation of the text.
    struct Reading: Sendable {
        /// The streets with the name found in the text.
        var streets: Range<Int>
        /// The number before or after the name.
        var number: HouseNumber?
        /// The remaining text: the names of the surrounding places, with commas as in the input.
        var rest: String
        var restWords: [String]
        /// The penalty for a name that had to be altered slightly.
        var penalty: Double
        /// Whether the name contains a typo.
        var isMisspelt: Bool
        /// The number of words understood; interpretations with more are preferred.
        var length: Int
    }

    /// The maximum number of words.
    private static let longest = 24
    private static let longestName = 7
    private static let mostMisspelt = 12
    /// The penalty if only the street type is misspelt.
    private static let misspeltKind = 0.4
    private static let unitWords: Set<String> = [
        "apt", "apartment", "unit", "suite", "ste", "rm", "room", "fl", "floor", "bldg", "building", "lot",
    ]

    let words: [AddressWord]
    private(set) var readings: [Reading] = []

    init(_ text: String, in index: AddressIndex) {
        words = Array(AddressWord.words(of: text).prefix(Self.longest))
        guard !words.isEmpty else { return }
        for start in words.indices.prefix(8) { read(from: start, index) }
        if readings.isEmpty {
            for start in words.indices.prefix(3) where start > 0 { readLoosely(from: start, index) }
        }
        // Interpretations with more understood words come first, then those with lower penalties.
        readings.sort { $0.length != $1.length ? $0.length > $1.length : $0.penalty < $1.penalty }
        readings = Array(readings.prefix(4))
    }

    private func end(of start: Int) -> Int {
        var end = start
        while end < words.count, end - start < Self.longestName, words[end].segment == words[start].segment { end += 1 }
        return end
    }

    private mutating func read(from start: Int, _ index: AddressIndex) {
        var found = 0
        for end in stride(from: end(of: start), to: start, by: -1) {
            let streets = index.streets(named: StreetName.key(of: words[start..<end]))
            guard !streets.isEmpty else { continue }
            add(streets, start..<end, penalty: 0)
            found += 1
            if found == 2 { return }
        }
    }

    /// Parses a name that follows a house number and lacks its street type or direction, or has an extra direction.
    private mutating func readLoosely(from start: Int, _ index: AddressIndex) {
        guard HouseNumber.value(of: words[start - 1].text) != nil else { return }
        for end in stride(from: end(of: start), to: start, by: -1) {
            let span = words[start..<end]
            let key = StreetName.key(of: span)
            var variants = ["n", "s", "e", "w"].flatMap { [Array("\($0) ".utf8) + key, key + Array(" \($0)".utf8)] }
            if span.count > 1, StreetName.isDirection(StreetName.word(words[start].text)) {
                variants.append(StreetName.key(of: span.dropFirst()))
            }
            if span.count > 1, StreetName.isDirection(StreetName.word(words[end - 1].text)) {
                variants.append(StreetName.key(of: span.dropLast()))
            }
            var streets = variants.map { index.streets(named: $0) }.filter { !$0.isEmpty }
            if key.count >= 3 { streets.append(index.streets(beginning: key, limit: 400)) }
            for range in streets where !range.isEmpty { add(range, start..<end, penalty: 0.5) }
            if !readings.isEmpty { return }
        }
    }

    /// Parses misspelt names; one without a number must include a street type.
    mutating func readMisspelt(_ index: AddressIndex) {
        readings = []
        for start in words.indices.prefix(6) {
            let followsNumber = start > 0 && HouseNumber.value(of: words[start - 1].text) != nil
            guard followsNumber || start == 0 || words[start - 1].segment != words[start].segment else { continue }
            for end in stride(from: end(of: start), to: start, by: -1) {
                let key = Array(words[start..<end].map { StreetName.likelyWord($0.text) }.joined(separator: " ").utf8)
                let streets = index.streets(named: Array(key.prefix(StreetName.longestKey)))
                if !streets.isEmpty, key != StreetName.key(of: words[start..<end]) {
                    add(streets, start..<end, penalty: Self.misspeltKind, isMisspelt: true)
                }
                guard followsNumber || StreetLetters(key).hasKind else { continue }
                for (streets, penalty) in index.streets(like: Array(key.prefix(StreetName.longestKey))) {
                    add(streets, start..<end, penalty: penalty, isMisspelt: true)
                }
            }
        }
        readings.sort { $0.length != $1.length ? $0.length > $1.length : $0.penalty < $1.penalty }
        readings = Array(readings.prefix(Self.mostMisspelt))
    }

    private mutating func add(
        _ streets: Range<Int>,
        _ name: Range<Int>,
        penalty: Double,
        isMisspelt: Bool = false
    ) {
        var used = Set(name)
        var number: HouseNumber?
        if let before = houseNumber(before: name.lowerBound) {
            number = before.number
            used.formUnion(before.words)
        } else if name.upperBound < words.count, words[name.upperBound].segment == words[name.lowerBound].segment,
            let after = house(name.upperBound), after.text.utf8.count <= 4 || after.text.contains("-")
        {
            number = after
            used.insert(name.upperBound)
        }
        // Without a number, the name must start a part between commas: "Village" in "Queens Village" is not a street.
        if number == nil, name.lowerBound > 0, words[name.lowerBound - 1].segment == words[name.lowerBound].segment {
            return
        }
        let units = unitWords(after: used.max() ?? 0)
        let rest = words.indices.filter { !used.contains($0) && !units.contains($0) }
        var text = ""
        for (order, index) in rest.enumerated() {
            if order > 0 { text += words[rest[order - 1]].segment == words[index].segment ? " " : ", " }
            text += words[index].text
        }
        readings.append(
            Reading(
                streets: streets,
                number: number,
                rest: text,
                restWords: rest.map { words[$0].text },
                penalty: penalty,
                isMisspelt: isMisspelt,
                length: used.count + units.count
            )
        )
    }

    /// Returns the house number before a name: up to three words at the start of the same part between commas ("12
    /// 1/2", "12 rear"), or else the one word directly before the name.
    private func houseNumber(before name: Int) -> (number: HouseNumber, words: Range<Int>)? {
        guard name > 0 else { return nil }
        var first = name - 1
        while first > 0, words[first - 1].segment == words[name - 1].segment { first -= 1 }
        if name - first <= 4, name - first > 1, let value = HouseNumber.value(of: words[first].text) {
            let text = words[first..<min(name, first + 3)].map(\.text).joined(separator: " ")
            return (HouseNumber(text: text, value: value), first..<name)
        }
        return house(name - 1).map { ($0, (name - 1)..<name) }
    }

    private func house(_ index: Int) -> HouseNumber? {
        HouseNumber.value(of: words[index].text).map { HouseNumber(text: words[index].text, value: $0) }
    }

    /// Returns the indices of the words after `last` that specify a flat or floor; the index contains no such details.
    private func unitWords(after last: Int) -> Set<Int> {
        var units: Set<Int> = []
        var index = last + 1
        while index < words.count {
            if Self.unitWords.contains(words[index].text), index + 1 < words.count {
                units.formUnion([index, index + 1])
                index += 2
            } else {
                // "#5" is a separate number after the street.
                let isNumber = words[index].text.utf8.count <= 3 && AddressWord.startsWithDigit(words[index].text)
                guard isNumber, index == last + 1, words[index].segment <= words[last].segment + 1 else { break }
                units.insert(index)
                index += 1
            }
        }
        return units
    }
}
