public import Stories
public import StoryMap

/// The markers of a part of the map.
public struct MarkerPage: Sendable {
    /// The part.
    public let window: MapWindow
    /// How many stories lie in its box.
    public let matched: Int
    /// The markers in its box, each as the bytes that the caller makes of one.
    public let markers: RenderedMarkers
}

/// The markers into which a cluster splits.
public struct ClusterSplit: Sendable {
    /// The first deeper zoom at which it splits, ``MapSnapshot/maximumZoom`` + 1 when it never does.
    public let zoom: Int
    /// How many stories the cluster stands for.
    public let matched: Int
    /// The markers at that zoom; none when it never splits.
    public let markers: [Marker]
}

extension MapService {
    /// Appends the bytes of one marker; the same function from all callers, because the bytes are kept.
    public typealias MarkerWriter = @Sendable (_ marker: Marker, _ bytes: inout [UInt8]) -> Void

    /// The markers that a viewer gets in a window.
    public func markers(
        in window: MapWindow,
        search: StorySearch,
        viewer: Viewer,
        writtenBy write: MarkerWriter
    ) async throws -> MarkerPage {
        try await markers(in: window, try await mapQuestion(search, viewer: viewer), writtenBy: write)
    }

    /// The markers in a window that answer a question; exact points among them are recorded for their owners.
    package func markers(
        in window: MapWindow,
        _ question: MapQuestion,
        writtenBy write: MarkerWriter
    ) async throws -> MarkerPage {
        let page = question.markers(in: window, writtenBy: write)
        try await accesses.note(page.markers.moreExact, for: question.query.viewer)
        return page
    }

    /// The markers of a tile that answer a question.
    package func markers(in tile: MapTile, _ question: MapQuestion) async throws -> [Marker] {
        let markers = question.snapshot.markers(
            inTile: tile.column,
            row: tile.row,
            zoom: tile.zoom,
            question.query
        )
        try await accesses.note(markers.compactMap(\.single).filter(\.isMoreExact), for: question.query.viewer)
        return markers
    }

    /// The stories that a cluster stands for, newest first; `nil` when there is no such cluster.
    public func stories(
        of cluster: ClusterID,
        _ window: ListWindow,
        search: StorySearch,
        viewer: Viewer
    ) async throws -> StoryList? {
        let query = try await mapQuery(search, viewer: viewer)
        let snapshot = index.snapshot()
        guard let marker = snapshot.marker(cluster, query),
            let page = snapshot.stories(of: cluster, query, after: window.after, limit: window.limit)
        else { return nil }
        return try await list(page, matched: marker.count, viewer: viewer)
    }

    /// The markers into which a cluster splits, at the zoom where it does; `nil` when there is no such cluster.
    ///
    /// The markers can stand for stories of its neighbours as well.
    public func split(of cluster: ClusterID, search: StorySearch, viewer: Viewer) async throws -> ClusterSplit? {
        let query = try await mapQuery(search, viewer: viewer)
        let snapshot = index.snapshot()
        guard let marker = snapshot.marker(cluster, query), let markers = snapshot.children(of: cluster, query) else {
            return nil
        }
        try await accesses.note(markers.compactMap(\.single).filter(\.isMoreExact), for: viewer)
        return ClusterSplit(zoom: marker.expansionZoom, matched: marker.count, markers: markers)
    }

    /// The first deeper zoom at which the stories of a cluster are no longer in one marker, 21 when there is none; `nil`
    /// when there is no such cluster.
    public func expansionZoom(of cluster: ClusterID, search: StorySearch, viewer: Viewer) async throws -> Int? {
        let query = try await mapQuery(search, viewer: viewer)
        return index.snapshot().marker(cluster, query)?.expansionZoom
    }
}

extension MapQuestion {
    /// The markers in a window, nobody's access recorded.
    package func markers(in window: MapWindow, writtenBy write: MapService.MarkerWriter) -> MarkerPage {
        let zoom = min(window.zoom, MapSnapshot.maximumZoom)
        return MarkerPage(
            window: window,
            matched: snapshot.count(in: window.box, query),
            markers: snapshot.rendered(in: window.box, zoom: zoom, query, by: write)
        )
    }
}
