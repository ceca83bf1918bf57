public import Stories
public import StoryMap

/// The markers of a part of the map.
public struct MarkerPage: Sendable {
    /// The part of the map.
    public let window: MapWindow
    /// The number of matching stories in its box.
    public let matched: Int
    /// The markers in its box, each encoded by the ``MapService/MarkerWriter`` that the caller passed.
    public let markers: RenderedMarkers
}

/// The markers into which a cluster splits.
public struct ClusterSplit: Sendable {
    /// The first deeper zoom at which it splits; ``MapSnapshot/maximumZoom`` + 1 if it never does.
    public let zoom: Int
    /// The number of stories in the cluster.
    public let matched: Int
    /// The markers at that zoom; none if it never splits.
    public let markers: [Marker]
}

extension MapService {
    /// Appends the bytes of one marker.
    ///
    /// All callers must pass the same function, because the bytes are cached.
    public typealias MarkerWriter = @Sendable (_ marker: Marker, _ bytes: inout [UInt8]) -> Void

    /// Returns the markers of a viewer in a window.
    public func markers(
        in window: MapWindow,
        search: StorySearch,
        viewer: Viewer,
        writtenBy write: MarkerWriter
    ) async throws -> MarkerPage {
        try await markers(in: window, try await mapQuestion(search, viewer: viewer), writtenBy: write)
    }

    /// Returns the markers in a window that match a query.
    ///
    /// Access to exact points among them is recorded for their owners.
    package func markers(
        in window: MapWindow,
        _ question: MapQuestion,
        writtenBy write: MarkerWriter
    ) async throws -> MarkerPage {
        let page = question.markers(in: window, writtenBy: write)
        try await accesses.note(page.markers.moreExact, for: question.query.viewer)
        return page
    }

    /// Returns the markers in a tile that match a query.
    ///
    /// Access to exact points among them is recorded for their owners.
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

    /// Returns the stories in a cluster, newest first; `nil` if there is no such cluster.
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
        return try await list(page, matched: marker.count, viewer: viewer).marking(search.words)
    }

    /// Returns the markers into which a cluster splits, at the zoom where it does; `nil` if there is no such cluster.
    ///
    /// The markers can also include stories of neighbouring clusters.
    public func split(of cluster: ClusterID, search: StorySearch, viewer: Viewer) async throws -> ClusterSplit? {
        let query = try await mapQuery(search, viewer: viewer)
        let snapshot = index.snapshot()
        guard let marker = snapshot.marker(cluster, query), let markers = snapshot.children(of: cluster, query) else {
            return nil
        }
        try await accesses.note(markers.compactMap(\.single).filter(\.isMoreExact), for: viewer)
        return ClusterSplit(zoom: marker.expansionZoom, matched: marker.count, markers: markers)
    }

    /// Returns the first deeper zoom at which a cluster splits, 21 if it never does; `nil` if there is no such cluster.
    public func expansionZoom(of cluster: ClusterID, search: StorySearch, viewer: Viewer) async throws -> Int? {
        let query = try await mapQuery(search, viewer: viewer)
        return index.snapshot().marker(cluster, query)?.expansionZoom
    }
}

extension MapQuestion {
    /// Returns the markers in a window without recording any access.
    package func markers(in window: MapWindow, writtenBy write: MapService.MarkerWriter) -> MarkerPage {
        let zoom = min(window.zoom, MapSnapshot.maximumZoom)
        return MarkerPage(
            window: window,
            matched: snapshot.count(in: window.box, query),
            markers: snapshot.rendered(in: window.box, zoom: zoom, query, by: write)
        )
    }
}
