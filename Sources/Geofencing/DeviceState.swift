public import Geometry

/// All that the evaluator remembers of one device: a value, to be stored between events.
///
/// It holds only places that a visit is open at or likely, the last position and what the filter makes of it, and digests
/// of the latest fixes.
public struct DeviceState: Hashable, Sendable {
    /// When the evaluator wants a tick if no fix comes before, milliseconds since 1970; `nil` when it waits for nothing.
    public internal(set) var nextTimer: Int64?

    /// The time of the last fix at which the device was moving, or `nil`.
    var movedAt: Int64?
    /// The latest receipt or tick.
    var clock: Int64 = 0
    /// The last fix that was believed.
    var last: Anchor?
    /// Where the device is by all fixes together; `nil` before the first.
    var track: Track?
    /// The last position about which there was little doubt.
    var clear: Anchor?
    /// Where the device has stayed since it moved last, or `nil` before the first fix.
    var stay: Stay?
    /// When a fix last came after one that it should have come before, by receipt.
    var disorderAt: Int64?
    /// The newest fix received so far.
    var newest: Arrival?
    /// The time of the last fix that was understood at all, coarse ones and suspects included.
    var heard: Int64?
    /// Where the speed was measured last, or `nil` before the first fix.
    var paceAnchor: Anchor?
    /// The recent speed in metres per second, or `nil` before the second fix.
    var speed: Double?
    /// Where the steady speed was measured last, or `nil` before the first fix.
    var steadyAnchor: Anchor?
    /// The speed in metres per second over a longer stretch, in which noise counts for little; `nil` when unknown.
    var steadySpeed: Double?
    /// The speed in metres per second that counts against ``FenceOptions/maximumSpeed``, or `nil` before the first fix.
    var pace: Double?
    /// The accuracy in metres that the device usually has, or `nil` before the first fix.
    var usualAccuracy: Double?
    /// Whether the trace was interrupted after the last fix.
    var isInterrupted = false
    /// The latest suspects that agree with one another.
    var suspects: [Anchor] = []
    /// The places that are not outside, sorted by id.
    var places: [PlaceState] = []
    /// Fixes held back for reordering, in the order they are to be judged.
    var pending: [Fix] = []
    /// Digests of the latest fixes, oldest first.
    var digests: [UInt64] = []
    /// The visits begun so far.
    var visits: UInt32 = 0

    /// The most digests a state can hold.
    static let mostDigests = 4_096

    /// Creates the state of a device that was never heard of.
    public init() {}

    /// The time of the last fix that was believed, milliseconds since 1970.
    public var lastFixTime: Int64? { last?.time }

    /// The position of the last fix that was believed.
    public var lastCoordinate: Coordinate? { last?.coordinate }

    /// When the last place that is neither decided nor dropped will be decided by the clock, milliseconds since 1970; `nil`
    /// when nothing is undecided, so that nobody has to wait for more to be told at once.
    public var undecidedUntil: Int64? { places.compactMap { $0.phase == .candidate ? $0.deadline : nil }.max() }

    /// The places that a visit is open at, sorted.
    public var visited: [PlaceID] { places.filter { $0.phase != .candidate }.map(\.id) }
}

/// A position that was judged.
struct Anchor: Hashable, Sendable {
    /// The judged time, milliseconds since 1970.
    var time: Int64
    var coordinate: Coordinate
    /// The accuracy in metres that is reckoned with.
    var accuracy: Double
    var isSimulated: Bool
}

/// When the newest fix was taken by the device's clock and when it came, and the device's number for it.
struct Arrival: Hashable, Sendable {
    var time: Int64
    var received: Int64
    var sequence: Int64?
}

/// What is remembered of a place that is not outside.
struct PlaceState: Hashable, Sendable {
    let id: PlaceID
    var coordinate: Coordinate
    var radius: Double
    /// Never ``FencePhase/outside``.
    var phase: FencePhase
    /// The time of the fix that began the phase.
    var since: Int64
    /// The fixes that count towards its end: coarse ones of a candidate, those outside of a departure.
    var count: UInt32
    /// Whether a candidate rests on fixes none of which was precise enough to be likely.
    var isCoarse: Bool
    /// When the clock decides, by receipt.
    var deadline: Int64?
    /// The time of the latest fix that supports the visit.
    var latest: Int64
    /// The probability of being inside at that fix.
    var confidence: Double
    /// The distance in metres to the centre at that fix, in steps of 0.01.
    var distance: Double
    /// The visit's number, zero for candidates.
    var visit: UInt32
    /// The receipt of the fix that began it.
    var qualified: Int64
    /// The time of the fix by which the visit was certain.
    var opened: Int64
    /// When the visit is old enough to be reported, by receipt, or `nil` once it was.
    var reportAt: Int64?
    /// Whether the visit is not reported because the device was too fast.
    var isHushed: Bool

    /// Whether the visit was reported.
    var isReported: Bool { visit > 0 && reportAt == nil && !isHushed }
}
