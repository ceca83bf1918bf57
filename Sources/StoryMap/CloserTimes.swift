import Stories

/// The times of a story used to sort lists and evaluate filters.
struct IndexedTimes: Hashable, Sendable {
    /// The time of creation in milliseconds since 1970.
    let created: Int64
    /// The first day; later than ``last`` if the story is undated.
    let first: Int32
    let last: Int32

    init(_ times: ShownTimes) {
        created = times.createdAt.milliseconds
        first = times.date?.first?.daysSince1970 ?? .max
        last = times.date?.last?.daysSince1970 ?? .min
    }
}

/// The times of a story as shown to the viewers of one layer, if more precise than published.
struct LayerTimes: Hashable, Sendable {
    let layer: UInt32
    let times: IndexedTimes
    /// The displayed date.
    let date: String?
}

/// The times of one story for viewers who see them more precisely than the public: rare.
struct CloserTimes: Hashable, Sendable {
    let owner: LayerTimes
    /// The times for trusted family, if more precise than for everyone else.
    let trusted: LayerTimes?

    /// Returns these times with the layer numbers of another segment.
    func renumbered(_ number: (UInt32) -> UInt32) -> CloserTimes {
        func renumbered(_ times: LayerTimes) -> LayerTimes {
            LayerTimes(layer: number(times.layer), times: times.times, date: times.date)
        }
        return CloserTimes(owner: renumbered(owner), trusted: trusted.map(renumbered))
    }

    /// The more precise times of every audience that has them.
    var all: [LayerTimes] { [owner] + (trusted.map { [$0] } ?? []) }
}

extension IndexedStory {
    /// Returns the story with the times of one audience.
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
    /// Returns the digest of the times that the viewers of a layer see more precisely than the public.
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
    /// The added and removed rows whose times the viewers of one layer see more precisely; the added ones are sorted
    /// newest first by these times.
    struct CloserRows: Sendable {
        var added: [UInt32] = []
        var removed: [UInt32] = []
    }

    /// Groups rows with more precise times by layer and sorts them.
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
    /// Returns the viewer's more precise times of a row, `nil` if there are none.
    func closer(_ row: Int) -> LayerTimes? {
        guard isSomebody, !segment.closer.isEmpty, segment.closerSet.contains(UInt32(row)),
            let known = segment.closer[UInt32(row)]
        else { return nil }
        if isOwn(row) { return known.owner }
        return known.trusted.flatMap { layer($0.layer) == nil ? nil : $0 }
    }

    /// Returns the story of a row with the times shown to the viewer.
    func story(_ row: Int) -> IndexedStory {
        let story = segment.rows[row]
        return closer(row).map { story.with($0.times) } ?? story
    }

    /// Returns the date of a row as shown to the viewer.
    func date(of row: Int, _ label: StoryLabel) -> String? {
        if let closer = closer(row) { closer.date } else { label.date }
    }

    /// Calls `body` with each row, added or removed, whose times the viewer sees more precisely.
    func forEachCloserRow(_ body: (_ row: Int) -> Void) {
        guard isSomebody, !segment.closer.isEmpty else { return }
        for visible in layers {
            guard let rows = segment.closerRows[visible.number] else { continue }
            for row in rows.added + rows.removed where closer(Int(row))?.layer == visible.number { body(Int(row)) }
        }
    }

    /// Returns the added rows whose more precise times come from a layer, newest first, after the cursor.
    ///
    /// - Complexity: O(*k*) for the *k* rows of the segment whose more precise times are shown to viewers of this
    /// layer.
    func closerRows(of layer: UInt32, after cursor: ListCursor?) -> [Int] {
        guard isSomebody, let rows = segment.closerRows[layer] else { return [] }
        return rows.added.map { Int($0) }
            .filter { row in
                guard closer(row)?.layer == layer else { return false }
                return cursor.map { story(row).isListed(after: $0) } ?? true
            }
    }
}
