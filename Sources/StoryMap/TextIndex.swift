public import Stories

/// Finds the stories whose texts contain some words, from memory, for each viewer from what they may see alone.
///
/// A value: a change makes another one that shares what stayed the same. Like the map it is derived from the store, as a
/// list of runs: a large one, and small ones of what changed since, whose stories count no longer in the runs before.
public struct TextIndex: Sendable {
    private struct Part: Sendable {
        let run: TextRun
        /// The stories that changed since.
        var isOutdated: PositionSet
        var outdated = 0

        init(_ run: TextRun) {
            self.run = run
            isOutdated = PositionSet(count: run.ids.count)
        }

        var current: Int { run.ids.count - outdated }
    }

    /// The oldest first.
    private var parts: [Part]
    private let key: DigestKey

    /// Creates the index of nothing; `key` is the secret under which words are hashed.
    public init(key: DigestKey) {
        parts = []
        self.key = key
    }

    /// Creates the index of one run; see ``TextIndexBuilder``.
    init(key: DigestKey, run: consuming TextRun) {
        self.key = key
        parts = [Part(run)]
    }

    /// How many stories are in it.
    public var count: Int { parts.reduce(0) { $0 + $1.current } }

    /// What it takes in memory, in bytes.
    public var memory: Int { parts.reduce(0) { $0 + $1.run.memory } }

    /// How many runs a search goes through.
    package var runCount: Int { parts.count }

    /// Whether so much has changed that it should be made anew.
    public var isWorn: Bool {
        guard let base = parts.first else { return false }
        let later = parts.dropFirst().reduce(0) { $0 + $1.run.ids.count }
        return max(later, base.outdated) > max(4_096, base.run.ids.count / 8)
    }

    /// The stories that are to be read again together with `count` changed ones, so that runs stay few.
    public func rereading(with count: Int) -> [StoryID] {
        var (sum, stories) = (count, [StoryID]())
        for part in parts.dropFirst().reversed() {
            guard part.run.ids.count <= 2 * sum, sum < TextIndex.mostReread else { break }
            sum += part.run.ids.count
            stories += part.run.ids.indices.filter { !part.isOutdated.contains(UInt32($0)) }.map { part.run.ids[$0] }
        }
        return stories
    }

    /// More are not read again while somebody waits.
    private static let mostReread = 1_024

    /// The index after some stories changed, of which `texts` has those that are still there, each once.
    ///
    /// - Returns: `nil` when there is no room for the texts.
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
        var builder = TextRunBuilder(key: key)
        for text in texts { guard builder.add(text) else { return nil } }
        index.parts.append(Part(builder.run()))
        return index
    }

    /// The stories in whose texts the viewer finds every one of `words`, also inside other words.
    ///
    /// Words are lower-cased, not empty, and without spaces; without any word nothing is found. Takes as long as the
    /// distinct words of the viewer's layers are long, and as many stories as are found hold each of them.
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
}
