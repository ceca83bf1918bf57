/// Reads GPX 1.0 and 1.1 (Topografix) and Training Center XML version 2 (Garmin).
struct XMLTraceReader: XMLElementHandler {
    private var builder: TraceBuilder
    private var format: TraceFormat?
    private var path: [String] = []
    private var point: RawTracePoint?
    private var pointDepth = 0

    private init(builder: TraceBuilder) { self.builder = builder }

    /// Reads a document.
    ///
    /// - Throws: ``TraceError``.
    static func read(_ bytes: [UInt8], into builder: TraceBuilder) throws -> Trace {
        var reader = XMLTraceReader(builder: builder)
        do {
            try XMLScanner.read(try XMLText.prepared(bytes), depth: builder.limits.depth, into: &reader)
        } catch let failure as XMLText.Failure {
            throw builder.error(for: failure)
        } catch let failure as XMLFailure {
            throw builder.error(for: failure)
        }
        return reader.builder.finish(reader.format ?? .gpx)
    }

    mutating func start(_ name: String, attributes: [String: String], line: Int) throws {
        path.append(name)
        if path.count == 1 { return try startRoot(name, line: line) }
        guard point == nil else {
            point?.content?.begin(name, attributes: attributes, depth: path.count - pointDepth)
            return
        }
        switch (format, name) {
        case (.gpx, "trkpt"), (.gpx, "wpt"), (.gpx, "rtept"):
            var raw = RawTracePoint(place: .line(line))
            raw.latitude = attributes["lat"]
            raw.longitude = attributes["lon"]
            if name == "wpt" { raw.content = WaypointContent() }
            begin(raw)
        case (.tcx, "Trackpoint"), (.tcx, "CoursePoint"):
            begin(RawTracePoint(place: .line(line)))
        case (.gpx, "trkseg"), (.tcx, "Track"), (.tcx, "Lap"):
            builder.endSegment()
        default: break
        }
    }

    mutating func end(_ name: String, text: String, line: Int) throws {
        defer { path.removeLast() }
        guard point != nil else { return endOutsidePoint(name, text: text) }
        if path.count == pointDepth { return try endPoint(name) }
        guard TraceText.words(text) != nil else { return }
        if format == .tcx { readTCX(name, text) } else { readGPX(name, text) }
    }

    private mutating func startRoot(_ name: String, line: Int) throws {
        switch name {
        case "gpx": format = .gpx
        case "TrainingCenterDatabase": format = .tcx
        default:
            let problem = "not a trace: \(TraceReader.expectation), found XML that is neither GPX nor TCX"
            throw builder.error(.notATrace, at: .line(line), problem, "export the recording as GPX")
        }
    }

    private mutating func begin(_ raw: RawTracePoint) {
        point = raw
        pointDepth = path.count
    }

    private mutating func endPoint(_ name: String) throws {
        guard let raw = point else { return }
        point = nil
        switch name {
        case "wpt", "CoursePoint": try builder.addWaypoint(raw, isRoute: false)
        case "rtept": try builder.addWaypoint(raw, isRoute: true)
        default: try builder.add(raw)
        }
    }

    private mutating func endOutsidePoint(_ name: String, text: String) {
        switch (format, name) {
        case (.gpx, "trkseg"), (.gpx, "trk"), (.tcx, "Track"), (.tcx, "Lap"): builder.endSegment()
        case (.gpx, "name"), (.tcx, "Name"): readName(text)
        default: break
        }
    }

    /// Uses the first name of the file, its metadata, a track or a course, but not that of a route or an author.
    private mutating func readName(_ text: String) {
        let owners = ["gpx", "metadata", "trk", "Course"]
        guard builder.name == nil, path.count >= 2, owners.contains(path[path.count - 2]) else { return }
        builder.name = TraceText.words(text)
    }

    private mutating func readGPX(_ name: String, _ text: String) {
        let outer = path[pointDepth]
        point?.content?.read(name, text, depth: path.count - pointDepth, in: outer)
        if path.count == pointDepth + 1 {
            switch name {
            case "time": point?.time = text
            case "hdop": point?.dilution = text
            case "name": point?.name = text
            case "desc": point?.words = text
            case "cmt": point?.comment = text
            default: readMotion(name, text)
            }
        } else if outer.lowercased() == "extensions" {
            if let part = WaypointStory(rawValue: name) { point?.story[part] = text }
            readMotion(name, text)
        }
    }

    /// Reads values written as elements in GPX 1.0, or as extensions by Garmin, OsmAnd and others, with any prefix.
    private mutating func readMotion(_ name: String, _ text: String) {
        switch name.lowercased() {
        case "speed": point?.speed = text
        case "course", "heading", "bearing": point?.course = text
        case "accuracy", "acc", "hacc", "horizontalaccuracy", "horizontal_accuracy": point?.accuracy = text
        case "received": point?.received = text
        case "device": point?.device = text
        default: break
        }
    }

    private mutating func readTCX(_ name: String, _ text: String) {
        switch name {
        case "Time": point?.time = text
        case "LatitudeDegrees": point?.latitude = text
        case "LongitudeDegrees": point?.longitude = text
        case "Name": point?.name = text
        case "Notes": point?.words = text
        case "Speed": point?.speed = text
        default: break
        }
    }
}

extension TraceBuilder {
    fileprivate func error(for failure: XMLText.Failure) -> TraceError {
        switch failure {
        case .unknownEncoding(let name):
            let problem = "the encoding \"\(name.prefix(40))\" is not supported"
            return error(.malformed, at: .line(1), problem, "save the file as UTF-8")
        case .invalidBytes(let line):
            let problem = "XML is not well formed (a byte does not fit the file's encoding)"
            return error(.malformed, at: .line(line), problem, "save the file as UTF-8")
        }
    }

    fileprivate func error(for failure: XMLFailure) -> TraceError {
        switch failure {
        case .malformed(let line, let words):
            let problem = "XML is not well formed (\(words))"
            return error(.malformed, at: .line(line), problem, "export the recording again; the file may be incomplete")
        case .declaresDocumentType(let line):
            let problem = "rejected: the file declares a DOCTYPE or an entity"
            return error(.refused, at: .line(line), problem, "remove the declaration; no trace needs one")
        case .tooDeep(let line):
            let problem = "rejected: elements are nested deeper than \(limits.depth) levels"
            return error(.refused, at: .line(line), problem, "export the recording without extensions")
        }
    }
}
