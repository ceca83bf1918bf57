import Geometry
import Storage
import Stories
import StoryMap

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
