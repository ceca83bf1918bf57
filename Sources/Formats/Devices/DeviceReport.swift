public import Geometry
public import Stories

/// A position reported by an app in its own protocol.
public struct DeviceReport: Hashable, Sendable {
    /// The name of the device, if given.
    public var device: String?
    /// The time of the position, by the device's clock.
    public var time: Timestamp
    /// The position.
    public var coordinate: Coordinate
    /// The radius in metres that contains the true position with a probability of 68 %; `nil` if not given, negative if
    /// the device marks the position as invalid.
    public var accuracy: Double?
    /// The speed in metres per second, zero or more.
    public var speed: Double?
    /// The direction of movement in degrees clockwise from north, 0..<360.
    public var course: Double?
    /// Whether the device marks the position as simulated.
    public var isSimulated = false

    /// Creates a report; implausible speeds and courses are dropped, and an accuracy of zero becomes `nil`.
    public init(
        device: String? = nil,
        time: Timestamp,
        coordinate: Coordinate,
        accuracy: Double? = nil,
        speed: Double? = nil,
        course: Double? = nil,
        isSimulated: Bool = false
    ) {
        self.device = device
        self.time = time
        self.coordinate = coordinate
        self.accuracy = accuracy.flatMap { $0 == 0 || $0.isNaN ? nil : $0 }
        self.speed = TraceText.speed(speed)
        self.course = TraceText.course(course)
        self.isSimulated = isSimulated
    }
}

/// The content of a message from an app.
public struct DeviceMessage: Hashable, Sendable {
    /// The positions, in the order of the message.
    public var reports: [DeviceReport] = []
    /// The number of ignored parts: other types of messages, and unreadable positions.
    public var ignored = 0

    /// Creates an empty message.
    public init() {}

    mutating func add(_ report: DeviceReport?) {
        if let report { reports.append(report) } else { ignored += 1 }
    }
}

extension JSONValue {
    /// Returns the position whose latitude and longitude are the members with the given names; `nil` if it is missing
    /// or invalid.
    func coordinate(_ latitude: String, _ longitude: String) -> Coordinate? {
        guard let latitude = self[latitude]?.number, let longitude = self[longitude]?.number else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// The instant given as text, or as a number of seconds or milliseconds since 1970; `nil` if it is invalid.
    var instant: Timestamp? {
        string.flatMap { TraceText.time($0) } ?? number.flatMap { TraceText.time(since1970: $0) }
    }
}
