import Web
import Library
import Formats
import HTTPTypes
import Storage

/// The routes by which operators and programs query the state of the service itself.
struct OperationEndpoints: Sendable {
    let library: StoryLibrary

    private var store: StoryStore { library.store }

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
                let lost: [ReadinessWarning]
                do {
                    try await store.read { try $0.ping() }
                    lost = try await lostKeys()
                } catch {
                    throw Problem(.serviceUnavailable, "not-ready", "The database is not responding. Check the log.")
                }
                if store.writingProblem != nil { throw Problem.writingStopped }
                let log = store.logSize
                let long = log > ReadinessWarning.longLogBytes ? [ReadinessWarning.longLog(bytes: log)] : []
                let room = store.diskShortage.map { [ReadinessWarning.shortage($0)] } ?? []
                return Answer(body: OperationEndpoints.ready(lost + library.clock.condition.warnings + long + room))
            }
        )
    }

    /// Returns warnings about lost keys and lost lines of the list of erasures.
    private func lostKeys() async throws -> [ReadinessWarning] {
        var warnings: [ReadinessWarning] = []
        if try await library.channels.hasLostSeals() { warnings.append(.lostChannelKeys) }
        if try await library.rights.retention.hasLostStories() { warnings.append(.lostSealingKey) }
        if store.erasures.hasLostLines { warnings.append(.lostErasures) }
        if let damage = ReadinessWarning.damage(in: store) { warnings.append(damage) }
        return warnings
    }

    /// Returns the answer of a service that is ready, with warnings that need attention nevertheless.
    private static func ready(_ warnings: [ReadinessWarning]) -> [UInt8] {
        var json = JSONWriter(capacity: 200)
        json.beginObject()
        json.member("status", "ready")
        if !warnings.isEmpty {
            json.key("warnings")
            json.beginArray()
            for warning in warnings {
                json.beginObject()
                json.member("code", warning.code)
                json.member("detail", warning.detail)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
        return json.bytes
    }

    private static let readinessSchema = Schema.object([
        .init("status", .text(maxBytes: 40), required: true),
        .init(
            "warnings",
            .array(
                .object([
                    .init("code", .text(maxBytes: 40), required: true),
                    .init("detail", .text(maxBytes: 1_000), required: true),
                ]),
                maxItems: 20
            ),
            "Problems that do not prevent operation yet but need an operator soon; absent if there are none. Codes: "
                + "channel-keys-lost, sealing-key-lost, erasures-lost, clock-jumped, clock-moved, clock-unconfirmed, "
                + "log-long, database-damaged, disk-full (requests to store data are rejected with 507) and disk-reserve-used."
        ),
    ])

    private var metrics: Endpoint {
        Endpoint(
            method: .get,
            path: "/metrics",
            name: "metrics",
            summary: """
                Returns metrics for Prometheus: the contents of the outbox, the outcomes of attempts and fixes, and \
                the work that occupied the writer since the start.
                """,
            access: .operators,
            scope: .adminOps,
            success: [
                .init(
                    status: .ok,
                    mediaType: "text/plain; version=0.0.4",
                    schema: nil,
                    description: "Lines of text."
                )
            ],
            handler: { _ in
                let entries = try await store.read { try $0.outboxCounts() }
                let text =
                    library.delivery.state.metrics(entries: entries) + library.fences.counts.metrics
                    + library.writerMetrics
                return Answer(mediaType: "text/plain; version=0.0.4", body: Array(text.utf8))
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
