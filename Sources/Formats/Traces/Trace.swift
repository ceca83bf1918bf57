public import Geometry
public import Stories

/// One position report in a recorded or simulated trace.
public struct TracePoint: Hashable, Sendable {
    /// The time of the position, or `nil` if not given.
    public var time: Timestamp?
    /// The time of arrival, if given; otherwise the report counts as received at ``time``.
    public var received: Timestamp?
    /// The position.
    public var coordinate: Coordinate
    /// The radius in metres that contains the true position with a probability of 68 %, above zero.
    public var accuracy: Double?
    /// The speed in metres per second, zero or more.
    public var speed: Double?
    /// The direction of movement in degrees clockwise from north, 0..<360.
    public var course: Double?
    /// The name of the device, if given.
    public var device: String?

    /// Creates a point.
    public init(
        time: Timestamp?,
        received: Timestamp? = nil,
        coordinate: Coordinate,
        accuracy: Double? = nil,
        speed: Double? = nil,
        course: Double? = nil,
        device: String? = nil
    ) {
        self.time = time
        self.received = received
        self.coordinate = coordinate
        self.accuracy = accuracy
        self.speed = speed
        self.course = course
        self.device = device
    }
}

/// A marked or planned position in a trace file: not a report of an actual position.
public struct TraceWaypoint: Hashable, Sendable {
    /// The position.
    public var coordinate: Coordinate
    /// Its name, or `nil`.
    public var name: String?
    /// Its description, or `nil`.
    public var description: String?
    /// Its time, or `nil`.
    public var time: Timestamp?
    /// The position of the waypoint in the file.
    public var place: TracePlace
    /// What it says of the story that it was, in our own exports.
    package var story: [WaypointStory: String] = [:]
    /// What else it says, for a story that is made of it.
    package var content = WaypointContent()

    /// Creates a waypoint.
    public init(
        coordinate: Coordinate,
        name: String? = nil,
        description: String? = nil,
        time: Timestamp? = nil,
        place: TracePlace = .file
    ) {
        self.coordinate = coordinate
        self.name = name
        self.description = description
        self.time = time
        self.place = place
    }
}

/// The supported trace formats.
public enum TraceFormat: String, CaseIterable, Sendable {
    /// GPS Exchange Format 1.0 or 1.1 (Topografix).
    case gpx = "GPX"
    /// Training Center XML version 2 (Garmin).
    case tcx = "TCX"
    /// GeoJSON (RFC 7946) with times in its properties.
    case geoJSON = "GeoJSON"
    /// Comma-, semicolon- or tab-separated values with a header.
    case csv = "CSV"
    /// NMEA 0183 sentences.
    case nmea = "NMEA"
    /// A location history exported from Google: `Records.json` or `Timeline.json`.
    case google = "Google Timeline"
    /// A recording of OwnTracks: `.rec` files of its Recorder, its exports, and lists or lines of messages.
    case ownTracks = "OwnTracks"
    /// A list or lines of JSON objects with a time, a latitude and a longitude.
    case json = "JSON"
}

/// A place in a trace file.
public enum TracePlace: Hashable, Sendable, CustomStringConvertible {
    /// The file as a whole.
    case file
    /// A line, starting at 1.
    case line(Int)
    /// The number of a feature, record or message in a JSON file, starting at 1.
    case feature(Int)
    /// The number of a position in a feature and the number of the feature, both starting at 1.
    case position(Int, feature: Int)

    /// `line 12`, `feature 3`, `feature 3, position 7`; empty for the file as a whole.
    public var description: String {
        switch self {
        case .file: ""
        case .line(let number): "line \(number)"
        case .feature(let number): "feature \(number)"
        case .position(let number, let feature): "feature \(feature), position \(number)"
        }
    }
}

/// Part of a trace file that was skipped or ignored so that the rest could be read.
public struct TraceProblem: Hashable, Sendable, CustomStringConvertible {
    /// The place of the problem in the file.
    public let place: TracePlace
    /// The problem and its effect, without coordinates.
    public let words: String

    /// Whether a waypoint was skipped because of the problem.
    public let losesWaypoint: Bool
    /// Whether it is about the time of a waypoint, whose words ``WaypointContent`` keeps.
    package var isKeptInWords = false

    /// Creates a problem.
    public init(place: TracePlace, words: String, losesWaypoint: Bool = false) {
        self.place = place
        self.words = words
        self.losesWaypoint = losesWaypoint
    }

    /// `line 12: the time cannot be read; the point is kept without it`.
    public var description: String { place == .file ? words : "\(place): \(words)" }
}

/// The positions of one recording, in file order.
///
/// Times may repeat or run backwards: the evaluator handles this.
public struct Trace: Hashable, Sendable {
    /// The name given in the file, otherwise its file name without extensions.
    public var name: String
    /// The parts of the recording, none of them empty, with gaps between them.
    public var segments: [[TracePoint]]
    /// Marked positions.
    public var waypoints: [TraceWaypoint]
    /// The positions of planned routes.
    public var routePoints: [TraceWaypoint]
    /// The skipped and ignored parts: the first ``TraceLimits/problems`` of them.
    public var problems: [TraceProblem]
    /// The total number of problems.
    public var problemCount: Int
    /// The format of the source.
    public var sourceFormat: TraceFormat

    /// Creates a trace; empty segments are dropped.
    public init(
        name: String,
        segments: [[TracePoint]],
        waypoints: [TraceWaypoint] = [],
        routePoints: [TraceWaypoint] = [],
        problems: [TraceProblem] = [],
        problemCount: Int? = nil,
        sourceFormat: TraceFormat
    ) {
        self.name = name
        self.segments = segments.filter { !$0.isEmpty }
        self.waypoints = waypoints
        self.routePoints = routePoints
        self.problems = problems
        self.problemCount = problemCount ?? problems.count
        self.sourceFormat = sourceFormat
    }

    /// The number of points in all segments.
    public var pointCount: Int { segments.reduce(0) { $0 + $1.count } }

    /// The number of points without a time, which can be drawn but not evaluated.
    public var untimedCount: Int {
        segments.reduce(0) { $0 + $1.count { $0.time == nil } }
    }

    /// The points with a time, in file order, without gaps.
    ///
    /// - Complexity: O(points).
    public var timedPoints: [TracePoint] {
        segments.flatMap { $0.filter { $0.time != nil } }
    }
}
