import Geometry
import Stories

extension FeatureDocument {
    /// Reads the placemarks of KML (OGC 12-007r2, with Google's `gx:Track`).
    ///
    /// Names of folders become the collection, `ExtendedData` the properties; links to other files are not followed.
    /// - Throws: ``FeatureDocumentError``.
    public init(kml bytes: [UInt8]) throws(FeatureDocumentError) {
        var reader = KMLReader()
        try FeatureDocument.read(bytes, into: &reader)
        self = try reader.finished()
    }
}

private struct KMLReader: XMLElementHandler {
    private var document = FeatureDocument()
    private var path: [String] = []
    /// The name of each open folder or document, and whether it is switched off.
    private var folders: [(name: String, isOff: Bool)] = []
    private var placemark: Placemark?
    private var skipped: [String: Int] = [:]
    /// The name of the datum of a folder or document that is being read.
    private var datum = ""
    /// The number of placemarks that are further places of stories.
    private var places = 0
    private var descriptions = KMLDescriptions()

    private struct Placemark {
        let line: Int
        var id: String?
        var fields: [String: JSONValue] = [:]
        var dates = (when: "", begin: "", end: "")
        /// The name of the datum that is being read.
        var datum = ""
        var shapes = KMLShapes()
        var isOff = false
        var links: [WebLink] = []
        var summary = ""
        /// What identified the placemark before more was read of it.
        var identity: [String: JSONValue] = [:]

        /// Returns its date, a span with a slash, of times as `part` returns them; `nil` if it has none.
        func date(_ part: (String) -> String) -> String? {
            let span = [dates.begin, dates.end].map(part).filter { !$0.isEmpty }
            let date = dates.when.isEmpty ? span.joined(separator: "/") : part(dates.when)
            return date.isEmpty ? nil : date
        }

        /// Reads a time in words, which an import reads as it does those of a table.
        mutating func readTime(_ name: String, _ text: String) {
            switch name {
            case "when": dates.when = text
            case "begin": dates.begin = text
            case "end": dates.end = text
            default: break
            }
        }
    }

    mutating func start(_ name: String, attributes: [String: String], line: Int) throws {
        path.append(name)
        switch name {
        case "kml" where path.count > 1:
            throw FeatureDocumentError(line: line, reason: "a kml element stands inside another")
        case "Folder", "Document": folders.append(("", false))
        case "Placemark": placemark = Placemark(line: line, id: attributes["id"])
        case "Data", "SimpleData":
            placemark?.datum = attributes["name"] ?? ""
            datum = attributes["name"] ?? ""
        case "NetworkLink", "GroundOverlay", "ScreenOverlay", "PhotoOverlay": skipped[name, default: 0] += 1
        case "phoneNumber" where placemark != nil: skipped[name, default: 0] += 1
        case "link" where path.dropLast().last == "Placemark":
            // Of Atom (RFC 4287), where its words are a title.
            guard let address = attributes["href"] else { break }
            placemark?.links.append(WebLink(address, words: attributes["title"], mediaType: attributes["type"]))
        case "Point", "LineString", "Polygon", "Track", "innerBoundaryIs", "outerBoundaryIs", "MultiGeometry",
            "MultiTrack":
            placemark?.shapes.begin(name)
        case "LinearRing" where KMLShapes.isAlone(in: path.dropLast().last): placemark?.shapes.begin(name)
        default: break
        }
        if path.count == 1, name != "kml" { throw FeatureDocumentError(line: line, reason: "the file is not KML") }
    }

    mutating func end(_ name: String, text: String, line: Int) throws {
        path.removeLast()
        let parent = path.last ?? ""
        if placemark != nil {
            try value(name, text, in: parent, line: line)
            if name == "Placemark" { finishPlacemark() }
            return
        }
        switch name {
        case "Folder", "Document": if !folders.isEmpty { folders.removeLast() }
        case "name" where parent == "Folder" || parent == "Document":
            if !folders.isEmpty { folders[folders.count - 1].name = text }
            document.note(name, text)
        case "description" where parent == "Folder" || parent == "Document": document.note(name, text)
        case "value" where parent == "Data": document.note(datum, text)
        case "SimpleData": document.note(datum, text)
        case "visibility" where parent == "Folder" || parent == "Document":
            if !folders.isEmpty { folders[folders.count - 1].isOff = text.contains("0") }
        default: break
        }
    }

