import HTTPTypes
package import NIOHTTP1

/// Rules for rejecting request heads before any other processing.
package enum HeadRules: Sendable {
    /// The maximum size in bytes of each header field, and of all header fields together.
    package static let headerBytes = 16_384

    /// Returns why a head is rejected; `nil` if it is accepted.
    package static func refusal(of head: HTTPRequestHead) -> Problem? {
        // A proxy and this service could each use a different Host header (RFC 9112 §3.2).
        if head.headers["Host"].count > 1 {
            return Problem(.badRequest, "two-hosts", "The request has more than one Host header. Send one.")
        }
        if head.method == .CONNECT { return unknownMethod }
        let isAsterisk = head.uri == "*" && head.method == .OPTIONS
        guard isAsterisk || ["/", "http://", "https://"].contains(where: head.uri.hasPrefix) else {
            return Problem(.badRequest, "bad-target", "The request target must begin with /, http:// or https://.")
        }
        let expectations = head.headers["Expect"].filter { $0.lowercased() != "100-continue" }
        guard expectations.isEmpty else {
            return Problem(.expectationFailed, "unknown-expectation", "The only supported Expect is 100-continue.")
        }
        return nil
    }

    /// Returns whether the client waits for 100 Continue before sending its body (RFC 9110 §10.1.1).
    static func waitsForLeave(_ head: HTTPRequestHead) -> Bool {
        head.version != .http1_0 && head.headers["Expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// Returns the answer to bytes that are not a request; `nil` if the client is gone anyway.
    package static func problem(for error: HTTPParserError) -> Problem? {
        switch error {
        case .headerOverflow:
            Problem(
                .requestHeaderFieldsTooLarge,
                "headers-too-large",
                "The header fields and the URL together exceed \(headerBytes) bytes. Shorten them."
            )
        case .invalidMethod: unknownMethod
        case .invalidVersion:
            Problem(
                .init(code: 505, reasonPhrase: "HTTP Version Not Supported"),
                "unknown-version",
                "This service supports only HTTP/1.1."
            )
        case .closedConnection, .invalidEOFState: nil
        default: Problem(.badRequest, "bad-request", "The data received is not a valid HTTP/1.1 request.")
        }
    }

    private static let unknownMethod = Problem(
        .notImplemented,
        "unknown-method",
        "This service does not support the method of this request."
    )

    /// The answer to too many connections from one address.
    static let tooManyConnections: Problem = {
        var problem = Problem(
            .serviceUnavailable,
            "too-many-connections",
            "There are too many connections from this address. Close some, or wait and try again."
        )
        problem.headers[.retryAfter] = "10"
        return problem
    }()

    /// The answer to a request that arrives too slowly.
    package static let tooSlow = Problem(
        .requestTimeout,
        "too-slow",
        "The request took too long to arrive. Send it again, or send a smaller one."
    )
}
