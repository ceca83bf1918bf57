public import Foundation

/// A Waymark service as an app uses it: stories, map, place names, positions and notifications.
///
/// It stands on Foundation's URLSession alone: a phone has that already, so an app links nothing else.
///
/// ```swift
/// let waymark = Waymark(at: address, token: token)
/// for marker in try await waymark.markers(in: box, zoom: 12) { … }
/// ```
public struct Waymark: Sendable {
    /// The address of the service, such as `https://stories.example.org`.
    public let address: URL
    private let token: String?
    private let transport: any WaymarkTransport
    let clock: any Clock<Duration>
    /// A factor of waiting times, so that clients do not all return at once.
    let jitter: @Sendable () -> Double

    /// The maximum number of bytes of an answer.
    private static let mostBytes = 64 << 20

    /// Creates a client; without a token it sees what everybody sees.
    ///
    /// - Parameters:
    ///   - address: the address of the service.
    ///   - token: a user's token or key.
    ///   - transport: what makes requests.
    ///   - clock: by what a stream of notifications waits before it connects again.
    ///   - jitter: a factor from 0.5 to 1 for these times.
    public init(
        at address: URL,
        token: String? = nil,
        transport: any WaymarkTransport = URLSessionTransport(),
        clock: any Clock<Duration> = ContinuousClock(),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0.5...1) }
    ) {
        self.address = address
        self.token = token
        self.transport = transport
        self.clock = clock
        self.jitter = jitter
    }

    /// Signs in: returns a client with a token, if the service accepts it.
    ///
    /// - Throws: ``WaymarkFailure``; its ``WaymarkFailure/Kind/unauthenticated`` means that the token is not valid.
    public func signedIn(with token: String) async throws -> (client: Waymark, account: Account) {
        let client = Waymark(at: address, token: token, transport: transport, clock: clock, jitter: jitter)
        return (client, try await client.account())
    }

    /// Returns whose token it is.
    ///
    /// - Throws: ``WaymarkFailure``.
    public func account() async throws -> Account { try await read("v1/me") }

    /// Returns the answer to a GET as a value.
    func read<Value: Decodable>(_ path: String, _ query: [(String, String?)] = []) async throws -> Value {
        try await exchange("GET", path, query)
    }

    /// Sends a request with or without a body of JSON, and returns the answer as a value.
    func exchange<Value: Decodable>(
        _ method: String,
        _ path: String,
        _ query: [(String, String?)] = [],
        body: (any Encodable & Sendable)? = nil,
        headers: [String: String] = [:]
    ) async throws -> Value {
        var headers = headers
        let bytes = try body.map { try WaymarkJSON.encode($0) }
        if bytes != nil { headers["Content-Type"] = "application/json" }
        let answer = try await open(method, path, query, body: bytes, headers: headers)
        do {
            return try WaymarkJSON.decode(Value.self, from: try await Waymark.bytes(of: answer))
        } catch let error as DecodingError {
            throw WaymarkFailure(.unreadable, detail: "The answer is not what this client expects: \(error)")
        }
    }

    /// Sends a request and returns a good answer as soon as its head is there.
    ///
    /// - Throws: ``WaymarkFailure`` for any other answer, and for none; `CancellationError`.
    func open(
        _ method: String,
        _ path: String,
        _ query: [(String, String?)] = [],
        body: Data? = nil,
        headers: [String: String] = [:]
    ) async throws -> WaymarkAnswer {
        var headers = headers
        if let token { headers["Authorization"] = "Bearer " + token }
        let request = WaymarkRequest(method: method, url: try url(path, query), headers: headers, body: body)
        let answer: WaymarkAnswer
        do {
            answer = try await transport.send(request)
        } catch {
            throw Waymark.failure(error)
        }
        guard !(200..<300).contains(answer.status) else { return answer }
        throw WaymarkFailure(answer, body: (try? await Waymark.bytes(of: answer)) ?? Data())
    }

    /// Returns what an error of the transport means.
    static func failure(_ error: any Error) -> any Error {
        if error is CancellationError || error is WaymarkFailure { return error }
        if (error as? URLError)?.code == .cancelled { return CancellationError() }
        return WaymarkFailure(.unreachable, detail: "The service cannot be reached: \(error.localizedDescription)")
    }

    private func url(_ path: String, _ query: [(String, String?)]) throws -> URL {
        var parts = URLComponents(url: address.appending(path: path), resolvingAgainstBaseURL: false)
        let items = query.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
        if !items.isEmpty { parts?.queryItems = items }
        // A plus sign would be read as a blank.
        let plain = parts?.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        parts?.percentEncodedQuery = plain
        guard let url = parts?.url else { throw WaymarkFailure(.invalid, detail: "The address cannot be used.") }
        return url
    }

    private static func bytes(of answer: WaymarkAnswer) async throws -> Data {
        var bytes = Data()
        do {
            for try await piece in answer.body {
                bytes += piece
                guard bytes.count <= mostBytes else {
                    throw WaymarkFailure(.unreadable, detail: "The answer has more than \(mostBytes) bytes.")
                }
            }
        } catch {
            throw failure(error)
        }
        return bytes
    }
}
