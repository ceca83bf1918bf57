public import Geometry
public import Stories

/// One report of a position in a recorded or simulated trace.
public struct TracePoint: Hashable, Sendable {
    /// When the position was taken, or `nil` when the file does not say.
    public var time: Timestamp?
    /// When the report arrived, where the file says so; otherwise it counts as having arrived at ``time``.
    public var received: Timestamp?
    /// The position.
    public var coordinate: Coordinate
    /// The radius in metres around the position that holds the true one with a probability of 68 %, above zero.
    public var accuracy: Double?
    /// The speed in metres a second, zero or more.
    public var speed: Double?
    /// The direction of movement in degrees clockwise from north, 0..<360.
    public var course: Double?
    /// The name of the device, where the file has one.
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

/// A marked or planned position in a trace file: not a report of where somebody was.
public struct TraceWaypoint: Hashable, Sendable {
    /// The position.
    public var coordinate: Coordinate
    /// Its name, or `nil`.
    public var name: String?
    /// What is said about it, or `nil`.
    public var description: String?
    /// The time it carries, or `nil`.
    public var time: Timestamp?
    /// Where it stands in the file.
    public var place: TracePlace

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

/// The formats a trace is read from.
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
    /// A location history taken from Google: `Records.json` or `Timeline.json`.
    case google = "Google Timeline"
    /// A recording of OwnTracks: `.rec` files of its Recorder, what it exports, and lists or lines of messages.
    case ownTracks = "OwnTracks"
    /// A list or lines of JSON objects with a time, a latitude and a longitude.
    case json = "JSON"
}

/// Where something stands in a trace file.
public enum TracePlace: Hashable, Sendable, CustomStringConvertible {
    /// The file as a whole.
    case file
    /// A line, from 1.
    case line(Int)
    /// A feature of a GeoJSON file, from 1.
    case feature(Int)
    /// A position of a line in a feature of a GeoJSON file, both from 1.
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

/// Something in a trace file that was left out or ignored, so that the rest could be read.
public struct TraceProblem: Hashable, Sendable, CustomStringConvertible {
    /// Where it stands.
    public let place: TracePlace
    /// What it is and what became of it; names no coordinate.
    public let words: String

    /// Whether a waypoint was left out because of it.
    public let losesWaypoint: Bool

    /// Creates a problem.
    public init(place: TracePlace, words: String, losesWaypoint: Bool = false) {
        self.place = place
        self.words = words
        self.losesWaypoint = losesWaypoint
    }

    /// `line 12: the time cannot be read; the point is kept without it`.
    public var description: String { place == .file ? words : "\(place): \(words)" }
}

/// The positions of one recording, in the order of the file.
///
/// Times may repeat or run backwards: that is for the evaluator to judge.
public struct Trace: Hashable, Sendable {
    /// The name the file gives, otherwise its file name without endings.
    public var name: String
    /// The parts of the recording, none of them empty; between two parts is a gap.
    public var segments: [[TracePoint]]
    /// Marked positions.
    public var waypoints: [TraceWaypoint]
    /// The positions of planned routes.
    public var routePoints: [TraceWaypoint]
    /// What was left out or ignored: the first ``TraceLimits/problems`` of them.
    public var problems: [TraceProblem]
    /// How many problems there were in all.
    public var problemCount: Int
    /// The format it was read from.
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

    /// How many points the segments hold.
    public var pointCount: Int { segments.reduce(0) { $0 + $1.count } }

    /// How many points have no time and so can only be drawn.
    public var untimedCount: Int {
        segments.reduce(0) { $0 + $1.count { $0.time == nil } }
    }

    /// The points that have a time, in the order of the file, without the gaps.
    ///
    /// - Complexity: O(points).
    public var timedPoints: [TracePoint] {
        segments.flatMap { $0.filter { $0.time != nil } }
    }
}