    private mutating func value(_ name: String, _ text: String, in parent: String, line: Int) throws {
        switch (parent, name) {
        case ("Placemark", "name"): placemark?.fields["name"] = .string(text)
        case ("Placemark", "description"):
            let content = descriptions.read(text)
            placemark?.fields["description"] = .string(content.text)
            placemark?.identity["description"] = content.bareText == content.text ? nil : .string(content.bareText)
            placemark?.links += content.links
        case ("Placemark", "Snippet"), ("Placemark", "snippet"): placemark?.summary = HTMLText.plain(text)
        case ("Placemark", "address"): placemark?.fields["address"] = .string(text)
        case ("Placemark", "visibility"): placemark?.isOff = text.contains("0")
        // That of a view says what a program shows with it.
        case ("TimeStamp", _), ("TimeSpan", _):
            if path.dropLast().last == "Placemark" { placemark?.readTime(name, text[...].trimmingBlanks) }
        case ("Data", "value"), (_, "SimpleData"):
            guard let datum = placemark?.datum, !datum.isEmpty, placemark?.fields[datum] == nil else { return }
            placemark?.fields[datum] = .string(text)
        case (_, "coordinates"), ("Track", "coord"):
            guard placemark?.shapes.add(text, isTrack: name == "coord") ?? true else {
                throw FeatureDocumentError(line: line, reason: "the coordinates are not numbers, or there are too many")
            }
        case (_, "Point"), (_, "LineString"), (_, "Polygon"), (_, "Track"): placemark?.shapes.end(name)
        case (_, "outerBoundaryIs"), (_, "innerBoundaryIs"): placemark?.shapes.end(name)
        case (_, "LinearRing") where KMLShapes.isAlone(in: parent): placemark?.shapes.end(name)
        default: break
        }
    }

    private mutating func finishPlacemark() {
        guard var mark = placemark else { return }
        placemark = nil
        // Our own exports draw the further places of stories as well; the stories have them in a property.
        guard mark.fields["story_place"] == nil else {
            places += 1
            return
        }
        if let date = mark.date({ $0 }), mark.fields["date"] == nil {
            mark.fields["date"] = .string(date)
            mark.identity["date"] = mark.date { String($0.prefix(10)) }.map { .string($0) }
        }
        // The outermost name is that of the file.
        let folder = folders.dropFirst(folders.count > 1 ? 1 : 0).last { !$0.name.isEmpty }?.name ?? ""
        if mark.fields["collection"] == nil { mark.fields["collection"] = .string(folder) }
        // What is switched off may be meant not to be seen: an import asks about a property of this name.
        if mark.isOff || folders.contains(where: \.isOff) { mark.fields["visibility"] = .string("0") }
        let all = mark.fields[KMLDescriptions.mediaProperty]
        let media = KMLDescriptions.media(all?.string ?? "")
        if let picture = media.picture {
            mark.fields[KMLDescriptions.mediaProperty] = .string(picture)
            mark.identity[KMLDescriptions.mediaProperty] = all
        }
        let geometry = mark.shapes.geometry
        let position = mark.shapes.marker ?? geometry.flatMap { GeoJSONFeature.Position(of: $0) }
        document.add(
            id: mark.id,
            position: position,
            geometryType: position == nil ? mark.shapes.first : mark.shapes.type,
            geometry: position == nil ? nil : geometry,
            properties: mark.fields,
            identity: mark.identity,
            links: descriptions.chosen(mark.links + media.links, beside: mark.fields),
            paragraphs: KMLDescriptions.summary(mark.summary, beside: mark.fields)
        )
    }

