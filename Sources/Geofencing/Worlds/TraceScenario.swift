/// A person's activity in a synthetic trace.
public enum TravelMode: String, CaseIterable, Hashable, Sendable {
    /// On foot through a grid of streets, occasionally standing still for up to twenty minutes.
    case walk
    /// By car, 8 to 22 metres per second, with stops.
    case drive
    /// Parked near the edge of a fence for three hours.
    case linger
    /// Alternately inside a fence for a while and 300 metres beyond it.
    case shuttle
    /// By bus, stopping every few hundred metres.
    case bus
    /// By car, at times without reception for minutes.
    case tunnel
    /// On foot in and out of buildings, where positions come from networks: rarely good, often identical.
    case indoor
}

/// How much of the sky a receiver can see.
public enum SkyView: String, CaseIterable, Hashable, Sendable {
    /// All of it: errors of a few metres.
    case open
    /// Between buildings: errors of about ten metres that last a minute and a half, and outliers.
    case urban
    /// Between tower blocks: twice the errors, and more outliers, half of which report a small error.
    case canyon
}

/// How often a device reports.
public enum FixSampling: Hashable, Sendable {
    /// At a fixed interval in seconds, 1...3,600.
    case every(Int)
    /// Like power-saving phones: half of the intervals 5 s, 30 % 15 s, 15 % a minute, 5 % five minutes.
    case duty

    /// Parses `5s`, `30` or `duty`; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        if text == "duty" {
            self = .duty
            return
        }
        let digits = text.hasSuffix("s") ? text.dropLast() : text[...]
        guard let seconds = Int(digits), (1...3_600).contains(seconds) else { return nil }
        self = .every(seconds)
    }

    /// `5s` or `duty`.
    public var name: String {
        switch self {
        case .every(let seconds): "\(seconds)s"
        case .duty: "duty"
        }
    }
}

/// The parameters of a synthetic trace; the same scenario and seed give the same trace.
public struct TraceScenario: Hashable, Sendable {
    /// The person's activity.
    public var mode: TravelMode
    /// The receiver's view of the sky.
    public var sky: SkyView
    /// How often the device reports.
    public var sampling: FixSampling
    /// The radius of the fences in metres.
    public var radius = 150.0
    /// The duration in seconds, at most a week; `nil` for the mode's default.
    public var duration: Int?
    /// Whether reports stop for a minute or two every twenty minutes.
    public var hasDropouts = true
    /// Whether reports take time to arrive, some late and some twice.
    public var hasTransport = true

    /// Creates a scenario.
    public init(_ mode: TravelMode, _ sky: SkyView, _ sampling: FixSampling) {
        self.mode = mode
        self.sky = sky
        self.sampling = sampling
    }

    /// The duration in seconds.
    public var seconds: Int {
        if let duration { return min(604_800, max(60, duration)) }
        return switch mode {
        case .walk, .shuttle, .indoor: 7_200
        case .drive, .bus, .tunnel: 3_600
        case .linger: 10_800
        }
    }

    /// The number of fences per square kilometre.
    var density: Double {
        switch mode {
        case .walk, .indoor: 8
        case .linger, .shuttle: 0
        case .drive, .bus, .tunnel: 2.5
        }
    }
}
