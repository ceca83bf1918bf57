public import Geometry
public import Stories

/// Returns the names and codes by which a place is found besides those that a story gives it.
public typealias PlaceNames = @Sendable (Coordinate, SearchableText.Extent) -> String

/// An in-memory index that finds the stories whose texts contain given words, using only the texts visible to each
/// viewer.
///
/// It is a value: a change creates another index that shares the unchanged parts. Like the map, it is derived from the
/// store, as a list of runs: a large one, and small ones with later changes. A changed story no longer counts in
/// earlier runs.
public struct TextIndex: Sendable {
    private struct Part: Sendable {
        let run: TextRun
        /// The stories that have changed since and no longer count in this run.
        var isOutdated: PositionSet
        var outdated = 0

        init(_ run: TextRun) {
            self.run = run
            isOutdated = PositionSet(count: run.ids.count)
        }

        var current: Int { run.ids.count - outdated }
    }

    /// The parts, oldest first.
    private var parts: [Part]
    private let key: DigestKey
    private let names: PlaceNames

    /// Creates an empty index; `key` is the secret used to hash words, `names` returns further names of places.
    public init(key: DigestKey, names: @escaping PlaceNames = { _, _ in "" }) {
        parts = []
        self.key = key
        self.names = names
    }

    /// Creates an index of one run; see ``TextIndexBuilder``.
    init(key: DigestKey, names: @escaping PlaceNames, run: consuming TextRun) {
        self.key = key
        self.names = names
        parts = [Part(run)]
    }

    /// The number of stories in the index.
    public var count: Int { parts.reduce(0) { $0 + $1.current } }

    /// The memory used, in bytes.
    public var memory: Int { parts.reduce(0) { $0 + $1.run.memory } }

    /// The number of runs that a search reads.
    package var runCount: Int { parts.count }

    /// Whether so much has changed that it should be rebuilt.
    public var isWorn: Bool {
        guard let base = parts.first else { return false }
        let later = parts.dropFirst().reduce(0) { $0 + $1.run.ids.count }
        return max(later, base.outdated) > max(4_096, base.run.ids.count / 8)
    }

    /// Returns the stories to index again together with `count` changed ones, so that the number of runs stays small.
    public func rereading(with count: Int) -> [StoryID] {
        var (sum, stories) = (count, [StoryID]())
        for part in parts.dropFirst().reversed() {
            guard part.run.ids.count <= 2 * sum, sum < TextIndex.mostReread else { break }
            sum += part.run.ids.count
            stories += part.run.ids.indices.filter { !part.isOutdated.contains(UInt32($0)) }.map { part.run.ids[$0] }
        }
        return stories
    }

    /// The maximum number of stories read again while a caller waits.
    private static let mostReread = 1_024

    /// Returns the index after the given stories changed; `texts` contains those that still exist, each once.
    ///
    /// - Returns: `nil` if there is no room for the texts.
    public func changed(_ changed: some Sequence<StoryID>, to texts: [SearchableText]) -> TextIndex? {
        var index = self
        for id in changed {
            for number in index.parts.indices {
                guard let place = index.parts[number].run.position(of: id),
                    !index.parts[number].isOutdated.contains(place)
                else { continue }
                index.parts[number].isOutdated.insert(place)
                index.parts[number].outdated += 1
            }
        }
        if let base = index.parts.first {
            index.parts = [base] + index.parts.dropFirst().filter { $0.current > 0 }
        }
        guard !texts.isEmpty else { return index }
        var builder = TextRunBuilder(key: key, names: names)
        for text in texts { guard builder.add(text) else { return nil } }
        index.parts.append(Part(builder.run()))
        return index
    }

    /// Returns the stories whose texts, as far as the viewer may search them, contain every one of `words` in any of
    /// their parts, also inside longer words, except for codes; see ``TextRank/isCode(_:)``.
    ///
    /// Words must be folded, not empty, and without spaces; without any words, nothing is found. Takes time
    /// proportional to the length of the distinct words in the viewer's layers, plus the number of stories that contain
    /// each of the words.
    public func stories(containing words: [String], viewer: Viewer) -> Set<StoryID> {
        let layers = viewer.layers
        var found: Set<StoryID> = []
        guard !words.isEmpty else { return [] }
        for part in parts {
            var positions = PositionSet(count: part.run.ids.count)
            for (number, word) in words.enumerated() {
                let holding = part.run.positions(containing: Array(word.utf8), in: layers)
                if number == 0 { positions = holding } else { positions.formIntersection(holding) }
            }
            let members = positions.members(in: 0..<UInt32(part.run.ids.count))
            found.reserveCapacity(found.count + members.count)
            for place in members where !part.isOutdated.contains(place) { found.insert(part.run.ids[Int(place)]) }
        }
        return found
    }

    /// Returns the same stories as ``stories(containing:viewer:)``, with how well each matches: see ``TextRank``.
    ///
    /// The rank of a story depends on that story alone. How rare a word is among other stories does not count, because
    /// the viewer may not see them.
    public func ranks(of words: [String], viewer: Viewer) -> [StoryID: UInt8] {
        let layers = viewer.layers
        var found: [StoryID: UInt8] = [:]
        guard !words.isEmpty else { return [:] }
        for part in parts {
            let tiers = words.map { part.run.tiers(of: Array($0.utf8), in: layers) }
            for place in part.run.ids.indices where tiers[0][place] != TextRank.none {
                guard !part.isOutdated.contains(UInt32(place)),
                    let rank = TextRank.rank(tiers.lazy.map { $0[place] })
                else { continue }
                found[part.run.ids[place]] = rank
            }
        }
        return found
    }
}
