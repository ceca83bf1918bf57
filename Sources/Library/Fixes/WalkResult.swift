package import Geofencing
package import Geometry
package import Notifications
package import Stories

/// The options for walking a trace.
package struct WalkOptions: Sendable {
    /// The radius in metres, 75...5,000; `nil` uses the radius in the user's settings.
    package var radius: Double?
    /// Whether to walk as if nothing had been announced to the user before.
    package var forgets = false

    /// Creates the default options.
    package init() {}
}

/// The result of walking a trace: what every fix led to.
package struct WalkResult: Sendable {
    /// A fence near the walk, with the stories there.
    package struct Fence: Sendable {
        package let place: PlaceID
        package let coordinate: Coordinate
        /// The further place whose line or area it is around; `nil` for a circle around the point.
        package let outlined: StoryPlace?
        /// The radius in metres.
        package let radius: Double
        /// The radius in metres beyond which a visit ends.
        package let exitRadius: Double
        /// The stories there as the user may see them, sorted by id: at most ``FenceService/storiesPerFence``.
        package let stories: [Notifications.NearbyStory]
        /// The number of stories there.
        package let count: Int
    }

    /// A story at a visited place that is not announced.
    package struct Silence: Sendable {
        package let place: PlaceID
        package let story: StoryID
        package let why: NoticeSilence
    }

    /// Whether the user has opted in to notifications.
    package let isMonitoring: Bool
    /// The settings that decided.
    package let settings: NotificationSettings
    /// The events and their effects.
    package let run: FenceRun
    /// The fences near the walk, sorted by place.
    package let fences: [Fence]
    /// The notifications that the walk would have caused.
    package let notices: [Notice]
    /// Why stories at visited places are not among them, in the order of the visits.
    package let silences: [Silence]
}
