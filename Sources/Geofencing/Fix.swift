public import Geometry

/// One report of a device about where it is.
public struct Fix: Hashable, Sendable {
    /// When the position was taken by the device's clock, milliseconds since 1970.
    public var time: Int64
    /// When the report arrived, milliseconds since 1970; in a trace the same as ``time``.
    public var received: Int64
    /// Where the device says it was.
    public var coordinate: Coordinate
    /// The radius in metres within which the device lies with 68 %; `nil` or zero when unknown, negative when invalid.
    public var accuracy: Double?
    /// The device's own speed in metres per second, or `nil`; negative and other impossible values count as `nil`.
    public var speed: Double?
    /// The direction of travel in degrees clockwise from north, or `nil`.
    public var course: Double?
    /// The device's running number, which orders fixes of equal time.
    public var sequence: Int64?
    /// Whether the device says that the position is not real, or a trace is being played.
    public var isSimulated: Bool
    /// Milliseconds by which the device's clock is known to be ahead; see ``FenceEvaluator/ordered(batch:)``.
    ///
    /// In a fix that an outcome tells of, those by which ``time`` was moved back.
    public var clockAhead: Int64

    /// Creates a fix; `received` defaults to `time`, as it is in a trace.
    public init(
        time: Int64,
        received: Int64? = nil,
        coordinate: Coordinate,
        accuracy: Double? = nil,
        speed: Double? = nil,
        course: Double? = nil,
        sequence: Int64? = nil,
        isSimulated: Bool = false,
        clockAhead: Int64 = 0
    ) {
        self.time = time
        self.received = received ?? time
        self.coordinate = coordinate
        self.accuracy = accuracy
        self.speed = speed
        self.course = course
        self.sequence = sequence
        self.isSimulated = isSimulated
        self.clockAhead = clockAhead
    }
}

extension Fix {
    /// The times that are believed: 1970 to 9999, so that sums of times and options never overflow.
    static let times: ClosedRange<Int64> = 0...253_402_300_799_999

    /// The device's speed if it can be true, in metres per second.
    var plausibleSpeed: Double? {
        guard let speed, speed.isFinite, (0...350).contains(speed) else { return nil }
        return speed
    }

    /// A hash of what makes two reports the same report: the device's time and the position.
    var digest: UInt64 {
        let position = SplitMix64.mix(coordinate.latitude.bitPattern) ^ coordinate.longitude.bitPattern
        return SplitMix64.mix(SplitMix64.mix(position) ^ UInt64(bitPattern: time))
    }

    /// The order in which fixes are judged: by time, then by the device's number, then by position.
    static func precedes(_ a: Fix, _ b: Fix) -> Bool {
        let timeA = a.time.subtractingReportingOverflow(a.clockAhead).partialValue
        let timeB = b.time.subtractingReportingOverflow(b.clockAhead).partialValue
        if timeA != timeB { return timeA < timeB }
        let sequenceA = a.sequence ?? .min
        let sequenceB = b.sequence ?? .min
        if sequenceA != sequenceB { return sequenceA < sequenceB }
        let pointA = (a.coordinate.latitude, a.coordinate.longitude)
        return pointA < (b.coordinate.latitude, b.coordinate.longitude)
    }
}
