import Formats
import Library
import Stories

/// Placemarks of KML with all columns as data of a schema.
struct KMLForm: TextForm {
    private static let columns = ExportColumn.front + ExportColumn.days + ExportColumn.rest

    var head: [UInt8] {
        // A name of the document would become the collection of all stories when they are imported.
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2">
            <Document>
            <Schema id="story" name="story">

            """
        for column in KMLForm.columns where KMLForm.isData(column) {
            text += "<SimpleField name=\"\(column.name)\" type=\"\(KMLForm.type(column.kind))\"/>\n"
        }
        return Array((text + "</Schema>\n").utf8)
    }

    var foot: [UInt8] { Array("</Document>\n</kml>\n".utf8) }

    func bytes(of story: ExportedStory) -> [UInt8]? {
        var text = "<Placemark id=\"s\(story.story.id)\">"
        text += XMLEscaping.element("name", story.story.title)
        text += XMLEscaping.element("description", story.story.text)
        text += KMLForm.time(of: story)
        text += "<ExtendedData><SchemaData schemaUrl=\"#story\">"
        let looksLikeMarkup = story.story.text?.contains("<") ?? false
        for column in KMLForm.columns where KMLForm.isData(column) {
            let value = KMLForm.text(column.value(story))
            if !value.isEmpty, column.name != "text" || looksLikeMarkup {
                text += "<SimpleData name=\"\(column.name)\">\(XMLEscaping.escaped(value))</SimpleData>"
            }
        }
        text += "</SchemaData></ExtendedData>"
        if let position = story.position {
            let (x, y) = (ExportColumn.Value.degrees(position.x).text, ExportColumn.Value.degrees(position.y).text)
            text += "<Point><coordinates>\(x),\(y)</coordinates></Point>"
        }
        return Array((text + "</Placemark>\n").utf8)
    }

    /// Whether a column is data: the title is the placemark's own.
    ///
    /// So is the text; as descriptions are HTML to their
    /// readers, one that looks like it is data as well.
    private static func isData(_ column: ExportColumn) -> Bool { column.name != "title" }

    /// Returns a value as data; a flag is 1 or 0, as a boolean of XML may be, because GDAL 3.6 reads `true` as 0.
    static func text(_ value: ExportColumn.Value) -> String {
        if case .flag(let flag) = value { flag ? "1" : "0" } else { value.text }
    }

    private static func type(_ kind: ExportColumn.Kind) -> String {
        switch kind {
        case .text, .day, .instant: "string"
        case .flag: "bool"
        case .whole: "int"
        case .number: "double"
        }
    }

    /// The days of the date, as far as KML can say them: years from 1 on.
    private static func time(of story: ExportedStory) -> String {
        func text(_ day: CalendarDay?) -> String? { day.flatMap { $0.components.year >= 1 ? $0.description : nil } }
        let (first, last) = (text(story.days.first), text(story.days.last))
        guard first != nil || last != nil else { return "" }
        if let first, first == last { return "<TimeStamp><when>\(first)</when></TimeStamp>" }
        return "<TimeSpan>\(XMLEscaping.element("begin", first))\(XMLEscaping.element("end", last))</TimeSpan>"
    }
}

/// Waypoints of GPX 1.1.
struct GPXForm: TextForm {
    let options: ExportOptions

    var head: [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="Waymark" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:waymark="\(WaypointStory.namespace)">

            """
            .utf8
        )
    }

    var foot: [UInt8] { Array("</gpx>\n".utf8) }

    func bytes(of story: ExportedStory) -> [UInt8]? {
        guard let position = story.position else { return nil }
        let (x, y) = (ExportColumn.Value.degrees(position.x).text, ExportColumn.Value.degrees(position.y).text)
        var text = "<wpt lat=\"\(y)\" lon=\"\(x)\">"
        // A waypoint has an instant: noon of the day, so that no time zone moves it to another one.
        if let day = story.days.first, day == story.days.last, day.components.year >= 1 {
            text += "<time>\(day)T12:00:00Z</time>"
        }
        text += XMLEscaping.element("name", story.story.title)
        text += XMLEscaping.element("cmt", story.times.date?.text)
        text += XMLEscaping.element("desc", story.story.text)
        text += XMLEscaping.element("src", story.view.ownerName ?? story.story.owner.rawValue)
        if let link = story.story.mediaURL ?? (options.address != nil ? story.address(options) : nil) {
            text += "<link href=\"\(XMLEscaping.escaped(link))\"/>"
        }
        text += XMLEscaping.element("type", story.story.kind.rawValue)
        text += GPXForm.extensions(of: story)
        return Array((text + "</wpt>\n").utf8)
    }

    private static let columns = WaypointStory.allCases.compactMap { part in
        (ExportColumn.front + ExportColumn.rest).first { $0.name == part.column }.map { (part, $0) }
    }

    /// Returns the extensions, without what holds for every waypoint that does not say otherwise.
    private static func extensions(of story: ExportedStory) -> String {
        let elements = columns.compactMap { part, column -> String? in
            let value = column.value(story).text
            let isUsual = part == .privacy && value == "public" || part == .precision && value == "exact"
            guard !value.isEmpty, !isUsual else { return nil }
            return "<waymark:\(part.rawValue)>\(XMLEscaping.escaped(value))</waymark:\(part.rawValue)>"
        }
        return elements.isEmpty ? "" : "<extensions>" + elements.joined() + "</extensions>"
    }
}
