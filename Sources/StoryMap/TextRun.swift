import Stories

/// The words of a set of stories, grouped by the layers whose viewers may search them.
///
/// Each layer has its own words, with the stories they occur in; a search reads only the words of the viewer's layers.
/// Words are separated by spaces, so any part of a text without a space lies within one word: searching the words,
/// which are far shorter than the texts, finds exactly the same stories as searching the texts.
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
    /// Positions in ``ids``.
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

    /// Returns the positions of the stories in which a viewer of `layers` finds a word containing `part`, which must
    /// not be empty.
    func positions(containing part: [UInt8], in layers: [VisibilityLayer]) -> PositionSet {
        var found = PositionSet(count: ids.count)
        for layer in layers {
            guard let number = self.layers[layer] else { continue }
            let words = Int(layerStarts[Int(number)])..<Int(layerStarts[Int(number) + 1])
            forEachWord(in: words, containing: part) { word in
                found.insert(stories[Int(storyStarts[word])..<Int(storyStarts[word + 1])])
            }
        }
        return found
    }

    /// Calls `body` with each word in a range that contains `part`, ascending.
    private func forEachWord(in words: Range<Int>, containing part: [UInt8], _ body: (Int) -> Void) {
        guard !words.isEmpty else { return }
        var word = words.lowerBound
        var start = Int(wordStarts[word])
        let end = Int(wordStarts[words.upperBound])
        bytes.withUnsafeBytes { bytes in
            part.withUnsafeBytes { part in
                while let hit = ByteSearch.first(part, in: bytes, from: start, to: end) {
                    word = lastWord(startingUpTo: hit, in: word..<words.upperBound)
                    body(word)
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

/// Searches for bytes in bytes.
package enum ByteSearch: Sendable {
    /// Returns the first occurrence of `part`, which must not be empty, entirely between two offsets; `nil` if there is
    /// none.
    ///
    /// Compares the first and the last byte at 32 positions at once before comparing the rest (W. Muła's generic SIMD
    /// search).
    package static func first(
        _ part: UnsafeRawBufferPointer,
        in bytes: UnsafeRawBufferPointer,
        from: Int,
        to end: Int
    ) -> Int? {
        let lastStart = end - part.count
        guard let head = part.first, let tail = part.last, from <= lastStart else { return nil }
        let (heads, tails) = (SIMD32<UInt8>(repeating: head), SIMD32<UInt8>(repeating: tail))
        var place = from
        while place + 31 <= lastStart {
            let first = bytes.loadUnaligned(fromByteOffset: place, as: SIMD32<UInt8>.self)
            let last = bytes.loadUnaligned(fromByteOffset: place + part.count - 1, as: SIMD32<UInt8>.self)
            if any((first .== heads) .& (last .== tails)),
                let hit = (place..<place + 32).first(where: { isThere(part, in: bytes, at: $0) })
            {
                return hit
            }
            place += 32
        }
        guard place <= lastStart else { return nil }
        return (place...lastStart).first { isThere(part, in: bytes, at: $0) }
    }

    private static func isThere(_ part: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, at place: Int) -> Bool
    {
        part.indices.allSatisfy { bytes[place + $0] == part[$0] }
    }
}
