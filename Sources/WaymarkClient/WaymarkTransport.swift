public import Foundation

/// A request to the service.
public struct WaymarkRequest: Sendable {
    /// The method.
    public let method: String
    /// The address with path and query.
    public let url: URL
    /// The header.
    public let headers: [String: String]
    /// The body; `nil` for none.
    public let body: Data?

    /// Creates a request.
    public init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }
}

/// The answer to a request, whose body can still be arriving.
public struct WaymarkAnswer: Sendable {
    /// The status.
    public let status: Int
    /// The header, by names in lower case.
    public let headers: [String: String]
    /// The body in pieces; the transfer ends when the reader stops.
    public let body: AsyncThrowingStream<Data, any Error>

    /// Creates an answer.
    public init(status: Int, headers: [String: String], body: AsyncThrowingStream<Data, any Error>) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// Makes requests: ``URLSessionTransport``, or an app's own way.
public protocol WaymarkTransport: Sendable {
    /// Sends a request and returns the answer as soon as its head, or the first piece of its body, is there.
    func send(_ request: WaymarkRequest) async throws -> WaymarkAnswer
}
