public import Geometry
public import Stories

/// The ground truth of a trace: the person's real positions and the fences, against which alerts are checked.
///
/// Stored next to a simulated trace as JSON:
/// `{"start":"2026-03-02T08:00:00Z","mode":"walk","noise":"urban","interval":"5s",`
/// `"fences":[{"lat":33.75,"lon":-84.38,"radius":150}],"path":[[0,33.75,-84.38],[1,33.75,-84.38]]}`;
/// the path contains seconds since the start, latitude and longitude, in ascending order at any intervals.
public struct TraceTruth: Hashable, Sendable {
    /// A fence: its centre and its radius in metres.
    public struct Circle: Hashable, Sendable {
        /// The centre.
        public var center: Coordinate
        /// The radius in metres, 1...100,000.
        public var radius: Double

        /// Creates a circle.
        public init(center: Coordinate, radius: Double) {
            self.center = center
            self.radius = radius
        }
    }

    /// The start time.
    public var start: Timestamp
    /// The kind of trace, in words such as `walk`, `urban` and `5s`; empty if unknown.
    public var labels: [String]
    /// The fences.
    public var fences: [Circle]
    /// The positions, one per second from the start.
    public var path: [Coordinate]

    /// The maximum length of a path in seconds: a week.
    public static let longest = 604_800

    /// Creates a ground truth.
    public init(start: Timestamp, labels: [String], fences: [Circle], path: [Coordinate]) {
        self.start = start
        self.labels = labels
        self.fences = fences
        self.path = path
    }

    /// The ground truth as JSON, as stored in its file.
    public var bytes: [UInt8] {
        var json = JSONWriter(capacity: 40 * path.count)
        json.beginObject()
        json.member("start", RFC3339.format(start))
        for (name, label) in zip(TraceTruth.names, labels) { json.member(name, label) }
        json.key("fences")
        json.beginArray()
        for fence in fences {
            json.beginObject()
            json.member("lat", fence.center.latitude)
            json.member("lon", fence.center.longitude)
            json.member("radius", fence.radius)
            json.endObject()
        }
        json.endArray()
        json.key("path")
        json.beginArray()
        for (second, point) in path.enumerated() {
            json.beginArray()
            json.value(second)
            json.value(TraceTruth.shortened(point.latitude))
            json.value(TraceTruth.shortened(point.longitude))
            json.endArray()
        }
        json.endArray()
        json.endObject()
        json.endLine()
        return json.bytes
    }

    private static let names = ["mode", "noise", "interval"]

    /// Rounds degrees to about a centimetre.
    private static func shortened(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }

    /// Parses the JSON of a ground truth.
    ///
    /// - Throws: ``TraceError`` if the JSON is not a ground truth.
    public init(parsing bytes: [UInt8], fileName: String) throws {
        let builder = TraceBuilder(file: fileName, limits: TraceLimits())
        func wrong(_ problem: String) -> TraceError {
            builder.error(.invalidValue, at: .file, problem, "write it as 'waymark simulate' does")
        }
        let json: JSONValue
        do {
            json = try JSONValue(
                parsing: bytes,
                limits: JSONValue.Limits(bytes: builder.limits.bytes, depth: builder.limits.depth)
            )
        } catch {
            throw builder.error(.malformed, at: .line(error.line), "\(error.reason)", "create the file again")
        }
        guard let start = json["start"]?.string.flatMap(TraceText.time) else {
            throw wrong("start is not a time such as 2026-11-21T13:00:00Z")
        }
        guard let fences = json["fences"]?.array, let path = json["path"]?.array else {
            throw wrong("fences or path is missing")
        }
        let circles = try fences.map { value throws in
            guard let circle = TraceTruth.circle(value) else {
                throw wrong("a fence is not of the form {\"lat\":33.75,\"lon\":-84.38,\"radius\":150}")
            }
            return circle
        }
        let points = try path.map { value throws in
            guard let point = TraceTruth.point(value) else {
                throw wrong("an entry of the path is not [seconds, latitude, longitude]")
            }
            return point
        }
        guard let points = TraceTruth.evenly(points) else {
            throw wrong("the path is empty, longer than a week or not in ascending order")
        }
        let labels = TraceTruth.names.map { json[$0]?.string.flatMap(TraceText.words) ?? "" }
        self.init(start: start, labels: labels.filter { !$0.isEmpty }, fences: circles, path: points)
    }

    private static func circle(_ value: JSONValue) -> Circle? {
        guard let latitude = value["lat"]?.number, let longitude = value["lon"]?.number,
            let radius = value["radius"]?.number, (1...100_000).contains(radius)
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude).map { Circle(center: $0, radius: radius) }
    }

    private static func point(_ value: JSONValue) -> (seconds: Double, coordinate: Coordinate)? {
        guard let seconds = value[0]?.number, let latitude = value[1]?.number, let longitude = value[2]?.number,
            (0...Double(longest)).contains(seconds)
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude).map { (seconds, $0) }
    }

    /// Returns the positions at whole seconds, interpolated linearly; `nil` if `points` is empty or not in ascending
    /// order.
    private static func evenly(_ points: [(seconds: Double, coordinate: Coordinate)]) -> [Coordinate]? {
        guard let first = points.first, let last = points.last else { return nil }
        guard zip(points, points.dropFirst()).allSatisfy({ $0.seconds < $1.seconds }) else { return nil }
        var path: [Coordinate] = []
        path.reserveCapacity(Int(last.seconds) + 1)
        var next = 0
        for second in 0...Int(last.seconds) {
            let time = Double(second)
            while next < points.count, points[next].seconds < time { next += 1 }
            guard next > 0, points[next].seconds > time else {
                path.append(next < points.count ? points[next].coordinate : first.coordinate)
                continue
            }
            let (a, b) = (points[next - 1], points[next])
            let share = (time - a.seconds) / (b.seconds - a.seconds)
            let distance = GreatCircle.distance(a.coordinate, b.coordinate) * share
            let bearing = GreatCircle.bearing(from: a.coordinate, to: b.coordinate)
            path.append(GreatCircle.destination(from: a.coordinate, bearing: bearing, distance: distance))
        }
        return path
    }
}
