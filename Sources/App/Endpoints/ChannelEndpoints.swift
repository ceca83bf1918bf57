import Web
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories

/// The routes of the channels that carry a user's notifications besides the feed.
struct ChannelEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [list, make, read, change, remove, verify, rotate, test] }

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/channels",
            name: "listChannels",
            summary: "Where the caller's notifications go, and what kinds of channels this service offers.",
            access: .user,
            scope: .notificationsRead,
            success: [ChannelEndpoints.answer("ChannelList", "The channels, the oldest first.")],
            handler: { call in
                let user = try call.user
                let channels = try await library.store.read { transaction in
                    try transaction.channels(of: user).map { ($0, try transaction.waiting(for: $0.id)) }
                }
                var json = JSONWriter(capacity: 400 * (channels.count + 1))
                json.beginObject()
                json.key("channels")
                json.beginArray()
                for (channel, waiting) in channels { write(channel, waiting: waiting, to: &json) }
                json.endArray()
                let credentials = library.delivery.credentials
                json.member("offered", ChannelKind.allCases.filter(credentials.allow).map(\.rawValue))
                json.member("web_push_key", credentials.vapid?.publicKey)
                json.endObject()
                return Answer(body: json.bytes)
            }
        )
    }

    private var make: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/me/channels",
            name: "makeChannel",
            summary: """
                Makes a channel, or finds the one that leads there already. A webhook must answer a challenge and an \
                e-mail address be confirmed before anything else is sent. Keys of a webhook are shown this once.
                """,
            access: .user,
            scope: .notificationsManage,
            cost: .normal,
            body: .init(schema: "ChannelInput", maxBytes: 16_384),
            success: [
                ChannelEndpoints.answer("Channel", "The channel, new.", status: .created),
                ChannelEndpoints.answer("Channel", "It was there before."),
            ],
            handler: { call in
                let body = call.body ?? .null
                guard let kind = body["kind"]?.string.flatMap(ChannelKind.init) else {
                    let words = ChannelKind.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Problem.body([FieldProblem(field: "kind", message: "must be one of \(words)")])
                }
                let made = try await library.channels.make(
                    kind,
                    fields: ChannelEndpoints.fields(body["target"]),
                    name: body["name"]?.string.map(PlainText.line),
                    for: try call.user
                )
                return Answer(
                    status: made.isNew ? .created : .ok,
                    headers: made.isNew ? [.location: "/v1/me/channels/\(made.channel.id)"] : [:],
                    body: json(made.channel, showing: made.isNew ? made.target : nil)
                )
            }
        )
    }

    private var read: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/channels/\(PathPart.channel)",
            name: "readChannel",
            summary: "One of the caller's channels, and whether things arrive there.",
            access: .user,
            scope: .notificationsRead,
            success: [ChannelEndpoints.answer("Channel", "The channel.")],
            handler: { call in
                let (user, id) = (try call.user, try call[PathPart.channel])
                let (channel, waiting) = try await library.store.read { transaction in
                    let channel = try ChannelService.channel(id, of: user, in: transaction)
                    return (channel, try transaction.waiting(for: id))
                }
                return Answer(body: json(channel, waiting: waiting))
            }
        )
    }

    private var change: Endpoint {
        Endpoint(
            method: .patch,
            path: "/v1/me/channels/\(PathPart.channel)",
            name: "changeChannel",
            summary: """
                Switches one channel off or on again, or calls it something else. When off is answered nothing more is sent \
                there, what waited neither.
                """,
            access: .user,
            scope: .notificationsManage,
            body: .init(schema: "ChannelChange", maxBytes: 4_096),
            success: [ChannelEndpoints.answer("Channel", "The channel as it is now.")],
            handler: { call in
                let name: String?? = call.body.flatMap { $0["name"] }.map { $0.string.map(PlainText.line) }
                let (channel, waiting) = try await library.channels.change(
                    try call[PathPart.channel],
                    of: try call.user,
                    isEnabled: call.body?["enabled"]?.bool,
                    name: name
                )
                return Answer(body: json(channel, waiting: waiting))
            }
        )
    }

    private var remove: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/me/channels/\(PathPart.channel)",
            name: "removeChannel",
            summary: "Removes a channel; when this is answered nothing more is sent there.",
            access: .user,
            scope: .notificationsManage,
            success: [.init(status: .noContent, mediaType: MediaType.json, schema: nil, description: "It is gone.")],
            handler: { call in
                try await library.channels.remove(try call[PathPart.channel], of: try call.user)
                return .noContent
            }
        )
    }

    private var verify: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/me/channels/\(PathPart.channel)/verify",
            name: "verifyChannel",
            summary: """
                Takes the code that came by e-mail; without one, asks the channel's end again, and switches a disabled \
                channel on. A code ends after \(ChannelService.maximumWrongCodes) wrong ones: then ask for a new one.
                """,
            access: .user,
            scope: .notificationsManage,
            cost: .raised,
            guards: .secret,
            body: .init(schema: "ChannelProof", maxBytes: 1_024),
            success: [ChannelEndpoints.answer("Channel", "The channel as it is now.")],
            handler: { call in
                let channel = try await library.channels.verify(
                    try call[PathPart.channel],
                    of: try call.user,
                    code: call.body?["code"]?.string
                )
                return Answer(body: json(channel))
            }
        )
    }

    private var rotate: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/me/channels/\(PathPart.channel)/rotate",
            name: "rotateChannelKeys",
            summary: "Gives a webhook new keys, shown this once; for a day it is signed with the old ones too.",
            access: .user,
            scope: .notificationsManage,
            success: [ChannelEndpoints.answer("Channel", "The channel with its new keys.")],
            handler: { call in
                let rotated = try await library.channels.rotateKeys(of: try call[PathPart.channel], user: try call.user)
                return Answer(body: json(rotated.channel, showing: rotated.target))
            }
        )
    }

    private var test: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/me/channels/\(PathPart.channel)/test",
            name: "testChannel",
            summary: "Sends a sample through a channel; the channel says later whether it arrived.",
            access: .user,
            scope: .notificationsManage,
            cost: .heavy,
            success: [ChannelEndpoints.answer("ChannelTest", "It is on its way.", status: .accepted)],
            handler: { call in
                let test = try await library.channels.test(try call[PathPart.channel], of: try call.user)
                var json = JSONWriter()
                json.beginObject()
                json.member("channel", test.channel.id)
                json.member("message", test.message)
                json.endObject()
                return Answer(status: .accepted, body: json.bytes)
            }
        )
    }

    /// Returns the fields of a target; `null` counts as absent, and other values than text as empty, thus invalid.
    private static func fields(_ target: JSONValue?) -> [String: String] {
        (target?.object ?? [:]).filter { !$0.value.isNull }.mapValues { $0.string ?? "" }
    }

    private static func answer(
        _ schema: String,
        _ description: String,
        status: HTTPResponse.Status = .ok
    ) -> Endpoint.Success {
        .init(status: status, mediaType: MediaType.json, schema: .named(schema), description: description)
    }

    private func json(_ channel: ChannelRow, waiting: Int = 0, showing target: ChannelTarget? = nil) -> [UInt8] {
        var json = JSONWriter(capacity: 600)
        write(channel, waiting: waiting, showing: target, to: &json)
        return json.bytes
    }

    private func write(
        _ channel: ChannelRow,
        waiting: Int,
        showing target: ChannelTarget? = nil,
        to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("id", channel.id)
        json.member("kind", channel.kind.rawValue)
        json.member("name", channel.name)
        json.member("enabled", channel.isEnabled)
        json.member("state", channel.state.rawValue)
        json.member("reason", channel.reason)
        json.key("target")
        json.beginObject()
        let shown = (target ?? library.channels.seal.target(of: channel))?.publicFields ?? [:]
        for (name, value) in shown.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
        json.endObject()
        if let secret = target?.fields["secret"] { json.member("secret", secret) }
        if let key = target?.publicFields["public_key"] { json.member("public_key", key) }
        json.member("created_at", RFC3339.format(channel.createdAt))
        json.member("delivered_at", channel.deliveredAt.map { RFC3339.format($0) })
        json.member("failing_since", channel.failingSince.map { RFC3339.format($0) })
        json.member("paused_until", channel.pausedUntil.map { RFC3339.format($0) })
        json.member("waiting", waiting)
        json.endObject()
    }
}

