import Web
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories

/// The routes of a user's labels for others, such as "Grandpa Joe", used only in their own notifications (NTF-13).
struct LabelEndpoints: Sendable {
    let library: StoryLibrary

    /// The maximum number of labels per user.
    static let most = 500
    /// The maximum length of a label in bytes.
    static let mostBytes = 100

    var all: [Endpoint] { [list, change, remove] }

    static let schemas: [(name: String, schema: Schema)] = [
        ("LabelInput", .object([.init("label", label, required: true, "One line, such as Grandpa Joe.")])),
        ("PersonLabel", .object([.init("user", .identifier, required: true), .init("label", label, required: true)])),
        (
            "PersonLabelList",
            .object([.init("labels", .array(.named("PersonLabel"), maxItems: most), required: true, "By user.")])
        ),
    ]

    private static let label = Schema.text(minBytes: 1, maxBytes: mostBytes)

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/labels",
            name: "listLabels",
            summary: "What the caller calls others in their own notifications.",
            access: .user,
            scope: .notificationsRead,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("PersonLabelList"),
                    description: "All of them."
                )
            ],
            handler: { call in
                let user = try call.user
                let labels = try await library.store.read { try $0.labels(of: user) }
                var json = JSONWriter(capacity: 100 * (labels.count + 1))
                json.beginObject()
                json.key("labels")
                json.beginArray()
                for (person, label) in labels.sorted(by: { $0.key < $1.key }) {
                    LabelEndpoints.write(label, for: person, to: &json)
                }
                json.endArray()
                json.endObject()
                return Answer(body: json.bytes)
            }
        )
    }

    private var change: Endpoint {
        Endpoint(
            method: .put,
            path: "/v1/me/labels/\(PathPart.user)",
            name: "setLabel",
            summary: """
                Says what the caller calls another user: what comes from now on names them so. Nobody else sees it, and the \
                answer does not say whether there is such a user.
                """,
            access: .user,
            scope: .notificationsManage,
            body: .init(schema: "LabelInput", maxBytes: 4_096),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("PersonLabel"),
                    description: "The label as it is shown."
                )
            ],
            handler: { call in
                let (user, person) = (try call.user, try call[PathPart.user])
                let label = try call.displayName(
                    "label",
                    maxBytes: LabelEndpoints.mostBytes,
                    normalized: PlainText.line
                )
                try await library.store.write { transaction in
                    let known = try transaction.labels(of: user)
                    guard known[person] != nil || known.count < LabelEndpoints.most else {
                        throw Problem(
                            .conflict,
                            "too-many-labels",
                            "You have \(LabelEndpoints.most) labels. Delete one of them first."
                        )
                    }
                    try transaction.setLabel(label.text, of: user, for: person)
                }
                var json = JSONWriter(capacity: 100)
                LabelEndpoints.write(label.text, for: person, to: &json)
                return Answer(body: json.bytes)
            }
        )
    }

    private var remove: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/me/labels/\(PathPart.user)",
            name: "removeLabel",
            summary: "Forgets what the caller calls another user, if they do.",
            access: .user,
            scope: .notificationsManage,
            success: [.init(status: .noContent, mediaType: MediaType.json, schema: nil, description: "It is gone.")],
            handler: { call in
                let (user, person) = (try call.user, try call[PathPart.user])
                try await library.store.write { try $0.setLabel(nil, of: user, for: person) }
                return .noContent
            }
        )
    }

    private static func write(_ label: String, for person: UserID, to json: inout JSONWriter) {
        json.beginObject()
        json.member("user", person.rawValue)
        json.member("label", label)
        json.endObject()
    }
}
