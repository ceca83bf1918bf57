import Web
import Library
import Formats
import HTTPTypes
import Observing
import Storage
import Synchronization

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

    /// Returns the routes of the OpenAPI document in both versions and of its page, which describe these routes too.
    ///
    /// `make` writes one of them when it is asked for.
    static func documents(_ make: @escaping @Sendable (_ document: APIDocument) -> [UInt8]) -> [Endpoint] {
        [
            document(
                .v31,
                "/openapi.json",
                "openapi",
                "Returns this document in OpenAPI 3.1.",
                [MediaType.json],
                make
            ),
            document(
                .v30,
                "/openapi-3.0.json",
                "openapi30",
                "Returns this document in OpenAPI 3.0, for programs that do not know 3.1.",
                [MediaType.openAPI30],
                make
            ),
            document(
                .page,
                "/docs",
                "apiPage",
                "Returns this document as a page that needs no script.",
                [MediaType.html],
                make
            ),
        ]
    }

    private static func document(
        _ document: APIDocument,
        _ path: String,
        _ name: String,
        _ summary: String,
        _ types: [String],
        _ make: @escaping @Sendable (_ document: APIDocument) -> [UInt8]
    ) -> Endpoint {
        let mediaType = types.first ?? MediaType.json
        let made = MadeOnce { make(document) }
        return Endpoint(
            method: .get,
            path: path,
            name: name,
            summary: summary,
            access: .anyone,
            caching: .shared,
            success: [
                .init(
                    status: .ok,
                    mediaType: mediaType,
                    schema: document == .page ? nil : .object([], open: true),
                    description: "The description of the API."
                )
            ],
            handler: { _ in
                var answer = Answer(mediaType: mediaType, body: made.bytes)
                guard document == .page else { return answer }
                answer.headers[.contentSecurityPolicy] = APIPage.contentPolicy
                answer.headers[.contentLanguage] = "en"
                return answer
            }
        )
    }
}

/// The forms of the description of the API.
enum APIDocument: Sendable {
    case v31, v30, page
}

/// Bytes that are made when they are first asked for.
private final class MadeOnce: Sendable {
    private let make: @Sendable () -> [UInt8]
    private let made = Mutex<[UInt8]?>(nil)

    init(_ make: @escaping @Sendable () -> [UInt8]) { self.make = make }

    var bytes: [UInt8] {
        made.withLock { made in
            if let made { return made }
            let bytes = make()
            made = bytes
            return bytes
        }
    }
}
