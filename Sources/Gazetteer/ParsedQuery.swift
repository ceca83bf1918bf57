/// A query split into words, with every run of words that is a name.
struct ParsedQuery: Sendable {
    /// The maximum number of words; further ones are ignored and count as not understood.
    static let longest = 16
    /// The maximum length of a name in words.
    static let longestSpan = 8

    /// A name that a run of words may represent, with its places.
    struct Reading: Sendable {
        var postings: Range<Int>
        /// The number of typos.
        var edits: Int
        /// The penalty for them.
        var penalty: Double
        /// Whether the reading means only regions with this postal code.
        var isCode = false
    }

    /// A run of words that is the name of at least one place.
    struct Span: Sendable {
        var words: Range<Int>
        /// The exact name, or names it may be a misspelling of.
        var readings: [Reading]
        /// Whether it is everything between two commas.
        var fillsSegment: Bool
    }

    let text: FoldedText
    /// The parts between commas as typed, with ASCII letters in lower case.
    private let segments: [[UInt8]]
    /// The number of words processed.
    let count: Int
    private(set) var spans: [Span] = []
    /// The cost of leaving each word unmatched, 0...1.
    private(set) var costs: [Double]
    /// The role of each part between commas; empty if every part may name any kind of place.
    private let roles: [PlaceRole]

    init(_ string: String, index: GazetteerIndex) { self.init(string, roles: [], index: index) }

    /// Parses an address in parts.
    init(_ parts: PlaceParts, index: GazetteerIndex) {
        // Parts without letters or digits would not be recognised as parts.
        let known = parts.ordered
            .map {
                (
                    text: String(
                        $0.text.prefix(FoldedText.longest).map { $0 == "," || $0 == ";" || $0.isNewline ? " " : $0 }
                    ),
                    role: $0.role
                )
            }
            .filter { !FoldedText($0.text).tokens.isEmpty }
        self.init(known.map(\.text).joined(separator: ","), roles: known.map(\.role), index: index)
    }

    /// Parses words that have already been folded; none of them counts as written exactly like a name.
    init(_ text: FoldedText, index: GazetteerIndex) { self.init("", folded: text, roles: [], index: index) }

    private init(_ string: String, folded: FoldedText? = nil, roles: [PlaceRole], index: GazetteerIndex) {
        let text = (folded ?? FoldedText(string)).cutBetweenNames { index.postings(for: Array($0)) != nil }
        self.text = text
        self.roles = roles
        segments = string.utf8.prefix(1024)
            .split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") || $0 == 0x0A }
            .map { Self.trimmed($0) }.filter { !$0.isEmpty }
        let count = min(text.tokens.count, Self.longest)
        self.count = count
        costs = (0..<count).map { Self.cost(of: $0, in: text) }
        forEachRun { words, query in
            let key = query.text.key(words, canonical: true)
            guard let postings = index.postings(for: key) else { return }
            let reading = Reading(postings: postings, edits: 0, penalty: 0)
            query.spans.append(Span(words: words, readings: [reading], fillsSegment: query.isSegment(words)))
        }
    }

    /// Adds names that runs of words may be misspellings of, with up to `edits` typos each.
    ///
    /// Names with two typos are searched in the regions and countries that other words name, else in those of `filter`,
    /// else among the best-known places.
    mutating func addMisspelt(edits: Int, _ filter: SearchFilter, index: GazetteerIndex) {
        var work = FuzzyWork()
        let regions = edits > 1 ? self.regions(index) : []
        // Names with fewer typos will be found again.
        for number in spans.indices { spans[number].readings.removeAll { $0.edits > 0 || $0.penalty > 0 } }
        spans.removeAll { $0.readings.isEmpty }
        forEachRun { words, query in
            let bytes = query.squashed(words)
            guard bytes.count >= 3, work.mayGoOn else { return }
            let exact = query.spans.firstIndex { $0.words == words && ($0.readings.first?.edits ?? 1) == 0 }
            let known = exact.map { query.spans[$0].readings[0].postings }
            var others = regions.filter { !$0.words.overlaps(words) }.map(\.place)
            if others.isEmpty, let countries = filter.countries, countries.count <= 3 {
                others = countries.map(index.placeNumber)
            }
            let readings = index.readings(
                like: bytes,
                words: words.count,
                between: (query.fixedWord(words, words.lowerBound), query.fixedWord(words, words.upperBound - 1)),
                edits: edits,
                in: others,
                except: known,
                &work
            )
            query.add(readings, words)
        }
        addMisspeltCode(index)
    }

