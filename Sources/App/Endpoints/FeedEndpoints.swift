import Web
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories

/// The routes of a user's feed of notifications.
struct FeedEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec

    var all: [Endpoint] { [list, badge, readAll, seen, one, stories, change, opened] }

    private static let limit = Paging.limit(1...100, default: 30, "The maximum number of entries on a page")
    private static let unread = QueryParameter("unread", .flag, default: false, "true: only unread notifications.")
    private static let types = QueryParameter.list("type", .text(1...64), "Only these types, such as story.nearby.")
    private static let archived = QueryParameter(
        "archived",
        .flag,
        default: false,
        "true: include archived notifications."
    )

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/notifications",
            name: "listNotifications",
            summary: "Returns the caller's notifications, newest first.",
            access: .user,
            scope: .notificationsRead,
            parameters: [
                FeedEndpoints.limit, Paging.position, FeedEndpoints.unread, FeedEndpoints.types, FeedEndpoints.archived,
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
                let limit = try call[FeedEndpoints.limit]
                var window = FeedWindow()
                window.unreadOnly = try call[FeedEndpoints.unread]
                window.withArchived = try call[FeedEndpoints.archived]
                window.types = Set(try call[FeedEndpoints.types])
                window.after = try call[Paging.position].map(FeedEndpoints.position)
                window.limit = limit + 1
                let items = try await library.feed.items(of: user, service: call.viewer.service, in: window)
                let page = Array(items.prefix(limit))
                let next = items.count > limit ? page.last.map { "\($0.createdAt.milliseconds)-\($0.id)" } : nil
                return Answer(
                    body: NoticeJSON.page(page, next: next.map { call.address(setting: Paging.position, to: $0) })
                )
            }
        )
    }

    /// Returns the position in a cursor: the time and id of an item in the caller's own feed.
    private static func position(_ text: String) throws -> (createdAt: Timestamp, id: String) {
        let sides = text.split(separator: "-", maxSplits: 1)
        guard sides.count == 2, let time = Int64(sides[0]), StoryID(sides[1]) != nil else {
            throw Paging.position.invalid("was not issued by this list")
        }
        return (Timestamp(milliseconds: time), String(sides[1]))
    }

    private var badge: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/notifications/badge",
            name: "notificationBadge",
            summary: """
                Returns the number of the caller's unread notifications and the number since the caller last viewed \
                the feed.
                """,
            access: .user,
            scope: .notificationsRead,
            caching: .revalidate,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("NotificationBadge"),
                    description: "The counts, at most \(FeedBadge.most)."
                )
            ],
            handler: { call in Answer(body: FeedJSON.badge(try await library.feed.badge(of: try call.user))) }
        )
    }

    private var readAll: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/notifications/read-all",
            name: "readAllNotifications",
            summary: """
                Marks a notification and all earlier ones as read; without a body, all current ones. Notifications \
                that arrive meanwhile stay unread.
                """,
            access: .user,
            scope: .notificationsManage,
            body: .init(schema: "NotificationReadAll", maxBytes: 4_096, isOptional: true),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("NotificationsMarked"),
                    description: "The number of notifications that were unread before."
                )
            ],
            handler: { call in
                let id = call.body?["before"]?.string
                let count = try await library.feed.markAllRead(upTo: id, of: try call.user)
                return Answer(body: FeedJSON.readAll(count))
            }
        )
    }

    private var seen: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/notifications/seen",
            name: "seeNotifications",
            summary:
                "Records that the caller viewed the feed from a notification downwards. Notifications stay unread.",
            access: .user,
            scope: .notificationsManage,
            body: .init(schema: "NotificationBefore", maxBytes: 4_096),
            success: [.init(status: .noContent, mediaType: MediaType.json, schema: nil, description: "Success.")],
            handler: { call in
                try await library.feed.markSeen(upTo: call.body?["before"]?.string ?? "", by: try call.user)
                return .noContent
            }
        )
    }

    private static let item = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.json,
        schema: .named("Notification"),
        description: "The notification. If nothing that it announced is still visible, it names nothing."
    )

    private var one: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/notifications/\(PathPart.notification)",
            name: "readNotification",
            summary: "Returns one of the caller's notifications as currently visible to them.",
            access: .user,
            scope: .notificationsRead,
            success: [FeedEndpoints.item],
            handler: { call in
                let id = try call[PathPart.notification]
                return Answer(
                    body: FeedJSON.item(
                        try await library.feed.item(id, of: try call.user, service: call.viewer.service)
                    )
                )
            }
        )
    }

    private var stories: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/notifications/\(PathPart.notification)/stories",
            name: "notificationStories",
            summary: """
                Returns exactly the stories announced by one of the caller's notifications that are still visible to \
                them, newest first; empty if the notification announces none.
                """,
            access: .user,
            scope: .storiesRead,
            cost: .normal,
            parameters: StoryPages.parameters,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.geoJSON,
                    schema: .named("StoryCollection"),
                    description: "A GeoJSON FeatureCollection."
                )
            ],
            handler: { call in
                let id = try call[PathPart.notification]
                let item = try await library.feed.item(id, of: try call.user, service: call.viewer.service)
                let scope = cursors.scope(of: call)
                let window = try StoryPages.window(call, cursors, scope: scope)
                let list = try await library.stories.stories(of: item, window, viewer: call.viewer)
                return cursors.answer(list, to: call, scope: scope)
            }
        )
    }

    private var change: Endpoint {
        Endpoint(
            method: .patch,
            path: "/v1/notifications/\(PathPart.notification)",
            name: "markNotification",
            summary: "Marks a notification as read or unread, or archives or restores it.",
            access: .user,
            scope: .notificationsManage,
            body: .init(schema: "NotificationMarks", maxBytes: 4_096),
            success: [FeedEndpoints.item],
            handler: { call in
                let marks = StoreTransaction.FeedMarks(
                    read: call.body?["read"]?.bool,
                    archived: call.body?["archived"]?.bool
                )
                return try await mark(call, marks)
            }
        )
    }

    private var opened: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/notifications/\(PathPart.notification)/opened",
            name: "openNotification",
            summary: "Records that the caller opened the target of a notification, which also marks it as read.",
            access: .user,
            scope: .notificationsManage,
            success: [FeedEndpoints.item],
            handler: { call in try await mark(call, StoreTransaction.FeedMarks(opened: true)) }
        )
    }

    private func mark(_ call: Call, _ marks: StoreTransaction.FeedMarks) async throws -> Answer {
        let id = try call[PathPart.notification]
        let item = try await library.feed.mark(id, of: try call.user, service: call.viewer.service, marks)
        return Answer(body: FeedJSON.item(item))
    }
}
