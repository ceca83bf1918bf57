import Stories

/// The times of a story, as lists are sorted and filters compare them.
struct IndexedTimes: Hashable, Sendable {
    /// Milliseconds since 1970 of its creation.
    let created: Int64
    /// The first day; later than ``last`` when the story is undated.
    let first: Int32
    let last: Int32

    init(_ times: ShownTimes) {
        created = times.createdAt.milliseconds
        first = times.date?.first.daysSince1970 ?? .max
        last = times.date?.last.daysSince1970 ?? .min
    }
}

/// The times of a story as the viewers of one layer get them who may know them more exactly than they are published.
struct LayerTimes: Hashable, Sendable {
    let layer: UInt32
    let times: IndexedTimes
    /// The date as it is shown.
    let date: String?
}

/// The times of one story for those who get them more exactly than everybody else: few stories have any.
struct CloserTimes: Hashable, Sendable {
    let owner: LayerTimes
    /// What trusted family gets, where that is more than all others get.
    let trusted: LayerTimes?

    /// The same in the numbers of another segment's layers.
    func renumbered(_ number: (UInt32) -> UInt32) -> CloserTimes {
        func renumbered(_ times: LayerTimes) -> LayerTimes {
            LayerTimes(layer: number(times.layer), times: times.times, date: times.date)
        }
        return CloserTimes(owner: renumbered(owner), trusted: trusted.map(renumbered))
    }

    /// Each audience's times, with its layer.
    var all: [LayerTimes] { [owner] + (trusted.map { [$0] } ?? []) }
}

extension IndexedStory {
    /// The story with the times that some get of it.
    func with(_ times: IndexedTimes) -> IndexedStory {
        IndexedStory(
            id: id,
            created: times.created,
            content: content,
            kind: kind,
            owner: owner,
            layer: layer,
            collection: collection,
            first: times.first,
            last: times.last
        )
    }
}

extension DigestKey {
    /// The digest of the times that the viewers of a layer get more exactly than everybody else.
    func digest(of story: IndexedStory, closer: LayerTimes, layer: UInt64) -> Digest {
        var hash = KeyedHash(key: self)
        for word in [3, story.id.high, story.id.low, UInt64(bitPattern: closer.times.created), layer] {
            hash.absorb(word)
        }
        hash.absorb(UInt64(bitPattern: Int64(closer.times.first)))
        hash.absorb(UInt64(bitPattern: Int64(closer.times.last)))
        hash.absorb(closer.date)
        return hash.finish()
    }
}

extension Segment {
    /// The rows of which a layer's viewers get closer times, those added or those taken away; the added ones newest first
    /// by these times.
    struct CloserRows: Sendable {
        var added: [UInt32] = []
        var removed: [UInt32] = []
    }

    /// Sorts rows with closer times by the layers that tell them.
    ///
    /// - Complexity: O(*k* log *k*) for *k* such rows.
    static func closerRows(
        _ closer: [UInt32: CloserTimes],
        rows: [IndexedStory],
        addedCount: Int
    ) -> [UInt32: CloserRows] {
        var times: [UInt32: [(row: UInt32, story: IndexedStory)]] = [:]
        for (row, known) in closer {
            for told in known.all {
                times[told.layer, default: []].append((row, rows[Int(row)].with(told.times)))
            }
        }
        return times.mapValues { list in
            let sorted = list.sorted { a, b in
                a.story.id != b.story.id || a.story.created != b.story.created
                    ? a.story.isListed(before: b.story) : a.row < b.row
            }
            return CloserRows(
                added: sorted.map(\.row).filter { Int($0) < addedCount },
                removed: sorted.map(\.row).filter { Int($0) >= addedCount }
            )
        }
    }
}

extension SegmentView {
    /// The times that the viewer gets of a row more exactly than everybody else, `nil` when they do not.
    func closer(_ row: Int) -> LayerTimes? {
        guard isSomebody, !segment.closer.isEmpty, segment.closerSet.contains(UInt32(row)),
            let known = segment.closer[UInt32(row)]
        else { return nil }
        if isOwn(row) { return known.owner }
        return known.trusted.flatMap { layer($0.layer) == nil ? nil : $0 }
    }

    /// The story of a row with the times that the viewer gets.
    func story(_ row: Int) -> IndexedStory {
        let story = segment.rows[row]
        return closer(row).map { story.with($0.times) } ?? story
    }

    /// The date of a row as the viewer gets it.
    func date(of row: Int, _ label: StoryLabel) -> String? {
        if let closer = closer(row) { closer.date } else { label.date }
    }

    /// Calls `body` with each row, added or taken away, of which the viewer gets closer times.
    func forEachCloserRow(_ body: (_ row: Int) -> Void) {
        guard isSomebody, !segment.closer.isEmpty else { return }
        for visible in layers {
            guard let rows = segment.closerRows[visible.number] else { continue }
            for row in rows.added + rows.removed where closer(Int(row))?.layer == visible.number { body(Int(row)) }
        }
    }

    /// The added rows whose closer times a layer tells the viewer, newest first, after the cursor.
    ///
    /// - Complexity: O(*k*) in the rows of this layer of which anybody gets closer times.
    func closerRows(of layer: UInt32, after cursor: ListCursor?) -> [Int] {
        guard isSomebody, let rows = segment.closerRows[layer] else { return [] }
        return rows.added.map { Int($0) }
            .filter { row in
                guard closer(row)?.layer == layer else { return false }
                return cursor.map { story(row).isListed(after: $0) } ?? true
            }
    }
}
