/// A query cut into words, with every run of words that names something.
struct PlaceQuery: Sendable {
    /// Words beyond these are not looked at, and count as not understood.
    static let longest = 16
    /// The longest name that is looked for, in words.
    static let longestSpan = 8

    /// A run of words that is the name of at least one place.
    struct Span: Sendable {
        var words: Range<Int>
        var postings: Range<Int>
        /// Whether it is everything between two commas.
        var fillsSegment: Bool
        /// The best known settlements of this name, for names such as "Harlem, New York City".
        var cities: [PlaceRecord]
    }

    let text: FoldedText
    /// The parts between commas as typed, with small ASCII letters.
    private let segments: [[UInt8]]
    /// The number of words that are looked at.
    let count: Int
    private(set) var spans: [Span] = []
    /// What it costs to leave each word out, 0...1.
    private(set) var costs: [Double]

    init(_ string: String, index: GazetteerIndex) {
        let text = FoldedText(string)
        self.text = text
        segments = string.utf8.prefix(1024)
            .split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") || $0 == 0x0A }
            .map { Self.trimmed($0) }.filter { !$0.isEmpty }
        let count = min(text.tokens.count, Self.longest)
        self.count = count
        costs = (0..<count).map { Self.cost(of: $0, in: text) }
        for start in 0..<count {
            var end = start
            while end < count, end - start < Self.longestSpan, text.tokens[end].segment == text.tokens[start].segment {
                end += 1
                let key = text.key(start..<end, canonical: true)
                guard let postings = index.postings(for: key) else { continue }
                spans.append(
                    Span(
                        words: start..<end,
                        postings: postings,
                        fillsSegment: isSegment(start..<end),
                        cities: Self.cities(postings, index)
                    )
                )
            }
        }
    }

    /// Words that say what something is rather than which.
    private static let fillers = Set(["city", "town", "village", "of", "the", "in", "near", "at", "state", "area"])

    private static func cost(of word: Int, in text: FoldedText) -> Double {
        let bytes = text.bytes(of: text.tokens[word])
        // The last four digits of a ZIP+4 code are finer than anything known here.
        if bytes.count == 4, text.tokens[word].isHyphenated, isNumber(bytes), word > 0 {
            let before = text.bytes(of: text.tokens[word - 1])
            if before.count == 5, isNumber(before) { return 0 }
        }
        guard fillers.contains(String(decoding: bytes, as: UTF8.self)) else { return 1 }
        // Words that join others join nothing at the end: "Geneva, IN" is in Indiana.
        let isLast = word + 1 == text.tokens.count || text.tokens[word + 1].segment != text.tokens[word].segment
        return isLast && bytes.count == 2 ? 1 : 0.3
    }

    private static func isNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func cities(_ postings: Range<Int>, _ index: GazetteerIndex) -> [PlaceRecord] {
        var cities: [PlaceRecord] = []
        for number in postings.prefix(12) {
            let posting = index.posting(number)
            guard posting.quality <= .alias, let place = index.place(posting.place) else { continue }
            if place.kind.isSettlement, place.population >= 20_000 { cities.append(place) }
            if cities.count == 4 { break }
        }
        return cities
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

    /// Whether the part between commas that `span` fills is written like the name of `place`, except for ASCII case.
    func isWritten(like place: PlaceRecord, _ span: Span, _ index: GazetteerIndex) -> Bool {
        let segment = text.tokens[span.words.lowerBound].segment
        guard segment < segments.count, segments[segment].count == place.nameLength else { return false }
        let name = index.names.part(offset: place.nameOffset, length: place.nameLength)
        return zip(segments[segment], name).allSatisfy { $0 == Self.small($1) }
    }

    /// Returns a word as folded text.
    func word(_ index: Int) -> String { String(decoding: text.bytes(of: text.tokens[index]), as: UTF8.self) }
}
