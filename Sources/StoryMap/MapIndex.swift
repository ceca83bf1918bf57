import Geometry
public import Stories
import Synchronization

/// The map index: answers a viewer's map queries exactly, from memory.
///
/// It is derived from the store and rebuilt at startup. Writers take turns; readers take a snapshot and never wait for
/// a writer. The index is a list of immutable segments, each the sum of additions and removals, merged as they grow (a
/// log-structured merge tree; O'Neil, Cheng, Gawlick and O'Neil 1996).
public final class MapIndex: Sendable {
    /// Runs work soon in the background, so that the writer does not wait for it.
    public typealias Background = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    /// Returns the further places of a story.
    public typealias Further = @Sendable (_ story: Story) -> [FurtherPlace]

    let key: DigestKey
    /// Where the further places of a story come from, unless the caller gives them.
    let further: Further
    /// Held by writers.
    ///
    /// The value is the number of segments, counted from the oldest, that must not change because two of them are being
    /// merged in the background.
    let writer = Mutex(0)
    private let current: Mutex<MapSnapshot>
    private let background: Background?

    /// The minimum size ratio between a segment and the next one.
    private static let ratio = 16
    /// The maximum number of rows merged while a writer waits: more would take more than a few milliseconds.
    private let mostAtOnce: Int

    /// Creates an empty index whose versions are digests under `digestKey`.
    ///
    /// Large segments are merged by `background` or, if that is `nil`, by the writer that triggers the merge. `further`
    /// returns the further places of each story that is loaded or changed.
    public convenience init(
        digestKey: DigestKey,
        background: Background? = nil,
        further: @escaping Further = { _ in [] }
    ) {
        self.init(digestKey: digestKey, mostAtOnce: 8_192, background: background, further: further)
    }

    /// Creates an index for tests, with another limit for merges while a writer waits.
    package init(
        digestKey: DigestKey,
        mostAtOnce: Int,
        background: Background?,
        further: @escaping Further = { _ in [] }
    ) {
        key = digestKey
        self.further = further
        self.mostAtOnce = mostAtOnce
        self.background = background
        let views = ViewStore(key: digestKey)
        current = Mutex(MapSnapshot(segments: [], generation: 0, log: ChangeLog(since: 0), views: views))
    }

    /// Replaces everything with `stories`; if several have the same id, the last one counts.
    ///
    /// - Complexity: O(*n* log *n*), about a second for a million.
    public func load(_ stories: some Sequence<Story>) {
        load { add in
            for story in stories { add(story) }
        }
    }

    /// Replaces everything with the stories that `forEach` passes one by one; if several have the same id, the last one
    /// counts.
    ///
    /// If `forEach` throws, the index is unchanged.
    ///
    /// - Complexity: O(*n* log *n*), about a second for a million.
    public func load(_ forEach: (_ add: (Story) -> Void) throws -> Void) rethrows {
        try writer.withLock { _ in
            var builder = SegmentBuilder(key: key)
            try forEach { builder.add($0, further: further($0)) }
            builder.dropRepeated()
            publish([builder.build()], changes: nil)
        }
    }

    /// Applies changes, all of which are visible in the next snapshot.
    ///
    /// Of several changes to one story, the last one counts.
    ///
    /// - Complexity: O(*k* log *n*) amortised for *k* changes; occasionally all segments are merged.
    public func apply(_ changes: some Sequence<StoryEvent>) { apply(changes, further: further) }

    /// Applies changes as ``apply(_:)`` does; `further` returns all further places of each story that is put, and those
    /// it had before are gone.
    public func apply(_ changes: some Sequence<StoryEvent>, further: (_ story: Story) -> [FurtherPlace]) {
        let isDue = writer.withLock { frozen in
            let segments = snapshot().segments
            guard let segment = delta(changes, to: segments, further: further) else { return false }
            let merged = merged(segments + [segment], from: frozen)
            publish(merged, changes: segment)
            return frozen == 0 && MapIndex.unbalanced(merged) != nil
        }
        guard isDue else { return }
        if let background { background { [weak self] in self?.compact() } } else { compact() }
    }

    /// Merges the segments left by ``apply(_:)`` until each is much larger than the one after it.
    ///
    /// The answers of the index do not change, and neither readers nor other writers wait for the merge. Of several
    /// concurrent calls, only one does the work.
    private func compact() {
        while let (index, older, newer) = claimed() {
            let merged = MapIndex.merge(older, newer, key: key, isLowest: index == 0)
            writer.withLock { frozen in
                frozen = 0
                let last = snapshot()
                var segments = last.segments
                // Only a full load can have replaced the claimed segments.
                guard segments.count > index + 1, segments[index] === older, segments[index + 1] === newer else {
                    return
                }
                segments.replaceSubrange(index...index + 1, with: merged.rows.isEmpty ? [] : [merged])
                let next = MapSnapshot(
                    segments: segments,
                    generation: last.generation,
                    log: last.log,
                    views: last.views
                )
                current.withLock { $0 = next }
            }
        }
    }

    /// Returns two neighbours to merge, reserved for the caller; `nil` if there are none.
    private func claimed() -> (index: Int, older: Segment, newer: Segment)? {
        writer.withLock { frozen in
            let segments = snapshot().segments
            guard frozen == 0, let index = MapIndex.unbalanced(segments) else { return nil }
            frozen = index + 2
            return (index, segments[index], segments[index + 1])
        }
    }

    /// Returns the last segment that is not much larger than the one after it.
    private static func unbalanced(_ segments: [Segment]) -> Int? {
        segments.indices.dropLast().last { segments[$0 + 1].rows.count * ratio > segments[$0].rows.count }
    }

    /// Returns the current state of the index as an immutable value that is cheap to take.
    public func snapshot() -> MapSnapshot {
        current.withLock { $0 }
    }

    /// Publishes segments; `changes` contains the new part, and `nil` means that everything may have changed.
    func publish(_ segments: [Segment], changes: Segment?) {
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

    private func delta(
        _ changes: some Sequence<StoryEvent>,
        to segments: [Segment],
        further: (Story) -> [FurtherPlace]
    ) -> Segment? {
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
            if let story { builder.add(story, further: further(story)) }
        }
        return builder.isEmpty ? nil : builder.build()
    }

    /// Merges small segments, newest first, until each is much larger than the one after it; segments before the index
    /// `first` are unchanged.
    private func merged(_ segments: [Segment], from first: Int) -> [Segment] {
        var segments = segments
        while segments.count >= first + 2 {
            let newer = segments[segments.count - 1]
            let older = segments[segments.count - 2]
            let sum = newer.rows.count + older.rows.count
            guard sum <= mostAtOnce, newer.rows.count * MapIndex.ratio > older.rows.count else { break }
            segments.removeLast(2)
            segments.append(MapIndex.merge(older, newer, key: key, isLowest: segments.isEmpty))
        }
        return segments
    }

    /// Returns the sum of two segments: additions and their later removals cancel.
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
