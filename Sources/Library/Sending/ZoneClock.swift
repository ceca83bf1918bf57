import Foundation
package import Notifications
package import Stories

/// The offsets of a time zone, from the system's zone database.
package struct ZoneClock: Sendable {
    private let zone: TimeZone

    /// Finds a zone by its name, such as `America/New_York` or `UTC`; returns `nil` if the system does not know it.
    package init?(named name: String) {
        // Abbreviations such as EST stand for several zones; a name in the database, even an outdated one, stands for
        // one.
        guard name == "UTC" || name.contains("/"), let zone = TimeZone(identifier: name) else { return nil }
        self.zone = zone
    }

    /// Creates the zone of a user's settings; UTC if the system does not know it.
    package init(of settings: NotificationSettings) {
        zone = TimeZone(identifier: settings.zone) ?? .gmt
    }

    /// Returns the offset from UTC at an instant, in seconds, positive to the east.
    package func offset(at time: Timestamp) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000))
    }
}
