import Formats
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TestSupport

/// A collector of spans on this machine, which keeps what it gets and answers as a test says.
final class TestCollector: Sendable {
    /// An answer: its status, its header and its body; `nil` never comes.
    typealias Answer = (status: HTTPResponse.Status, headers: HTTPFields, body: String)

    private struct State: Sendable {
        var port = 0
        var documents: [JSONValue] = []
        var requests: [String] = []
        var answer: Answer? = (.ok, [.contentType: "application/json"], "{}")
    }

    private let state = Mutex(State())

    var endpoint: String { state.withLock { "http://127.0.0.1:\($0.port)" } }

    /// Method, path and type of every request, in order.
    var requests: [String] { state.withLock { $0.requests } }

    /// All spans that were taken.
    var spans: [JSONValue] {
        state.withLock { $0.documents }
            .flatMap { $0["resourceSpans"]?.array ?? [] }.flatMap { $0["scopeSpans"]?.array ?? [] }
            .flatMap { $0["spans"]?.array ?? [] }
    }

    /// Everything that was sent, as text.
    var text: String {
        state.withLock { $0.documents }
            .map { document in
                var json = JSONWriter()
                json.value(document)
                return json.text
            }
            .joined(separator: "\n")
    }

    func answer(_ answer: Answer?) { state.withLock { $0.answer = answer } }

    /// Runs `body` while the collector listens.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let router = Router()
        router.post("/v1/traces") { [self] request, _ in try await take(request) }
        try await TestListener.run(router, label: "collector") { [self] port in
            state.withLock { $0.port = port }
            try await body()
        }
    }

    private func take(_ request: Request) async throws -> Response {
        var request = request
        let bytes = Array(try await request.collectBody(upTo: 2 << 20).readableBytesView)
        let type = request.headers[.contentType] ?? ""
        let answer = state.withLock { state in
            state.requests.append("\(request.method.rawValue) \(request.uri.path) \(type)")
            return state.answer
        }
        guard let answer else {
            try await Task.sleep(for: .seconds(3_600))
            throw CancellationError()
        }
        if answer.status == .ok {
            let document = try JSONValue(parsing: bytes, limits: .init(bytes: 2 << 20))
            state.withLock { $0.documents.append(document) }
        }
        return Response(
            status: answer.status,
            headers: answer.headers,
            body: .init(byteBuffer: .init(string: answer.body))
        )
    }
}

extension JSONValue {
    /// The text or number of an attribute of a span.
    func attribute(_ name: String) -> String? {
        let value = self["attributes"]?.array?.first { $0["key"]?.string == name }?["value"]
        return value?["stringValue"]?.string ?? value?["intValue"]?.string
    }
}
