import Folding
import Stories

/// The words of a set of stories, grouped by the layers whose viewers may search them.
///
/// Each layer has its own words, with the stories they occur in; a search reads only the words of the viewer's layers.
/// Words are folded and separated by spaces, so any part of a text without a space lies within one word: searching the
/// words, which are far shorter than the texts, finds exactly the same stories as searching the texts.
final class TextRun: Sendable {
    /// The ids of the stories, ascending.
    let ids: [StoryID]
    /// The number of each layer.
    private let layers: [VisibilityLayer: UInt32]
    /// The start of each layer's words, followed by the end of the last one's.
    private let layerStarts: [UInt32]
    /// The start of each word in ``bytes``, followed by the end of the last one; a space follows each word.
    private let wordStarts: [UInt32]
    private let bytes: [UInt8]
    /// The start of each word's stories in ``stories``, followed by the end of the last one's.
    private let storyStarts: [UInt32]
    /// Positions in ``ids``, with the fields of the story that have the word; see ``TextRun/Occurrence``.
    private let stories: [UInt32]

    /// The memory used, in bytes.
    var memory: Int {
        ids.count * 16 + layers.count * 64 + layerStarts.bytes + wordStarts.bytes + bytes.count + storyStarts.bytes
            + stories.bytes
    }

    init(
        ids: [StoryID],
        layers: [VisibilityLayer: UInt32],
        layerStarts: [UInt32],
        words: (starts: [UInt32], bytes: [UInt8]),
        stories: (starts: [UInt32], positions: [UInt32])
    ) {
        self.ids = ids
        self.layers = layers
        self.layerStarts = layerStarts
        wordStarts = words.starts
        bytes = words.bytes
        storyStarts = stories.starts
        self.stories = stories.positions
    }

    /// Returns the position of a story, or `nil`; O(log n).
    func position(of id: StoryID) -> UInt32? {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < ids.count && ids[low] == id ? UInt32(low) : nil
    }

    /// A word in a story as one number: the position of the story below, a bit for each field above.
    enum Occurrence {
        /// The number of bits for the position.
        static let positionBits: UInt32 = 28
        /// The bits of the position.
        static let position: UInt32 = 1 << positionBits - 1

        /// Returns the bit of a field.
        static func bit(_ field: TextField) -> UInt32 { 1 << (positionBits + UInt32(field.rawValue)) }

        /// Returns the field of an occurrence that counts most.
        static func field(_ occurrence: UInt32) -> TextField {
            TextField(rawValue: UInt8((occurrence >> positionBits).trailingZeroBitCount)) ?? .body
        }
    }

    /// Returns the positions of the stories in which a viewer of `layers` finds a word containing `part`, which must
    /// not be empty.
    func positions(containing part: [UInt8], in layers: [VisibilityLayer]) -> PositionSet {
        var found = PositionSet(count: ids.count)
        forEachWord(containing: part, in: layers) { word, _ in
            for occurrence in stories[Int(storyStarts[word])..<Int(storyStarts[word + 1])] {
                found.insert(occurrence & Occurrence.position)
            }
        }
        return found
    }

    /// Returns the tier of `part`, which must not be empty, in each story by position; see ``TextRank``.
    func tiers(of part: [UInt8], in layers: [VisibilityLayer]) -> [UInt8] {
        var tiers = [UInt8](repeating: TextRank.none, count: ids.count)
        forEachWord(containing: part, in: layers) { word, hit in
            let isPrefix = hit == Int(wordStarts[word])
            let isWhole = isPrefix && Int(wordStarts[word + 1]) - 1 - hit == part.count
            for occurrence in stories[Int(storyStarts[word])..<Int(storyStarts[word + 1])] {
                let place = Int(occurrence & Occurrence.position)
                let tier = TextRank.tier(Occurrence.field(occurrence), isPrefix: isPrefix, isWhole: isWhole)
                if tier < tiers[place] { tiers[place] = tier }
            }
        }
        return tiers
    }

    /// Calls `body` with each word of some layers that contains `part`, and with the first place of `part` in it; a code
    /// must be the whole word, see ``TextRank/isCode(_:)``.
    private func forEachWord(
        containing part: [UInt8],
        in layers: [VisibilityLayer],
        _ body: (_ word: Int, _ hit: Int) -> Void
    ) {
        let isCode = TextRank.isCode(part)
        // With the space behind it, so that only the ends of words are hits.
        let sought = isCode ? part + [0x20] : part
        for layer in layers {
            guard let number = self.layers[layer] else { continue }
            let words = Int(layerStarts[Int(number)])..<Int(layerStarts[Int(number) + 1])
            forEachWord(in: words, containing: sought) { word, hit in
                if !isCode || hit == Int(wordStarts[word]) { body(word, hit) }
            }
        }
    }

    /// Calls `body` with each word in a range that contains `part`, ascending.
    private func forEachWord(in words: Range<Int>, containing part: [UInt8], _ body: (Int, Int) -> Void) {
        guard !words.isEmpty else { return }
        var word = words.lowerBound
        var start = Int(wordStarts[word])
        let end = Int(wordStarts[words.upperBound])
        bytes.withUnsafeBytes { bytes in
            part.withUnsafeBytes { part in
                while let hit = ByteSearch.first(part, in: bytes, from: start, to: end) {
                    word = lastWord(startingUpTo: hit, in: word..<words.upperBound)
                    body(word, hit)
                    word += 1
                    guard word < words.upperBound else { return }
                    start = Int(wordStarts[word])
                }
            }
        }
    }

    /// Returns the word that contains a byte, by a doubling search: hits may be close together or far apart.
    private func lastWord(startingUpTo offset: Int, in words: Range<Int>) -> Int {
        var (low, step) = (words.lowerBound, 1)
        while low + step < words.upperBound, Int(wordStarts[low + step]) <= offset {
            low += step
            step *= 2
        }
        var high = min(low + step, words.upperBound)
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int(wordStarts[middle]) <= offset { low = middle } else { high = middle }
        }
        return low
    }
}
