import Geometry

/// The rows of a file whose positions are compared with the map: the first ten thousand, and ever fewer of the others.
///
/// The memory does not depend on the number of rows.
struct PlausibilitySample {
    /// A row with a position, or with numbers that gave none.
    struct Item {
        let row: Int
        let coordinate: Coordinate?
        let raw: RawPosition?
        /// The number of its words among ``PlausibilitySample/words``.
        let words: Int?
    }

    private let check: PlausibilityCheck
    private var first: [Item] = []
    private var later: [Item] = []
    /// Of the later rows, one in so many is kept.
    private var step = 16
    private var skipped = 0
    /// Different words of the rows.
    private(set) var words: [PlaceWords] = []
    private var numbers: [PlaceWords: Int] = [:]

    private static let mostFirst = 10_000
    private static let mostLater = 8_000
    /// More different towns, and then states, than that are not looked up.
    private static let mostTowns = 1_000
    private static let mostStates = 500

    init(_ check: PlausibilityCheck) { self.check = check }

    /// Whether the next row belongs to the sample.
    var isWanted: Bool { first.count < Self.mostFirst || skipped.isMultiple(of: step) }

    /// Passes over a row.
    mutating func skip() { if first.count >= Self.mostFirst { skipped += 1 } }

    /// Adds a row.
    mutating func add(_ row: Int, _ coordinate: Coordinate?, _ raw: RawPosition?, words: PlaceWords) {
        let item = Item(row: row, coordinate: coordinate, raw: raw, words: number(of: words))
        guard first.count >= Self.mostFirst else { return first.append(item) }
        skipped += 1
        if later.count == Self.mostLater {
            later = later.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
            step *= 2
        }
        later.append(item)
    }

    private mutating func number(of words: PlaceWords) -> Int? {
        if check.locator == nil { return nil }
        // Nothing smaller than a town is needed, and of many towns their states still show exchanged numbers and signs.
        var kept = PlaceWords()
        (kept.city, kept.state, kept.country) = (words.city, words.state, words.country)
        if kept.isEmpty { return nil }
        if let known = numbers[kept] { return known }
        if self.words.count >= Self.mostTowns {
            kept.city = ""
            if kept.isEmpty { return nil }
            if let known = numbers[kept] { return known }
            if self.words.count >= Self.mostTowns + Self.mostStates { return nil }
        }
        self.words.append(kept)
        numbers[kept] = self.words.count - 1
        return self.words.count - 1
    }

    /// Returns the doubts about the rows, the greatest first.
    ///
    /// - Complexity: O(sample), with one look-up per word and a few per row.
    func findings() -> [PlausibilityFinding] {
        let items = first + later
        guard !items.isEmpty else { return [] }
        let expected = words.map { words in check.locator.map { WordedPlaces(words, $0) } ?? .none }
        return PlausibilityRule(items: items, expected: expected, check).findings()
    }
}
