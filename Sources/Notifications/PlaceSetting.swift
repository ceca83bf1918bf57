public import Geometry
public import Stories

/// What a user wants at one place instead of what they want everywhere (NTF-08).
public struct PlaceSetting: Hashable, Sendable {
    /// The most places that can have settings of their own.
    public static let most = 500

    /// The place.
    public let place: PlaceID
    /// Whether it is announced at all.
    public var isEnabled = true
    /// Until when it is not announced, or `nil`.
    public var mutedUntil: Timestamp?
    /// The radius in metres, within ``NotificationSettings/radii``, or `nil` for the user's own.
    public var radius: Double?
    /// The wanted kinds, empty for all, or `nil` for the user's own.
    public var kinds: Set<StoryKind>?

    /// Creates the setting of a place that changes nothing.
    public init(place: PlaceID) {
        self.place = place
    }

    /// Whether the place is announced at an instant.
    public func isActive(at now: Timestamp) -> Bool { isEnabled && mutedUntil.map { $0 <= now } ?? true }
}
