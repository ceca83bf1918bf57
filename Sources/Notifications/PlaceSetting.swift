public import Geometry
public import Stories

/// A user's settings for one place, overriding the general ones (NTF-08).
public struct PlaceSetting: Hashable, Sendable {
    /// The maximum number of places with settings of their own.
    public static let most = 500

    /// The place.
    public let place: PlaceID
    /// Whether it is announced at all.
    public var isEnabled = true
    /// The time until which it is muted, or `nil`.
    public var mutedUntil: Timestamp?
    /// The radius in metres, within ``NotificationSettings/radii``, or `nil` for ``NotificationSettings/radius``.
    public var radius: Double?
    /// The wanted kinds, empty for all, or `nil` for ``NotificationSettings/kinds``.
    public var kinds: Set<StoryKind>?

    /// Creates a setting that overrides nothing.
    public init(place: PlaceID) {
        self.place = place
    }

    /// Returns whether the place is announced at an instant.
    public func isActive(at now: Timestamp) -> Bool { isEnabled && mutedUntil.map { $0 <= now } ?? true }
}
