import HTTPTypes
import Storage

/// The routes that operators and programs ask about the service itself.
struct OperationEndpoints: Sendable {
    let store: StoryStore

    var all: [Endpoint] { [health, readiness] }

    private static let status = Schema.object([.init("status", .text(maxBytes: 40), required: true)])

    private static func okay(_ description: String) -> [Endpoint.Success] {
        [.init(status: .ok, mediaType: MediaType.json, schema: status, description: description)]
    }

    private var health: Endpoint {
        Endpoint(
            method: .get,
            path: "/healthz",
            name: "health",
            summary: "Whether the process answers.",
            access: .anyone,
            cost: .free,
            success: OperationEndpoints.okay("It does."),
            handler: { _ in Answer(body: Array(#"{"status":"ok"}"#.utf8)) }
        )
    }

    private var readiness: Endpoint {
        Endpoint(
            method: .get,
            path: "/readyz",
            name: "readiness",
            summary: "Whether the database answers.",
            access: .anyone,
            cost: .free,
            success: OperationEndpoints.okay("It does."),
            handler: { _ in
                do {
                    try await store.read { try $0.ping() }
                } catch {
                    throw Problem(.serviceUnavailable, "not-ready", "The database does not answer; see the log.")
                }
                return Answer(body: Array(#"{"status":"ready"}"#.utf8))
            }
        )
    }

    /// The route of the document itself, which describes itself too.
    static func document(_ bytes: [UInt8]) -> Endpoint {
        Endpoint(
            method: .get,
            path: "/openapi.json",
            name: "openapi",
            summary: "This document.",
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
