public import Geometry

/// The evaluator's input.
public enum FenceEvent: Hashable, Sendable {
    /// The device reports a position.
    case fix(Fix)
    /// The clock shows this time, in milliseconds since 1970.
    case tick(Int64)
    /// The trace is interrupted: the path between the last fix and the next is unknown.
    case gap
}

/// The evaluator's output.
public enum FenceEffect: Hashable, Sendable {
    /// A fence was entered or passed.
    case entered(FenceEntry)
    /// A visit ended.
    case left(FenceExit)
    /// The outcome of a fix.
    case outcome(Fix, FixOutcome)
    /// Why a fence near a fix was entered or not; only with ``FenceOptions/explains``.
    case explained(FenceExplanation)
}

/// The arrival of a device at a place.
public struct FenceEntry: Hashable, Sendable {
    /// How the place was reached.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The device was inside.
        case entered
        /// The path between two fixes crossed the fence.
        case passed
    }

    /// The place.
    public let place: PlaceID
    /// Its centre.
    public let coordinate: Coordinate
    /// How it was reached.
    public let kind: Kind
    /// The time of the deciding fix, milliseconds since 1970.
    public let at: Int64
    /// The receiver's clock at the decision, milliseconds since 1970.
    public let decidedAt: Int64
    /// The time of receipt of the first fix behind the decision, or of the last one if all were coarse, milliseconds
    /// since 1970.
    public let qualifiedAt: Int64
    /// The probability of having been inside, 0...1 in steps of 0.0001.
    public let confidence: Double
    /// The number of the visit, counted per device from 1.
    public let visit: UInt32
    /// The speed in metres per second at the time, or `nil` if unknown.
    public let speed: Double?
    /// The distance in metres from the likeliest position to the centre, in steps of 0.01; for a place that was passed,
    /// the distance from the path.
    public let distance: Double
    /// Whether the deciding fix was simulated.
    public let isSimulated: Bool
}

/// The end of a visit.
public struct FenceExit: Hashable, Sendable {
    /// The place.
    public let place: PlaceID
    /// Its centre.
    public let coordinate: Coordinate
    /// The time of the deciding fix, milliseconds since 1970.
    public let at: Int64
    /// The number of the visit, the same as at its entry.
    public let visit: UInt32
}

/// The outcome of a fix.
public enum FixOutcome: Hashable, Sendable {
    /// The fix was evaluated.
    case accepted
    /// The fix is held back for up to ``FenceOptions/reorderHold``; another outcome will follow.
    case held
    /// The same report was received before.
    case duplicate
    /// The fix is older than one already evaluated, or too old to matter; it changes nothing.
    case late
    /// The fix is too far from the last one; it waits for others that agree.
    case suspect
    /// The fix is not used for decisions.
    case rejected(FixRejection)
}

/// The reason a fix is not used for decisions.
public enum FixRejection: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    /// The accuracy is worse than ``FenceOptions/coarsestAccuracy``.
    case accuracy
    /// The device marked its own position as invalid.
    case invalid
    /// The position is exactly 0, 0, which devices send when they have none.
    case zero
    /// The time lies outside the years 1970 to 9999.
    case time
    /// The time lies further back than ``FenceOptions/refusedAge``.
    case old

    /// The reason with the expected value, as a phrase that follows the name of the field.
    public var description: String {
        switch self {
        case .accuracy: "is too coarse to decide anything; send positions accurate to 200 metres or better"
        case .invalid: "marks the position as invalid; it must be zero or more metres, or omitted"
        case .zero:
            "is exactly 0, and so is lon, which devices send without a position; send nothing until there is one"
        case .time: "must be within the years 1970 to 9999; set the device's clock"
        case .old: "is more than a day in the past, too late to matter; set the device's clock if it is wrong"
        }
    }
}

/// The relation of a device to a fence.
public enum FencePhase: String, CaseIterable, Hashable, Sendable {
    /// Outside, no visit open.
    case outside
    /// Possibly inside; the next fix or the clock decides.
    case candidate
    /// Inside, a visit is open.
    case inside
    /// Apparently outside; the visit is still open.
    case leaving
}

/// Why a fence near a fix was entered or not.
public struct FenceExplanation: Hashable, Sendable {
    /// The place.
    public let place: PlaceID
    /// The time of the fix, milliseconds since 1970.
    public let time: Int64
    /// The distance in metres from the fix to the centre, in steps of 0.01.
    public let distance: Double
    /// The radius in metres.
    public let radius: Double
    /// The accuracy in metres used for the fix: stated or assumed, and inflated; in steps of 0.01.
    public let accuracy: Double
    /// The distance in metres from the best position estimate to the centre, on which the decision is based, in steps
    /// of 0.01; for a crossing, the distance from the path.
    public let likelyDistance: Double
    /// The accuracy in metres of the best position estimate, in steps of 0.01.
    public let likelyAccuracy: Double
    /// The probability of being inside, 0...1 in steps of 0.0001.
    public let probability: Double
    /// The phase before the fix.
    public let before: FencePhase
    /// The phase after the fix.
    public let after: FencePhase
    /// The deciding rule, as text.
    public let why: String
}