    /// Returns the bytes of a word if a misspelling must not change it, because it is a number or a street type among
    /// several words; otherwise no bytes.
    private func fixedWord(_ words: Range<Int>, _ word: Int) -> ArraySlice<UInt8> {
        let bytes = text.bytes(of: text.tokens[word])
        return words.count > 1 && (isKindOfStreet(word) || Self.isNumber(bytes)) ? bytes : []
    }

    private mutating func add(_ readings: [Reading], _ words: Range<Int>) {
        guard !readings.isEmpty else { return }
        if let known = spans.firstIndex(where: { $0.words == words }) {
            spans[known].readings += readings
        } else {
            spans.append(Span(words: words, readings: readings, fillsSegment: isSegment(words)))
        }
    }

    /// Adds the postal codes of regions one edit away from the last word, which must have one to three letters.
    private mutating func addMisspeltCode(_ index: GazetteerIndex) {
        guard count > 1, text.tokens.count == count else { return }
        let typed = Array(text.bytes(of: text.tokens[count - 1]))
        guard (1...3).contains(typed.count), typed.allSatisfy({ (0x61...0x7A).contains($0) }) else { return }
        var codes: [(code: [UInt8], penalty: Double)] = []
        let letters = Array(UInt8(ascii: "a")...UInt8(ascii: "z"))
        switch typed.count {
        case 3: for skipped in 0..<3 { codes.append((typed.indices.filter { $0 != skipped }.map { typed[$0] }, 2.5)) }
        case 2:
            codes.append((typed.reversed(), 2.2))
            for letter in letters { codes += [([letter, typed[1]], 3.2), ([typed[0], letter], 3)] }
        default: for letter in letters { codes += [([typed[0], letter], 2.6), ([letter, typed[0]], 2.8)] }
        }
        // A word that is an existing code is less likely to be misspelt.
        let isCode = index.postings(for: typed)?.prefix(40)
            .contains { index.posting($0).quality == .code && index.kind(of: index.posting($0).place) == .admin1 }
        let more = isCode == true ? 2.0 : 0
        var readings: [Reading] = []
        for (code, penalty) in codes where code != typed {
            guard let postings = index.postings(for: code) else { continue }
            readings.append(Reading(postings: postings, edits: 1, penalty: penalty + more, isCode: true))
        }
        add(readings, (count - 1)..<count)
    }

    /// Returns the first-level regions and the countries named by runs of words, at most four.
    private func regions(_ index: GazetteerIndex) -> [(words: Range<Int>, place: Int)] {
        var regions: [(words: Range<Int>, place: Int)] = []
        for span in spans where span.words.count < count {
            guard let exact = span.readings.first, exact.edits == 0 else { continue }
            for number in exact.postings.prefix(40) where regions.count < 4 {
                let place = index.posting(number).place
                let kind = index.kind(of: place)
                if kind == .admin1 || kind == .country { regions.append((span.words, place)) }
            }
        }
        return regions
    }

    /// Calls `body` with every run of words between commas, at most ``longestSpan`` words long.
    private mutating func forEachRun(_ body: (Range<Int>, inout ParsedQuery) -> Void) {
        for start in 0..<count {
            var end = start
            while end < count, end - start < Self.longestSpan, text.tokens[end].segment == text.tokens[start].segment {
                end += 1
                body(start..<end, &self)
            }
        }
    }

    /// Returns whether a word is a street type.
    func isKindOfStreet(_ word: Int) -> Bool { StreetWords.contains(text.bytes(of: text.tokens[word])) }

    /// Returns the words of a street address if `words` are the street's name and are followed by an unmatched street
    /// type: "1216 Santa Clara Ave", or "Santa Clara Ave" between commas.
    func streetAddress(around words: Range<Int>, leaving unmatched: UInt32) -> Range<Int>? {
        let (before, after) = (words.lowerBound - 1, words.upperBound)
        let segment = text.tokens[words.lowerBound].segment
        guard after < count, unmatched & (1 << UInt32(after)) != 0, text.tokens[after].segment == segment,
            isKindOfStreet(after)
        else { return nil }
        guard before >= 0, text.tokens[before].segment == segment else {
            return text.tokens[count - 1].segment != segment ? words.lowerBound..<(after + 1) : nil
        }
        let isNumber = text.bytes(of: text.tokens[before]).first.map { (0x30...0x39).contains($0) } ?? false
        return isNumber ? before..<(after + 1) : nil
    }

    /// The words after the last comma; empty if there is none.
    var lastSegment: Range<Int> {
        guard count > 0, count == text.tokens.count else { return 0..<0 }
        var first = count - 1
        while first > 0, text.tokens[first - 1].segment == text.tokens[count - 1].segment { first -= 1 }
        return first == 0 ? 0..<0 : first..<count
    }

