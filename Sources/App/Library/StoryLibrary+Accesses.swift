import Storage
import Stories
import Synchronization

extension StoryLibrary {
    /// How long it is told who got an exact point, in days.
    static let accessDays = 180

    /// Notes that the viewer is about to get the exact points of stories of which others get less, for their owners.
    ///
    /// Every answer that shows stories at their points goes through here before it leaves. One row a reader, story and
    /// day is written, with the first look; a cluster's position, which is a mean of several, is not counted as a look.
    /// The operator at the command line of a database that a service holds open is not noted.
    func noteAccesses(to stories: some Sequence<Story>, viewer: Viewer) async throws {
        guard let reader = viewer.user, store.isWritable else { return }
        let day = Int(now().milliseconds / 86_400_000)
        let fresh = notedAccesses.missing(
            stories.filter { $0.givesMore(to: viewer) }
                .map { AccessRecord(owner: $0.owner, story: $0.id, reader: reader, day: day) }
        )
        guard !fresh.isEmpty else { return }
        try await store.write { try $0.save(fresh) }
        notedAccesses.insert(fresh)
    }
}

/// The accesses of one day that are in the database already, so that repeats cost nothing.
final class NotedAccesses: Sendable {
    /// Beyond so many it begins anew; the database knows all.
    private static let limit = 200_000

    private let noted = Mutex<Set<AccessRecord>>([])

    /// Those of the records that are not known to be in the database.
    func missing(_ records: [AccessRecord]) -> [AccessRecord] {
        guard !records.isEmpty else { return [] }
        return noted.withLock { noted in records.filter { !noted.contains($0) } }
    }

    /// Remembers what is durable now, and forgets other days.
    func insert(_ records: [AccessRecord]) {
        noted.withLock { noted in
            if noted.count > NotedAccesses.limit || noted.first?.day != records.first?.day { noted = [] }
            noted.formUnion(records)
        }
    }

    /// Forgets all, because rows were deleted.
    func removeAll() {
        noted.withLock { $0 = [] }
    }
}
