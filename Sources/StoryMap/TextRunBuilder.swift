import Stories

/// Splits stories' texts into the words of a ``TextRun``.
struct TextRunBuilder {
    private var ids: [StoryID] = []
    private var layers = Interner<VisibilityLayer>()
    /// The words in order of first appearance: their layers, their bytes, each word followed by a space, and the last
    /// story that contains each word.
    private var wordLayers: [UInt32] = []
    private var wordStarts: [UInt32] = [0]
    private var bytes: [UInt8] = []
    private var lastStories: [UInt32] = []
    /// Words by hash: zero for an empty slot, otherwise the word plus one.
    private var slots = [UInt32](repeating: 0, count: 1_024)
    /// The occurrences of words in stories, in the order of the stories.
    private var occurrences: [(word: UInt32, story: UInt32)] = []
    private let key: DigestKey

    /// The memory used, in bytes, including that for the result of ``run()``.
    var memory: Int {
        ids.count * 40 + layers.values.count * 128 + wordLayers.count * 32 + bytes.count * 2 + slots.bytes
            + occurrences.count * 12
    }

    /// Creates an empty builder; words are hashed with a secret key, because authors of texts could otherwise cause
    /// collisions.
    init(key: DigestKey) {
        self.key = key
    }

    /// Adds one story, which must not be added twice.
    ///
    /// - Returns: `false`, without any change, if there is no room for its words.
    mutating func add(_ text: SearchableText) -> Bool {
        // Offsets have 32 bits.
        let places = text.placeText.utf8.count + text.further.reduce(0) { $0 + $1.text.utf8.count }
        let size = text.text.utf8.count + places * 2
        guard bytes.count + 2 * size < Int(UInt32.max), occurrences.count + size < Int(UInt32.max) else { return false }
        let story = UInt32(ids.count)
        ids.append(text.id)
        add(text.text, of: story, to: text.layer)
        if !text.placeText.isEmpty {
            for layer in text.exactLayers { add(text.placeText, of: story, to: layer) }
        }
        for place in text.further {
            for layer in place.layers { add(place.text, of: story, to: layer) }
        }
        return true
    }

    private mutating func add(_ text: String, of story: UInt32, to layer: VisibilityLayer) {
        let layer = layers.intern(layer)
        var text = text
        text.withUTF8 { text in
            var start = 0
            for place in 0...text.count where place == text.count || TextRunBuilder.isSpace(text[place]) {
                if start < place {
                    add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(text)[start..<place]), story, layer)
                }
                start = place + 1
            }
        }
    }

    /// Returns whether a byte is ASCII whitespace; other spaces do not separate words here, which makes words longer
    /// but does not change the results.
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    private mutating func add(_ word: UnsafeRawBufferPointer, _ story: UInt32, _ layer: UInt32) {
        var slot = slot(of: word, layer)
        while slots[slot] != 0 {
            let known = Int(slots[slot]) - 1
            if wordLayers[known] == layer, isWord(known, word) {
                if lastStories[known] != story {
                    lastStories[known] = story
                    occurrences.append((UInt32(known), story))
                }
                return
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        let number = UInt32(wordLayers.count)
        wordLayers.append(layer)
        bytes.append(contentsOf: word)
        bytes.append(0x20)
        wordStarts.append(UInt32(bytes.count))
        lastStories.append(story)
        occurrences.append((number, story))
        slots[slot] = number + 1
        if wordLayers.count * 2 > slots.count { grow() }
    }

    private func isWord(_ number: Int, _ word: UnsafeRawBufferPointer) -> Bool {
        let start = Int(wordStarts[number])
        guard Int(wordStarts[number + 1]) - 1 - start == word.count else { return false }
        return word.indices.allSatisfy { bytes[start + $0] == word[$0] }
    }

    private func slot(of word: UnsafeRawBufferPointer, _ layer: UInt32) -> Int {
        var hash = KeyedHash(key: key)
        hash.absorb(UInt64(layer))
        hash.absorb(word)
        return Int(truncatingIfNeeded: hash.finish().low) & (slots.count - 1)
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        bytes.withUnsafeBytes { bytes in
            for number in wordLayers.indices {
                let range = Int(wordStarts[number])..<Int(wordStarts[number + 1]) - 1
                var slot = slot(of: UnsafeRawBufferPointer(rebasing: bytes[range]), wordLayers[number])
                while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
                slots[slot] = UInt32(number + 1)
            }
        }
    }

    /// Returns the run of everything added.
    consuming func run() -> TextRun {
        let places = ranks(of: ids)
        let (order, layerStarts) = countingSort(wordLayers, below: layers.values.count)
        var newNumbers = [UInt32](repeating: 0, count: order.count)
        var (starts, sorted) = ([UInt32(0)], [UInt8]())
        starts.reserveCapacity(order.count + 1)
        sorted.reserveCapacity(bytes.count)
        for (new, old) in order.enumerated() {
            newNumbers[Int(old)] = UInt32(new)
            sorted.append(contentsOf: bytes[Int(wordStarts[Int(old)])..<Int(wordStarts[Int(old) + 1])])
            starts.append(UInt32(sorted.count))
        }
        let (found, storyStarts) = countingSort(occurrences.map { newNumbers[Int($0.word)] }, below: order.count)
        return TextRun(
            ids: ids.sorted(),
            layers: Dictionary(uniqueKeysWithValues: layers.values.enumerated().map { ($1, UInt32($0)) }),
            layerStarts: layerStarts,
            words: (starts, sorted),
            stories: (storyStarts, found.map { places[Int(occurrences[Int($0)].story)] })
        )
    }

    /// Returns the rank of each id in sorted order.
    private func ranks(of ids: [StoryID]) -> [UInt32] {
        var ranks = [UInt32](repeating: 0, count: ids.count)
        for (rank, place) in ids.indices.sorted(by: { ids[$0] < ids[$1] }).enumerated() { ranks[place] = UInt32(rank) }
        return ranks
    }

    /// Returns the indices of `numbers`, ordered by the number at each index, and for each number the position in that
    /// order where its indices start.
    private func countingSort(_ numbers: [UInt32], below count: Int) -> (order: [UInt32], starts: [UInt32]) {
        var starts = [UInt32](repeating: 0, count: count + 1)
        for number in numbers { starts[Int(number) + 1] += 1 }
        for number in 0..<count { starts[number + 1] += starts[number] }
        var next = starts
        var order = [UInt32](repeating: 0, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            order[Int(next[Int(number)])] = UInt32(place)
            next[Int(number)] += 1
        }
        return (order, starts)
    }
}
