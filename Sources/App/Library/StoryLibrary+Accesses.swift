import Geometry
import Storage
import Stories
import StoryMap
import Synchronization

extension StoryLibrary {
    /// How long it is told who got an exact point, in days.
    static let accessDays = 180

    /// Notes that the viewer is about to get the exact points of stories of which others get less, for their owners.
    ///
    /// Every answer that shows stories at their points goes through here before it leaves. One row a reader, story and
    /// day is written, with the first look; a cluster's position, which is a mean of several, is not counted as a look.
    /// A service is noted itself, whoever's eyes it looks through. The operator at the command line of a database that a service holds open is not noted.
    func noteAccesses(to stories: some Sequence<Story>, viewer: Viewer) async throws {
        try await noteAccesses(
            to: stories.filter { $0.givesMore(to: viewer) }.map { ($0.owner, $0.id) },
            viewer: viewer
        )
    }

    /// Notes the same of single stories on the map of which the viewer gets a more exact point than everybody does.
    func noteAccesses(to singles: [SingleStory], viewer: Viewer) async throws {
        let others = singles.filter { $0.owner != viewer.user || viewer.service != nil }
        try await noteAccesses(to: others.map { ($0.owner, $0.id) }, viewer: viewer)
    }

    private func noteAccesses(to stories: [(owner: UserID, id: StoryID)], viewer: Viewer) async throws {
        guard store.isWritable,
            let reader = viewer.service.map(AccessRecord.Reader.service) ?? viewer.user.map(AccessRecord.Reader.user)
        else { return }
        let day = Int(now().milliseconds / 86_400_000)
        let fresh = notedAccesses.missing(
            stories.map { AccessRecord(owner: $0.owner, story: $0.id, reader: reader, day: day) }
        )
        guard !fresh.isEmpty else { return }
        try await store.write { try $0.save(fresh) }
        notedAccesses.insert(fresh)
    }
}

extension StoryLibrary {
    /// The box of `GET /v1/bounds`; its edges are points of stories, so whose they are is noted.
    func bounds(_ search: StorySearch, viewer: Viewer) async throws -> BoundingBox? {
        let query = try await mapQuery(search, viewer: viewer)
        let snapshot = map.snapshot()
        guard let box = snapshot.bounds(query) else { return nil }
        guard viewer.user != nil || viewer.service != nil else { return box }
        let (west, south, east, north) = (box.west, box.south, box.east, box.north)
        let edges = [
            BoundingBox(west: west, south: south, east: west, north: north),
            BoundingBox(west: east, south: south, east: east, north: north),
            BoundingBox(west: west, south: south, east: east, north: south),
            BoundingBox(west: west, south: north, east: east, north: north),
        ]
        var ids: Set<StoryID> = []
        for edge in edges {
            ids.formUnion(snapshot.stories(in: edge, query, limit: StoryLibrary.edgeLimit).ids)
        }
        _ = try await load(ids.sorted(), viewer: viewer)
        return box
    }

    /// The most stories on one edge of a box that are looked at.
    private static let edgeLimit = 100
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
