/// The numbers the evaluator decides by; the defaults suit a phone in a pocket.
public struct FenceOptions: Hashable, Sendable {
    // MARK: Taking fixes in

    /// The accuracy in metres assumed when a fix states none.
    public var assumedAccuracy = 30.0
    /// The factor by which stated accuracies are widened: phones under-report.
    public var accuracyInflation = 1.1
    /// The smallest accuracy in metres that is believed, after widening.
    public var accuracyFloor = 12.0
    /// The stated accuracy in metres beyond which a fix decides nothing.
    public var coarsestAccuracy = 200.0
    /// How far a device's clock may be ahead of ours, in milliseconds, before its time is corrected.
    public var clockTolerance: Int64 = 120_000
    /// The age in milliseconds beyond which a fix comes too late to tell anybody anything.
    public var oldestFix: Int64 = 600_000
    /// The age in milliseconds beyond which a fix is refused altogether, as if it had never come: a clock in 1980.
    public var refusedAge: Int64 = 86_400_000
    /// How long fixes are held back so that they can be put into order, in milliseconds; zero judges all as they come.
    ///
    /// Only those of a device that lately sent in disorder, and those after a gap in a device's own numbers: whoever
    /// sends in order learns every outcome at once.
    public var reorderHold: Int64 = 1_500
    /// For how long a device counts as sending in disorder after it did, in milliseconds.
    public var disorderMemory: Int64 = 3_600_000
    /// How many of the latest fixes are remembered to recognise a repeated one.
    public var rememberedFixes = 512

    // MARK: The kinematic gate

    /// The time in seconds between fixes up to which a jump is judged by the recent speed.
    public var denseInterval = 15.0
    /// The speed in metres per second that nobody exceeds; 300 lets aircraft pass.
    public var fastest = 75.0
    /// How many agreeing suspects make a new position believed.
    public var agreeingSuspects = 3
    /// The time in milliseconds the agreeing suspects must span.
    public var suspectSpan: Int64 = 10_000

    // MARK: Arriving

    /// The probability of being inside that decides at once or together with a second fix.
    public var certain = 0.95
    /// The probability of being inside that makes a candidate.
    public var likely = 0.74
    /// The speed in metres per second from which one certain fix is enough, for there may be no second.
    public var fastEntry = 4.0
    /// The time in milliseconds between the first likely and a certain fix that together decide.
    public var certainSpan: Int64 = 4_000
    /// The time in milliseconds that likely fixes must span to decide.
    public var likelySpan: Int64 = 10_000
    /// The time in milliseconds after receipt after which an uncontradicted candidate is believed.
    public var candidatePatience: Int64 = 6_500
    /// How many fixes within the radius decide when each is too coarse to be likely.
    public var coarseFixes = 3
    /// The time in milliseconds that such fixes must span.
    public var coarseSpan: Int64 = 20_000
    /// The time in milliseconds a visit must last before it is reported; passing by is then never reported.
    public var minimumDwell: Int64 = 0
    /// The speed in metres per second above which nobody is told of a place, `nil` for none: not while driving.
    ///
    /// A visit begun faster is reported at the first fix inside that is slow enough, or never.
    public var maximumSpeed: Double?

    // MARK: Staying

    /// For how many milliseconds a device must have been in one place for its mean position to decide.
    public var stayTime: Int64 = 60_000
    /// How many fixes that takes at least.
    public var stayFixes: UInt32 = 8
    /// The mean deviation in metres per axis of fixes beyond which a stay says nothing: between towers errors are so large
    /// that somebody who leaves would be noticed too late.
    public var coarsestStay = 15.0
    /// The smallest deviation in metres per axis of the place of a stay that is believed.
    public var leastStayDeviation = 3.0
    /// For how many milliseconds after it moved a device that sends precise and dense fixes counts as on its way; later,
    /// or if it never moved, only what is ``certain`` makes a candidate.
    public var wayTime: Int64 = 60_000

    // MARK: Leaving

    /// The least distance in metres between the radius and the ring that has to be left.
    public var exitMargin = 30.0
    /// The same as a share of the radius; the larger counts.
    public var exitShare = 0.15
    /// The probability of being outside the ring that begins a departure.
    public var likelyOutside = 0.80
    /// The time in milliseconds a departure takes, over at least two fixes.
    public var exitSpan: Int64 = 60_000
    /// The time in milliseconds without a fix after which the next fix alone decides whether a visit goes on.
    public var silence: Int64 = 1_800_000

    // MARK: Passing between two fixes

    /// Whether a fence crossed between two fixes counts as passed.
    public var findsCrossings = true
    /// The longest time in milliseconds between the two fixes.
    public var longestCrossing: Int64 = 120_000
    /// How long ago the fence may have been left, in milliseconds.
    public var stalestCrossing: Int64 = 60_000
    /// The longest distance in metres between them.
    public var longestSegment = 1_500.0
    /// The shortest such distance as a share of the radius.
    public var shortestSegment = 0.3
    /// The slowest speed in metres per second between them.
    public var slowestCrossing = 1.5
    /// The probability of having been inside from which on a crossed fence counts as passed.
    public var likelyPassed = 0.72
    /// How much the path may bulge to the side in its middle, as a share of half its length.
    public var pathSpread = 0.04
    /// How much more after a turn or a change of speed, in the same measure.
    public var turnSpread = 0.12

    // MARK: The filter

    /// The time in milliseconds without a fix after which nothing is left of what was known: the next is taken as it is.
    public var trackMemory: Int64 = 600_000
    /// The share of the variance of a receiver's errors that lasts, as between houses it does.
    public var lastingShare = 0.85
    /// For how many seconds such an error lasts.
    public var lastingTime = 90.0
    /// For how many seconds somebody keeps a speed and a direction.
    public var paceTime = 40.0
    /// The least deviation in metres per second of anybody's speed, along each axis.
    public var leastPace = 0.8
    /// The same of somebody who suddenly drives.
    public var drivingPace = 12.0
    /// The speed in metres per second from which on somebody counts as driving.
    public var drivingSpeed = 5.0
    /// The probability that with the next fix somebody drives who did not within the last minutes.
    public var startsDriving = 0.002
    /// The same for somebody who has just driven, or was not heard of for ten minutes; it fades within five minutes.
    public var drivesOn = 0.25
    /// The probability that a fix is wrong whatever accuracy it states.
    public var outliers = 0.04
    /// The probability that a device is suddenly somewhere else altogether.
    public var leaps = 0.0005
    /// The smallest deviation in metres of a position that is believed.
    public var leastDeviation = 2.5

    /// Whether effects say why each fence near a fix was entered or not.
    public var explains = false

    /// Creates the default options.
    public init() {}
}

extension FenceOptions {
    /// The options with waiting times brought into 0...1 day, so that sums of times never overflow.
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

    /// The accuracy in metres that is reckoned with for a stated one that is positive or missing.
    func effectiveAccuracy(_ stated: Double?) -> Double {
        max(accuracyFloor, accuracyInflation * (stated ?? assumedAccuracy))
    }

    /// The radius in metres of the ring that has to be left.
    func exitRadius(_ radius: Double) -> Double {
        radius + max(exitMargin, exitShare * radius)
    }
}
