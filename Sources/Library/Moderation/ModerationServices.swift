/// The services by which operators and other services control who sees stories, and at which precision.
package struct ModerationServices: Sendable {
    /// Reports of stories.
    package let reports: ReportService
    /// Sensitive areas.
    package let areas: AreaService
    /// Temporarily private stories.
    package let autoPrivate: AutoPrivateService

    /// Creates the services.
    package init(_ context: StoreContext, feed: FeedService, places: PlaceService) {
        reports = ReportService(context: context, feed: feed)
        areas = AreaService(context: context, feed: feed, places: places)
        autoPrivate = AutoPrivateService(context: context, feed: feed)
    }
}
