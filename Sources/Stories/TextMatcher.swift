import Folding
public import Geometry

/// Finds words in the texts of single stories; the index of many stories gives the same results.
public struct TextMatcher: Sendable {
    private let words: [[UInt8]]
    private let user: UserID?
    private let layers: Set<VisibilityLayer>
    private let names: @Sendable (Coordinate, SearchableText.Extent) -> String

    /// Creates a matcher for folded words and a viewer; `names` returns the names of places around a point.
    public init(
        _ words: [String],
        viewer: Viewer,
        names: @escaping @Sendable (Coordinate, SearchableText.Extent) -> String
    ) {
        self.words = words.map { Array($0.utf8) }
        user = viewer.user
        layers = Set(viewer.layers)
        self.names = names
    }

    /// Returns the rank of a story if the viewer may search texts of it that contain every word, otherwise `nil`.
    public func rank(_ text: SearchableText) -> UInt8? {
        guard !words.isEmpty else { return nil }
        var tiers = [UInt8](repeating: TextRank.none, count: words.count)
        var folder = WordFolder()
        func read(_ part: String, _ field: TextField) {
            guard !part.isEmpty else { return }
            folder.removeAll()
            folder.add(part)
            for (number, word) in words.enumerated() {
                tiers[number] = min(tiers[number], TextMatcher.tier(of: word, in: folder.bytes, field))
            }
        }
        // Owners see their stories also in a family that their viewer does not name.
        let isOwn = text.owner == user
        if isOwn || layers.contains(text.layer) {
            read(text.title, .title)
            read(text.terms, .terms)
            read(text.mentions, .places)
            read(text.body, .body)
        }
        if isOwn || text.exactLayers.contains(where: layers.contains) {
            read(text.places, .places)
            if let point = text.point { read(names(point, text.extent), .places) }
        }
        for place in text.further where place.layers.contains(where: layers.contains) { read(place.text, .places) }
        return TextRank.rank(tiers)
    }

    private static func tier(of word: [UInt8], in bytes: [UInt8], _ field: TextField) -> UInt8 {
        var best = TextRank.none
        let isCode = TextRank.isCode(word)
        bytes.withUnsafeBytes { bytes in
            word.withUnsafeBytes { word in
                var place = 0
                while let hit = ByteSearch.first(word, in: bytes, from: place, to: bytes.count) {
                    let isPrefix = hit == 0 || bytes[hit - 1] == 0x20
                    let isWhole = isPrefix && bytes[hit + word.count] == 0x20
                    if isWhole || !isCode {
                        best = min(best, TextRank.tier(field, isPrefix: isPrefix, isWhole: isWhole))
                    }
                    place = hit + 1
                }
            }
        }
        return best
    }
}

/// How well a story matches words: first by the field that has a word, then by how it stands there.
///
/// Words are found also inside longer ones, except those of two Latin letters; see ``isCode(_:)``.
///
/// The tier of a word is the best of all its occurrences: a title comes before tags and persons, these before names of
/// places, these before the text; in a field a whole word comes before the beginning of one, and this before the inside.
/// The rank of a story is the sum over the words, so it depends on nothing but the story and the words.
public enum TextRank: Sendable {
    /// The tier of a word that does not occur.
    public static let none = UInt8.max

    /// Returns whether a folded word of a search is found only where it stands alone: two Latin letters.
    ///
    /// They are the code of a state or a country (GA, US), or a short name or word, and stand inside of a word in nearly
    /// every text. Two letters of other scripts can be a whole word among others without spaces.
    public static func isCode(_ word: some Collection<UInt8>) -> Bool {
        word.count == 2 && word.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }

    /// Returns the tier of an occurrence.
    public static func tier(_ field: TextField, isPrefix: Bool, isWhole: Bool) -> UInt8 {
        field.rawValue * 3 + (isWhole ? 0 : isPrefix ? 1 : 2)
    }

    /// Returns the rank for the tiers of all words; `nil` if one does not occur.
    public static func rank(_ tiers: some Sequence<UInt8>) -> UInt8? {
        var sum = 0
        for tier in tiers {
            guard tier != none else { return nil }
            sum += Int(tier)
        }
        return UInt8(clamping: sum)
    }
}
