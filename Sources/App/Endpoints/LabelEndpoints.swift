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

    /// The maximum length of a label in bytes.
    static let mostBytes = 100

    var all: [Endpoint] { [list, change, remove] }

    static let schemas: [(name: String, schema: Schema)] = [
        ("LabelInput", .object([.init("label", label, required: true, "The label on one line, such as Grandpa Joe.")])),
        ("PersonLabel", .object([.init("user", .identifier, required: true), .init("label", label, required: true)])),
        (
            "PersonLabelList",
            .object([
                .init(
                    "labels",
                    .array(.named("PersonLabel"), maxItems: MarkService.maximumLabels),
                    required: true,
                    "One label per user."
                )
            ])
        ),
    ]

    private static let label = Schema.text(minBytes: 1, maxBytes: mostBytes)

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/labels",
            name: "listLabels",
            summary:
                "Returns the caller's labels for other users, which replace their names in the caller's notifications.",
            access: .user,
            scope: .notificationsRead,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("PersonLabelList"),
                    description: "All labels."
                )
            ],
            handler: { call in
                let user = try call.user
                let labels = try await library.marks.labels(of: user)
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
                Sets the caller's label for another user, which later notifications use as the name. Only the caller \
                sees it. The answer does not reveal whether the user exists.
                """,
            access: .user,
            scope: .notificationsManage,
            body: .init(schema: "LabelInput", maxBytes: 4_096),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("PersonLabel"),
                    description: "The label as displayed."
                )
            ],
            handler: { call in
                let (user, person) = (try call.user, try call[PathPart.user])
                let label = try call.displayName(
                    "label",
                    maxBytes: LabelEndpoints.mostBytes,
                    normalized: PlainText.line
                )
                try await library.marks.setLabel(label, of: user, for: person)
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
            summary: "Deletes the caller's label for another user, if there is one.",
            access: .user,
            scope: .notificationsManage,
            success: [
                .init(
                    status: .noContent,
                    mediaType: MediaType.json,
                    schema: nil,
                    description: "The label is deleted."
                )
            ],
            handler: { call in
                try await library.marks.removeLabel(of: try call.user, for: try call[PathPart.user])
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
