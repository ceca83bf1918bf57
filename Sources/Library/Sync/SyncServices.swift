/// The services that keep clients' copies of stories in sync with the database.
package struct SyncServices: Sendable {
    /// Changes made by clients while they were offline.
    package let batches: BatchService
    /// Changes since a client last asked.
    package let changes: ChangesService
    /// Regions for offline use.
    package let packages: PackageService

    /// Creates the services.
    package init(
        _ context: StoreContext,
        maps: MapService,
        accesses: AccessLog,
        feed: FeedService,
        stories: StoryService
    ) {
        batches = BatchService(context: context, feed: feed, stories: stories)
        changes = ChangesService(context: context, accesses: accesses)
        packages = PackageService(context: context, maps: maps, accesses: accesses)
    }
}
