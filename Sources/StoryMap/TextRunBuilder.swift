import Folding
import Stories

/// Splits stories' texts into the folded words of a ``TextRun``.
struct TextRunBuilder {
    private var ids: [StoryID] = []
    private var layers = Interner<VisibilityLayer>()
    /// The words in order of first appearance: their layers, their bytes, each word followed by a space, and the
    /// index of each word's last occurrence.
    private var wordLayers: [UInt32] = []
    private var wordStarts: [UInt32] = [0]
    private var bytes: [UInt8] = []
    private var lastOccurrences: [UInt32] = []
    /// Words by hash: zero for an empty slot, otherwise the word plus one.
    private var slots = [UInt32](repeating: 0, count: 1_024)
    /// The occurrences of words in stories, in the order of the stories, with their fields: ``TextRun/Occurrence``.
    private var occurrences: [(word: UInt32, story: UInt32)] = []
    private var folder = WordFolder()
    private let key: DigestKey
    private let names: PlaceNames

    /// The memory used, in bytes, including that for the result of ``run()``.
    var memory: Int {
        ids.count * 40 + layers.values.count * 128 + wordLayers.count * 32 + bytes.count * 2 + slots.bytes
            + occurrences.count * 12
    }

    /// Creates an empty builder; words are hashed with a secret key, because authors of texts could otherwise cause
    /// collisions.
    ///
    /// `names` returns the further names by which a place is found.
    init(key: DigestKey, names: @escaping PlaceNames) {
        self.key = key
        self.names = names
    }

    /// Adds one story, which must not be added twice.
    ///
    /// - Returns: `false`, without any change, if there is no room for its words.
    mutating func add(_ text: SearchableText) -> Bool {
        let further = text.exactLayers.isEmpty ? "" : text.point.map { names($0, text.extent) } ?? ""
        // Offsets have 32 bits. A folded character is at most a few times as long.
        let placed = (text.places.utf8.count + further.utf8.count) * text.exactLayers.count
        let others = text.further.reduce(0) { $0 + $1.text.utf8.count * $1.layers.count }
        let size =
            4
            * (text.title.utf8.count + text.terms.utf8.count + text.mentions.utf8.count
                + text.body.utf8.count + placed + others)
        guard bytes.count + 2 * size < Int(UInt32.max), occurrences.count + size < Int(UInt32.max),
            ids.count < Int(TextRun.Occurrence.position)
        else { return false }
        let story = UInt32(ids.count)
        ids.append(text.id)
        add(text.title, .title, of: story, to: text.layer)
        add(text.terms, .terms, of: story, to: text.layer)
        add(text.mentions, .places, of: story, to: text.layer)
        add(text.body, .body, of: story, to: text.layer)
        for layer in text.exactLayers {
            add(text.places, .places, of: story, to: layer)
            add(further, .places, of: story, to: layer)
        }
        for place in text.further {
            for layer in place.layers { add(place.text, .places, of: story, to: layer) }
        }
        return true
    }

    private mutating func add(_ text: String, _ field: TextField, of story: UInt32, to layer: VisibilityLayer) {
        guard !text.isEmpty else { return }
        let (layer, occurrence) = (layers.intern(layer), story | TextRun.Occurrence.bit(field))
        folder.removeAll()
        folder.add(text)
        // Taken out, because the words are added to this value itself.
        var folded = WordFolder()
        swap(&folded, &folder)
        folded.bytes.withUnsafeBytes { bytes in
            var start = 0
            for place in bytes.indices where bytes[place] == 0x20 {
                add(UnsafeRawBufferPointer(rebasing: bytes[start..<place]), occurrence, layer)
                start = place + 1
            }
        }
        swap(&folded, &folder)
    }

    private mutating func add(_ word: UnsafeRawBufferPointer, _ occurrence: UInt32, _ layer: UInt32) {
        var slot = slot(of: word, layer)
        while slots[slot] != 0 {
            let known = Int(slots[slot]) - 1
            if wordLayers[known] == layer, isWord(known, word) {
                let last = Int(lastOccurrences[known])
                if (occurrences[last].story ^ occurrence) & TextRun.Occurrence.position == 0 {
                    occurrences[last].story |= occurrence
                } else {
                    lastOccurrences[known] = UInt32(occurrences.count)
                    occurrences.append((UInt32(known), occurrence))
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
        lastOccurrences.append(UInt32(occurrences.count))
        occurrences.append((number, occurrence))
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
            stories: (
                storyStarts,
                found.map { index in
                    let occurrence = occurrences[Int(index)].story
                    return places[Int(occurrence & TextRun.Occurrence.position)]
                        | occurrence & ~TextRun.Occurrence.position
                }
            )
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
