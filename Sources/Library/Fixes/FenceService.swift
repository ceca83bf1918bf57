package import Notifications
package import Stories
package import StoryMap

/// Evaluates positions (fixes, entries detected by devices, and recorded traces) and announces the stories there.
package final class FenceService: StoreService {
    package let context: StoreContext
    /// Receives the times reported by devices, as evidence that a jump of the wall clock is correct.
    package let time: TimeKeeper
    /// The places around users' last positions.
    package let memory = FenceMemory()
    /// The numbers of fixes by outcome.
    package let counts = FixCounts()
    /// When each device last reported, and why a report was not used.
    package let journal = ReportJournal()
    private let map: MapIndex
    private let names: GazetteerNames

    /// Creates the service; `names` provides names for points that no story names.
    package init(_ context: StoreContext, time: TimeKeeper, map: MapIndex, names: GazetteerNames) {
        self.context = context
        self.time = time
        self.map = map
        self.names = names
    }

    /// Returns the rules that decide which stories are announced to a viewer, on the current map.
    package func rules(viewer: Viewer, settings: NotificationSettings, hidden: Set<StoryID>) -> FenceNotifications {
        FenceNotifications(
            snapshot: map.snapshot(),
            viewer: viewer,
            settings: settings,
            hidden: hidden,
            now: now(),
            placeNames: names
        )
    }
}
