/// Which names of a place complete what is typed.
enum CompletionNames: Sendable {
    /// Those that the answer shows.
    case visible
    /// The others: bynames, abbreviations and codes.
    case aliases

    /// Whether a name of this quality is among them.
    func admit(_ quality: NameQuality) -> Bool { quality.isVisible == (self == .visible) }
}

extension NameQuality {
    /// Whether the name is the one that is shown for its place, or made from it.
    var isVisible: Bool { self == .primary || self == .variant || self == .short }
}

/// What completes a text: places whose shown name starts so, and apart from them those that only an alias does.
struct Completion: Sendable {
    var visible: BestPlaces
    var aliases: BestPlaces

    init(limit: Int) {
        visible = BestPlaces(limit: limit)
        aliases = BestPlaces(limit: limit)
    }

    var isEmpty: Bool { visible.places.isEmpty && aliases.places.isEmpty }

    /// Takes in a place found by a name of some quality.
    mutating func insert(_ entry: BestPlaces.Entry) {
        if entry.quality.isVisible { visible.insert(entry) } else { aliases.insert(entry) }
    }
}

/// Stretches of names, the one with the best rank first: a binary heap.
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

/// The best few places seen so far, each once, best first.
struct BestPlaces: Sendable {
    struct Entry: Sendable {
        var place: Int
        var quality: NameQuality
        var score: Double
        var isMisspelt: Bool
        /// The number of the name that was found; `nil` for a place that is found by its main name.
        var key: Int?
    }

    let limit: Int
    private(set) var places: [Entry] = []

    init(limit: Int) { self.limit = limit }

    /// A score that is not above this one changes nothing.
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
