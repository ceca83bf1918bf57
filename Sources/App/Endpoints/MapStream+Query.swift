import Web
package import Library
import Geometry
package import Stories

extension MapStream {
    /// Creates a stream like its route, but without a token to check again and without a limit on the viewport.
    ///
    /// - Throws: for a box or a query that cannot be read.
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
