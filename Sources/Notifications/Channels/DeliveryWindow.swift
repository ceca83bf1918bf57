public import Stories

/// Limits the concurrent attempts to one endpoint: starts at one and grows while the endpoint answers well.
///
/// While at most ``ordered`` messages wait, they are sent one at a time, in order. When more wait, they are started in
/// order, at most ``size`` at a time, so a slow one can be overtaken. Each message accepted within ``patience`` widens
/// the window by one, up to ``largest(of:)``, unless its attempt started before the window last shrank. Each message
/// accepted more slowly halves the window. A rejected message leaves it unchanged; anything else (a failure, a `429`,
/// no answer) resets it to one.
public struct DeliveryWindow: Hashable, Sendable {
    /// The maximum duration of a good answer, in milliseconds.
    public static let patience: Int64 = 2_000

    /// The number of messages that may wait before any overtakes another.
    public static let ordered = 16

    /// The maximum number of concurrent attempts.
    public private(set) var size = 1
    private var narrowedAt: Timestamp?

    /// Creates the window of an endpoint with no history.
    public init() {}

    /// Returns the maximum window for a kind of channel: programs sort messages by time, but people read a list in
    /// order of arrival, and mail servers limit connections.
    public static func largest(of kind: ChannelKind) -> Int {
        switch kind {
        case .webhook, .webPush, .apns, .fcm: 16
        case .ntfy, .gotify, .apprise, .mqtt: 4
        case .email: 1
        }
    }

    /// Records the outcome of an attempt started at `begun`; `nil` if nothing was sent because too many attempts were
    /// in progress.
    public mutating func note(_ outcome: DeliveryOutcome?, of kind: ChannelKind, begun: Timestamp, at now: Timestamp) {
        switch outcome {
        case .delivered where now.milliseconds - begun.milliseconds > DeliveryWindow.patience:
            narrow(to: size / 2, at: now)
        case .delivered:
            guard narrowedAt.map({ begun > $0 }) ?? true else { return }
            size = min(size + 1, DeliveryWindow.largest(of: kind))
        // The endpoint rejects the message, not the pace.
        case .rejected: break
        case .retry, .uncertain, .throttled, .endpointGone, nil: narrow(to: 1, at: now)
        }
    }

    private mutating func narrow(to size: Int, at now: Timestamp) {
        self.size = max(1, size)
        narrowedAt = now
    }
}
