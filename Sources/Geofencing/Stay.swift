import Geometry

/// The average position of a device that stays in one place.
///
/// Between buildings a receiver's error lasts about a minute and a half and then changes direction, so a person who
/// sits just outside a fence for an hour repeatedly seems to be well inside it. These errors cancel out over the time
/// of a stay: decisions about a stationary device use the mean of all fixes, not the most recent ones.
struct Stay: Hashable, Sendable {
    /// The time of the first fix, milliseconds since 1970.
    var begin: Int64
    /// The time of the latest fix, milliseconds since 1970.
    var time: Int64
    /// The weighted mean of the fixes.
    var mean: Coordinate
    /// The filter's position estimates, averaged over the last few seconds.
    var recent: Coordinate
    /// The sum of the weights of the fixes, in seconds per square metre.
    var weight: Double
    /// The mean variance of a fix in square metres, per axis.
    var variance: Double
    /// The number of fixes.
    var count: UInt32
    /// The time of the first of the latest consecutive fixes away from the stay; `nil` if the device is not away.
    var awaySince: Int64?
    /// The number of consecutive fixes away from the stay, meaningful only if ``awaySince`` is not `nil`.
    var awayCount: UInt32

    /// The time constant of ``recent`` in seconds.
    private static let recentTime = 8.0
    /// The distance from the mean, in standard deviations, beyond which a device counts as away: in general, and if it
    /// seems to move.
    private static let far = (anybody: 4.0, moving: 3.0)
    /// The number of consecutive fixes away from the stay and the time they span in milliseconds, both of which must be
    /// reached to end it; lower for a device that seems to move.
    private static let away = (
        anybody: (fixes: UInt32(3), span: Int64(8_000)), moving: (fixes: UInt32(2), span: Int64(4_000))
    )
    /// The distances from the mean, in standard deviations, beyond which a fix counts less and beyond which it hardly
    /// counts.
    private static let outlying = (less: 2.5, hardly: 5.0)

    /// Begins a stay with a fix.
    init(_ anchor: Anchor) {
        begin = anchor.time
        time = anchor.time
        mean = anchor.coordinate
        recent = anchor.coordinate
        let deviation = Inside.deviation(accuracy: anchor.accuracy)
        variance = deviation * deviation
        weight = 5 / variance
        count = 1
        awayCount = 0
    }

    init(
        begin: Int64,
        time: Int64,
        mean: Coordinate,
        recent: Coordinate,
        weight: Double,
        variance: Double,
        count: UInt32,
        awaySince: Int64?,
        awayCount: UInt32
    ) {
        self.begin = begin
        self.time = time
        self.mean = mean
        self.recent = recent
        self.weight = weight
        self.variance = variance
        self.count = count
        self.awaySince = awaySince
        self.awayCount = awayCount
    }

    /// The duration in seconds.
    var seconds: Double { Double(time - begin) / 1_000 }

    /// Returns whether the fixes of the stay are precise and dense enough to be useful.
    func isDense(_ options: FenceOptions) -> Bool {
        variance <= options.coarsestStay * options.coarsestStay && seconds <= options.denseInterval * Double(count)
    }

    /// Returns whether the stay is dense, and has lasted long enough and has enough fixes to base decisions on.
    func isSettled(_ options: FenceOptions) -> Bool {
        isDense(options) && seconds * 1_000 >= Double(options.stayTime) && count >= options.stayFixes
    }

    /// Returns the standard deviation of the mean in metres per axis, taking into account how long errors last.
    func deviation(_ options: FenceOptions) -> Double {
        max(options.leastStayDeviation, (variance / (1 + seconds / (2 * options.lastingTime))).squareRoot())
    }

    /// Adds a fix that is later than the last, with the filter's estimate at that time; returns whether the device is
    /// still there.
    ///
    /// A single fix far away is an outlier; a device that has left stays away.
    mutating func take(_ anchor: Anchor, best: Coordinate, isMoving: Bool) -> Bool {
        let step = Double(anchor.time - time) / 1_000
        let frame = LocalFrame(mean)
        let past = frame.vector(to: recent)
        let share = 1 - Math.exponential(-max(0.1, step) / Stay.recentTime)
        let now = past + (frame.vector(to: best) - past) * share
        recent = frame.coordinate(now)
        time = anchor.time
        count = min(count, .max - 1) + 1
        let distance = now.length / variance.squareRoot()
        if distance > (isMoving ? Stay.far.moving : Stay.far.anybody) {
            let since = awaySince ?? anchor.time
            awayCount = awaySince == nil ? 1 : min(awayCount, .max - 1) + 1
            awaySince = since
            let least = isMoving ? Stay.away.moving : Stay.away.anybody
            return awayCount < least.fixes || anchor.time - since < least.span
        }
        awaySince = nil
        include(anchor, at: frame.vector(to: anchor.coordinate), after: step, frame)
        return true
    }

    private mutating func include(_ anchor: Anchor, at position: Vector, after step: Double, _ frame: LocalFrame) {
        let deviation = Inside.deviation(accuracy: anchor.accuracy)
        let fix = deviation * deviation
        var gain = min(step, 60) / fix
        let off = position.length / max(variance, fix).squareRoot()
        if off > Stay.outlying.less { gain *= Stay.outlying.less / off * (off > Stay.outlying.hardly ? 0.1 : 1) }
        weight += gain
        mean = frame.coordinate(position * (gain / weight))
        variance += (fix - variance) * min(0.2, gain / weight)
    }
}

extension ByteWriter {
    mutating func write(_ stay: Stay?) {
        write(stay != nil)
        guard let stay else { return }
        write(stay.begin)
        write(stay.time)
        write(stay.mean)
        write(stay.recent)
        write(stay.weight)
        write(stay.variance)
        write(stay.count)
        write(stay.awaySince)
        write(stay.awayCount)
    }
}

extension ByteReader {
    private static let weights = 0.0...1e15
    private static let variances = 1e-7...1e18

    static func stay(_ reader: inout ByteReader) throws(DeviceStateError) -> Stay {
        let stay = Stay(
            begin: try reader.time(),
            time: try reader.time(),
            mean: try reader.coordinate(),
            recent: try reader.coordinate(),
            weight: try reader.number(in: weights),
            variance: try reader.number(in: variances),
            count: try reader.word32(),
            awaySince: try reader.optionalTime(),
            awayCount: try reader.word32()
        )
        guard stay.weight > 0, stay.begin <= stay.time, stay.count > 0 else { throw reader.error("an empty stay") }
        return stay
    }
}
