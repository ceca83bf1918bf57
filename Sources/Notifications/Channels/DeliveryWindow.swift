public import Stories

/// How many attempts an endpoint may have under way at once: one, and more the longer it answers well.
///
/// The rule: as long as no more than ``ordered`` messages wait, they go one after the other, in their order. When more wait
/// they are taken from the line in their order, at most `size` at a time: one that takes longer than others is overtaken.
/// Each message that is taken within ``patience`` opens the window by one, up to ``largest(of:)``; one that is taken more
/// slowly halves it; anything else (a failure, a `429`, no answer) closes it to one. What was begun before the window was
/// last narrowed says nothing of the time since.
public struct DeliveryWindow: Hashable, Sendable {
    /// How long a good answer may take, in milliseconds.
    public static let patience: Int64 = 2_000

    /// So many messages may wait before any overtakes another.
    public static let ordered = 16

    /// How many attempts there may be.
    public private(set) var size = 1
    private var narrowedAt: Timestamp?

    /// Creates the window of an endpoint that nothing is known of.
    public init() {}

    /// The widest window of a kind: programs sort what they get by its time; people read a list in the order in which it
    /// came, and a mail server counts connections.
    public static func largest(of kind: ChannelKind) -> Int {
        switch kind {
        case .webhook, .webPush, .apns, .fcm: 16
        case .ntfy, .gotify, .apprise: 4
        case .email: 1
        }
    }

    /// Notes what came of an attempt that was begun at `begun`; `nil` of one that found no room.
    public mutating func note(_ outcome: DeliveryOutcome?, of kind: ChannelKind, begun: Timestamp, at now: Timestamp) {
        switch outcome {
        case .delivered where now.milliseconds - begun.milliseconds > DeliveryWindow.patience:
            narrow(to: size / 2, at: now)
        case .delivered:
            guard narrowedAt.map({ begun > $0 }) ?? true else { return }
            size = min(size + 1, DeliveryWindow.largest(of: kind))
        // It is the message that is not wanted, not the pace.
        case .rejected: break
        case .retry, .throttled, .endpointGone, nil: narrow(to: 1, at: now)
        }
    }

    private mutating func narrow(to size: Int, at now: Timestamp) {
        self.size = max(1, size)
        narrowedAt = now
    }
}
