public import Geometry
public import Stories

/// A position that an app reported in a protocol of its own.
public struct DeviceReport: Hashable, Sendable {
    /// The name of the device, where the message has one.
    public var device: String?
    /// When the position was taken, by the device's clock.
    public var time: Timestamp
    /// The position.
    public var coordinate: Coordinate
    /// The radius in metres that holds the true position with 68 %; `nil` where it is not said, negative where the
    /// device says that the position is not valid.
    public var accuracy: Double?
    /// The speed in metres a second, zero or more.
    public var speed: Double?
    /// The direction of movement in degrees clockwise from north, 0..<360.
    public var course: Double?
    /// Whether the device says that the position is made up.
    public var isSimulated = false

    /// Creates a report; speed and course that make no sense are left out, an accuracy of zero is none.
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

/// What a message of an app holds.
public struct DeviceMessage: Hashable, Sendable {
    /// The positions, in the order of the message.
    public var reports: [DeviceReport] = []
    /// How many parts are nothing to evaluate: other sorts of messages, and positions that cannot be read.
    public var ignored = 0

    /// Creates an empty message.
    public init() {}

    mutating func add(_ report: DeviceReport?) {
        if let report { reports.append(report) } else { ignored += 1 }
    }
}

extension JSONValue {
    /// The position that two members give.
    func coordinate(_ latitude: String, _ longitude: String) -> Coordinate? {
        guard let latitude = self[latitude]?.number, let longitude = self[longitude]?.number else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// An instant as a text or as a number since 1970.
    var instant: Timestamp? {
        string.flatMap { TraceText.time($0) } ?? number.flatMap { TraceText.time(since1970: $0) }
    }
}
