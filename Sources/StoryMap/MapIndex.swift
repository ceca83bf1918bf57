import Geometry
public import Stories
import Synchronization

/// The map index: answers what a viewer finds where, exactly, from memory.
///
/// It is derived from the store and rebuilt at start. Writers take turns; readers take a snapshot and never wait for a
/// writer. The index is a list of immutable segments, each the sum of additions and removals, merged as they grow
/// (a log-structured merge tree; O'Neil, Cheng, Gawlick and O'Neil 1996).
public final class MapIndex: Sendable {
    private let key: DigestKey
    private let writer = Mutex(())
    private let current: Mutex<MapSnapshot>

    /// How many times larger than the next one a segment stays.
    private static let ratio = 16

    /// Creates an empty index whose versions are digests under `digestKey`.
    public init(digestKey: DigestKey) {
        key = digestKey
        let views = ViewStore(key: digestKey)
        current = Mutex(MapSnapshot(segments: [], generation: 0, log: ChangeLog(since: 0), views: views))
    }

    /// Replaces everything by `stories`; of stories with one id the last counts.
    ///
    /// - Complexity: O(*n* log *n*), about a second for a million.
    public func load(_ stories: some Sequence<Story>) {
        load { add in
            for story in stories { add(story) }
        }
    }

    /// Replaces everything by the stories that `forEach` hands over one by one; of those with one id the last counts.
    ///
    /// Nothing changes when it throws.
    ///
    /// - Complexity: O(*n* log *n*), about a second for a million.
    public func load(_ forEach: (_ add: (Story) -> Void) throws -> Void) rethrows {
        try writer.withLock { _ in
            var builder = SegmentBuilder(key: key)
            try forEach { builder.add($0) }
            builder.dropRepeated()
            publish([builder.build()], changes: nil)
        }
    }

    /// Makes changes, all of which the next snapshot shows.
    ///
    /// Of several changes to one story the last counts.
    ///
    /// - Complexity: O(*k* log *n*) amortised for *k* changes; now and then all segments are merged.
    public func apply(_ changes: some Sequence<MapChange>) {
        writer.withLock { _ in
            let segments = snapshot().segments
            guard let segment = delta(changes, to: segments) else { return }
            publish(MapIndex.merged(segments + [segment], key: key), changes: segment)
        }
    }

    /// The index as it is now: immutable, cheap to take.
    public func snapshot() -> MapSnapshot {
        current.withLock { $0 }
    }

    /// Publishes segments, of which `changes` is what is new; `nil` means everything.
    private func publish(_ segments: [Segment], changes: Segment?) {
        let last = snapshot()
        let generation = last.generation + 1
        var log = changes == nil ? ChangeLog(since: generation) : last.log
        if let changes { log.append(entries(of: changes, generation: generation), generation: generation) }
        let next = MapSnapshot(segments: segments, generation: generation, log: log, views: last.views)
        current.withLock { $0 = next }
    }

    private func entries(of segment: Segment, generation: UInt64) -> [ChangeLog.Entry] {
        segment.layers.enumerated()
            .flatMap { index, layer in
                let name = key.digest(of: segment.words.layers[UInt32(index)])
                return segment.run.codes[layer.points]
                    .map { ChangeLog.Entry(generation: generation, layer: name, unit: MercatorPoint(morton: $0)) }
            }
    }

    private func delta(_ changes: some Sequence<MapChange>, to segments: [Segment]) -> Segment? {
        var final: [StoryID: Story?] = [:]
        for change in changes {
            switch change {
            case .put(let story): final[story.id] = .some(story)
            case .remove(let id): final[id] = .some(nil)
            }
        }
        var builder = SegmentBuilder(key: key)
        for (id, story) in final {
            if let (segment, row) = MapSnapshot.find(id, in: segments) { builder.remove(row, of: segments[segment]) }
            if let story { builder.add(story) }
        }
        return builder.isEmpty ? nil : builder.build()
    }

    /// Merges segments from the newest on, until each is much larger than the one after it.
    private static func merged(_ segments: [Segment], key: DigestKey) -> [Segment] {
        var segments = segments
        while segments.count >= 2 {
            let newer = segments[segments.count - 1]
            let older = segments[segments.count - 2]
            guard newer.rows.count * ratio > older.rows.count else { break }
            segments.removeLast(2)
            segments.append(merge(older, newer, key: key, isLowest: segments.isEmpty))
        }
        return segments
    }

    /// The sum of two segments: what one adds and the other takes away again is gone.
    private static func merge(_ older: Segment, _ newer: Segment, key: DigestKey, isLowest: Bool) -> Segment {
        var builder = SegmentBuilder(key: key)
        builder.reserve(older.rows.count + newer.rows.count)
        for row in older.rows.indices {
            let isRemoval = row >= older.addedCount
            if isRemoval ? !isLowest : newer.row(of: older.rows[row].id) == nil { builder.keep(row, of: older) }
        }
        for row in newer.rows.indices {
            let isRemoval = row >= newer.addedCount
            if !isRemoval || older.row(of: newer.rows[row].id) == nil { builder.keep(row, of: newer) }
        }
        builder.addDigests(of: older)
        builder.addDigests(of: newer)
        return builder.build()
    }
}

/// One change to the stories on the map.
public enum MapChange: Hashable, Sendable {
    /// The story is new or replaces the one with its id.
    case put(Story)
    /// The story is gone.
    case remove(StoryID)
}
