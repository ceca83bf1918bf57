public import Foundation

/// One report of a device about its position.
public struct PositionFix: Hashable, Sendable, Encodable {
    private enum CodingKeys: String, CodingKey {
        case time = "t", latitude = "lat", longitude = "lon", accuracy = "acc", speed, course, sequence = "seq"
    }

    /// When the device was there.
    public var time: Date
    /// The latitude.
    public var latitude: Double
    /// The longitude.
    public var longitude: Double
    /// The radius in metres within which it was.
    public var accuracy: Double?
    /// The speed in metres per second.
    public var speed: Double?
    /// The direction in degrees from north.
    public var course: Double?
    /// A number that grows with every fix of the device.
    public var sequence: Int?

    /// Creates a fix.
    public init(at point: GeoPoint, time: Date, accuracy: Double? = nil) {
        (self.time, latitude, longitude, self.accuracy) = (time, point.latitude, point.longitude, accuracy)
    }
}

/// What became of reported fixes.
public struct FixOutcomes: Hashable, Sendable, Decodable {
    /// A fix that cannot be used.
    public struct Rejection: Hashable, Sendable, Decodable {
        private enum CodingKeys: String, CodingKey { case index = "i", reason = "why", field, message }

        /// Its index among those that were sent.
        public let index: Int
        /// The reason in one word.
        public let reason: String
        /// The field that is wrong.
        public let field: String?
        /// What it must be, for people.
        public let message: String?
    }

    /// The number of fixes that were evaluated.
    public let accepted: Int
    /// The number of those that had come before.
    public let duplicate: Int
    /// The number of those that came too late.
    public let late: Int
    /// The number of those that are not plausible.
    public let suspect: Int
    /// Those that cannot be used.
    public let rejected: [Rejection]
    /// The ids of the notifications that were decided at once.
    public let notifications: [String]
    /// Whether the user wants to be notified; without that, fixes are ignored and forgotten.
    public var isMonitoring: Bool { monitoring == "on" }

    private let monitoring: String
}

/// The body of a report.
struct FixReportBody: Encodable, Sendable {
    let device: String
    let fixes: [PositionFix]
}
