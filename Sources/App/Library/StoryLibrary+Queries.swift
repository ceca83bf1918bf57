import Formats
public import Geometry
import Storage
public import Stories
public import StoryMap

extension StoryLibrary {
    /// What part of the list of stories is wanted.
    public struct ListWindow: Sendable {
        /// Only stories with a point in this box; `nil` means all, also those without a location.
        public var box: BoundingBox?
        /// Only stories after this one.
        public var after: ListCursor?
        /// The most stories, at least one.
        public var limit: Int

        /// Creates a window.
        public init(box: BoundingBox? = nil, after: ListCursor? = nil, limit: Int = 20) {
            self.box = box
            self.after = after
            self.limit = limit
        }
    }

    /// The FeatureCollection of `GET /v1/stories`: what the viewer may see, newest first.
    ///
    /// `nextLink` turns the cursor of the next page into its address.
    public func storiesJSON(
        _ window: ListWindow,
        search: StorySearch,
        viewer: Viewer,
        nextLink: (ListCursor) -> String?
    ) async throws -> [UInt8] {
        try await storiesJSON(window, query: try await mapQuery(search, viewer: viewer), nextLink: nextLink)
    }

    /// A page of the stories that a question to the map finds, newest first; the same shape for every list of stories.
    func storiesJSON(
        _ window: ListWindow,
        query: StoryQuery,
        marking hidden: Set<StoryID> = [],
        nextLink: (ListCursor) -> String?
    ) async throws -> [UInt8] {
        let snapshot = map.snapshot()
        let page = snapshot.stories(in: window.box, query, after: window.after, limit: window.limit)
        let matched = window.box.map { snapshot.count(in: $0, query) } ?? snapshot.total(query)
        return try await storiesJSON(page, matched: matched, viewer: query.viewer, marking: hidden, nextLink: nextLink)
    }

