import Web
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import StoryMap

/// The routes of reports: for the users who make them and the operators who decide.
struct ReportEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec

    var all: [Endpoint] { [make, status, list, decide] }

    private var make: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/stories/\(PathPart.story)/report",
            name: "reportStory",
            summary: "Reports another user's story to the operators. A repeated report returns the first one.",
            access: .user,
            scope: .storiesWrite,
            cost: .normal,
            body: .init(schema: "ReportInput", maxBytes: 16_384),
            success: [
                .init(
                    status: .created,
                    mediaType: MediaType.json,
                    schema: .named("Report"),
                    description: "The report with its tracking id."
                ),
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("Report"),
                    description: "The caller's earlier report of this story."
                ),
            ],
            handler: { call in
                let body = call.body ?? .null
                let (report, isNew) = try await library.moderation.reports.report(
                    try call[PathPart.story],
                    by: try call.user,
                    reason: body["reason"]?.string.flatMap(ReportReason.init) ?? .other,
                    text: body["text"]?.string.flatMap { $0.isEmpty ? nil : $0 }
                )
                return Answer(
                    status: isNew ? .created : .ok,
                    headers: [.location: "/v1/reports/\(report.id)"],
                    body: PrivacyJSON.report(report)
                )
            }
        )
    }

    private var status: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/reports/\(PathPart.report)",
            name: "readReport",
            summary: "Returns the status of one of the caller's reports.",
            access: .user,
            scope: .storiesRead,
            success: [ReportEndpoints.ok("Report", "The report.")],
            handler: { call in
                let (id, user) = (try call[PathPart.report], try call.user)
                guard let report = try await library.store.read({ try $0.report(id, by: user) }) else {
                    throw Problem.notFound
                }
                return Answer(body: PrivacyJSON.report(report))
            }
        )
    }

    private static let statuses = QueryParameter.list(
        "status",
        .word(of: ReportStatus.self),
        "Only reports with any of these statuses (default: all)."
    )
    private static let limit = Paging.limit(1...1_000, default: 100, "The maximum number of reports on a page")

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/service/reports",
            name: "listReports",
            summary: "Returns the reports, oldest first, without any content of the stories. For operators.",
            access: .operators,
            scope: .adminOps,
            cost: .normal,
            parameters: [ReportEndpoints.statuses, ReportEndpoints.limit, Paging.cursor],
            success: [ReportEndpoints.ok("ReportPage", "A page.")],
            handler: { call in
                let scope = cursors.scope(of: call)
                let limit = try call[ReportEndpoints.limit]
                let cursor = try call.listCursor(cursors, scope: scope)
                let statuses = try call[ReportEndpoints.statuses]
                let found = try await library.store.read { transaction in
                    try transaction.reportEntries(
                        statuses: statuses,
                        after: cursor.map { ($0.createdAt, $0.id) },
                        limit: limit + 1
                    )
                }
                let page = Array(found.prefix(limit))
                let next =
                    found.count > limit
                    ? page.last.map { ListCursor(createdAt: $0.report.createdAt, id: $0.report.id) } : nil
                let link = next.map { call.address(setting: Paging.cursor, to: cursors.encode($0, scope: scope)) }
                return Answer(body: PrivacyJSON.page(page, next: link))
            }
        )
    }

    private var decide: Endpoint {
        Endpoint(
            method: .patch,
            path: "/v1/service/reports/\(PathPart.report)",
            name: "decideReport",
            summary: """
                Sets the status of a report. While one is actioned, its story is withheld from everyone but its owner.
                """,
            access: .operators,
            scope: .adminOps,
            body: .init(schema: "ReportDecision", maxBytes: 16_384),
            success: [ReportEndpoints.ok("ReportEntry", "The updated report.")],
            handler: { call in
                let (id, body) = (try call[PathPart.report], call.body ?? .null)
                let status = body["status"]?.string.flatMap(ReportStatus.init) ?? .reviewed
                // An empty note removes the old one.
                let note = body["note"].map { $0.string ?? "" }
                guard let entry = try await library.moderation.reports.setStatus(status, note: note, of: id) else {
                    throw Problem.notFound
                }
                return Answer(body: PrivacyJSON.entry(entry))
            }
        )
    }

    private static func ok(_ schema: String, _ description: String) -> Endpoint.Success {
        .init(status: .ok, mediaType: MediaType.json, schema: .named(schema), description: description)
    }
}
