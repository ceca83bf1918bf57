import Formats
import HTTPTypes
import Storage
import Stories
import StoryMap

/// The routes of reports: for those who make them and for the operators who decide.
struct ReportEndpoints: Sendable {
    let library: StoryLibrary
    let cursors: CursorCodec

    var all: [Endpoint] { [make, status, list, decide] }

    private var make: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/stories/{id}/report",
            name: "reportStory",
            summary: "Reports somebody else's story to the operators; a repeat finds the first report.",
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
                    description: "The report that the caller made of this story before."
                ),
            ],
            handler: { call in
                let body = call.body ?? .null
                let (report, isNew) = try await library.moderation.reports.report(
                    try call.storyID(),
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
            path: "/v1/reports/{report}",
            name: "readReport",
            summary: "What became of a report of the caller's.",
            access: .user,
            scope: .storiesRead,
            success: [ReportEndpoints.ok("Report", "The report.")],
            handler: { call in
                let (id, user) = (try call.reportID(), try call.user)
                guard let report = try await library.store.read({ try $0.report(id, by: user) }) else {
                    throw Problem.notFound
                }
                return Answer(body: PrivacyJSON.report(report))
            }
        )
    }

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/service/reports",
            name: "listReports",
            summary: "Reports for the operators, oldest first, without anything of the stories themselves.",
            access: .operators,
            scope: .adminOps,
            cost: .normal,
            parameters: [
                .init(
                    "status",
                    .word(ReportStatus.allCases.map(\.rawValue)),
                    list: true,
                    "Any of these; all unless given."
                ),
                .init("limit", .integer(1...1_000), "The most reports on a page; 100 unless said."),
                .init("cursor", .text(minBytes: 1, maxBytes: 200), "Where the next page begins, from links."),
            ],
            success: [ReportEndpoints.ok("ReportPage", "A page.")],
            handler: { call in
                let scope = cursors.scope(of: call)
                let limit = try call.integer("limit") ?? 100
                let cursor = try call.listCursor(cursors, scope: scope)
                let statuses = (call.query["status"] ?? []).compactMap(ReportStatus.init)
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
                let link = next.map { call.address(adding: "cursor", cursors.encode($0, scope: scope)) }
                return Answer(body: PrivacyJSON.page(page, next: link))
            }
        )
    }

    private var decide: Endpoint {
        Endpoint(
            method: .patch,
            path: "/v1/service/reports/{report}",
            name: "decideReport",
            summary:
                "Sets what becomes of a report. While one is actioned its story is withheld from everyone but its owner.",
            access: .operators,
            scope: .adminOps,
            body: .init(schema: "ReportDecision", maxBytes: 16_384),
            success: [ReportEndpoints.ok("ReportEntry", "The report as it is now.")],
            handler: { call in
                let (id, body) = (try call.reportID(), call.body ?? .null)
                let status = body["status"]?.string.flatMap(ReportStatus.init) ?? .reviewed
                // An empty note takes the old one away.
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

extension Call {
    /// The tracking id in the path; what is none is not found.
    fileprivate func reportID() throws -> StoryID {
        guard let id = pathValues["report"].flatMap({ StoryID($0) }) else { throw Problem.notFound }
        return id
    }

    /// Where the page begins that the parameter `cursor` asks for; `nil` for the first.
    func listCursor(_ cursors: CursorCodec, scope: String) throws -> ListCursor? {
        guard let text = text("cursor") else { return nil }
        guard let cursor = cursors.decode(text, scope: scope) else {
            throw Problem.parameter("cursor", "is not one that this list gave out for you")
        }
        return cursor
    }
}
