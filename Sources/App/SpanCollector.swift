import Formats
import Library
public import Observing
import Synchronization
import Transport

/// The operator's collector of spans, which understands OTLP over HTTP with JSON.
///
/// Spans wait in a buffer of bounded size, and one batch waits for a collector that is away; what does not fit is
/// dropped and counted. Nothing here is waited for by a request.
public final class SpanCollector: Sendable {
    /// An address that cannot be used.
    public struct BadEndpoint: Error, Sendable, CustomStringConvertible {
        /// The option and the expected value.
        public let description: String
    }

    /// What became of the spans that waited.
    package enum Outcome: Hashable, Sendable {
        /// All were taken, or none waited.
        case taken
        /// The collector did not want a batch, which is dropped.
        case refused(String)
        /// The collector did not answer, or asks to wait; the batch is tried again.
        case away(String)
    }

    private struct State: Sendable {
        /// The batch that was not taken yet.
        var batch: [SpanRecord] = []
        /// How often it failed in a row.
        var failures = 0
        /// How many rounds are left out.
        var pause = 0
    }

    /// Where finished spans wait.
    package let buffer: SpanBuffer
    private let url: String
    private let transport: OutboundTransport
    private let state = Mutex(State())

    /// The maximum number of spans in one request.
    private static let mostAtOnce = 512
    /// The maximum number of rounds between two attempts.
    private static let longestPause = 60
    /// The networks in which a collector may be besides the public ones.
    static let ranges = [
        "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1", "fc00::/7",
    ]

    /// Creates a connection to the collector at an address such as `http://127.0.0.1:4318`.
    ///
    /// - Throws: ``BadEndpoint``; `OutboundError` if libcurl cannot be started.
    public init(
        _ endpoint: String,
        certificates: String? = nil,
        capacity: Int = 4_096,
        metrics: MetricRegistry
    ) throws {
        url = try SpanCollector.url(endpoint)
        var options = OutboundOptions()
        options.allowsHTTP = true
        options.allowedPorts = nil
        options.allowedRanges = SpanCollector.ranges.compactMap { AddressRange($0) }
        options.connectTimeout = .seconds(2)
        options.timeout = .seconds(5)
        options.mostAtOnce = 2
        options.mostWaiting = 8
        options.certificates = certificates
        transport = try OutboundTransport(options: options)
        buffer = SpanBuffer(capacity: capacity, metrics: metrics)
    }

    /// Returns the URL for spans below a collector's address.
    ///
    /// - Throws: ``BadEndpoint``.
    public static func url(_ endpoint: String) throws -> String {
        let base = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
        let isPlain = !base.contains("?") && !base.contains("#")
        guard isPlain, !base.hasSuffix(SpanDocument.path), (try? OutboundURL(base)) != nil else {
            throw BadEndpoint(
                description:
                    "--otlp-endpoint must be the address of a collector such as http://127.0.0.1:4318, without "
                    + "\(SpanDocument.path), user name, ? and #."
            )
        }
        return base + SpanDocument.path
    }

    /// Sends what waits, unless the collector needs a pause; called once a round.
    package func round() async -> Outcome? {
        let isPaused = state.withLock { state in
            guard state.pause > 0 else { return false }
            state.pause -= 1
            return true
        }
        return isPaused ? nil : await sendWaiting()
    }

    /// Sends what waits, batch by batch, until nothing is left or a batch is not taken.
    package func sendWaiting() async -> Outcome {
        while true {
            let batch = state.withLock { state in
                if state.batch.isEmpty { state.batch = buffer.take(SpanCollector.mostAtOnce) }
                return state.batch
            }
            guard !batch.isEmpty else { return .taken }
            let outcome = await send(batch)
            guard outcome == .taken else { return outcome }
        }
    }

    /// Gives up what still waits; returns the number of spans.
    package func giveUp() -> Int {
        let count = state.withLock { state in
            defer { state.batch = [] }
            return state.batch.count
        }
        let rest = count + buffer.take(.max).count
        buffer.drop(rest)
        return rest
    }

    private func send(_ batch: [SpanRecord]) async -> Outcome {
        let request = OutboundRequest(
            url: url,
            headers: [.init("Content-Type", SpanDocument.mediaType), .init("User-Agent", "Waymark")],
            body: SpanDocument.write(batch, service: "waymark", version: Release.version)
        )
        do {
            let response = try await transport.send(request)
            return note(response, of: batch)
        } catch let error as OutboundError {
            return postpone(error.description, rounds: nil)
        } catch {
            return postpone("the service is stopping", rounds: 0)
        }
    }

    /// Interprets an answer by the rules of OTLP/HTTP.
    private func note(_ response: OutboundResponse, of batch: [SpanRecord]) -> Outcome {
        switch response.status {
        case 200..<300:
            settle()
            let answer = try? JSONValue(parsing: response.body)
            let rejected = answer?["partialSuccess"]?["rejectedSpans"]
            // 64 bits are texts in the JSON of protocol buffers; some collectors write numbers.
            let count = rejected?.integer ?? rejected?.string.flatMap { Int($0) } ?? 0
            if count > 0 { buffer.drop(min(count, batch.count)) }
            return .taken
        case 429, 502, 503, 504:
            let rounds = response.headers["retry-after"].flatMap { Int($0) }
            return postpone("it answered \(response.status)", rounds: rounds)
        default:
            settle()
            buffer.drop(batch.count)
            return .refused("it answered \(response.status)")
        }
    }

    private func settle() { state.withLock { $0 = State() } }

    /// Keeps the batch for a later round, each time twice as far away.
    private func postpone(_ reason: String, rounds: Int?) -> Outcome {
        state.withLock { state in
            state.failures += 1
            let usual = 1 << min(state.failures - 1, 6)
            state.pause = min(max(0, rounds ?? usual), SpanCollector.longestPause)
        }
        return .away(reason)
    }
}
