/// The notifications a user wants, and the channels they go through (DLV-04).
///
/// Everything is on unless switched off; notifications about nearby stories also require their own consent.
public struct DeliveryChoices: Hashable, Sendable {
    /// A user's choice for one type.
    public struct TypeChoice: Hashable, Sendable {
        /// Whether notifications of this type are created at all.
        public var isEnabled = true
        /// The channels switched on or off for this type only; the others follow ``DeliveryChoices/channels``.
        public var channels: [ChannelKind: Bool] = [:]

        /// Creates the default choice.
        public init() {}
    }

    /// The maximum number of types with a choice of their own.
    public static let mostTypes = 64

    /// Whether notifications are created at all.
    public var everything = true
    /// The channels switched on or off for all types.
    public var channels: [ChannelKind: Bool] = [:]
    /// The types with a choice of their own.
    public var types: [NoticeType: TypeChoice] = [:]

    /// Creates the default choices.
    public init() {}

    /// Returns whether notifications of a type are created.
    public func makes(_ type: NoticeType) -> Bool { everything && types[type]?.isEnabled != false }

    /// Returns whether notifications of a type go through a channel; a channel that is off is off for every type.
    public func sends(_ type: NoticeType, through channel: ChannelKind) -> Bool {
        makes(type) && channels[channel] != false && types[type]?.channels[channel] != false
    }
}

/// Limits on the messages sent to channels; the feed and the stream have no limit.
public struct DeliveryCaps: Hashable, Sendable {
    /// The allowed values of ``perHour`` and ``perDay``.
    public static let counts = 1...1_000
    /// The allowed pauses, in seconds.
    public static let pauses = 0...86_400

    /// The maximum number of messages to one endpoint in any hour; `nil` for no limit.
    public var perHour: Int?
    /// The maximum number of messages to one endpoint in any day; `nil` for no limit.
    public var perDay: Int?
    /// The shortest time between two messages to one endpoint, in seconds.
    public var pause = 0

    /// Creates caps that limit nothing.
    public init() {}

    /// Whether there is no limit.
    public var isUnlimited: Bool { perHour == nil && perDay == nil && pause == 0 }

    /// Returns whether another message may be sent to an endpoint.
    public func allows(sentLastHour: Int, sentLastDay: Int, secondsSinceLast: Double?) -> Bool {
        if let perHour, sentLastHour >= perHour { return false }
        if let perDay, sentLastDay >= perDay { return false }
        if let secondsSinceLast, secondsSinceLast < Double(pause) { return false }
        return true
    }
}
