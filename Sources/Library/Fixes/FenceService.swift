package import Notifications
package import Stories
package import StoryMap

/// Evaluates positions: fixes, entries that devices report, and recorded traces, with what is announced of them.
package final class FenceService: StoreService {
    package let context: StoreContext
    /// Follows the clocks of devices.
    package let time: TimeKeeper
    /// The places around where people were last.
    package let memory = FenceMemory()
    /// The numbers of fixes by outcome.
    package let counts = FixCounts()
    private let map: MapIndex
    private let names: GazetteerNames

    /// Creates the service; `names` names points that no story has a name for.
    package init(_ context: StoreContext, time: TimeKeeper, map: MapIndex, names: GazetteerNames) {
        self.context = context
        self.time = time
        self.map = map
        self.names = names
    }

    /// Returns the rules that decide which stories are announced to a viewer, on the map as it is now.
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
