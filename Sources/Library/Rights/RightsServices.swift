/// The rights of people over their data: consent, erasure, and deleted stories as long as they are kept.
package struct RightsServices: Sendable {
    /// What people agree to, and how they want to be notified.
    package let settings: SettingsService
    /// Erasures of accounts and of what was derived from where people were.
    package let erasures: ErasureService
    /// Deleted stories, as long as they are kept.
    package let retention: RetentionService
    /// The exports under way.
    package let exports = ExportGate()
    /// Applies the list of erasures to an older copy of the database.
    let restoring: RestoringService

    /// Creates the services.
    package init(settings: SettingsService, erasures: ErasureService, removal: StoryRemoval) {
        self.settings = settings
        self.erasures = erasures
        let context = erasures.context
        retention = RetentionService(context: context, feed: erasures.feed, days: removal.retentionDays)
        restoring = RestoringService(context: context, erasures: erasures, removal: removal)
    }
}
