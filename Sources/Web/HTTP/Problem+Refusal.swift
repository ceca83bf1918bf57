package import Library
import HTTPTypes

/// Maps refusals of the use cases to HTTP; the only place that knows both.
extension Problem {
    /// Creates the problem that reports a refusal to a client.
    package init(_ refusal: Refusal) {
        self.init(refusal.kind.status, refusal.code, refusal.detail, errors: refusal.errors)
        if refusal.kind == .unauthenticated { headers[.wwwAuthenticate] = "Bearer" }
        if let current = refusal.current {
            headers[.eTag] = current
            self.current = current
        }
        if let seconds = refusal.retryAfter { headers[.retryAfter] = String(seconds) }
    }

    /// Runs `body` and converts refusals that it throws to problems.
    static func mappingRefusals<Value>(
        _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as any RefusalConvertible {
            throw Problem(error.refusal)
        }
    }
}

extension Refusal.Kind {
    /// The status for this kind of refusal (RFC 9110 §15.5, RFC 6585 §4).
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .malformed: .badRequest
        case .unauthenticated: .unauthorized
        case .forbidden: .forbidden
        case .notFound: .notFound
        case .tooSlow: .requestTimeout
        case .conflict: .conflict
        case .gone: .gone
        case .changed: .preconditionFailed
        case .invalid: .unprocessableContent
        case .tooMany: .tooManyRequests
        case .unavailable: .serviceUnavailable
        }
    }
}
