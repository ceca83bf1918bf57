public import Stories
import Synchronization

/// Collects all stories for a map index; several readers may add theirs at the same time.
///
/// The order in which stories arrive does not matter; no two may have the same id.
public final class MapLoad: Sendable {
    private let builder: Mutex<SegmentBuilder>

    init(key: DigestKey) { builder = Mutex(SegmentBuilder(key: key)) }

    /// Adds stories; a few thousand at a time keep readers from waiting for each other.
    public func add(_ stories: [Story]) {
        builder.withLock { builder in
            for story in stories { builder.add(story) }
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
    public func beginLoad() -> MapLoad { MapLoad(key: key) }

    /// Replaces everything with the stories collected.
    ///
    /// - Complexity: O(*n* log *n*), about a second for a million.
    public func finish(_ load: MapLoad) {
        let segment = load.taken(key: key).build()
        writer.withLock { _ in publish([segment], changes: nil) }
    }
}
