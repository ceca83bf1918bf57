import HTTPTypes
import Library
import Stories
import Web

/// The state of the service for its operators: for programs, and as a page.
///
/// Sessions of the page never have the operators' scope, so that nobody who gets hold of a browser operates the service.
/// The page asks for the key by HTTP Basic authentication instead, which browsers ask for and remember without a script.
/// It lies in a folder of its own, because browsers send such a password along to everything beside it (RFC 7617 §2.2).
struct StatusEndpoints: Sendable {
    let library: StoryLibrary
    let address: PublicAddress
    let languages: PageLanguages

    var all: [Endpoint] { [read, page] }

    private static let pagePath = "/service/status"

    private static let refresh = QueryParameter(
        "refresh",
        .flag,
        default: false,
        "true: the browser fetches the page again every 5 seconds."
    )

    private var read: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/service/status",
            name: "serviceStatus",
            summary: """
                Returns the state of the service: warnings, the last backup and check, disk, outbox, lag and versions. \
                It names nobody. For operators.
                """,
            access: .operators,
            scope: .adminOps,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("ServiceStatus"),
                    description: "The state, at most a second old."
                )
            ],
            handler: { _ in Answer(body: StatusJSON.write(try await ServiceStatus(of: library))) }
        )
    }

    private var page: Endpoint {
        Endpoint(
            method: .get,
            path: StatusEndpoints.pagePath,
            name: "serviceStatusPage",
            summary: """
                Returns the state of the service as a page for operators, without a script. A browser asks for a \
                password, which is the operator's key; the user name does not matter.
                """,
            access: .operators,
            scope: .adminOps,
            parameters: [StatusEndpoints.refresh],
            cookie: .yieldsToPassword,
            success: [
                .init(status: .ok, mediaType: MediaType.html, schema: nil, description: "The page of the state.")
            ],
            handler: { call in
                let site = PageSite(
                    url: address.url(authority: call.authority, headers: call.headers),
                    mediaOrigins: [],
                    language: languages.language(for: call.headers),
                    languages: languages.all
                )
                let page = StatusHTML(
                    status: try await ServiceStatus(of: library),
                    site: site,
                    path: StatusEndpoints.pagePath,
                    isRefreshed: try call[StatusEndpoints.refresh]
                )
                return StoryPageEndpoints.answer(page.bytes, site)
            }
        )
    }
}

/// The schemas of the state of the service.
enum StatusSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [("ServiceStatus", status)]

    private static let count = Schema.integer(0...(1 << 53))
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let word = Schema.text(maxBytes: 64)

    private static let record = Schema.nullable(
        .object([
            .init("at", instant, required: true), .init("outcome", word, required: true),
            .init("figures", .object([], open: true), required: true, "Numbers about it, by name."),
        ])
    )

    private static let status = Schema.object([
        .init("at", instant, required: true),
        .init("status", .word(["ready", "not-ready"]), required: true, "As /readyz answers."),
        .init("warnings", OperationEndpoints.warnings, required: true, "As in /readyz, and what prevents readiness."),
        .init("version", word, required: true, "The version of this program."),
        .init(
            "sqlite",
            .object([
                .init("version", word, required: true),
                .init("defect", .text(maxBytes: 1_000), "A known defect of this version, and what it means."),
            ]),
            required: true
        ),
        .init("last_backup", record, required: true, "null: none is recorded."),
        .init("last_check", record, required: true, "null: none is recorded."),
        .init("disk", disk, required: true),
        .init(
            "outbox",
            .object([
                .init("waiting", count, required: true),
                .init("oldest", .nullable(instant), required: true, "When the oldest waiting message was written."),
                .init("sending", count, required: true, "The number of messages being sent."),
                .init("lag_ms", count, required: true, "For how long the longest-due message has been due."),
                .init("dead", count, required: true, "The number of messages that were given up."),
            ]),
            required: true
        ),
        .init(
            "channels",
            .object([
                .init("failing", count, required: true, "Channels whose last attempt failed."),
                .init("disabled", count, required: true, "Channels that were switched off after failures."),
            ]),
            required: true
        ),
        .init(
            "streams",
            .object([
                .init("open", count, required: true),
                .init("lag_ms", count, required: true, "For how long the slowest one has not accepted a piece."),
            ]),
            required: true
        ),
        .init(
            "devices",
            .object([
                .init("last_hour", count, required: true, "The number of devices that reported a position."),
                .init("last_day", count, required: true),
            ]),
            required: true
        ),
    ])

    private static let disk = Schema.object([
        .init("free_bytes", .nullable(count), required: true, "null: unknown, or not watched."),
        .init("warn_below_bytes", count, required: true, "0: never."),
        .init("refuse_below_bytes", count, required: true, "Below it, new data is rejected (507). 0: never."),
        .init("database_bytes", count, required: true), .init("log_bytes", count, required: true),
    ])
}
