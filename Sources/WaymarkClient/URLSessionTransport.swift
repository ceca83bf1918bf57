public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Makes requests with URLSession, without cookies and without a cache: answers belong to the token that asked.
public final class URLSessionTransport: WaymarkTransport {
    private let session: URLSession
    private let relay = Relay()

    /// Creates a transport that gives up a connection on which nothing comes for `patience` seconds.
    ///
    /// The service sends a sign of life on streams more often than that.
    public init(patience: TimeInterval = 60) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = patience
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: relay, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    /// Sends a request and returns the answer as soon as it begins to arrive.
    public func send(_ request: WaymarkRequest) async throws -> WaymarkAnswer {
        var asked = URLRequest(url: request.url)
        asked.httpMethod = request.method
        asked.httpBody = request.body
        for (name, value) in request.headers { asked.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: asked)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                relay.begin(task, continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }
}

/// Passes what a session says about its tasks on to those who wait for it.
private final class Relay: NSObject, URLSessionDataDelegate, Sendable {
    private struct Exchange: Sendable {
        /// Who waits for the answer; `nil` once it has begun.
        var asker: CheckedContinuation<WaymarkAnswer, any Error>?
        let body: AsyncThrowingStream<Data, any Error>
        let pieces: AsyncThrowingStream<Data, any Error>.Continuation
    }

    private let exchanges = Mutex<[Int: Exchange]>([:])

    func begin(_ task: URLSessionTask, _ asker: CheckedContinuation<WaymarkAnswer, any Error>) {
        let (body, pieces) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        pieces.onTermination = { [weak task] _ in task?.cancel() }
        exchanges.withLock { $0[task.taskIdentifier] = Exchange(asker: asker, body: body, pieces: pieces) }
    }

    /// Follows no redirect: the service makes none, and the token would go along to wherever it leads.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        answer(dataTask)
        let pieces = exchanges.withLock { $0[dataTask.taskIdentifier]?.pieces }
        pieces?.yield(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if error == nil { answer(task) }
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        exchange.asker?.resume(throwing: error ?? URLError(.badServerResponse))
        exchange.pieces.finish(throwing: error)
    }

    /// Gives the head of the answer to who waits for it, once.
    private func answer(_ task: URLSessionTask) {
        guard let response = task.response as? HTTPURLResponse else { return }
        let begun = exchanges.withLock { exchanges -> Exchange? in
            let exchange = exchanges[task.taskIdentifier]
            exchanges[task.taskIdentifier]?.asker = nil
            return exchange
        }
        guard let begun, let asker = begun.asker else { return }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name.lowercased()] = value }
        }
        asker.resume(returning: WaymarkAnswer(status: response.statusCode, headers: headers, body: begun.body))
    }
}
