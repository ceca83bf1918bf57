import Folding

/// The part of a text around the first match of words, with every match in it marked.
///
/// The words are compared folded, and the marks stand on the text as it is written: `ss` marks the `ß` of "Straße".
public struct TextExcerpt: Hashable, Sendable {
    /// The part of the text; all of it if it is short.
    public let text: String
    /// The matches in ``text`` as half-open ranges of UTF-16 code units, ascending and apart, on whole characters.
    public let marks: [Range<Int>]
    /// Whether something of the text stands before the excerpt.
    public let isCutBefore: Bool
    /// Whether something of the text stands after it.
    public let isCutAfter: Bool

    /// The maximum number of characters of an excerpt.
    public static let longest = 160
    /// The number of characters before the first match.
    private static let before = 60
    /// The maximum number of matches of a word that are looked for.
    private static let mostMatches = 400

    /// Returns the excerpt around the first of some folded words; `nil` if none of them stands in the text.
    public init?(of whole: String, marking words: [String]) {
        var text = whole
        // So that positions in UTF-8 are found in constant time.
        text.makeContiguousUTF8()
        let matches = TextExcerpt.matches(of: words, in: text)
        guard let first = matches.first else { return nil }
        let part = TextExcerpt.part(of: text, around: first)
        guard !part.isEmpty else { return nil }
        self.text = String(text[part])
        marks = matches.compactMap { match in
            let clamped = match.clamped(to: part)
            guard !clamped.isEmpty else { return nil }
            let start = text[part.lowerBound..<clamped.lowerBound].utf16.count
            return start..<start + text[clamped].utf16.count
        }
        isCutBefore = part.lowerBound > text.startIndex
        isCutAfter = part.upperBound < text.endIndex
    }

    /// Returns where the words stand in a text: in order, apart, on whole characters.
    private static func matches(of words: [String], in text: String) -> [Range<String.Index>] {
        var folder = WordFolder(notesOrigins: true)
        folder.add(text)
        var found: [Range<String.Index>] = []
        /// Returns the character that contains a byte.
        func character(at offset: Int32) -> Range<String.Index> {
            let inside = text.utf8.index(text.startIndex, offsetBy: Int(offset))
            let end = text.index(after: inside)
            return text.index(before: end)..<end
        }
        folder.bytes.withUnsafeBytes { bytes in
            for word in words where !word.isEmpty {
                let isCode = TextRank.isCode(word.utf8)
                Array(word.utf8)
                    .withUnsafeBytes { word in
                        var (place, count) = (0, 0)
                        while count < mostMatches,
                            let hit = ByteSearch.first(word, in: bytes, from: place, to: bytes.count)
                        {
                            place = hit + word.count
                            let isWhole = (hit == 0 || bytes[hit - 1] == 0x20) && bytes[place] == 0x20
                            guard isWhole || !isCode else { continue }
                            let first = character(at: folder.origins[hit])
                            let last = character(at: folder.origins[place - 1])
                            found.append(first.lowerBound..<max(first.upperBound, last.upperBound))
                            count += 1
                        }
                    }
            }
        }
        found.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        return found.reduce(into: []) { merged, match in
            guard let last = merged.last, match.lowerBound <= last.upperBound else { return merged.append(match) }
            merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, match.upperBound)
        }
    }

    /// Returns the part of a text around its first match, cut between words where there is a space.
    private static func part(of text: String, around match: Range<String.Index>) -> Range<String.Index> {
        let all = text.startIndex..<text.endIndex
        if text.index(text.startIndex, offsetBy: longest, limitedBy: text.endIndex) == nil { return all }
        var start = text.index(match.lowerBound, offsetBy: -before, limitedBy: text.startIndex) ?? text.startIndex
        if start > text.startIndex, let space = text[start..<match.lowerBound].firstIndex(where: \.isWhitespace) {
            start = text.index(after: space)
        }
        var end = text.index(start, offsetBy: longest, limitedBy: text.endIndex) ?? text.endIndex
        if end < text.endIndex, !text[end].isWhitespace, match.upperBound < end,
            let space = text[match.upperBound..<end].lastIndex(where: \.isWhitespace)
        {
            end = space
        }
        return start..<end
    }
}

extension TextExcerpt {
    /// The excerpt in pieces, in order, of which some are marked.
    public var pieces: [(text: String, isMarked: Bool)] {
        var pieces: [(text: String, isMarked: Bool)] = []
        var done = 0
        func add(_ end: Int, isMarked: Bool) {
            guard end > done else { return }
            let range = String.Index(utf16Offset: done, in: text)..<String.Index(utf16Offset: end, in: text)
            pieces.append((String(text[range]), isMarked))
            done = end
        }
        for mark in marks {
            add(mark.lowerBound, isMarked: false)
            add(mark.upperBound, isMarked: true)
        }
        add(text.utf16.count, isMarked: false)
        return pieces
    }
}

/// An excerpt of a part of a story.
public struct FieldExcerpt: Hashable, Sendable {
    /// The parts of a story that are shown with excerpts.
    public enum Part: String, CaseIterable, Sendable {
        /// The title.
        case title
        /// The text.
        case text
        /// A tag.
        case tag
        /// A person.
        case person
        /// A place that the story mentions.
        case mention
        /// A name of the story's place.
        case place
    }

    /// The part.
    public let part: Part
    /// The excerpt of it.
    public let excerpt: TextExcerpt
}

extension Story {
    /// The maximum number of excerpts of a story.
    public static let mostExcerpts = 12

    /// Returns where folded words stand in what the viewer sees of the story: one excerpt for each part, tag, person or
    /// name that has one of them.
    public func excerpts(marking words: [String], for viewer: Viewer) -> [FieldExcerpt] {
        guard !words.isEmpty else { return [] }
        let names = location(for: viewer).map { shown in LocationName.allCases.compactMap { shown.names[$0] } } ?? []
        let parts: [(FieldExcerpt.Part, [String])] = [
            (.title, [title]), (.text, [text ?? ""]), (.tag, tags), (.person, people), (.mention, mentions),
            (.place, names),
        ]
        let found = parts.lazy.flatMap { part, texts in
            texts.lazy.compactMap { text in
                TextExcerpt(of: text, marking: words).map { FieldExcerpt(part: part, excerpt: $0) }
            }
        }
        return Array(found.prefix(Story.mostExcerpts))
    }
}
