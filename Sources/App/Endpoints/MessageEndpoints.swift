import Web
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories

/// The route by which an app's backend notifies its users, through the feed, stream and channels of the service.
struct MessageEndpoints: Sendable {
    let library: StoryLibrary

    /// The maximum number of users of a message.
    static let mostUsers = 1_000
    /// The maximum number of details of a message.
    static let mostDetails = 32

    var all: [Endpoint] { [tell] }

    private var tell: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/notifications",
            name: "tellUsers",
            summary: """
                Sends a notification from the calling backend to the given users. A user is notified once per type and \
                key of a backend (API keys of the same name count as one backend). In title, body and details, control \
                characters become spaces, as do line breaks in the title; characters that change the direction of text \
                are removed.
                """,
            access: .service,
            scope: .actAs,
            cost: .normal,
            body: .init(schema: "MessageInput", maxBytes: 131_072),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("MessageReport"),
                    description: "The users who were notified."
                )
            ],
            handler: { call in
                let message = try MessageEndpoints.message(call.body ?? .null, of: call.principal.serviceName ?? "")
                return Answer(body: MessageEndpoints.json(try await library.feed.send(message)))
            }
        )
    }

    private static func message(_ body: JSONValue, of service: String) throws -> BackendMessage {
        var problems: [FieldProblem] = []
        var users: [UserID] = []
        for (index, value) in (body["users"]?.array ?? []).enumerated() {
            if let user = value.string.flatMap({ UserID($0) }) {
                users.append(user)
            } else {
                problems.append(FieldProblem(field: "users[\(index)]", message: "is not the id of a user"))
            }
        }
        if users.isEmpty, problems.isEmpty {
            problems.append(FieldProblem(field: "users", message: "must name at least one user"))
        }
        let type = body["type"]?.string.flatMap(NoticeType.init(rawValue:))
        if type == nil {
            let message = "must be a word of a-z, 0-9, _, - and . such as comment.new"
            problems.append(FieldProblem(field: "type", message: message))
        } else if type?.isReserved == true {
            problems.append(FieldProblem(field: "type", message: "is a type that only this service itself may send"))
        }
        let link = body["link"]?.string.flatMap(LinkText.normalised)
        if body["link"]?.string != nil, link == nil {
            let message = """
                must be an https or http address, or a path that begins with a single slash, without spaces, \
                backslashes or user names, with the host in ASCII (xn--…), and at most \(LinkText.mostBytes) bytes \
                when percent-encoded
                """
            problems.append(FieldProblem(field: "link", message: message))
        }
        let details = body["details"]?.object ?? [:]
        if details.count > mostDetails {
            problems.append(FieldProblem(field: "details", message: "must have at most \(mostDetails) entries"))
        }
        for (name, value) in details.sorted(by: { $0.key < $1.key })
        where value.string.map({ $0.utf8.count > 1_000 }) ?? true || name.utf8.count > 64 {
            problems.append(
                FieldProblem(
                    field: "details.\(name.prefix(64))",
                    message: "must be a text of at most 1000 bytes, with a name of at most 64 bytes"
                )
            )
        }
        let (title, text) = (words(body["title"]), words(body["body"]))
        let wrong =
            titleSchema.problems(in: title, at: "title")
            + (body["body"] == nil ? [] : textSchema.problems(in: text, at: "body"))
        problems += wrong
        let line = PlainText.line(title.string ?? "")
        if wrong.isEmpty, !PlainText.isVisible(line) {
            problems.append(FieldProblem(field: "title", message: "must contain visible text"))
        }
        guard problems.isEmpty, let type else { throw Problem.body(problems) }
        return BackendMessage(
            users: Array(Set(users)).sorted(),
            subject: FeedItem.Message(type: type, link: link, details: plain(details)),
            title: line,
            body: PlainText.lines(text.string ?? ""),
            service: service,
            key: body["key"]?.string
        )
    }

    static let titleSchema = Schema.text(minBytes: 1, maxBytes: 200)
    static let textSchema = Schema.text(maxBytes: 1_000)

    /// Returns a text with each U+0000 replaced by a space; values other than texts stay unchanged.
    ///
    /// Other control characters are replaced in the same way later.
    private static func words(_ value: JSONValue?) -> JSONValue {
        guard let text = value?.string else { return value ?? .null }
        return .string(String(decoding: text.utf8.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self))
    }

    /// Returns the details; their names and texts are cleaned like texts that people read.
    private static func plain(_ details: [String: JSONValue]) -> [String: String] {
        var plain: [String: String] = [:]
        for (name, value) in details.sorted(by: { $0.key < $1.key }) {
            guard let text = value.string else { continue }
            plain[PlainText.line(name)] = PlainText.lines(text)
        }
        return plain
    }

    private static func json(_ report: MessageReport) -> [UInt8] {
        var json = JSONWriter(capacity: 400)
        json.beginObject()
        json.key("told")
        json.beginArray()
        for (user, id) in report.told {
            json.beginObject()
            json.member("user", user.rawValue)
            json.member("notification_id", id)
            json.endObject()
        }
        json.endArray()
        json.member("told_before", report.toldBefore.map(\.rawValue))
        json.member("switched_off", report.switchedOff.map(\.rawValue))
        json.member("unknown", report.unknown.map(\.rawValue))
        json.endObject()
        return json.bytes
    }
}
