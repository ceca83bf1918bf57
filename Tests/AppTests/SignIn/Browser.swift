import App
import Library
import Formats
import HTTPTypes
import Stories
import Testing

/// A browser with the page open: it keeps the cookie and sends what the page and browsers send.
final class Browser: @unchecked Sendable {
    let client: Client
    /// The value of the cookie; only one task uses a browser at a time.
    private(set) var cookie: String?
    /// What it sends besides.
    var headers: HTTPFields = [.userAgent: "Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"]

    init(_ client: Client, cookie: String? = nil) {
        self.client = client
        self.cookie = cookie
    }

    static func field(_ name: String) throws -> HTTPField.Name { try #require(HTTPField.Name(name)) }

    /// Sends a request as the page does.
    @discardableResult
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        _ more: [String: String] = [:],
        asPage: Bool = true
    ) async throws -> Client.Reply {
        var headers = headers
        if asPage, method != .get { headers[try Browser.field("Waymark-Page")] = "1" }
        for (name, value) in more { headers[try Browser.field(name)] = value }
        if let cookie { headers[.cookie] = "look=dark; waymark_session=\(cookie)" }
        let reply = try await client.send(method, path, body, headers: headers)
        if let set = reply.headers[.setCookie] {
            let value = try #require(set.wholeMatch(of: /waymark_session=([^;]*); Path=\/; .*/)?.1)
            cookie = value.isEmpty ? nil : String(value)
        }
        return reply
    }

    func get(_ path: String, _ more: [String: String] = [:]) async throws -> Client.Reply {
        try await send(.get, path, nil, more)
    }

    /// Who is signed in, by the service's own word.
    func user() async throws -> String? { try await get("/v1/session").json["user"]?["id"]?.string }

    /// Signs in by an access token.
    @discardableResult
    func signIn(as user: String) async throws -> Client.Reply {
        let token = try await client.accounts.issueToken(for: try #require(UserID(user)), seconds: 60)
        return try await send(.post, "/v1/session", #"{"token":"\#(token)"}"#)
    }

    /// A browser that is signed in.
    static func signedIn(as user: String, _ client: Client) async throws -> Browser {
        let browser = Browser(client)
        #expect(try await browser.signIn(as: user).status == 201)
        return browser
    }
}
