import Web
import Library
import Formats
import HTTPTypes
import Observing
import Storage

/// The routes by which operators and programs query the state of the service itself.
struct OperationEndpoints: Sendable {
    let library: StoryLibrary
    var registry: MetricRegistry?

    var all: [Endpoint] { [health, readiness, metrics] }

    private static let status = Schema.object([.init("status", .text(maxBytes: 40), required: true)])

    private static func okay(_ description: String) -> [Endpoint.Success] {
        [.init(status: .ok, mediaType: MediaType.json, schema: status, description: description)]
    }

    private var health: Endpoint {
        Endpoint(
            method: .get,
            path: "/healthz",
            name: "health",
            summary: "Checks whether the process responds.",
            access: .anyone,
            cost: .free,
            success: OperationEndpoints.okay("The process responds."),
            handler: { _ in Answer(body: Array(#"{"status":"ok"}"#.utf8)) }
        )
    }

    private var readiness: Endpoint {
        Endpoint(
            method: .get,
            path: "/readyz",
            name: "readiness",
            summary:
                "Checks whether the database responds and can be written to, and reports warnings for the operator.",
            access: .anyone,
            cost: .free,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: OperationEndpoints.readinessSchema,
                    description: "The database responds."
                )
            ],
            handler: { _ in
                let readiness: Readiness
                do {
                    readiness = try await Readiness(of: library)
                } catch {
                    throw Problem(.serviceUnavailable, "not-ready", "The database is not responding. Check the log.")
                }
                if let obstacle = readiness.obstacle {
                    throw Problem(.serviceUnavailable, obstacle.code, obstacle.detail)
                }
                return Answer(body: OperationEndpoints.ready(readiness.warnings))
            }
        )
    }

    /// Returns the answer of a service that is ready, with warnings that need attention nevertheless.
    private static func ready(_ warnings: [ReadinessWarning]) -> [UInt8] {
        var json = JSONWriter(capacity: 200)
        json.beginObject()
        json.member("status", "ready")
        if !warnings.isEmpty { StatusJSON.write(warnings, to: &json) }
        json.endObject()
        return json.bytes
    }

    /// The schema of warnings.
    static let warnings = Schema.array(
        .object([
            .init("code", .text(maxBytes: 40), required: true), .init("detail", .text(maxBytes: 1_000), required: true),
        ]),
        maxItems: 40
    )

    private static let readinessSchema = Schema.object([
        .init("status", .text(maxBytes: 40), required: true),
        .init(
            "warnings",
            OperationEndpoints.warnings,
            "Problems that do not prevent operation yet but need an operator soon; absent if there are none. While changes "
                + "cannot be stored, the answer is 503 instead, with the code as its type. Codes: "
                + "\(Readiness.codes.joined(separator: ", "))."
        ),
    ])

    private var metrics: Endpoint {
        Endpoint(
            method: .get,
            path: "/metrics",
            name: "metrics",
            summary: """
                Returns metrics for Prometheus: answers and their times by route, the outbox, the outcomes of attempts \
                and fixes, the database, warnings, and the process. No label names a person, a place or an address.
                """,
            access: .operators,
            scope: .adminOps,
            success: [
                .init(
                    status: .ok,
                    mediaType: PrometheusText.mediaType,
                    schema: nil,
                    description: "Lines of text."
                )
            ],
            handler: { _ in
                let text = try await ServiceMetrics(library: library, registry: registry).text()
                return Answer(mediaType: PrometheusText.mediaType, body: text)
            }
        )
    }

    /// Returns the route of the OpenAPI document, which describes this route too.
    static func document(_ bytes: [UInt8]) -> Endpoint {
        Endpoint(
            method: .get,
            path: "/openapi.json",
            name: "openapi",
            summary: "Returns this document.",
            access: .anyone,
            caching: .revalidate,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .object([], open: true),
                    description: "OpenAPI 3.1."
                )
            ],
            handler: { _ in Answer(body: bytes) }
        )
    }
}
