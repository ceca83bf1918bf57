/// The evaluator's parameters; the defaults suit a phone in a pocket.
public struct FenceOptions: Hashable, Sendable {
    // MARK: Accepting fixes

    /// The accuracy in metres assumed when a fix states none.
    public var assumedAccuracy = 30.0
    /// The factor by which reported accuracies are inflated: phones report values that are too small.
    public var accuracyInflation = 1.1
    /// The lower limit, after inflation, of the accuracies in metres used in calculations.
    public var accuracyFloor = 12.0
    /// The reported accuracy in metres beyond which a fix is not used for decisions.
    public var coarsestAccuracy = 200.0
    /// How many milliseconds a device's clock may be ahead of the receiver's before the time of a fix is corrected.
    public var clockTolerance: Int64 = 120_000
    /// The age in milliseconds beyond which a fix arrives too late for a notification.
    public var oldestFix: Int64 = 600_000
    /// The age in milliseconds beyond which a fix is rejected, as if never received: for example, if the device's clock
    /// shows 1980.
    public var refusedAge: Int64 = 86_400_000
    /// How long fixes are held back for reordering, in milliseconds; zero evaluates all on arrival.
    ///
    /// Applies only to devices that recently sent fixes out of order, and after a gap in a device's sequence numbers: a
    /// device that sends in order gets every outcome at once.
    public var reorderHold: Int64 = 1_500
    /// How long a device counts as sending out of order, in milliseconds.
    public var disorderMemory: Int64 = 3_600_000
    /// The number of recent fixes remembered to recognise duplicates.
    public var rememberedFixes = 512

    // MARK: The kinematic gate

    /// The maximum time in seconds between fixes for a jump to be judged by the recent speed.
    public var denseInterval = 15.0
    /// The maximum plausible speed in metres per second; 300 accepts aircraft.
    public var fastest = 75.0
    /// The number of suspect fixes that must agree before a new position is accepted.
    public var agreeingSuspects = 3
    /// The minimum time in milliseconds between the first and the last of the suspect fixes that agree.
    public var suspectSpan: Int64 = 10_000

    // MARK: Arriving

    /// The probability of being inside that decides at once or together with a second fix.
    public var certain = 0.95
    /// The minimum probability of being inside for a place to become a candidate.
    public var likely = 0.74
    /// The speed in metres per second from which one certain fix is enough, because there may be no second.
    public var fastEntry = 4.0
    /// The minimum time in milliseconds from the first likely fix to a certain one for the two to decide together.
    public var certainSpan: Int64 = 4_000
    /// The time in milliseconds that likely fixes must span to decide.
    public var likelySpan: Int64 = 10_000
    /// The time in milliseconds from the receipt of a likely fix until the candidate is confirmed, if nothing
    /// contradicts it.
    public var candidatePatience: Int64 = 6_500
    /// The number of fixes within the radius required for a decision if all are too coarse to be likely inside.
    public var coarseFixes = 3
    /// The time in milliseconds that coarse fixes within the radius must span to decide.
    public var coarseSpan: Int64 = 20_000
    /// The minimum duration of a reported visit in milliseconds; if positive, passing by is never reported.
    public var minimumDwell: Int64 = 0
    /// The speed in metres per second above which places are not announced, such as while driving; `nil` for no limit.
    ///
    /// A visit that began at a higher speed is reported at the first fix inside that is slow enough, or never.
    public var maximumSpeed: Double?

    // MARK: Staying

    /// How many milliseconds a device must have been in one place for its mean position to decide.
    public var stayTime: Int64 = 60_000
    /// The minimum number of fixes at one place for their mean position to decide.
    public var stayFixes: UInt32 = 8
    /// The mean deviation of fixes in metres per axis beyond which a stay is ignored: errors between tower blocks are
    /// so large that a departure would be noticed too late.
    public var coarsestStay = 15.0
    /// The smallest accepted standard deviation of a stay's position, in metres per axis.
    public var leastStayDeviation = 3.0
    /// The time in milliseconds for which a device with precise and dense fixes still counts as moving after it last
    /// moved.
    ///
    /// Later, or if it never moved, a place becomes a candidate only at a probability of ``certain``.
    public var wayTime: Int64 = 60_000

    // MARK: Leaving