    /// The FeatureCollection of a page of `matched` stories.
    func storiesJSON(
        _ page: StoryPage,
        matched: Int,
        viewer: Viewer,
        marking hidden: Set<StoryID> = [],
        nextLink: (ListCursor) -> String?
    ) async throws -> [UInt8] {
        var (stories, writer) = try await load(page.ids, viewer: viewer)
        writer.hidden = hidden
        var json = JSONWriter(capacity: 1_024 * (stories.count + 1))
        json.beginObject()
        json.member("type", "FeatureCollection")
        json.member("numberMatched", matched)
        json.member("numberReturned", stories.count)
        json.key("features")
        json.beginArray()
        for story in stories { writer.writeFeature(story, to: &json) }
        json.endArray()
        json.key("links")
        json.beginArray()
        if let link = page.next.flatMap(nextLink) {
            json.beginObject()
            json.member("rel", "next")
            json.member("type", MediaType.geoJSON)
            json.member("href", link)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// The stories with these ids that the viewer may see, in this order, and a writer that knows their owners.
    ///
    /// Exact points among them are noted for their owners unless the caller shows published ones alone.
    func load(
        _ ids: [StoryID],
        viewer: Viewer,
        notingAccesses: Bool = true
    ) async throws -> (stories: [Story], writer: StoryJSON) {
        let (found, writer) = try await store.read { transaction in
            let found = try transaction.stories(ids, visibleTo: viewer)
            var writer = StoryJSON(
                viewer: viewer,
                ownerNames: try transaction.names(of: Set(found.values.map(\.owner)))
            )
            if let user = viewer.user {
                writer.favourites = try transaction.favourites(of: user, among: found.keys)
                writer.narrowed = try transaction.narrowed(of: user, among: found.values)
            }
            return (found, writer)
        }
        // Between the index and the database a story may have changed hands or level: what counts is what it is now.
        let stories = ids.compactMap { found[$0] }
        if notingAccesses { try await accesses.note(stories, for: viewer) }
        return (stories, writer)
    }

    /// One story as the viewer may see it, or `nil` when they may not or there is none.
    func storyJSON(_ id: StoryID, viewer: Viewer) async throws -> [UInt8]? {
        let found = try await store.read { transaction -> (story: Story, json: [UInt8])? in
            guard let story = try transaction.story(id, visibleTo: viewer) else { return nil }
            return (story, try StoryLibrary.json(of: story, viewer: viewer, in: transaction))
        }
        guard let found else { return nil }
        try await accesses.note([found.story], for: viewer)
        return found.json
    }

    /// One story that the viewer has just written, with what they should know of it; `nil` when it is gone by now.
    func writtenStory(_ id: StoryID, viewer: Viewer) async throws -> WrittenStory? {
        try await written { transaction in try transaction.story(id, visibleTo: viewer).map { ($0, viewer) } }
    }

    /// The story as whoever changed it gets it; `nil` when there is none any more.
    func changedStory(_ id: StoryID, by principal: Principal) async throws -> WrittenStory? {
        try await written { transaction in try StoryLibrary.story(id, for: principal, in: transaction) }
    }

    private func written(
        _ find: @escaping @Sendable (StoreReader) throws -> (story: Story, viewer: Viewer)?
    ) async throws -> WrittenStory? {
        let found = try await store.read { transaction -> (story: Story, viewer: Viewer, written: WrittenStory)? in
            guard let (story, viewer) = try find(transaction) else { return nil }
            let json = try StoryLibrary.json(of: story, viewer: viewer, in: transaction)
            let warned = try StoryLibrary.json(of: story, viewer: viewer, warning: true, in: transaction)
            return (story, viewer, WrittenStory(body: warned, entityTag: EntityTag.strong(json)))
        }
        guard let found else { return nil }
        try await accesses.note([found.story], for: found.viewer)
        return found.written
    }

    /// The answer to whoever wrote a story.
    struct WrittenStory: Sendable {
        /// The story, with warnings.
        let body: [UInt8]
        /// The tag of the story as it is read: a neighbour that comes later makes nobody's version an old one.
        let entityTag: String
    }

    /// The story object as the viewer gets it, marked when they have hidden it or it is a favourite of theirs.
    static func json(
        of story: Story,
        viewer: Viewer,
        warning: Bool = false,
        in transaction: StoreReader
    ) throws -> [UInt8] {
        var writer = StoryJSON(viewer: viewer, ownerNames: try transaction.names(of: [story.owner]))
        writer.hidden = try viewer.user.map(transaction.hiddenStories) ?? []
        writer.favourites = try viewer.user.map { try transaction.favourites(of: $0, among: [story.id]) } ?? []
        if warning { writer.narrowed = try viewer.user.map { try transaction.narrowed(of: $0, among: [story]) } ?? [] }
        var json = JSONWriter(capacity: 1_024)
        writer.write(story, to: &json)
        return json.bytes
    }

    /// What part of the map is wanted.
    public struct MapWindow: Sendable {
        /// The wanted box.
        public let box: BoundingBox
        /// The zoom as asked for, 0...24, whole numbers of 512-pixel tiles.
        public let zoom: Int

        /// Creates a window from the zoom and tile size of a client, 256 or 512; a fractional zoom is rounded down.
        public init(box: BoundingBox, zoom: Double, tileSize: Int = 512) {
            self.box = box
            let whole = zoom.isFinite ? Int(min(24, max(0, zoom)).rounded(.down)) : 0
            // A 256-pixel tile of zoom z shows what a 512-pixel tile of zoom z - 1 does.
            self.zoom = max(0, tileSize == 256 ? whole - 1 : whole)
        }

        /// The longer side in pixels.
        public var pixels: Double {
            let world = 512 * Double(1 << zoom)
            let top = MercatorPoint(Coordinate(wrappingLatitude: box.north, longitude: 0)).y
            let bottom = MercatorPoint(Coordinate(wrappingLatitude: box.south, longitude: 0)).y
            return max(box.width / 360, Double(bottom - top) / WebMercator.size) * world
        }
    }

    /// The FeatureCollection of `GET /v1/clusters`.
    public func clustersJSON(_ window: MapWindow, search: StorySearch, viewer: Viewer) async throws -> [UInt8] {
        try await clustersJSON(window, try await mapQuestion(search, viewer: viewer))
    }

    /// The FeatureCollection that answers a question about a window.
    func clustersJSON(_ window: MapWindow, _ question: MapQuestion) async throws -> [UInt8] {
        let (body, moreExact) = clusters(in: window, question)
        try await accesses.note(moreExact, for: question.query.viewer)
        return body
    }

    /// The same, with the single stories in it whose points are more exact than everybody gets them.
    func clusters(in window: MapWindow, _ question: MapQuestion) -> (body: [UInt8], moreExact: [SingleStory]) {
        let (snapshot, query) = (question.snapshot, question.query)
        let matched = snapshot.count(in: window.box, query)
        let zoom = min(window.zoom, MapSnapshot.maximumZoom)
        let markers = snapshot.rendered(in: window.box, zoom: zoom, query, by: MarkerJSON.append)
        var json = JSONWriter(capacity: 400 * (markers.count + 1))
        json.beginObject()
        json.member("type", "FeatureCollection")
        json.key("bbox")
        GeoJSONShapes.writeBox(window.box, to: &json)
        json.member("zoom", window.zoom)
        json.member("numberMatched", matched)
        json.member("numberReturned", markers.count)
        json.key("features")
        json.beginArray()
        markers.forEach { json.raw($0) }
        json.endArray()
        json.endObject()
        return (json.bytes, markers.moreExact)
    }
}

/// Writes the markers of a map, with supercluster's property names.
enum MarkerJSON: Sendable {
    /// Appends the feature of a marker.
    static func append(_ marker: Marker, to bytes: inout [UInt8]) {
        var json = JSONWriter(capacity: 400)
        write(marker, to: &json)
        bytes.append(contentsOf: json.bytes)
    }

    static func write(_ marker: Marker, to json: inout JSONWriter) {
        json.beginObject()
        json.member("type", "Feature")
        json.key("id")
        if let single = marker.single {
            json.value(single.id.description)
        } else {
            json.value(Int(marker.clusterID.rawValue))
            json.key("bbox")
            GeoJSONShapes.writeBox(marker.bounds, to: &json)
        }
        json.key("geometry")
        GeoJSONShapes.writePoint(marker.position, to: &json)
        json.key("properties")
        json.beginObject()
        json.member("cluster", marker.single == nil)
        if let single = marker.single {
            writeSingle(single, to: &json)
        } else {
            writeCluster(marker, to: &json)
        }
        json.endObject()
        json.endObject()
    }

    private static func writeCluster(_ marker: Marker, to json: inout JSONWriter) {
        json.member("cluster_id", Int(marker.clusterID.rawValue))
        json.member("point_count", marker.count)
        json.key("point_count_abbreviated")
        if marker.count < 1_000 { json.value(marker.count) } else { json.value(abbreviation(of: marker.count)) }
        json.member("expansion_zoom", marker.expansionZoom)
        json.member("stacked", marker.isStacked)
    }

    private static func writeSingle(_ single: SingleStory, to json: inout JSONWriter) {
        json.member("kind", single.kind.rawValue)
        json.member("title", single.title)
        json.member("date", single.date)
        json.member("place_id", single.place.description)
        json.member("stories_here", single.storiesHere)
        json.member("privacy", single.privacy.rawValue)
    }

    /// The answer of `GET /v1/clusters/{cluster}/expansion-zoom`.
    static func expansionZoom(_ zoom: Int) -> [UInt8] {
        var json = JSONWriter(capacity: 30)
        json.beginObject()
        json.member("expansion_zoom", zoom)
        json.endObject()
        return json.bytes
    }

    /// supercluster's rule: from 10,000 whole thousands, from 1,000 tenths of a thousand.
    static func abbreviation(of count: Int) -> String {
        if count >= 10_000 { return "\((count + 500) / 1_000)k" }
        let tenths = (count + 50) / 100
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)k" : "\(tenths / 10).\(tenths % 10)k"
    }
}
