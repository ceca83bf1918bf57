package import Library
import Geometry
package import Stories

extension MapStream {
    /// A stream as the route makes it, without a token to ask about again.
    ///
    /// - Throws: for a box or a query that the route refuses.
    package init(
        library: StoryLibrary,
        client: LiveClient,
        bbox: String,
        zoom: Double,
        query: String,
        viewer: Viewer,
        resume: String?
    ) throws {
        self.init(
            library: library,
            client: client,
            window: MapWindow(box: try BoundingBox(parsing: bbox), zoom: zoom),
            search: try StorySearch(try QueryString(query).values),
            viewer: viewer,
            address: "\(bbox)|\(zoom)|\(query)",
            resume: resume,
            isGood: { true }
        )
    }
}
