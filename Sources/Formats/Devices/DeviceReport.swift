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

/// The reason that a part of an app's message is ignored.
public enum IgnoredPart: String, Error, CaseIterable, Hashable, Sendable {
    /// It is of a type that reports no position.
    case otherType = "other_type"
    /// It has no latitude and longitude within their ranges.
    case position
    /// It has no time, or an invalid one.
    case time
    /// The device itself says that its position is invalid.
    case invalid
}

/// The content of a message from an app.
public struct DeviceMessage: Hashable, Sendable {
    /// The positions, in the order of the message.
    public var reports: [DeviceReport] = []
    /// The number of ignored parts: other types of messages, and unreadable positions.
    public private(set) var ignored = 0
    /// The reason that the last of them is ignored.
    public private(set) var reason: IgnoredPart?

    /// Creates an empty message.
    public init() {}

    /// Adds the position that a part of the message reports, or the reason that the part is ignored.
    mutating func add(_ read: () throws(IgnoredPart) -> DeviceReport) {
        do {
            reports.append(try read())
        } catch {
            ignore(error)
        }
    }

    /// Counts a part that is ignored.
    public mutating func ignore(_ part: IgnoredPart) {
        ignored += 1
        reason = part
    }
}

extension JSONValue {
    /// Returns the number of the first of these members that has one: as a number, or as a text, which apps send that
    /// fill in a template.
    func amount(_ names: String...) -> Double? { amount(names) }

    func amount(_ names: [String]) -> Double? {
        names.lazy.compactMap { self[$0]?.writtenNumber }.first
    }

    private var writtenNumber: Double? { number ?? string.flatMap { TraceText.number($0) } }

    /// Returns the position whose latitude and longitude are the first members with one of the given names.
    ///
    /// - Throws: ``IgnoredPart`` if it is missing or invalid.
    func coordinate(_ latitudes: [String], _ longitudes: [String]) throws(IgnoredPart) -> Coordinate {
        guard let latitude = amount(latitudes), let longitude = amount(longitudes),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { throw .position }
        return coordinate
    }

    /// Returns the instant in the first of these members that the object has; `nil` if it has none of them.
    ///
    /// - Throws: ``IgnoredPart`` if that member is no instant.
    func time(_ names: [String]) throws(IgnoredPart) -> Timestamp? {
        guard let value = names.lazy.compactMap({ self[$0] }).first(where: { !$0.isNull }) else { return nil }
        guard let instant = value.instant else { throw .time }
        return instant
    }

    /// The instant given as text, or as a number of seconds or milliseconds since 1970; `nil` if it is invalid.
    var instant: Timestamp? {
        string.flatMap { TraceText.time($0) } ?? number.flatMap { TraceText.time(since1970: $0) }
    }
}
