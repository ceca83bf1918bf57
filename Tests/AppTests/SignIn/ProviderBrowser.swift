import Library
import Formats
import HTTPTypes
import Stories
import Testing

/// A browser that goes to a provider and back: it keeps all cookies and follows no redirect by itself.
final class ProviderBrowser: @unchecked Sendable {
    let client: Client
    let provider: TestProvider
    /// The cookies by name; only one task uses a browser at a time.
    var cookies: [String: String] = [:]

    init(_ client: Client, _ provider: TestProvider) {
        self.client = client
        self.provider = provider
    }

    @discardableResult
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        _ more: [String: String] = [:]
    ) async throws -> Client.Reply {
        var headers: HTTPFields = [.userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"]
        if method != .get { headers[try Browser.field("Waymark-Page")] = "1" }
        for (name, value) in more { headers[try Browser.field(name)] = value }
        let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        if !pairs.isEmpty { headers[.cookie] = pairs.joined(separator: "; ") }
        let reply = try await client.send(method, path, body, headers: headers)
        for set in reply.headers[values: .setCookie] {
            #expect(set.contains("; Path=/; ") && set.contains("; HttpOnly; SameSite=Lax"))
            let pair = set.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(pair[0])] = pair[1].isEmpty ? nil : String(pair[1])
        }
        return reply
    }

    func user() async throws -> String? { try await send(.get, "/v1/session").json["user"]?["id"]?.string }

    /// Signs in as the page does with a token.
    func signIn(as user: String) async throws {
        let token = try await client.accounts.issueToken(for: try #require(UserID(user)), seconds: 60)
        #expect(try await send(.post, "/v1/session", #"{"token":"\#(token)"}"#).status == 201)
    }

    /// Goes to the provider; returns the address there.
    func leave(next: String? = nil) async throws -> String {
        let reply = try await send(.get, "/signin/provider" + (next.map { "?next=\($0)" } ?? ""))
        #expect(reply.status == 303 && reply.headers[.cacheControl] == "no-store")
        return try #require(reply.headers[.location])
    }

    /// Comes back with an answer's query.
    @discardableResult
    func comeBack(_ query: String) async throws -> Client.Reply {
        try await send(
            .get,
            "/signin/provider/callback" + query,
            nil,
            ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"]
        )
    }

    /// Goes there and back as a person.
    @discardableResult
    func visit(as person: TestProvider.Person = .init(), next: String? = nil) async throws -> Client.Reply {
        try await comeBack(try provider.signIn(person, at: try await leave(next: next)))
    }

    /// Links the account of a person.
    @discardableResult
    func link(_ person: TestProvider.Person = .init()) async throws -> Client.Reply {
        let reply = try await send(.post, "/v1/me/provider-accounts")
        let location = try #require(reply.json["address"]?.string, "\(String(decoding: reply.bytes, as: UTF8.self))")
        return try await comeBack(try provider.signIn(person, at: location))
    }
}

extension Client.Reply {
    /// The body as a text.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
