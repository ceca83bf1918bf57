import Foundation
import Notifications
import Stories

/// The offsets of a zone, as the system's list of zones has them.
struct ZoneClock: Sendable {
    private let zone: TimeZone

    /// Finds a zone by its name, `America/New_York` or `UTC` for instance; `nil` for one that the system does not know.
    init?(named name: String) {
        // Abbreviations such as EST mean several zones; a name of the list, its old ones too, means one.
        guard name == "UTC" || name.contains("/"), let zone = TimeZone(identifier: name) else { return nil }
        self.zone = zone
    }

    /// The zone of a user; UTC should the system have lost theirs.
    init(of settings: NotificationSettings) {
        zone = TimeZone(identifier: settings.zone) ?? .gmt
    }

    /// Seconds east of Greenwich at an instant.
    func offset(at time: Timestamp) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000))
    }
}
