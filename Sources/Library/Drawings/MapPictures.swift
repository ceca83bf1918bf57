import Basemap
package import Geometry
package import MapDrawing
package import Notifications
import Rasters
package import Stories
import StoryMap

/// Draws maps of stories as pictures, each as its viewer may see them.
package struct MapPictures: Sendable {
    /// The maximum number of markers whose stories are looked up for the cells of approximate places.
    private static let mostCells = 2_000
    /// The number of stories at a place that are looked up: if all have a cell, it is drawn.
    private static let storiesAtPlace = 20
    /// The pixels of the world from which a cell of one degree is large enough to be drawn.
    private static let cellsFrom = 3.0

    private let maps: MapService
    private let tiles: @Sendable () -> [TileSet]

    /// Creates a value; `tiles` returns the basemaps, those to be drawn first in front.
    package init(maps: MapService, tiles: @escaping @Sendable () -> [TileSet]) {
        self.maps = maps
        self.tiles = tiles
    }

    /// Returns the tiles that a picture of a box is drawn from.
    ///
    /// Images are left out: a drawing has lines and names only.
    package func tiles(in box: BoundingBox) -> [DrawnTiles] {
        tiles()
            .compactMap { set in
                guard set.archive.kind == .vector else { return nil }
                let content: DrawnTiles.Content =
                    switch set.name {
                    case BasemapFiles.Part.land.rawValue: .land
                    case BasemapFiles.Part.names.rawValue: .names
                    default: .streets
                    }
                let drawn = DrawnTiles(content, set.archive, attribution: set.attribution)
                return content != .streets || drawn.reaches(box) ? drawn : nil
            }
    }

    /// Draws the stories of a search that stand in a view, as a viewer may see them at this moment.
    ///
    /// Access to exact points among them is recorded for their owners.
    /// - Throws: `MapPicture.Failure`, or an error of the store or of the tiles.
    package func picture(
        of view: MapView,
        search: StorySearch,
        viewer: Viewer,
        look: MapLook
    ) async throws -> MapPicture {
        let question = try await maps.mapQuestion(search, viewer: viewer)
        let markers = try await markers(in: view, question)
        // A story with several places can be in several markers.
        let stories = min(markers.reduce(0) { $0 + $1.count }, question.snapshot.total(question.query))
        let title = "Map of \(stories == 1 ? "1 story" : "\(stories) stories")"
        let tiles = tiles(in: view.box)
        return try await LongWork.run {
            try MapPicture(of: view, tiles: tiles, markers: markers, look: look, title: title)
        }
    }

    /// Returns the markers of a search that stand in a view.
    private func markers(in view: MapView, _ question: MapQuestion) async throws -> [DrawnMarker] {
        let zoom = min(Int(view.zoom.rounded(.down)), MapSnapshot.maximumZoom)
        let markers = question.snapshot.markers(in: view.box, zoom: zoom, question.query)
        try await maps.accesses.note(markers.compactMap(\.single).filter(\.isMoreExact), for: question.query.viewer)
        let cells = view.zoom < MapPictures.cellsFrom ? [:] : try await cells(of: markers, question)
        return markers.map { marker in
            let name = marker.single.map { $0.title.isEmpty ? $0.kind.rawValue : $0.title }
            return DrawnMarker(
                position: marker.position,
                count: marker.count,
                kind: marker.single?.kind,
                isStacked: marker.isStacked,
                cell: cells[marker.clusterID],
                title: name ?? MapPictures.counts(of: marker)
            )
        }
    }

    /// Returns the number of stories of a marker and, if they have more places there, that of places.
    private static func counts(of marker: Marker) -> String {
        let stories = marker.count == 1 ? "1 story" : "\(marker.count) stories"
        return marker.places == marker.count ? stories : "\(stories), \(marker.places) places"
    }

    /// Returns the cells of markers that stand for approximate places, by the ids of the markers.
    private func cells(of markers: [Marker], _ question: MapQuestion) async throws -> [ClusterID: PublishedCell] {
        let (snapshot, query) = (question.snapshot, question.query)
        var members: [(marker: Marker, stories: [StoryID])] = []
        for marker in markers where members.count < MapPictures.mostCells {
            if let single = marker.single {
                members.append((marker, [single.id]))
            } else if marker.isStacked {
                let page = snapshot.stories(of: marker.clusterID, query, limit: MapPictures.storiesAtPlace)
                members.append((marker, page?.ids ?? []))
            }
        }
        // What is drawn are published cells; no exact point is read from these stories.
        let ids = members.flatMap(\.stories)
        let views = try await maps.load(ids, viewer: query.viewer, notingAccesses: false)
        let read = Dictionary(views.map { ($0.story.id, $0.story) }) { a, _ in a }
        var found: [ClusterID: PublishedCell] = [:]
        for (marker, stories) in members {
            let own = stories.map { id in
                read[id].flatMap { MapPictures.cell(of: $0, at: marker.position, for: query.viewer) }
            }
            if let cell = own.first ?? nil, own.allSatisfy({ $0 == cell }) { found[marker.clusterID] = cell }
        }
        return found
    }

    /// Returns the cell in whose centre a viewer sees a story at a position; `nil` if they see an exact point there, as its
    /// owner does.
    private static func cell(of story: Story, at position: Coordinate, for viewer: Viewer) -> PublishedCell? {
        var shown = [story.location(for: viewer)].compactMap(\.self)
        let further = story.places(for: viewer).filter(\.isConfirmed).map(\.location)
        if !further.isEmpty {
            shown += further
            shown.removeAll { PlaceID($0.coordinate) != PlaceID(position) }
        }
        guard let location = shown.first, let cell = location.precision.cell else { return nil }
        return cell.center(of: location.coordinate) == location.coordinate ? cell : nil
    }
}

extension MapPictures {
    /// The size of the map in a digest, in pixels as the e-mail shows them; it is drawn with twice as many.
    private static let digest = (width: 560, height: 320, scale: 2)
    /// The deepest zoom of a digest's map: one still sees which part of a town it is.
    private static let digestZoom = 14.0

    /// Draws a small map of stories as PNG, as a viewer may see them at this moment; `nil` if none has a place that
    /// they may see.
    package func digest(of stories: [StoryID], for viewer: Viewer) async throws -> InlinePicture? {
        var search = StorySearch()
        search.ids = Set(stories)
        guard !stories.isEmpty, let box = try await maps.bounds(search, viewer: viewer) else { return nil }
        let size = MapPictures.digest
        let view = try MapView(
            fitting: box,
            width: size.width,
            height: size.height,
            margin: 48,
            deepest: MapPictures.digestZoom
        )
        let picture = try await picture(of: view, search: search, viewer: viewer, look: .light)
        let png = try await LongWork.run {
            try Raster.png(of: picture.svg, width: size.width * size.scale, height: picture.height * size.scale)
        }
        return InlinePicture(png: png, width: size.width, height: picture.height, alternative: picture.title)
    }
}