/// The schemas of channels.
enum ChannelSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("ChannelInput", input), ("ChannelChange", change), ("Channel", channel), ("ChannelProof", proof),
        ("ChannelList", list),
        ("ChannelTest", test), ("UnsubscribeForm", .text(maxBytes: 1_024)), ("MessageInput", message),
        ("MessageReport", report),
    ]

    private static let id = Schema.hexID
    private static let name = Schema.text(maxBytes: 200)
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let kind = Schema.word(ChannelKind.allCases.map(\.rawValue))

    private static let input = Schema.object([
        .init("kind", kind, required: true),
        .init("name", .nullable(name), "What the caller calls it."),
        .init(
            "target",
            .object([], open: true),
            required: true,
            "By kind: webhook url (secret, signing_key: whsec_… and whsk_… of your own); web_push endpoint, p256dh, auth; ntfy url, topic, token; gotify url, token; "
                + "apprise url, key, tag; email address; apns token, topic, environment; fcm token."
        ),
    ])

    private static let change = Schema.object([
        .init("enabled", .boolean, "false: nothing is sent there until it is true again."),
        .init("name", .nullable(name), "What the caller calls it."),
    ])

    private static let channel = Schema.object([
        .init("id", id, required: true), .init("kind", kind, required: true),
        .init("name", .nullable(name), required: true),
        .init("enabled", .boolean, required: true, "Whether its user wants anything sent there."),
        .init(
            "state",
            .word(["unproven", "active", "disabled"]),
            required: true,
            "What became of it by itself; disabled: the service gave it up, see reason."
        ),
        .init(
            "reason",
            .nullable(name),
            required: true,
            "Why it is disabled (gone: its end answered that it is no more; failing: nothing arrived for five days; "
                + "secret_lost: the service lost the key to its address, so remove it and add it again; its user is "
                + "told by channel.disabled) or was not proven: refused_address (the service may not go there), "
                + "bad_answer (answered, but not the challenge), bad_message, too_large; null while it has not been reached"
        ),
        .init("target", .object([], open: true), required: true, "What may be shown of where it leads."),
        .init("secret", name, "A webhook's secret, when it is made."),
        .init("public_key", name, "The key that checks a webhook's v1a signatures, when it has a signing_key."),
        .init("created_at", instant, required: true), .init("delivered_at", .nullable(instant), required: true),
        .init("failing_since", .nullable(instant), required: true),
        .init("paused_until", .nullable(instant), required: true),
        .init("waiting", .integer(0...Int(Int32.max)), required: true, "How many messages wait to be sent."),
    ])

    private static let proof = Schema.object([.init("code", .nullable(.text(minBytes: 1, maxBytes: 64)))])

    private static let list = Schema.object([
        .init("channels", .array(.named("Channel")), required: true),
        .init("offered", .array(kind), required: true, "The kinds that the operator has set up."),
        .init("web_push_key", .nullable(name), required: true, "What a browser subscribes with."),
    ])

    private static let test = Schema.object([
        .init("channel", id, required: true), .init("message", id, required: true),
    ])

    private static let user = Schema.text(minBytes: 1, maxBytes: StoryLimits.idLength)
    private static let message = Schema.object([
        .init("users", .array(user, maxItems: MessageEndpoints.mostUsers), required: true, "Who is told."),
        .init(
            "type",
            .text(minBytes: 1, maxBytes: NoticeType.length, pattern: TextPattern.noticeType),
            required: true,
            "Such as comment.new."
        ),
        .init("title", .judgedLater(MessageEndpoints.titleSchema), required: true),
        .init("body", .judgedLater(MessageEndpoints.textSchema), "Channels carry it when preview is full."),
        .init(
            "link",
            .nullable(.text(minBytes: 1, maxBytes: LinkText.mostBytes)),
            "Where it leads: an https or http address, or a path of this service. It is percent-encoded where it has to "
                + "be; a host beyond ASCII is refused (write xn--…)."
        ),
        .init(
            "key",
            .nullable(.text(minBytes: 1, maxBytes: 200)),
            "The caller's name for this: the same type and key of one backend are told to a user once. Other backends' "
                + "keys are their own."
        ),
        .init("details", .object([], open: true), "Texts for programs; at most 32 of 1,000 bytes."),
    ])

    private static let report = Schema.object([
        .init(
            "told",
            .array(.object([.init("user", user, required: true), .init("notification_id", id, required: true)])),
            required: true
        ),
        .init("told_before", .array(user), required: true),
        .init("switched_off", .array(user), required: true, "Who wants none of this type."),
        .init("unknown", .array(user), required: true, "Who is no user."),
    ])
}
