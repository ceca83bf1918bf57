import Notifications
import Stories
import Synchronization

/// How wide the window of each channel is; forgotten when the service ends, so that it begins carefully.
final class DeliveryPaces: Sendable {
    private let windows = Mutex<[String: DeliveryWindow]>([:])
    /// From how many channels on those are forgotten whose window is closed.
    private static let most = 10_000

    /// How many attempts a channel may have under way.
    func size(of channel: String) -> Int { windows.withLock { $0[channel]?.size ?? 1 } }

    /// Notes what came of an attempt; see ``DeliveryWindow/note(_:of:begun:at:)``.
    func note(
        _ outcome: DeliveryOutcome?,
        of channel: String,
        _ kind: ChannelKind,
        begun: Timestamp,
        at now: Timestamp
    ) {
        windows.withLock { windows in
            if windows.count >= DeliveryPaces.most, windows[channel] == nil {
                windows = windows.filter { $0.value.size > 1 }
                if windows.count >= DeliveryPaces.most { windows = [:] }
            }
            windows[channel, default: DeliveryWindow()].note(outcome, of: kind, begun: begun, at: now)
        }
    }
}
