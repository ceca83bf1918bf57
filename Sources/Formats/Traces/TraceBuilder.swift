import Geometry
import Stories

/// One unparsed point from a file.
struct RawTracePoint {
    var place: TracePlace
    var latitude: String?
    var longitude: String?
    var time: String?
    var received: String?
    var accuracy: String?
    var dilution: String?
    var speed: String?
    var course: String?
    var device: String?
    var name: String?
    var words: String?
    /// A second text, which counts as the words if there are no others.
    var comment: String?
    var story: [WaypointStory: String] = [:]
    /// What a waypoint says besides; `nil` for other points.
    var content: WaypointContent?

    init(place: TracePlace) { self.place = place }
}

/// Collects a reader's results within the limits, and applies the rules common to all formats.
struct TraceBuilder {
    let file: String
    let limits: TraceLimits
    var name: String?
    private var segments: [[TracePoint]] = []
    private var segment: [TracePoint] = []
    private var waypoints: [TraceWaypoint] = []
    private var routePoints: [TraceWaypoint] = []
    private var problems: [TraceProblem] = []
    private var problemCount = 0
    private var count = 0

    init(file: String, limits: TraceLimits) {
        self.file = file
        self.limits = limits
    }

    /// Ends a segment: a gap follows.
    mutating func endSegment() {
        if !segment.isEmpty { segments.append(segment) }
        segment = []
    }

    /// Records a part that is skipped or ignored.
    mutating func note(
        _ place: TracePlace,
        _ words: String,
        losesWaypoint: Bool = false,
        isKeptInWords: Bool = false
    ) {
        problemCount += 1
        guard problems.count < limits.problems else { return }
        var problem = TraceProblem(place: place, words: words, losesWaypoint: losesWaypoint)
        problem.isKeptInWords = isKeptInWords
        problems.append(problem)
    }

    /// Adds a point to the current segment.
    mutating func add(_ point: TracePoint, at place: TracePlace) throws {
        try countOne(at: place)
        segment.append(point)
    }

    /// Parses a point and adds it to the current segment; one without a position is recorded and skipped.
    ///
    /// - Throws: ``TraceError`` if a position is present but invalid.
    mutating func add(_ raw: RawTracePoint) throws {
        guard raw.latitude != nil || raw.longitude != nil else {
            return note(raw.place, "the point has no position and is left out")
        }
        guard let coordinate = coordinate(raw) else { throw unreadablePosition(raw) }
        let accuracy = number(raw.accuracy, "accuracy", raw.place)
        let dilution = number(raw.dilution, "hdop", raw.place)
        let point = TracePoint(
            time: time(raw.time, "time", raw.place),
            received: time(raw.received, "received", raw.place),
            coordinate: coordinate,
            accuracy: TraceText.accuracy(accuracy) ?? TraceText.accuracy(dilution: dilution),
            speed: TraceText.speed(number(raw.speed, "speed", raw.place)),
            course: TraceText.course(number(raw.course, "course", raw.place)),
            device: raw.device.flatMap(TraceText.words)
        )
        try add(point, at: raw.place)
    }

    /// Parses a waypoint or route point; an invalid one is recorded and skipped rather than rejected, because it is not
    /// a position report.
    mutating func addWaypoint(_ raw: RawTracePoint, isRoute: Bool) throws {
        try countOne(at: raw.place)
        guard let coordinate = coordinate(raw) else {
            return note(raw.place, "the position of the waypoint cannot be read; it is left out", losesWaypoint: true)
        }
        var waypoint = TraceWaypoint(
            coordinate: coordinate,
            name: raw.name.flatMap(TraceText.words),
            description: (raw.words ?? raw.comment).flatMap(TraceText.words),
            time: time(raw.time, "time", raw.place, isKeptInWords: raw.content != nil),
            place: raw.place
        )
        waypoint.story = raw.story
        if let content = raw.content { waypoint.content = content.completed(from: raw, time: waypoint.time) }
        addWaypoint(waypoint, isRoute: isRoute)
    }

    private mutating func addWaypoint(_ waypoint: TraceWaypoint, isRoute: Bool) {
        if isRoute { routePoints.append(waypoint) } else { waypoints.append(waypoint) }
    }

    /// Returns the collected trace.
    consuming func finish(_ format: TraceFormat) -> Trace {
        endSegment()
        return Trace(
            name: name.flatMap(TraceText.words) ?? TraceBuilder.baseName(file),
            segments: segments,
            waypoints: waypoints,
            routePoints: routePoints,
            problems: problems,
            problemCount: problemCount,
            sourceFormat: format
        )
    }

    /// Creates an error about this file.
    func error(_ code: TraceError.Code, at place: TracePlace, _ problem: String, _ remedy: String) -> TraceError {
        TraceError(code, file: file, place: place, problem: problem, remedy: remedy)
    }

    private func coordinate(_ raw: RawTracePoint) -> Coordinate? {
        guard let latitude = raw.latitude.flatMap(TraceText.number) else { return nil }
        guard let longitude = raw.longitude.flatMap(TraceText.number) else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private func unreadablePosition(_ raw: RawTracePoint) -> TraceError {
        let latitude = raw.latitude.flatMap(TraceText.number)
        let isLatitude = latitude.map { !(-90...90).contains($0) } ?? true
        let words =
            isLatitude
            ? "the latitude is not a number from -90 to 90" : "the longitude is not a number from -180 to 180"
        return error(.invalidValue, at: raw.place, words, "correct the point or remove it")
    }

    private mutating func countOne(at place: TracePlace) throws {
        count += 1
        guard count > limits.points else { return }
        let problem = "rejected: the recording has more than \(limits.points) points"
        throw error(.refused, at: place, problem, "split the recording into several files")
    }

    private mutating func time(
        _ text: String?,
        _ field: String,
        _ place: TracePlace,
        isKeptInWords: Bool = false
    ) -> Timestamp? {
        guard let text = text.flatMap(TraceText.words) else { return nil }
        if let instant = TraceText.time(text) { return instant }
        let words = "\(field) is not a time such as 2026-11-21T13:00:00Z; the point is kept without it"
        note(place, words, isKeptInWords: isKeptInWords)
        return nil
    }

    private mutating func number(_ text: String?, _ field: String, _ place: TracePlace) -> Double? {
        guard let text = text.flatMap(TraceText.words) else { return nil }
        if let number = TraceText.number(text) { return number }
        note(place, "\(field) is not a number; the point is kept without it")
        return nil
    }

    /// Returns the last part of a path without `.gz` and one more extension.
    static func baseName(_ file: String) -> String {
        var name = file.split(separator: "/").last.map(String.init) ?? ""
        if name.lowercased().hasSuffix(".gz") { name.removeLast(3) }
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }
}
