import Formats
import Geometry
public import Stories
public import StoryMap

extension StoryLibrary {
    /// The FeatureCollection of the stories that a cluster stands for, newest first; `nil` when there is no such cluster.
    public func clusterStoriesJSON(
        _ cluster: ClusterID,
        _ window: ListWindow,
        search: StorySearch,
        viewer: Viewer,
        nextLink: (ListCursor) -> String?
    ) async throws -> [UInt8]? {
        let query = try await mapQuery(search, viewer: viewer)
        let snapshot = map.snapshot()
        guard let marker = snapshot.marker(cluster, query),
            let page = snapshot.stories(of: cluster, query, after: window.after, limit: window.limit)
        else { return nil }
        return try await storiesJSON(page, matched: marker.count, viewer: viewer, nextLink: nextLink)
    }

    /// The FeatureCollection of the markers into which a cluster splits, at the zoom where it does; `nil` when there is no
    /// such cluster.
    ///
    /// `numberMatched` counts the stories of the cluster; the markers can stand for stories of its neighbours as well. A
    /// cluster that never splits has none.
    public func clusterChildrenJSON(
        _ cluster: ClusterID,
        search: StorySearch,
        viewer: Viewer
    ) async throws -> [UInt8]? {
        let query = try await mapQuery(search, viewer: viewer)
        let snapshot = map.snapshot()
        guard let marker = snapshot.marker(cluster, query), let markers = snapshot.children(of: cluster, query) else {
            return nil
        }
        try await accesses.note(markers.compactMap(\.single).filter(\.isMoreExact), for: viewer)
        var json = JSONWriter(capacity: 400 * (markers.count + 1))
        json.beginObject()
        json.member("type", "FeatureCollection")
        json.member("zoom", marker.expansionZoom)
        json.member("numberMatched", marker.count)
        json.member("numberReturned", markers.count)
        json.key("features")
        json.beginArray()
        for child in markers { MarkerJSON.write(child, to: &json) }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// The first deeper zoom at which the stories of a cluster are no longer in one marker, 21 when there is none; `nil`
    /// when there is no such cluster.
    public func expansionZoom(of cluster: ClusterID, search: StorySearch, viewer: Viewer) async throws -> Int? {
        let query = try await mapQuery(search, viewer: viewer)
        return map.snapshot().marker(cluster, query)?.expansionZoom
    }
}
