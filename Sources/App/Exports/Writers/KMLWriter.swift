import Formats
import Geometry
import Library
import Stories

/// Writes KML: the placemarks of stories, and after them a folder with a placemark for each further place.
///
/// Several geometries in one placemark would take the story's marker from programs that draw one kind of geometry
/// alone. In a folder of their own the places are a layer that can be switched off. It is there only if the viewer sees
/// one.
struct KMLWriter: StoryWriter {
    private let output: ([UInt8]) throws -> Void
    private var stories: TextWriter<KMLForm>
    private var isOpen = false
    private(set) var wantsPlaces = false

    /// Writes what stands before the first story.
    init(to output: @escaping ([UInt8]) throws -> Void) throws {
        self.output = output
        stories = try TextWriter(KMLForm(), to: output)
    }

    mutating func add(_ story: ExportedStory) throws -> Bool {
        if !story.places.isEmpty { wantsPlaces = true }
        return try stories.add(story)
    }

    mutating func addPlaces(of view: StoryView) throws {
        for place in view.exportedPlaces {
            if !isOpen { try output(Array("<Folder>\n<name>Places</name>\n".utf8)) }
            isOpen = true
            try output(Array(KMLPlace.placemark(place).utf8))
        }
    }

    mutating func finish() throws {
        if isOpen { try output(Array("</Folder>\n".utf8)) }
        try stories.finish()
    }
}

/// The placemark of a further place.
enum KMLPlace: Sendable {
    static func placemark(_ exported: ExportedPlace) -> String {
        let place = exported.place
        var text = "<Placemark id=\"p\(place.id)\">"
        let role = place.role.rawValue.replacing("_", with: " ")
        text += XMLEscaping.element("name", "\(exported.story.title): \(role)")
        text += XMLEscaping.element("description", exported.name)
        text += "<ExtendedData>"
        for column in PlaceColumn.all {
            let value = KMLForm.text(column.value(exported))
            guard !value.isEmpty else { continue }
            text += "<Data name=\"\(column.name)\"><value>\(XMLEscaping.escaped(value))</value></Data>"
        }
        text += "</ExtendedData>" + geometry(of: place)
        return text + "</Placemark>\n"
    }

    private static func geometry(of place: StoryPlace) -> String {
        let point = place.location.coordinate
        switch place.shape {
        case nil: return self.point(PlaceShape.Corner(longitude: point.longitude, latitude: point.latitude))
        case .line(let corners): return line(corners)
        case .polygon(let rings): return polygon(rings)
        case .multiPoint(let points): return several(points.map { self.point($0) })
        case .multiLine(let lines): return several(lines.map(line))
        case .multiPolygon(let areas): return several(areas.map(polygon))
        }
    }

    private static func several(_ parts: [String]) -> String {
        "<MultiGeometry>" + parts.joined() + "</MultiGeometry>"
    }

    private static func point(_ corner: PlaceShape.Corner) -> String { "<Point>" + coordinates([corner]) + "</Point>" }

    private static func line(_ corners: [PlaceShape.Corner]) -> String {
        "<LineString><tessellate>1</tessellate>" + coordinates(corners) + "</LineString>"
    }

    private static func polygon(_ rings: [[PlaceShape.Corner]]) -> String {
        var text = "<Polygon><tessellate>1</tessellate>"
        for (number, ring) in rings.enumerated() {
            let boundary = number == 0 ? "outerBoundaryIs" : "innerBoundaryIs"
            text += "<\(boundary)><LinearRing>" + coordinates(ring) + "</LinearRing></\(boundary)>"
        }
        return text + "</Polygon>"
    }

    /// KML has longitudes to 180 degrees alone, and draws a line across the antimeridian the shorter way.
    private static func coordinates(_ corners: [PlaceShape.Corner]) -> String {
        let tuples = corners.map { corner in
            let x = ExportColumn.Value.degrees(Coordinate.wrap(longitude: corner.longitude)).text
            return "\(x),\(ExportColumn.Value.degrees(corner.latitude).text)"
        }
        return "<coordinates>" + tuples.joined(separator: " ") + "</coordinates>"
    }
}
