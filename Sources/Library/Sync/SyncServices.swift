/// What keeps the copies that clients carry in step with the stories here.
package struct SyncServices: Sendable {
    /// What clients did while they were offline.
    package let batches: BatchService
    /// What is new since a client asked last.
    package let changes: ChangesService
    /// Regions to take along.
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
