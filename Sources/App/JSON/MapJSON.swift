public import Library
import Formats
public import Geometry
import Stories
public import StoryMap

/// Writes the answers of the map.
public enum MapJSON: Sendable {
    /// Returns the FeatureCollection of `GET /v1/clusters`.
    public static func page(_ page: MarkerPage) -> [UInt8] {
        var json = JSONWriter(capacity: 400 * (page.markers.count + 1))
        json.beginObject()
        json.member("type", "FeatureCollection")
        json.key("bbox")
        GeoJSONShapes.writeBox(page.window.box, to: &json)
        json.member("zoom", page.window.zoom)
        json.member("numberMatched", page.matched)
        json.member("numberReturned", page.markers.count)
        json.key("features")
        json.beginArray()
        page.markers.forEach { json.raw($0) }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// Returns the FeatureCollection of `GET /v1/clusters/{cluster}/children`.
    public static func split(_ split: ClusterSplit) -> [UInt8] { self.split(split, isShared: false) }

    /// Returns the same for a viewer or for the holder of a share link.
    static func split(_ split: ClusterSplit, isShared: Bool) -> [UInt8] {
        var json = JSONWriter(capacity: 400 * (split.markers.count + 1))
        json.beginObject()
        json.member("type", "FeatureCollection")
        json.member("zoom", split.zoom)
        json.member("numberMatched", split.matched)
        json.member("numberReturned", split.markers.count)
        json.key("features")
        json.beginArray()
        for marker in split.markers { MarkerJSON.write(marker, isShared: isShared, to: &json) }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// Returns the answer of `GET /v1/clusters/{cluster}/expansion-zoom`.
    static func expansionZoom(_ zoom: Int) -> [UInt8] {
        var json = JSONWriter(capacity: 30)
        json.beginObject()
        json.member("expansion_zoom", zoom)
        json.endObject()
        return json.bytes
    }

    /// Returns the answer of `GET /v1/bounds`.
    public static func bounds(_ box: BoundingBox?) -> [UInt8] {
        var json = JSONWriter(capacity: 100)
        json.beginObject()
        json.key("bbox")
        if let box {
            GeoJSONShapes.writeBox(box, to: &json)
        } else {
            json.null()
        }
        json.endObject()
        return json.bytes
    }

    /// Returns the answer of `GET /v1/histogram`.
    public static func histogram(_ histogram: DateHistogram) -> [UInt8] {
        var json = JSONWriter(capacity: 100 + 60 * histogram.bins.count)
        json.beginObject()
        json.member("from", histogram.days?.lowerBound.description)
        json.member("to", histogram.days?.upperBound.description)
        json.member("numberMatched", histogram.total)
        json.member("undated", histogram.undated)
        json.key("bins")
        json.beginArray()
        for bin in histogram.bins {
            json.beginObject()
            json.member("from", bin.days.lowerBound.description)
            json.member("to", bin.days.upperBound.description)
            json.member("count", bin.count)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}

/// Writes the markers of a map, with supercluster's property names.
public enum MarkerJSON: Sendable {
    /// Appends the feature of a marker.
    public static func append(_ marker: Marker, to bytes: inout [UInt8]) {
        var json = JSONWriter(capacity: 400)
        write(marker, isShared: false, to: &json)
        bytes.append(contentsOf: json.bytes)
    }

    /// Appends the feature of a marker for the holder of a share link.
    static func appendShared(_ marker: Marker, to bytes: inout [UInt8]) {
        var json = JSONWriter(capacity: 400)
        write(marker, isShared: true, to: &json)
        bytes.append(contentsOf: json.bytes)
    }

    static func write(_ marker: Marker, isShared: Bool, to json: inout JSONWriter) {
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
            writeSingle(single, isShared: isShared, to: &json)
        } else {
            writeCluster(marker, to: &json)
        }
        json.endObject()
        json.endObject()
    }

    private static func writeCluster(_ marker: Marker, to json: inout JSONWriter) {
        json.member("cluster_id", Int(marker.clusterID.rawValue))
        json.member("point_count", marker.count)
        if marker.places != marker.count { json.member("places", marker.places) }
        json.key("point_count_abbreviated")
        if marker.count < 1_000 { json.value(marker.count) } else { json.value(abbreviation(of: marker.count)) }
        json.member("expansion_zoom", marker.expansionZoom)
        json.member("stacked", marker.isStacked)
    }

    private static func writeSingle(_ single: SingleStory, isShared: Bool, to json: inout JSONWriter) {
        json.member("kind", single.kind.rawValue)
        json.member("title", single.title)
        json.member("date", single.date)
        json.member("place_id", single.place.description)
        if let place = single.further { json.member("place", place.description) }
        json.member("stories_here", single.storiesHere)
        json.member("privacy", single.privacy.rawValue)
        if let version = single.picture {
            let address = StoryJSON.pictureAddress(of: single.id, version: version, isShared: isShared)
            json.member("thumbnail", address)
        }
    }

    /// Returns supercluster's abbreviation: whole thousands from 10,000, tenths of a thousand from 1,000.
    static func abbreviation(of count: Int) -> String {
        if count >= 10_000 { return "\((count + 500) / 1_000)k" }
        let tenths = (count + 50) / 100
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)k" : "\(tenths / 10).\(tenths % 10)k"
    }
}