    /// The minimum distance in metres between the radius and the exit ring.
    public var exitMargin = 30.0
    /// The minimum distance between the radius and the exit ring as a fraction of the radius; the larger of this
    /// distance and ``exitMargin`` applies.
    public var exitShare = 0.15
    /// The minimum probability of being outside the exit ring for a departure to begin.
    public var likelyOutside = 0.80
    /// The time in milliseconds outside the exit ring, with at least two fixes, after which a visit ends.
    public var exitSpan: Int64 = 60_000
    /// The time in milliseconds without a fix after which the next fix alone decides whether a visit continues.
    public var silence: Int64 = 1_800_000

    // MARK: Passing between two fixes

    /// Whether a fence crossed between two fixes counts as passed.
    public var findsCrossings = true
    /// The maximum time in milliseconds between two fixes that cross a fence.
    public var longestCrossing: Int64 = 120_000
    /// The maximum time in milliseconds since the device left a crossed fence.
    public var stalestCrossing: Int64 = 60_000
    /// The maximum distance in metres between two fixes that cross a fence.
    public var longestSegment = 1_500.0
    /// The minimum distance between two fixes that cross a fence, as a fraction of the radius.
    public var shortestSegment = 0.3
    /// The minimum speed in metres per second between two fixes that cross a fence.
    public var slowestCrossing = 1.5
    /// The minimum probability of having been inside for a crossed fence to count as passed.
    public var likelyPassed = 0.72
    /// The standard deviation of the sideways offset in the middle of a path, as a fraction of its length.
    public var pathSpread = 0.04
    /// The amount added to ``pathSpread`` after a turn or a change of speed, as a fraction of the path's length.
    public var turnSpread = 0.12

    // MARK: The filter

    /// The time in milliseconds without a fix after which the filter is reset: the next fix is accepted as it is.
    public var trackMemory: Int64 = 600_000
    /// The fraction of the variance of a receiver's errors that persists from fix to fix, as it does between buildings.
    public var lastingShare = 0.85
    /// How many seconds the persistent part of a receiver's error lasts.
    public var lastingTime = 90.0
    /// How many seconds a person keeps a speed and direction.
    public var paceTime = 40.0
    /// The minimum standard deviation of a person's speed in metres per second, along each axis.
    public var leastPace = 0.8
    /// The standard deviation of the speed, in metres per second along each axis, for a person who starts driving.
    public var drivingPace = 12.0
    /// The speed in metres per second from which a person counts as driving.
    public var drivingSpeed = 5.0
    /// The probability that a person who has not driven in the last few minutes is driving at the next fix.
    public var startsDriving = 0.002
    /// The probability, in addition to ``startsDriving``, that a person who has just driven is driving at the next fix;
    /// decays within five minutes.
    ///
    /// After almost ten minutes without a fix, at least a quarter of it applies in any case.
    public var drivesOn = 0.25
    /// The probability that a fix is wrong, whatever accuracy it reports.
    public var outliers = 0.04
    /// The probability that a device suddenly jumps to an unrelated position.
    public var leaps = 0.0005
    /// The smallest accepted standard deviation of a position in metres.
    public var leastDeviation = 2.5

    /// Whether effects explain why each fence near a fix was entered or not.
    public var explains = false

    /// Creates the default options.
    public init() {}
}

extension FenceOptions {
    /// The options with waiting times clamped to 0...1 day, so that sums of times never overflow.
    var bounded: FenceOptions {
        var copy = self
        let times: [WritableKeyPath<FenceOptions, Int64>] = [
            \.clockTolerance, \.oldestFix, \.reorderHold, \.suspectSpan, \.certainSpan, \.likelySpan,
            \.candidatePatience, \.coarseSpan, \.minimumDwell, \.exitSpan, \.silence, \.longestCrossing,
            \.stayTime, \.wayTime, \.disorderMemory, \.trackMemory, \.stalestCrossing, \.refusedAge,
        ]
        for time in times { copy[keyPath: time] = min(86_400_000, max(0, copy[keyPath: time])) }
        copy.rememberedFixes = min(DeviceState.mostDigests, max(0, rememberedFixes))
        return copy
    }

    /// Returns the accuracy in metres used in calculations; `stated` is the reported accuracy if it is positive,
    /// otherwise `nil`.
    func effectiveAccuracy(_ stated: Double?) -> Double {
        max(accuracyFloor, accuracyInflation * (stated ?? assumedAccuracy))
    }

    /// Returns the radius in metres of the exit ring around a fence: a visit ends once the device has been beyond it.
    public func exitRadius(_ radius: Double) -> Double {
        radius + max(exitMargin, exitShare * radius)
    }
}
