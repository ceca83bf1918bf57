import Notifications
import Stories
import Synchronization

/// The delivery window of each channel; kept in memory only, so that after every start of the service each channel
/// begins with one attempt at a time.
final class DeliveryPaces: Sendable {
    private let windows = Mutex<[String: DeliveryWindow]>([:])
    /// At this number of channels, those with a window of one are removed.
    private static let maximum = 10_000

    /// Returns the maximum number of concurrent attempts of a channel.
    func size(of channel: String) -> Int { windows.withLock { $0[channel]?.size ?? 1 } }

    /// Records the outcome of an attempt; see ``DeliveryWindow/note(_:of:begun:at:)``.
    func note(
        _ outcome: DeliveryOutcome?,
        of channel: String,
        _ kind: ChannelKind,
        begun: Timestamp,
        at now: Timestamp
    ) {
        windows.withLock { windows in
            if windows.count >= DeliveryPaces.maximum, windows[channel] == nil {
                windows = windows.filter { $0.value.size > 1 }
                if windows.count >= DeliveryPaces.maximum { windows = [:] }
            }
            windows[channel, default: DeliveryWindow()].note(outcome, of: kind, begun: begun, at: now)
        }
    }
}
