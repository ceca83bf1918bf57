import Stories

/// JSON that is not GeoJSON but has places in it, as GeoJSON: a plain array of objects, or a FeatureSet of ArcGIS.
public struct ForeignJSON: Sendable {
    /// What the JSON is.
    public enum Kind: Sendable {
        /// Objects in an array, at the top or in the only member that is one.
        case objects
        /// A FeatureSet of ArcGIS (Esri JSON).
        case esri
    }

    /// What it is.
    public let kind: Kind
    /// The number of values left out because Omeka S shows them to nobody but its own users.
    public private(set) var privateValues = 0
    /// What the file lacks or what is not read of it, each for people and without a full stop.
    public let remarks: [String]
    /// A FeatureCollection; its `crs` names the reference system, if there is one.
    public let geoJSON: [UInt8]

    /// Reads JSON; `nil` if it is none of these.
    ///
    /// - Throws: ``JSONError`` if the text begins like an array and is not JSON, or if an object repeats a name: of two
    ///   members, one may say that the story is private.
    /// - Complexity: O(bytes); the whole file is held as values.
    public init?(_ bytes: [UInt8]) throws(JSONError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes, limits: .init(bytes: bytes.count, allowsRepeatedNames: false))
        } catch {
            let first = bytes.first { ![0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
            if first == UInt8(ascii: "[") { throw error }
            return nil
        }
        var json = JSONWriter(capacity: bytes.count)
        if let features = value["features"]?.array, EsriFeature.isSet(value, features) {
            kind = .esri
            guard EsriFeature.write(value, features, to: &json) else { return nil }
            remarks = EsriFeature.remarks(on: value, features)
        } else {
            guard let objects = ForeignJSON.objects(value) else { return nil }
            (kind, remarks) = (.objects, [])
            privateValues = ForeignJSON.write(objects, of: value, to: &json)
        }
        geoJSON = json.bytes
    }

    /// Returns a remark on a list that a server of ArcGIS cut after a number of features, if that is known.
    package static func cut(after count: Int?) -> String {
        "the server cut the list (exceededTransferLimit), so features are missing; ask it for the rest as well, with "
            + "resultOffset\(count.map { "=\($0)" } ?? "")"
    }

    /// Returns whether a value is an object and no GeoJSON, whose objects all have a `type` of its own.
    static func isPlain(_ value: JSONValue) -> Bool {
        guard let members = value.object else { return false }
        guard let type = members["type"]?.string else { return true }
        return members["geometry"] == nil && members["features"] == nil && members["coordinates"] == nil
            && type != "Feature"
    }

    /// Returns an object as a feature, and counts the values left out of it.
    static func feature(of object: JSONValue, leaving left: inout Int) -> JSONValue {
        if object["type"]?.string == "Feature" { return object }
        return .object([
            "type": .string("Feature"), "geometry": .null, "properties": properties(object, leaving: &left),
        ])
    }

    /// Returns the objects of an array, if all its elements are objects.
    private static func objects(_ value: JSONValue) -> [JSONValue]? {
        if let elements = value.array { return isObjects(elements) ? elements : nil }
        guard let members = value.object, members["type"] == nil else { return nil }
        let arrays = members.values.compactMap(\.array).filter(isObjects)
        return arrays.count == 1 ? arrays[0] : nil
    }

    private static func isObjects(_ elements: [JSONValue]) -> Bool {
        !elements.isEmpty && elements.allSatisfy { $0.object != nil }
    }

    /// Writes objects as features; returns the number of private values, which are left out.
    ///
    /// What the JSON says about itself becomes members of the collection.
    private static func write(_ objects: [JSONValue], of whole: JSONValue, to json: inout JSONWriter) -> Int {
        var left = 0
        json.beginObject()
        json.member("type", "FeatureCollection")
        for (name, value) in (whole.object ?? [:]).sorted(by: { $0.key < $1.key })
        where value.array == nil && !FileNote.technical.contains(name) {
            json.key(name)
            value.write(to: &json)
        }
        json.key("features")
        json.beginArray()
        for object in objects { feature(of: object, leaving: &left).write(to: &json) }
        json.endArray()
        json.endObject()
        return left
    }

    /// Returns an object with the values of linked data (`{"@value": …}`, as Omeka S writes them) as plain ones, without
    /// those that are marked as not public.
    private static func properties(_ object: JSONValue, leaving left: inout Int) -> JSONValue {
        func plain(_ value: JSONValue) -> JSONValue {
            if let literal = value["@value"] { return literal }
            if let link = value["@id"], value["o:label"] == nil { return link }
            return value["o:label"] ?? value
        }
        var properties: [String: JSONValue] = [:]
        for (name, value) in object.object ?? [:] {
            guard let elements = value.array else {
                if isPrivate(value) { left += 1 } else { properties[name] = plain(value) }
                continue
            }
            let shown = elements.filter { !isPrivate($0) }
            left += elements.count - shown.count
            if shown.isEmpty, !elements.isEmpty { continue }
            let values = shown.map(plain)
            properties[name] = values.count == 1 && shown[0].object != nil ? values[0] : .array(values)
        }
        return .object(properties)
    }

    /// Returns whether a value of Omeka S is shown to its own users alone.
    private static func isPrivate(_ value: JSONValue) -> Bool {
        value["is_public"]?.bool == false && (value["@value"] != nil || value["@id"] != nil)
    }
}

