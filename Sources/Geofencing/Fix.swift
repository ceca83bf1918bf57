public import Geometry

/// A position report from a device.
public struct Fix: Hashable, Sendable {
    /// The time of the position by the device's clock, milliseconds since 1970.
    public var time: Int64
    /// The time of arrival, milliseconds since 1970; in a trace the same as ``time``.
    public var received: Int64
    /// The reported position.
    public var coordinate: Coordinate
    /// The radius in metres that contains the device with a probability of 68 %; `nil` or zero if unknown, negative if
    /// invalid.
    public var accuracy: Double?
    /// The speed measured by the device in metres per second, or `nil`; impossible values such as negative ones count
    /// as `nil`.
    public var speed: Double?
    /// The direction of travel in degrees clockwise from north, or `nil`.
    public var course: Double?
    /// The device's sequence number, which orders fixes of equal time.
    public var sequence: Int64?
    /// Whether the device reports the position as simulated, or a trace is being played.
    public var isSimulated: Bool
    /// How many milliseconds the device's clock is known to be ahead; see ``FenceEvaluator/ordered(batch:)``.
    ///
    /// In the fix of an outcome, the amount by which ``time`` was moved back.
    public var clockAhead: Int64

    /// Creates a fix; `received` defaults to `time`, as in a trace.
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
    /// The accepted times: 1970 to 9999, so that sums of times and options never overflow.
    static let times: ClosedRange<Int64> = 0...253_402_300_799_999

    /// The device's speed if it is plausible, in metres per second.
    var plausibleSpeed: Double? {
        guard let speed, speed.isFinite, (0...350).contains(speed) else { return nil }
        return speed
    }

    /// A hash of the values that identify a report: the device's time and the position.
    var digest: UInt64 {
        let position = SplitMix64.mix(coordinate.latitude.bitPattern) ^ coordinate.longitude.bitPattern
        return SplitMix64.mix(SplitMix64.mix(position) ^ UInt64(bitPattern: time))
    }

    /// Returns whether one fix is evaluated before another: by time, then by sequence number, then by position.
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
