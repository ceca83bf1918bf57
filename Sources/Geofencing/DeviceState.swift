public import Geometry

/// The evaluator's entire memory of one device: a value, stored between events.
///
/// It holds only places with an open or likely visit, the last position, the filter's estimate, and digests of the
/// latest fixes.
public struct DeviceState: Hashable, Sendable {
    /// When the evaluator needs a tick if no fix comes first, milliseconds since 1970; `nil` if nothing is pending.
    public internal(set) var nextTimer: Int64?

    /// The time of the last fix at which the device was moving, or `nil`.
    var movedAt: Int64?
    /// The receiver's time of the latest receipt or tick, milliseconds since 1970.
    var clock: Int64 = 0
    /// The last accepted fix.
    var last: Anchor?
    /// The filter's estimate from all fixes; `nil` before the first.
    var track: Track?
    /// The last position estimate whose hypothesis clearly outweighed the others.
    var clear: Anchor?
    /// The place the device has stayed at since it last moved, or `nil` before the first fix.
    var stay: Stay?
    /// The time of receipt of the last fix that arrived out of order.
    var disorderAt: Int64?
    /// The newest fix received so far.
    var newest: Arrival?
    /// The time of the last valid fix, including coarse ones and suspects.
    var heard: Int64?
    /// The position at which the current speed measurement began, or `nil` before the first fix.
    var paceAnchor: Anchor?
    /// The recent speed in metres per second, or `nil` before the second fix.
    var speed: Double?
    /// The position at which the current steady-speed measurement began, or `nil` before the first fix.
    var steadyAnchor: Anchor?
    /// The speed in metres per second over a longer distance, which reduces noise; `nil` if unknown.
    var steadySpeed: Double?
    /// The speed in metres per second compared with ``FenceOptions/maximumSpeed``, or `nil` before the first fix.
    var pace: Double?
    /// The device's usual accuracy in metres, or `nil` before the first fix.
    var usualAccuracy: Double?
    /// Whether the trace was interrupted after the last fix.
    var isInterrupted = false
    /// The latest suspects that agree with each other.
    var suspects: [Anchor] = []
    /// The places in a phase other than outside, sorted by id.
    var places: [PlaceState] = []
    /// Fixes held back for reordering, in the order of evaluation.
    var pending: [Fix] = []
    /// Digests of the latest fixes, oldest first.
    var digests: [UInt64] = []
    /// The number of visits begun so far.
    var visits: UInt32 = 0

    /// The maximum number of digests in a state.
    static let mostDigests = 4_096

    /// Creates the state of an unknown device.
    public init() {}

    /// The time of the last accepted fix, milliseconds since 1970.
    public var lastFixTime: Int64? { last?.time }

    /// The position of the last accepted fix.
    public var lastCoordinate: Coordinate? { last?.coordinate }

    /// The latest deadline at which the clock decides about a candidate, milliseconds since 1970; `nil` if there is
    /// none.
    ///
    /// While it is `nil`, a joint notification need not wait for further places.
    public var undecidedUntil: Int64? { places.compactMap { $0.phase == .candidate ? $0.deadline : nil }.max() }

    /// The places with an open visit, sorted.
    public var visited: [PlaceID] { places.filter { $0.phase != .candidate }.map(\.id) }
}

/// A position that was evaluated.
struct Anchor: Hashable, Sendable {
    /// The time used for evaluation, milliseconds since 1970.
    var time: Int64
    var coordinate: Coordinate
    /// The accuracy used in calculations, in metres.
    var accuracy: Double
    var isSimulated: Bool
}

/// The device time, the time of receipt and the sequence number of the newest fix.
struct Arrival: Hashable, Sendable {
    var time: Int64
    var received: Int64
    var sequence: Int64?
}

/// The state of a place in a phase other than outside.
struct PlaceState: Hashable, Sendable {
    let id: PlaceID
    var coordinate: Coordinate
    var radius: Double
    /// Never ``FencePhase/outside``.
    var phase: FencePhase
    /// The time of the fix that began the phase.
    var since: Int64
    /// The number of fixes that count towards the end of the phase: coarse fixes for a candidate, fixes outside for a
    /// departure.
    var count: UInt32
    /// Whether every fix of a candidate so far was too coarse to be likely inside.
    var isCoarse: Bool
    /// The receiver's time at which the clock decides about a candidate; `nil` if only a fix can decide.
    var deadline: Int64?
    /// The time of the latest fix supporting the visit.
    var latest: Int64
    /// The probability of being inside, as it is reported with an entry.
    var confidence: Double
    /// The distance in metres to the centre, in steps of 0.01, as it is reported with an entry.
    var distance: Double
    /// The visit's number, zero for candidates.
    var visit: UInt32
    /// The time of receipt, on the receiver's clock, that is reported as ``FenceEntry/qualifiedAt``.
    var qualified: Int64
    /// The time of the fix that made the visit certain.
    var opened: Int64
    /// When the visit becomes old enough to report, on the receiver's clock; `nil` once reported.
    var reportAt: Int64?
    /// Whether the visit has not been reported because the device was too fast.
    var isHushed: Bool

    /// Whether the visit was reported.
    var isReported: Bool { visit > 0 && reportAt == nil && !isHushed }
}
