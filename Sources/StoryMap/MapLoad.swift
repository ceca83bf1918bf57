public import Stories
import Synchronization

/// Collects all stories for a map index; several readers may add theirs at the same time.
///
/// The order in which stories arrive does not matter; no two may have the same id.
public final class MapLoad: Sendable {
    private let builder: Mutex<SegmentBuilder>
    private let further: MapIndex.Further

    init(key: DigestKey, further: @escaping MapIndex.Further) {
        builder = Mutex(SegmentBuilder(key: key))
        self.further = further
    }

    /// Adds stories; a few thousand at a time keep readers from waiting for each other.
    public func add(_ stories: [Story]) { add(stories, further: further) }

    /// Adds stories with the further places that `further` returns of each.
    public func add(_ stories: [Story], further: (_ story: Story) -> [FurtherPlace]) {
        builder.withLock { builder in
            for story in stories { builder.add(story, further: further(story)) }
        }
    }

    /// Returns what was collected, and begins anew.
    func taken(key: DigestKey) -> SegmentBuilder {
        builder.withLock { builder in
            defer { builder = SegmentBuilder(key: key) }
            return builder
        }
    }
}

extension MapIndex {
    /// Begins to collect stories that will replace everything; the index answers as before until ``finish(_:)``.
    public func beginLoad() -> MapLoad { MapLoad(key: key, further: further) }

    /// Replaces everything with the stories collected.
    ///
    /// - Complexity: O(*n* log *n*), about a second for a million.
    public func finish(_ load: MapLoad) {
        let segment = load.taken(key: key).build()
        writer.withLock { _ in publish([segment], changes: nil) }
    }
}