/// Reads FeatureSets of ArcGIS.
private enum EsriFeature {
    static func isSet(_ value: JSONValue, _ features: [JSONValue]) -> Bool {
        guard value["type"] == nil else { return false }
        return value["geometryType"] != nil || value["spatialReference"] != nil || features.first?["attributes"] != nil
    }

    /// Returns remarks on what the server left out, and on curves, of which no points are known.
    static func remarks(on value: JSONValue, _ features: [JSONValue]) -> [String] {
        var remarks: [String] = []
        if value["exceededTransferLimit"]?.bool == true { remarks.append(ForeignJSON.cut(after: features.count)) }
        let curves = features.count { feature in
            let geometry = feature["geometry"]
            return geometry?["curveRings"] != nil || geometry?["curvePaths"] != nil
        }
        if curves > 0 {
            remarks.append(
                "features drawn with curves (\(curves)) have no place, because curveRings and curvePaths are not read; ask the "
                    + "server with returnTrueCurves=false"
            )
        }
        return remarks
    }

    /// Writes a FeatureSet; `false` if a feature of it is not one.
    static func write(_ value: JSONValue, _ features: [JSONValue], to json: inout JSONWriter) -> Bool {
        let dates = Set(
            (value["fields"]?.array ?? []).filter { $0["type"]?.string == "esriFieldTypeDate" }
                .compactMap { $0["name"]?.string }
        )
        json.beginFeatureCollection(
            system: system(value["spatialReference"] ?? features.first?["geometry"]?["spatialReference"])
        )
        for feature in features {
            guard let attributes = feature["attributes"]?.object else { return false }
            json.beginObject()
            json.member("type", "Feature")
            json.key("geometry")
            geometry(feature["geometry"]).write(to: &json)
            json.key("properties")
            JSONValue.object(attributes.merging(days(attributes, of: dates)) { $1 }).write(to: &json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return true
    }

    /// Returns the name of a reference system; `nil` for longitude and latitude on WGS 84.
    private static func system(_ reference: JSONValue?) -> String? {
        if let text = reference?["wkt"]?.string { return text }
        guard let id = (reference?["latestWkid"] ?? reference?["wkid"])?.integer, id != 4326 else { return nil }
        // Numbers beyond those of EPSG are Esri's own, but for what both call Web Mercator.
        if id == 102_100 || id == 102_113 { return "EPSG:3857" }
        return id > 37_000 ? "ESRI:\(id)" : "EPSG:\(id)"
    }

    /// Returns the days of attributes that are milliseconds since 1970.
    private static func days(_ attributes: [String: JSONValue], of names: Set<String>) -> [String: JSONValue] {
        var days: [String: JSONValue] = [:]
        for name in names {
            guard let milliseconds = attributes[name]?.number, abs(milliseconds) < 1e15 else { continue }
            guard let day = Timestamp(milliseconds: Int64(milliseconds)).day else { continue }
            days[name] = .string(day.description)
        }
        return days
    }

    private static func geometry(_ value: JSONValue?) -> JSONValue {
        func shape(_ type: String, _ coordinates: JSONValue) -> JSONValue {
            .object(["type": .string(type), "coordinates": coordinates])
        }
        guard let value, !value.isNull else { return .null }
        if let x = value["x"]?.number, let y = value["y"]?.number {
            return shape("Point", .array([.number(x), .number(y)]))
        }
        // An empty point has null or "NaN" for x (ArcGIS REST API, Geometry objects).
        if let x = value["x"], x.isNull || x.string == "NaN" { return shape("Point", .array([])) }
        if let points = value["points"] { return shape("MultiPoint", points) }
        // As in a Shapefile, one path or one area is what was meant.
        if let paths = value["paths"] {
            guard let only = paths[0], paths.array?.count == 1 else { return shape("MultiLineString", paths) }
            return shape("LineString", only)
        }
        guard let rings = value["rings"]?.array else { return .null }
        let corners = rings.map { ring in
            (ring.array ?? []).map { (x: $0[0]?.number ?? 0, y: $0[1]?.number ?? 0) }
        }
        let areas = RingGroups.areas(corners).map { area in JSONValue.array(area.map { rings[$0] }) }
        return areas.count == 1 ? shape("Polygon", areas[0]) : shape("MultiPolygon", .array(areas))
    }
}

extension JSONValue {
    /// Writes the value with the members of objects in the order of their names.
    package func write(to json: inout JSONWriter) {
        switch self {
        case .null: json.null()
        case .bool(let flag): json.value(flag)
        case .number(let number): json.value(number)
        case .digits(let digits): json.raw(digits.utf8)
        case .string(let text): json.value(text)
        case .array(let elements):
            json.beginArray()
            for element in elements { element.write(to: &json) }
            json.endArray()
        case .object(let members):
            json.beginObject()
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                json.key(name)
                member.write(to: &json)
            }
            json.endObject()
        }
    }
}
