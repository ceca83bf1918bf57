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
            summary: "Returns the caller's notification channels and the kinds of channels that this service offers.",
            access: .user,
            scope: .notificationsRead,
            success: [ChannelEndpoints.answer("ChannelList", "The channels, oldest first.")],
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
                Creates a channel, or returns the existing one with the same target. Before anything else is sent, a \
                webhook must answer a challenge and an e-mail address must be confirmed. The keys of a webhook are \
                shown only once.
                """,
            access: .user,
            scope: .notificationsManage,
            cost: .normal,
            body: .init(schema: "ChannelInput", maxBytes: 16_384),
            success: [
                ChannelEndpoints.answer("Channel", "The new channel.", status: .created),
                ChannelEndpoints.answer("Channel", "The channel existed already."),
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
            summary: "Returns one of the caller's channels with its delivery status.",
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
                Switches a channel on or off, or renames it. After the answer to switching it off, nothing more is \
                sent, including waiting messages.
                """,
            access: .user,
            scope: .notificationsManage,
            body: .init(schema: "ChannelChange", maxBytes: 4_096),
            success: [ChannelEndpoints.answer("Channel", "The updated channel.")],
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
            summary: "Deletes a channel. After the answer, nothing more is sent to it.",
            access: .user,
            scope: .notificationsManage,
            success: [
                .init(
                    status: .noContent,
                    mediaType: MediaType.json,
                    schema: nil,
                    description: "The channel is deleted."
                )
            ],
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
                Confirms an e-mail channel with the code sent to it. Without a code, verifies the channel's target \
                again and re-enables a disabled channel. A code expires after \(ChannelService.maximumWrongCodes) \
                wrong attempts; request a new one then.
                """,
            access: .user,
            scope: .notificationsManage,
            cost: .raised,
            guards: .secret,
            body: .init(schema: "ChannelProof", maxBytes: 1_024),
            success: [ChannelEndpoints.answer("Channel", "The updated channel.")],
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
            summary: """
                Replaces the keys of a webhook. The new keys are shown only once. For one day, messages are also \
                signed with the old keys.
                """,
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
            summary: "Sends a test message through a channel. The channel later shows whether it was delivered.",
            access: .user,
            scope: .notificationsManage,
            cost: .heavy,
            success: [ChannelEndpoints.answer("ChannelTest", "The test message is on its way.", status: .accepted)],
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

    /// Returns the fields of a target; `null` counts as absent, other values that are not text as empty, thus invalid.
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
        if let topic = target.flatMap({ library.delivery.egress.writer.topic(of: $0) }) { json.member("topic", topic) }
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
    static let all: [(name: String, schema: Schema)] =
        [
            ("ChannelInput", input), ("ChannelChange", change), ("Channel", channel), ("ChannelProof", proof),
            ("ChannelList", list),
        ] + ChannelTargetSchemas.all + [
            ("ChannelTest", test), ("UnsubscribeForm", .text(maxBytes: 1_024)), ("MessageInput", message),
            ("MessageReport", report),
        ]

    private static let id = Schema.hexID
    private static let name = Schema.text(maxBytes: 200)
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let kind = Schema.word(ChannelKind.allCases.map(\.rawValue))

    /// The body of a new channel: a shape for each kind, whose target the handler checks field by field.
    private static let input = Schema.documented(
        .either(ChannelKind.allCases.map { .named(ChannelTargetSchemas.inputName($0)) }),
        checkedAs: .object([
            .init("kind", kind, required: true), .init("name", .nullable(name)),
            .init("target", .object([], open: true), required: true),
        ])
    )

    private static let change = Schema.object([
        .init("enabled", .boolean, "false: nothing is sent until the channel is switched on again."),
        .init("name", .nullable(name), "The caller's name for the channel."),
    ])

    private static let channel = Schema.object([
        .init("id", id, required: true), .init("kind", kind, required: true),
        .init("name", .nullable(name), required: true),
        .init("enabled", .boolean, required: true, "Whether the user has switched the channel on."),
        .init(
            "state",
            .word(["unproven", "active", "disabled"]),
            required: true,
            "The state of the channel as determined by the service. disabled: the service stopped using it, see reason."
        ),
        .init(
            "reason",
            .nullable(name),
            required: true,
            "The reason why the channel is disabled (gone: the target reported that it no longer exists; failing: "
                + "nothing was delivered for five days; secret_lost: the service lost the key to the target, so delete "
                + "the channel and create it again; old_copy: the operator put an older copy of the database back, so "
                + "verify the channel again; key_replaced: the browser subscribed with a key that the service no longer "
                + "has, so delete the channel and add the browser again; channel.disabled notifies its user) or could not be verified "
                + "(refused_address: the service may not connect to it; bad_answer: the answer did not contain the "
                + "challenge; bad_message; too_large). null otherwise, and until the target has been reached."
        ),
        .init("target", .object([], open: true), required: true, "The target without its secrets."),
        .init("secret", name, "The secret of a webhook, shown at creation."),
        .init("topic", name, "The topic of a channel of kind mqtt at the operator's broker, shown at creation."),
        .init("public_key", name, "The public key that verifies the v1a signatures of a webhook with a signing_key."),
        .init("created_at", instant, required: true), .init("delivered_at", .nullable(instant), required: true),
        .init("failing_since", .nullable(instant), required: true),
        .init("paused_until", .nullable(instant), required: true),
        .init("waiting", .integer(0...Int(Int32.max)), required: true, "The number of messages waiting to be sent."),
    ])

    private static let proof = Schema.object([.init("code", .nullable(.text(minBytes: 1, maxBytes: 64)))])

    private static let list = Schema.object([
        .init("channels", .array(.named("Channel")), required: true),
        .init("offered", .array(kind), required: true, "The kinds that the operator has configured."),
        .init("web_push_key", .nullable(name), required: true, "The key with which browsers subscribe."),
    ])

    private static let test = Schema.object([
        .init("channel", id, required: true), .init("message", id, required: true),
    ])

    private static let user = Schema.text(minBytes: 1, maxBytes: StoryLimits.idLength)
    private static let message = Schema.object([
        .init("users", .array(user, maxItems: MessageEndpoints.mostUsers), required: true, "The users to notify."),
        .init(
            "type",
            .text(minBytes: 1, maxBytes: NoticeType.length, pattern: TextPattern.noticeType),
            required: true,
            "The type of the notification, such as comment.new."
        ),
        .init("title", .judgedLater(MessageEndpoints.titleSchema), required: true),
        .init(
            "body",
            .judgedLater(MessageEndpoints.textSchema),
            "The text. Channels include it only if preview is full."
        ),
        .init(
            "link",
            .nullable(.text(minBytes: 1, maxBytes: LinkText.mostBytes)),
            "The target of the notification: an https or http address, or a path of this service. It is "
                + "percent-encoded where necessary. Hosts that are not ASCII are rejected (use xn--…)."
        ),
        .init(
            "key",
            .nullable(.text(minBytes: 1, maxBytes: 200)),
            "The caller's key for this event. A user is notified once per type and key of a backend. Keys of different "
                + "backends are independent."
        ),
        .init("details", .object([], open: true), "Additional texts for programs: at most 32 of 1,000 bytes each."),
    ])

    private static let report = Schema.object([
        .init(
            "told",
            .array(.object([.init("user", user, required: true), .init("notification_id", id, required: true)])),
            required: true
        ),
        .init("told_before", .array(user), required: true),
        .init("switched_off", .array(user), required: true, "The users who have switched this type off."),
        .init("unknown", .array(user), required: true, "The ids that belong to no user."),
    ])
}