    /// Whether the query was given in parts.
    var isInParts: Bool { !roles.isEmpty }

    /// Returns whether these words may name a place of this kind.
    func admits(_ words: Range<Int>, _ kind: PlaceKind) -> Bool {
        guard !roles.isEmpty else { return true }
        let segment = text.tokens[words.lowerBound].segment
        return segment < roles.count && roles[segment].admits(kind)
    }

    /// Returns the letters of a range of words, without the spaces between them.
    private func squashed(_ words: Range<Int>) -> ArraySlice<UInt8> {
        text.bytes[text.tokens[words.lowerBound].range.lowerBound..<text.tokens[words.upperBound - 1].range.upperBound]
    }

    private static func cost(of word: Int, in text: FoldedText) -> Double {
        let bytes = text.bytes(of: text.tokens[word])
        // The last four digits of a ZIP+4 code are more precise than any known data.
        if bytes.count == 4, text.tokens[word].isHyphenated, isNumber(bytes), word > 0 {
            let before = text.bytes(of: text.tokens[word - 1])
            if before.count == 5, isNumber(before) { return 0 }
        }
        guard FillerWords.contains(bytes) else { return 1 }
        // At the end, a connecting word of two letters is more likely a code: "Geneva, IN" is in Indiana.
        let isLast = word + 1 == text.tokens.count || text.tokens[word + 1].segment != text.tokens[word].segment
        return isLast && bytes.count == 2 ? 1 : 0.3
    }

    private static func isNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private func isSegment(_ words: Range<Int>) -> Bool {
        let segment = text.tokens[words.lowerBound].segment
        let opens = words.lowerBound == 0 || text.tokens[words.lowerBound - 1].segment != segment
        let closes = words.upperBound >= text.tokens.count || text.tokens[words.upperBound].segment != segment
        return opens && closes
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> [UInt8] {
        var trimmed = Array(bytes.drop { $0 == 0x20 })
        while trimmed.last == 0x20 { trimmed.removeLast() }
        return trimmed.map(Self.small)
    }

    @inline(__always)
    private static func small(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Returns whether the part between commas that `span` fills is written like the name of `place`, except for ASCII
    /// case.
    func isWritten(like place: PlaceRecord, _ span: Span, _ index: GazetteerIndex) -> Bool {
        let segment = text.tokens[span.words.lowerBound].segment
        guard segment < segments.count, segments[segment].count == place.nameLength else { return false }
        let name = index.names.part(offset: place.nameOffset, length: place.nameLength)
        return zip(segments[segment], name).allSatisfy { $0 == Self.small($1) }
    }

    /// Returns the number of letters in a range of words, without spaces.
    func letters(_ words: Range<Int>) -> Int { squashed(words).count { $0 & 0xC0 != 0x80 } }

    /// Whether the query contains non-ASCII characters.
    var hasMarks: Bool { segments.contains { $0.contains { $0 >= 0x80 } } }

    /// Returns the non-ASCII letters of the part between commas that contains a span.
    func marks(_ span: Span) -> TypedMarks {
        let segment = text.tokens[span.words.lowerBound].segment
        return TypedMarks(segment < segments.count ? segments[segment] : [])
    }

    /// Returns a word as folded text.
    func word(_ index: Int) -> String { String(decoding: text.bytes(of: text.tokens[index]), as: UTF8.self) }
}

/// Street types that follow the name.
enum StreetWords: Sendable {
    private static let words: [[UInt8]] = [
        "st", "street", "ave", "av", "avenue", "rd", "road", "blvd", "boulevard", "dr", "drive", "ln", "lane", "ct",
        "court", "pl", "hwy", "highway", "pkwy", "parkway", "ter", "terrace", "cir", "circle",
    ]
    .map { Array($0.utf8) }

    /// Returns whether a folded word is one of them.
    static func contains(_ word: ArraySlice<UInt8>) -> Bool {
        words.contains { $0.count == word.count && $0.elementsEqual(word) }
    }
}

/// Generic words that do not identify a place.
enum FillerWords: Sendable {
    private static let words: [[UInt8]] = [
        "city", "town", "village", "of", "the", "in", "near", "at", "state", "area", "province", "region", "district",
        "township", "twp", "municipality", "borough", "metro", "metropolitan", "greater", "governorate", "prefecture",
        "commune", "oblast",
    ]
    .map { Array($0.utf8) }

    /// Returns whether a folded word is one of them.
    static func contains(_ word: ArraySlice<UInt8>) -> Bool {
        words.contains { $0.count == word.count && $0.elementsEqual(word) }
    }
}
