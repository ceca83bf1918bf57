import Web
package import Library
import Geometry
package import Stories

extension MapStream {
    /// Creates a stream as its route does, but without a token to check again and without a limit on the viewport.
    ///
    /// - Throws: An error if the box or the query cannot be parsed.
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
