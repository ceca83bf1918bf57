/// The services for the rights of users over their data: consent, erasure, export, and deleted stories during
/// retention.
package struct RightsServices: Sendable {
    /// Consent and notification settings.
    package let settings: SettingsService
    /// Erasures of accounts and of data derived from users' whereabouts.
    package let erasures: ErasureService
    /// Deleted stories during their retention.
    package let retention: RetentionService
    /// The exports in progress.
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
