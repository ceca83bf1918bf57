import Library
import Formats
import Geofencing
import Geometry
import Stories

/// Writes offline packages.
struct PackageJSON: Sendable {
    private let package: OfflinePackage
    private let stories: [UInt8]
    private let levels: [[UInt8]]

    /// Writes the parts of a package.
    init(_ package: OfflinePackage) {
        self.package = package
        stories = StoryListJSON.page(package.stories)
        levels = package.levels.map(MapJSON.page)
    }

    /// Returns the answer of `GET /v1/offline-package`.
    var document: [UInt8] { document(generatedAt: package.generatedAt) }

    /// The bytes the package's ETag is derived from: everything except the time of the answer.
    var version: [UInt8] { document(generatedAt: nil) }

    private func document(generatedAt: Timestamp?) -> [UInt8] {
        var json = JSONWriter(capacity: stories.count + levels.reduce(4_096) { $0 + $1.count })
        json.beginObject()
        json.key("bbox")
        GeoJSONShapes.writeBox(package.box, to: &json)
        json.member("zoom", package.zoom)
        if let generatedAt { json.member("generated_at", RFC3339.format(generatedAt)) }
        json.key("stories")
        json.raw(stories)
        json.key("clusters")
        json.beginArray()
        for level in levels { json.raw(level) }
        json.endArray()
        json.member("monitoring", package.fences == nil ? "off" : "on")
        json.key("fences")
        json.beginArray()
        for fence in package.fences ?? [] { PackageJSON.write(fence, to: &json) }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func write(_ packaged: OfflinePackage.PackagedFence, to json: inout JSONWriter) {
        json.beginObject()
        json.member("place_id", packaged.fence.id.description)
        json.key("lat")
        json.degrees(packaged.fence.coordinate.latitude)
        json.key("lon")
        json.degrees(packaged.fence.coordinate.longitude)
        json.member("radius", packaged.fence.radius)
        json.member("count", packaged.count)
        json.endObject()
    }
}
