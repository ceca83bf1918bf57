/// The kinds of names used to complete a prefix.
enum CompletionNames: Sendable {
    /// The displayed names.
    case visible
    /// The other names: aliases, abbreviations and codes.
    case aliases

    /// Returns whether a name of this quality is included.
    func admit(_ quality: NameQuality) -> Bool { quality.isVisible == (self == .visible) }
}

extension NameQuality {
    /// Whether the name is the one displayed for its place, or derived from it.
    package var isVisible: Bool { self == .primary || self == .variant || self == .short }
}

/// The completions of a prefix: places whose displayed name starts with it and, separately, places found only by an
/// alias.
struct Completion: Sendable {
    var visible: BestPlaces
    var aliases: BestPlaces

    init(limit: Int) {
        visible = BestPlaces(limit: limit)
        aliases = BestPlaces(limit: limit)
    }

    var isEmpty: Bool { visible.places.isEmpty && aliases.places.isEmpty }

    /// Adds a place to the list for the kind of name by which it was found.
    mutating func insert(_ entry: BestPlaces.Entry) {
        if entry.quality.isVisible { visible.insert(entry) } else { aliases.insert(entry) }
    }
}

/// A priority queue of name stretches, the one with the best rank first: a binary heap.
struct StretchQueue: Sendable {
    private var heap: [(stretch: PrefixTree.Stretch, rank: Int)] = []

    mutating func insert(_ stretch: PrefixTree.Stretch, rank: Int) {
        heap.append((stretch, rank))
        var index = heap.count - 1
        while index > 0, heap[(index - 1) / 2].rank > heap[index].rank {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() -> (stretch: PrefixTree.Stretch, rank: Int)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].rank < heap[least].rank
            {
                least = child
            }
            guard least != index else { return first }
            heap.swapAt(index, least)
            index = least
        }
    }
}

/// The best few places so far, each once, best first.
struct BestPlaces: Sendable {
    struct Entry: Sendable {
        var place: Int
        var quality: NameQuality
        var score: Double
        var isMisspelt: Bool
        /// The index of the matching name; `nil` for a place found by its main name.
        var key: Int?
    }

    let limit: Int
    private(set) var places: [Entry] = []

    init(limit: Int) { self.limit = limit }

    /// The score that an entry must exceed to be added.
    var threshold: Double { places.count < limit ? -.infinity : places.last?.score ?? -.infinity }

    mutating func insert(_ entry: Entry) {
        guard entry.score > threshold else { return }
        if let known = places.firstIndex(where: { $0.place == entry.place }) {
            guard places[known].score < entry.score else { return }
            places.remove(at: known)
        }
        let position = places.firstIndex { $0.score < entry.score } ?? places.count
        places.insert(entry, at: position)
        if places.count > limit { places.removeLast() }
    }
}