    func finished() throws(FeatureDocumentError) -> FeatureDocument {
        var document = document
        if document.features.isEmpty, places == 0, let links = skipped["NetworkLink"] {
            let what =
                links == 1
                ? "another file; download that file and import it" : "\(links) other files; download and import those"
            throw FeatureDocumentError(
                line: nil,
                reason: "the file is valid but contains no stories: it only links to \(what)"
            )
        }
        if document.features.isEmpty, places > 0 {
            document.remarks.append("places (\(places)) were not read, because their stories are not in the file")
        }
        for (name, count) in skipped.sorted(by: { $0.key < $1.key }) {
            document.remarks.append("\(count) \(name) element\(count == 1 ? " was" : "s were") not read")
        }
        document.remarks += descriptions.remarks
        return document
    }
}

/// The geometry of a placemark.
private struct KMLShapes {
    private var points: [JSONValue] = []
    private var lines: [JSONValue] = []
    private var polygons: [JSONValue] = []
    private var rings: [JSONValue] = []
    private var line: [JSONValue] = []
    private var count = 0
    /// The name of the first geometry, which may be empty; `nil` if there is none.
    private(set) var first: String?

    /// The maximum number of positions in one placemark.
    private static let most = 1_000_000

    /// Returns whether a ring in this element is a geometry of its own, and not that of an area.
    static func isAlone(in parent: String?) -> Bool { parent == "Placemark" || parent == "MultiGeometry" }

    mutating func begin(_ name: String) {
        first = first ?? name
        switch name {
        case "Polygon": (rings, line) = ([], [])
        default: line = []
        }
    }

    /// Adds `lon,lat[,height]` tuples, or one `lon lat height` of a track; `false` if they are damaged or too many.
    mutating func add(_ text: String, isTrack: Bool) -> Bool {
        let tuples = isTrack ? [text[...]] : text.split(whereSeparator: \.isWhitespace)
        var positions: [JSONValue] = []
        for tuple in tuples {
            let parts = tuple.split { $0 == "," || (isTrack && $0.isWhitespace) }
            let numbers = parts.prefix(2).map { DecimalText.number($0) }
            guard numbers.count == 2, let x = numbers[0], let y = numbers[1] else { return false }
            positions.append(.array([.number(x), .number(y)]))
        }
        count += positions.count
        guard count <= Self.most else { return false }
        line += positions
        return true
    }

    mutating func end(_ name: String) {
        switch name {
        case "Point": points += line.prefix(1)
        case "outerBoundaryIs": rings.insert(.array(line), at: 0)
        case "innerBoundaryIs": rings.append(.array(line))
        case "Polygon":
            if !rings.isEmpty || !line.isEmpty { polygons.append(.array(rings.isEmpty ? [.array(line)] : rings)) }
        case "LinearRing":
            // It is a closed line, also where the last position is left out.
            if line.count > 2, let start = line.first, line.last != start { line.append(start) }
            if !line.isEmpty { lines.append(.array(line)) }
        default: if !line.isEmpty { lines.append(.array(line)) }
        }
        line = []
    }

    /// The only point beside lines, which marks where the placemark is; `nil` if there is none.
    var marker: GeoJSONFeature.Position? {
        guard points.count == 1, !lines.isEmpty, polygons.isEmpty else { return nil }
        return GeoJSONFeature.Position(of: KMLShapes.geoJSON("Point", points[0]))
    }

    /// The type as GeoJSON writes it, or `MultiGeometry` for several.
    var type: String {
        guard points.count + lines.count + polygons.count == 1 else { return "MultiGeometry" }
        return points.isEmpty ? lines.isEmpty ? "Polygon" : "LineString" : "Point"
    }

    /// The geometry as GeoJSON: several of one kind are one of several parts, several kinds a collection.
    var geometry: JSONValue? {
        let kinds = [("Polygon", polygons), ("LineString", lines), ("Point", points)].filter { !$0.1.isEmpty }
        let parts = kinds.map { type, parts in
            parts.count == 1
                ? KMLShapes.geoJSON(type, parts[0]) : KMLShapes.geoJSON("Multi" + type, .array(parts))
        }
        guard parts.count > 1 else { return parts.first }
        return .object(["type": .string("GeometryCollection"), "geometries": .array(parts)])
    }

    private static func geoJSON(_ type: String, _ coordinates: JSONValue) -> JSONValue {
        .object(["type": .string(type), "coordinates": coordinates])
    }
}
