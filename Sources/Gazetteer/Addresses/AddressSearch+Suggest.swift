import Geometry

// Completion of street names.
extension AddressSearch {
    /// The maximum number of streets examined for one prefix.
    private static let deepest = 3_000
    /// The minimum number of letters; shorter prefixes have too many completions.
    private static let shortestBeginning = 3

    /// A partially typed address: an optional house number, the beginning of a street name, and possibly names of
    /// surrounding places, the last of which may be incomplete.
    private struct Beginning {
        var number: HouseNumber?
        var key: [UInt8]
        var isWhole: Bool
        var rest: [String]
    }

    /// Returns whether a text looks like an address: a number and a name, or a name with a street type.
    static func isAddress(_ text: String) -> Bool {
        let words = AddressWord.words(of: text)
        guard words.count > 1 else { return false }
        if HouseNumber.value(of: words[0].text) != nil { return true }
        return words.dropFirst().contains { StreetName.isKind(StreetName.word($0.text)) }
    }

    /// Completes a partially typed address to streets, or to a house if a number precedes the name.
    ///
    /// - Returns: distinct streets or houses, ranked by the number of houses in the street, by whether the street name
    ///   is complete and, if `options.near` is given, by the distance to it.
    /// - Complexity: bounded for any text.
    public func suggest(_ prefix: String, options: SearchOptions = SearchOptions()) -> [GazetteerMatch] {
        let limit = min(100, max(1, options.limit))
        var best: [(candidate: Candidate, score: Double)] = []
        for beginning in beginnings(of: prefix) {
            for number in streets(of: beginning) {
                guard let candidate = candidate(number, beginning, options) else { continue }
                best.append((candidate, score(candidate, beginning, options)))
            }
            if best.count >= limit { break }
        }
        best.sort {
            $0.score != $1.score ? $0.score > $1.score : $0.candidate.street.number < $1.candidate.street.number
        }
        var known: Set<String> = []
        var matches: [GazetteerMatch] = []
        for (candidate, _) in best where matches.count < limit {
            // A street that runs through several postal codes of a city is listed once.
            let street = candidate.street
            let key = String(decoding: StreetName.key(street.name), as: UTF8.self)
            guard
                known.insert([candidate.number ?? "", key, street.city, street.region].joined(separator: "|")).inserted
            else { continue }
            var match = match(candidate, confidence: 0, isAmbiguous: false)
            match.confidence = match.importance
            matches.append(match)
        }
        return matches
    }

    /// Returns the ways to split a text into a number, a street and surrounding places, those with the longest name
    /// first.
    private func beginnings(of prefix: String) -> [Beginning] {
        var words = Array(AddressWord.words(of: prefix).prefix(16))
        var number: HouseNumber?
        if words.count > 1, let value = HouseNumber.value(of: words[0].text) {
            number = HouseNumber(text: words[0].text, value: value)
        }
        var found: [Beginning] = []
        for hasNumber in number == nil ? [false] : [true, false] {
            if hasNumber { words.removeFirst() }
            found += beginnings(of: words, hasNumber ? number : nil)
            if hasNumber, let number { words.insert(AddressWord(text: number.text, segment: 0), at: 0) }
        }
        return found
    }

    private func beginnings(of words: [AddressWord], _ number: HouseNumber?) -> [Beginning] {
        guard let first = words.first, let last = words.last else { return [] }
        let whole = words.prefix { $0.segment == first.segment }
        var found: [Beginning] = []
        if whole.count == words.count, words.reduce(0, { $0 + $1.text.utf8.count }) >= Self.shortestBeginning {
            let before = words.dropLast().map { StreetName.word($0.text) }
            for form in StreetName.forms(ofBeginning: last.text) {
                let key = Array((before + [form]).joined(separator: " ").utf8)
                found.append(Beginning(number: number, key: key, isWhole: false, rest: []))
            }
        }
        for end in stride(from: min(whole.count, words.count - 1), to: 0, by: -1) {
            found.append(
                Beginning(
                    number: number,
                    key: StreetName.key(of: words[..<end]),
                    isWhole: true,
                    rest: words[end...].map(\.text)
                )
            )
        }
        return found
    }

    private func streets(of beginning: Beginning) -> Range<Int> {
        guard !beginning.key.isEmpty else { return 0..<0 }
        if beginning.isWhole { return index.streets(named: beginning.key).prefix(Self.deepest) }
        let first = index.firstStreet(from: beginning.key)
        var last = first
        while last < index.streetCount, last - first < Self.deepest, index.key(last).starts(with: beginning.key) {
            last += 1
        }
        return first..<last
    }

    private func candidate(_ number: Int, _ beginning: Beginning, _ options: SearchOptions) -> Candidate? {
        let street = index.street(number)
        guard Self.lies(street, in: beginning.rest) else { return nil }
        var candidate = Candidate(
            street: street,
            precision: .street,
            latitude: street.latitude,
            longitude: street.longitude,
            score: 0,
            unmatched: [],
            isPlaced: true,
            isChanged: false,
            isMisspelt: false
        )
        if let number = beginning.number {
            find(number, in: street, &candidate)
            guard candidate.isHouse else { return nil }
        }
        return admits(candidate, options) ? candidate : nil
    }

    /// Returns whether the words, the last of which may be incomplete, are names of places that contain a street.
    private static func lies(_ street: AddressIndex.Street, in rest: [String]) -> Bool {
        guard let last = rest.last else { return true }
        let names = [street.city, street.region, street.postcode, street.country]
            .flatMap { AddressWord.words(of: $0).map(\.text) }
        // Codes of states are not stored with a street, so words of at most two letters may be such codes.
        return rest.dropLast().allSatisfy { names.contains($0) || $0.utf8.count <= 2 }
            && (names.contains { $0.hasPrefix(last) } || (rest.count > 1 && last.utf8.count <= 2))
    }

    private func score(_ candidate: Candidate, _ beginning: Beginning, _ options: SearchOptions) -> Double {
        var score = Math.decimalLogarithm(Double(candidate.street.numbers.count) + 1)
        // A complete name ranks before longer ones.
        if index.key(candidate.street.number).count == beginning.key.count { score += 1.5 }
        guard let near = options.near else { return score }
        let position = UnitVector(latitude: candidate.latitude, longitude: candidate.longitude)
        let away = UnitVector(latitude: near.latitude, longitude: near.longitude).kilometres(to: position)
        return score + 3 * Math.exponential(-away / 30)
    }
}
