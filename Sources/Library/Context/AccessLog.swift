import Storage
package import Stories
package import StoryMap
import Synchronization

/// Records, for the owners of stories, which readers received exact points that others do not get.
///
/// Every answer that shows stories at their points passes through here before it is sent. One row is written per
/// reader, story and day, on the first access. The position of a cluster is a mean of several points and does not count
/// as an access. A service is recorded as the reader, whichever user it acts for. Reads at the command line are not
/// recorded while a service has the database open.
package final class AccessLog: Sendable {
    /// The number of days for which accesses are kept.
    package static let keptDays = 180

    private let context: StoreContext
    /// The accesses that are already in the database.
    private let noted = NotedAccesses()

    package init(_ context: StoreContext) { self.context = context }

    /// Records that the viewer is about to receive the exact points of these stories.
    package func note(_ stories: some Sequence<Story>, for viewer: Viewer) async throws {
        try await note(
            stories.filter { $0.givesMore(to: viewer) }.map { ($0.owner, $0.id) },
            for: viewer
        )
    }

    /// Records that the viewer is about to receive the exact points of single stories on the map.
    ///
    /// Pass only stories of which the viewer gets a more exact point than the public.
    package func note(_ singles: [SingleStory], for viewer: Viewer) async throws {
        let others = singles.filter { $0.owner != viewer.user || viewer.service != nil }
        try await note(others.map { ($0.owner, $0.id) }, for: viewer)
    }

    /// Forgets which accesses are in the database, because rows were deleted.
    package func forget() { noted.removeAll() }

    private func note(_ stories: [(owner: UserID, id: StoryID)], for viewer: Viewer) async throws {
        guard context.store.isWritable,
            let reader = viewer.service.map(AccessRecord.Reader.service) ?? viewer.user.map(AccessRecord.Reader.user)
        else { return }
        let day = Int(context.now().milliseconds / 86_400_000)
        let fresh = noted.missing(
            stories.map { AccessRecord(owner: $0.owner, story: $0.id, reader: reader, day: day) }
        )
        guard !fresh.isEmpty else { return }
        try await context.store.write { try $0.save(fresh) }
        noted.insert(fresh)
    }
}

/// The accesses of one day that are already in the database, so that repeats cost nothing.
private final class NotedAccesses: Sendable {
    /// The number of accesses above which the set is emptied; the database contains them all.
    private static let limit = 200_000

    private let noted = Mutex<Set<AccessRecord>>([])

    /// Returns the records that are not known to be in the database.
    func missing(_ records: [AccessRecord]) -> [AccessRecord] {
        guard !records.isEmpty else { return [] }
        return noted.withLock { noted in records.filter { !noted.contains($0) } }
    }

    /// Remembers records that are now durable, and forgets those of other days.
    package func insert(_ records: [AccessRecord]) {
        noted.withLock { noted in
            if noted.count > NotedAccesses.limit || noted.first?.day != records.first?.day { noted = [] }
            noted.formUnion(records)
        }
    }

    /// Forgets all records, because rows were deleted.
    func removeAll() {
        noted.withLock { $0 = [] }
    }
}
