/// Which notifications a user wants at all, and through which channels (DLV-04).
///
/// Everything is on unless switched off; being told of nearby stories has a consent of its own besides.
public struct DeliveryChoices: Hashable, Sendable {
    /// What a user wants of one type.
    public struct TypeChoice: Hashable, Sendable {
        /// Whether notifications of this type are made at all.
        public var isEnabled = true
        /// The channels switched on or off for this type alone; the others follow ``DeliveryChoices/channels``.
        public var channels: [ChannelKind: Bool] = [:]

        /// Creates the choice of somebody who never chose.
        public init() {}
    }

    /// The most types that can have a choice of their own.
    public static let mostTypes = 64

    /// Whether there are notifications at all.
    public var everything = true
    /// The channels switched on or off for all types.
    public var channels: [ChannelKind: Bool] = [:]
    /// The types with a choice of their own.
    public var types: [NoticeType: TypeChoice] = [:]

    /// Creates the choices of somebody who never chose.
    public init() {}

    /// Whether notifications of a type are made.
    public func makes(_ type: NoticeType) -> Bool { everything && types[type]?.isEnabled != false }

    /// Whether notifications of a type go through a channel: a channel that is off is off for every type.
    public func sends(_ type: NoticeType, through channel: ChannelKind) -> Bool {
        makes(type) && channels[channel] != false && types[type]?.channels[channel] != false
    }
}

/// The most that channels are sent; the feed and the stream have no limit.
public struct DeliveryCaps: Hashable, Sendable {
    /// What numbers can be chosen for an hour or a day.
    public static let counts = 1...1_000
    /// What pauses can be chosen, in seconds.
    public static let pauses = 0...86_400

    /// The most in any hour to one endpoint, or `nil`.
    public var perHour: Int?
    /// The most in any day to one endpoint, or `nil`.
    public var perDay: Int?
    /// The shortest time between two to one endpoint, in seconds.
    public var pause = 0

    /// Creates no limits.
    public init() {}

    /// Whether there is no limit.
    public var isUnlimited: Bool { perHour == nil && perDay == nil && pause == 0 }

    /// Whether one more may go to an endpoint.
    public func allows(sentLastHour: Int, sentLastDay: Int, secondsSinceLast: Double?) -> Bool {
        if let perHour, sentLastHour >= perHour { return false }
        if let perDay, sentLastDay >= perDay { return false }
        if let secondsSinceLast, secondsSinceLast < Double(pause) { return false }
        return true
    }
}
