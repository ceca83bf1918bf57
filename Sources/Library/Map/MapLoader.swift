package import Storage
import Stories
package import StoryMap
import Synchronization

/// Reads the stories of a database into a map index.
package struct MapLoader: Sendable {
    private let store: StoryStore
    private let index: MapIndex

    /// Creates a loader.
    package init(store: StoryStore, index: MapIndex) {
        self.store = store
        self.index = index
    }

    /// The number of stories read before they are given to the index.
    private static let batch = 2_048

    /// Reads all stories into the index, and returns those that could not be read.
    ///
    /// Two connections share the work where nothing else can write meanwhile: decoding the rows takes most of the time
    /// in which a service starts. Beside a running service everything is read from one view of the database. Changes made
    /// meanwhile may be missed, so nothing in this process may store stories yet.
    package func readAll(progress: StartupProgress) async throws -> UnreadableRows {
        progress.begin("Reading stories")
        let parts = store.isWritable ? 2 : 1
        let (total, ranges) = try await store.read { transaction in
            // The number is for the progress alone: a damaged index must not keep the service from starting.
            ((try? transaction.storyCount()) ?? 0, try transaction.storyRanges(parts))
        }
        let load = index.beginLoad()
        let count = Count(total: total, progress: progress)
        let unreadable = try await withThrowingTaskGroup(of: UnreadableRows.self) { group in
            for range in ranges {
                group.addTask { [store] in
                    try await store.read { transaction in
                        try MapLoader.read(range, of: transaction) { batch in
                            load.add(batch)
                            count.add(batch.count)
                        }
                    }
                }
            }
            var unreadable = UnreadableRows()
            for try await found in group { unreadable.add(found) }
            return unreadable
        }
        progress.begin("Building the map")
        try await LongWork.run { [index] in index.finish(load) }
        return unreadable
    }

    /// Counts what all readers have read.
    private final class Count: Sendable {
        private let read = Mutex(0)
        private let total: Int
        private let progress: StartupProgress

        init(total: Int, progress: StartupProgress) {
            self.total = total
            self.progress = progress
        }

        func add(_ more: Int) {
            let read = read.withLock { read in
                read += more
                return read
            }
            progress.advance(to: read, of: total)
        }
    }

    private static func read(
        _ keys: ClosedRange<Int64>,
        of transaction: StoreReader,
        _ add: ([Story]) -> Void
    ) throws -> UnreadableRows {
        var stories: [Story] = []
        stories.reserveCapacity(batch)
        let unreadable = try transaction.forEachStory(in: keys) { story in
            stories.append(story)
            guard stories.count == batch else { return }
            add(stories)
            stories.removeAll(keepingCapacity: true)
        }
        add(stories)
        return unreadable
    }
}
