import Web
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories

/// The routes by which operators inspect the outbox and resend dead letters while the service runs.
///
/// They show only ids, types, states and outcomes: no texts, no addresses and no names. Recipients are not shown
/// either; the id of a channel shows which entries belong together.
struct OutboxEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [list, read, replay] }

    private static let state = QueryParameter.optional(
        "state",
        .word(of: OutboxEntry.State.self),
        "Only entries in this state (default: all)."
    )
    private static let channel = QueryParameter.optional("channel", .fitting(.hexID), "Only entries of this channel.")
    private static let before = QueryParameter.optional(
        "before",
        .integer(1...(1 << 53)),
        "Only entries before this number; taken from links."
    )
    private static let limit = Paging.limit(1...1_000, default: 100, "The maximum number of entries on a page")

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/service/outbox",
            name: "listOutbox",
            summary: "Returns the messages to be sent and the outcomes of earlier ones, newest first. For operators.",
            access: .operators,
            scope: .adminOps,
            cost: .normal,
            parameters: [
                OutboxEndpoints.state, OutboxEndpoints.channel, OutboxEndpoints.before, OutboxEndpoints.limit,
            ],
            success: [OutboxEndpoints.ok("OutboxPage", "A page.")],
            handler: { call in
                let limit = try call[OutboxEndpoints.limit]
                let before = try call[OutboxEndpoints.before].map { Int64($0) }
                let (state, channel) = (try call[OutboxEndpoints.state], try call[OutboxEndpoints.channel])
                let found = try await library.store.read {
                    try $0.outbox(state: state, channel: channel, before: before, limit: limit + 1)
                }
                let page = found.prefix(limit)
                let next =
                    found.count > limit
                    ? page.last.map { call.address(setting: OutboxEndpoints.before, to: "\($0.number)") } : nil
                return Answer(body: OutboxEndpoints.json(page, next: next))
            }
        )
    }

    private var read: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/service/outbox/\(PathPart.entry)",
            name: "readOutboxEntry",
            summary: "Returns an outbox entry with its attempts. For operators.",
            access: .operators,
            scope: .adminOps,
            success: [OutboxEndpoints.ok("OutboxEntry", "The entry.")],
            handler: { call in
                let number = try call[PathPart.entry]
                let (entry, attempts) = try await library.store.read { transaction in
                    (try transaction.outboxEntry(number), try transaction.attempts(of: number))
                }
                guard let entry else { throw Problem.notFound }
                var json = JSONWriter(capacity: 800)
                OutboxJSON.write(entry, attempts: attempts, to: &json)
                return Answer(body: json.bytes)
            }
        )
    }

    private var replay: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/service/outbox/replay",
            name: "replayOutbox",
            summary: """
                Sends dead letters again under their original ids: either the given entries (all of them or none) or \
                all dead letters, optionally of one channel. Messages that are no longer wanted or visible are not \
                sent. For operators.
                """,
            access: .operators,
            scope: .adminOps,
            cost: .normal,
            body: .init(schema: "OutboxReplay", maxBytes: 65_536),
            success: [OutboxEndpoints.ok("OutboxReplayed", "The messages are waiting to be sent.")],
            handler: { call in
                let body = call.body ?? .null
                let numbers = body["entries"]?.array?.compactMap(\.integer).map { Int64($0) }
                let isAll = body["all"]?.bool ?? false
                guard isAll != (numbers != nil) else {
                    let problem = FieldProblem(
                        field: "entries",
                        message: "must be given, or all must be true, but not both"
                    )
                    throw Problem.body([problem])
                }
                guard isAll || body["channel"]?.string == nil else {
                    throw Problem.body([FieldProblem(field: "channel", message: "is allowed only with all")])
                }
                let count =
                    if let numbers {
                        try await library.delivery.replay(numbers)
                    } else {
                        try await library.delivery.replayAll(of: body["channel"]?.string)
                    }
                var json = JSONWriter()
                json.beginObject()
                json.member("replayed", count)
                json.endObject()
                return Answer(body: json.bytes)
            }
        )
    }

    private static func ok(_ schema: String, _ description: String) -> Endpoint.Success {
        .init(status: .ok, mediaType: MediaType.json, schema: .named(schema), description: description)
    }

    private static func json(_ entries: some Collection<OutboxEntry>, next: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 400 * (entries.count + 1))
        json.beginObject()
        json.key("entries")
        json.beginArray()
        for entry in entries { OutboxJSON.write(entry, attempts: nil, to: &json) }
        json.endArray()
        json.key("links")
        json.beginObject()
        json.member("next", next)
        json.endObject()
        json.endObject()
        return json.bytes
    }
}

/// The schemas of the outbox.
enum OutboxSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("OutboxEntry", entry), ("OutboxPage", page), ("OutboxReplay", replay), ("OutboxReplayed", replayed),
    ]

    /// The maximum number of entries that a request can name.
    static let mostEntries = 1_000

    private static let number = Schema.integer(1...(1 << 53))
    private static let count = Schema.integer(0...Int(Int32.max))
    private static let id = Schema.hexID
    private static let word = Schema.text(maxBytes: 64)
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")

    private static let entry = Schema.object([
        .init("number", number, required: true),
        .init("state", .word(OutboxEntry.State.allCases.map(\.rawValue)), required: true),
        .init("type", word, required: true), .init("message", id, required: true, "The id in the sent message."),
        .init("channel", id, required: true),
        .init("created_at", instant, required: true), .init("not_before", instant, required: true),
        .init("expires_at", .nullable(instant), required: true), .init("attempts", count, required: true),
        .init(
            "reason",
            .nullable(word),
            required: true,
            "The reason why it ended or is waiting: server_error, opted_out, cap …"
        ),
        .init("status", .nullable(count), required: true, "The status of the receiver's last answer."),
        .init("ended_at", .nullable(instant), required: true),
        .init(
            "tries",
            .array(
                .object([
                    .init("number", number, required: true), .init("at", instant, required: true),
                    .init("outcome", word, required: true), .init("status", .nullable(count), required: true),
                    .init("took_ms", .integer(0...(1 << 53)), required: true),
                ])
            ),
            "The attempts; present only if a single entry was requested."
        ),
    ])

    private static let page = Schema.object([
        .init("entries", .array(.named("OutboxEntry")), required: true),
        .init("links", .object([.init("next", .nullable(.text(maxBytes: 1_000)), required: true)]), required: true),
    ])

    private static let replay = Schema.object([
        .init("entries", .array(number, maxItems: mostEntries), "The numbers of dead letters."),
        .init("all", .boolean, "true: all dead letters."),
        .init("channel", id, "With all: only this channel."),
    ])

    private static let replayed = Schema.object([.init("replayed", count, required: true)])
}
