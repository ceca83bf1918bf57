import Formats
import HTTPTypes
import Notifications
import Storage
import Stories

/// The routes of a person's feed: what they were told.
struct FeedEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [list] }

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/notifications",
            name: "listNotifications",
            summary: "The caller's notifications, newest first.",
            access: .user,
            scope: .notificationsRead,
            parameters: [
                .init("limit", .integer(1...100), "The most on a page; 30 unless said."),
                .init("cursor", .text(minBytes: 1, maxBytes: 100), "Where the next page begins, from links."),
                .init("unread", .word(["true", "false"]), "true: only those not yet read."),
            ],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("NotificationPage"),
                    description: "A page."
                )
            ],
            handler: { call in
                let user = try call.user
                let limit = try call.integer("limit") ?? 30
                let unread = call.text("unread") == "true"
                guard ["true", "false", nil].contains(call.text("unread")) else {
                    throw Problem.parameter("unread", "must be true or false")
                }
                let after = try call.text("cursor").map(FeedEndpoints.position)
                let items = try await library.feed(
                    of: user,
                    service: call.viewer.service,
                    unreadOnly: unread,
                    after: after,
                    limit: limit + 1
                )
                let page = Array(items.prefix(limit))
                let next = items.count > limit ? page.last.map { "\($0.createdAt.milliseconds)-\($0.id)" } : nil
                return Answer(body: NoticeJSON.page(page, next: next.map { call.address(adding: "cursor", $0) }))
            }
        )
    }

    /// The position a cursor stands for: the time and id of an item of the caller's own feed.
    private static func position(_ text: String) throws -> (createdAt: Timestamp, id: String) {
        let sides = text.split(separator: "-", maxSplits: 1)
        guard sides.count == 2, let time = Int64(sides[0]), StoryID(sides[1]) != nil else {
            throw Problem.parameter("cursor", "is not one that this list gave out")
        }
        return (Timestamp(milliseconds: time), String(sides[1]))
    }
}
