extension JSONWriter {
    /// Begins a GeoJSON FeatureCollection up to its first feature; end it with `endArray()` and `endObject()`.
    ///
    /// `system` names the reference system as GeoJSON 2008 does; RFC 7946 has none.
    public mutating func beginFeatureCollection(system: String?) {
        beginObject()
        member("type", "FeatureCollection")
        if let system, !system.isEmpty {
            key("crs")
            beginObject()
            member("type", "name")
            key("properties")
            beginObject()
            member("name", system)
            endObject()
            endObject()
        }
        key("features")
        beginArray()
    }
}
