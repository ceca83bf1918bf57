/// What operators and other services decide about who sees stories, and how exactly.
package struct ModerationServices: Sendable {
    /// Reports of stories.
    package let reports: ReportService
    /// Sensitive areas.
    package let areas: AreaService
    /// Stories that are private for the time being.
    package let autoPrivate: AutoPrivateService

    /// Creates the services.
    package init(_ context: StoreContext, feed: FeedService, places: PlaceService) {
        reports = ReportService(context: context, feed: feed)
        areas = AreaService(context: context, feed: feed, places: places)
        autoPrivate = AutoPrivateService(context: context, feed: feed)
    }
}
