import App
import Library
import Web
import Formats
import HTTPTypes
import Stories
import TestSupport
import Testing

@Suite("Requests with the page's cookie")
struct PageGuardTests {
    /// A request that changes something, as some page sends it.
    struct Attempt: Sendable, CustomStringConvertible {
        let method: HTTPRequest.Method
        let header: String?
        let origin: String?
        let site: String?

        /// Only the page itself may.
        var isOwn: Bool {
            let isOwnOrigin = origin == nil || origin == "http://localhost" || origin == "https://localhost"
            return header == "1" && isOwnOrigin && (site == nil || site == "same-origin")
        }

        var description: String { "\(method) page \(header ?? "-") origin \(origin ?? "-") site \(site ?? "-")" }

        static var all: [Attempt] {
            let methods: [HTTPRequest.Method] = [.post, .put, .patch, .delete]
            let headers: [String?] = [nil, "1", "0", "1, 1"]
            let origins: [String?] = [
                nil, "http://localhost", "https://localhost", "http://localhost.evil.example", "null",
                "https://evil.example",
            ]
            let sites: [String?] = [nil, "same-origin", "same-site", "cross-site", "none"]
            var all: [Attempt] = []
            for method in methods {
                for header in headers {
                    for origin in origins {
                        for site in sites {
                            all.append(Attempt(method: method, header: header, origin: origin, site: site))
                        }
                    }
                }
            }
            return all
        }
    }

    @Test("A change with the cookie needs the page's header, the own origin and the own site: every combination")
    func changes() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let browser = try await Browser.signedIn(as: "ana", client)
            let story = try await client.create(as: "ana", title: "A")
            for attempt in Attempt.all {
                var more: [String: String] = [:]
                more["Waymark-Page"] = attempt.header
                more["Origin"] = attempt.origin
                more["Sec-Fetch-Site"] = attempt.site
                let (path, body): (String, String?) =
                    switch attempt.method {
                    case .post: ("/v1/notifications/stream/ticket", nil)
                    case .put: ("/v1/stories/\(story)/favourite", nil)
                    case .patch: ("/v1/me", #"{"name":"Ana"}"#)
                    default: ("/v1/stories/\(story)/favourite", nil)
                    }
                let reply = try await browser.send(attempt.method, path, body, more, asPage: false)
                #expect((reply.status == 403) == !attempt.isOwn, "\(attempt)")
                if !attempt.isOwn { #expect(reply.json["type"]?.string == "/problems/not-from-page") }
                // Who sends a token has it at hand: none of this is asked of them.
                guard attempt.header == nil, attempt.method == .patch else { continue }
                var headers: HTTPFields = [.cookie: "waymark_session=nonsense"]
                for (name, value) in more { headers[try Browser.field(name)] = value }
                #expect(try await client.send(.patch, "/v1/me", as: "ben", body, headers: headers).status == 200)
            }
        }
    }

    /// The types that a page may send to another origin without asking first, and none.
    @Test(
        "A body in JSON is read whatever its type says, which opens nothing: the cookie still needs the page's header",
        arguments: ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", nil]
    )
    func simpleBodies(type: String?) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let browser = try await Browser.signedIn(as: "ana", client)
            let body = #"{"kind":"interview","title":"Forged"}"#
            var headers: HTTPFields = [:]
            headers[.contentType] = type
            // As a form of another site sends it; an old browser sends no Sec-Fetch-Site.
            for site in ["cross-site", "same-site", nil] {
                var more = ["Origin": "https://evil.example"]
                more["Content-Type"] = type
                more["Sec-Fetch-Site"] = site
                let forged = try await browser.send(.post, "/v1/stories", body, more, asPage: false)
                #expect(forged.status == 403 && forged.json["type"]?.string == "/problems/not-from-page")
            }
            #expect(try await client.get("/v1/stories").json["numberMatched"]?.integer == 0)
            // `curl -d` names a form; a program with a token is read all the same.
            #expect(try await client.send(.post, "/v1/stories", as: "ben", body, headers: headers).status == 201)
        }
    }

    @Test("Signing in and out must come from the page even without a cookie")
    func withoutCookie() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let token = try await client.accounts.issueToken(for: try #require(UserID("ana")), seconds: 60)
            for (method, path, body) in [
                (HTTPRequest.Method.post, "/v1/session", #"{"token":"\#(token)"}"#), (.delete, "/v1/session", "{}"),
                (.post, "/v1/session/email", #"{"email":"a@example.org"}"#),
                (.post, "/v1/session/code", #"{"code":"0000000000"}"#),
            ] {
                for more in [
                    [:], ["Waymark-Page": "1", "Origin": "https://evil.example"],
                    ["Waymark-Page": "1", "Sec-Fetch-Site": "cross-site"],
                ] {
                    let reply = try await Browser(client).send(method, path, body, more, asPage: false)
                    #expect(reply.status == 403 && reply.headers[.setCookie] == nil, "\(method) \(path) \(more)")
                }
            }
        }
    }

    @Test("Another page that embeds an answer gets that of a visitor; a link followed from there opens signed in")
    func embedding() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let browser = try await Browser.signedIn(as: "ana", client)
            for (site, mode, destination, isSignedIn) in [
                ("same-origin", "cors", "empty", true), ("none", "navigate", "document", true),
                ("cross-site", "navigate", "document", true), ("cross-site", "no-cors", "image", false),
                ("same-site", "no-cors", "script", false), ("same-site", "cors", "empty", false),
                ("same-site", "navigate", "iframe", false),
            ] {
                let sent = ["Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": destination]
                let reply = try await browser.get("/v1/session", sent)
                #expect((reply.json["user"]?["id"]?.string == "ana") == isSignedIn, "\(sent)")
            }
        }
    }

    @Test("Answers to the cookie are private, vary by it, and no origin may read them with it")
    func caching() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        var options = WaymarkService.Options()
        options.origins = ["https://app.example"]
        try await fixture.run(options: options) { client async throws in
            _ = try await client.create(as: "ana", title: "A")
            let browser = try await Browser.signedIn(as: "ana", client)
            for path in ["/v1/clusters?bbox=-180,-85,180,85&zoom=3", "/v1/stories", "/v1/session", "/v1/me"] {
                for origin in [nil, "https://app.example", "https://evil.example"] {
                    let more = origin.map { ["Origin": $0] } ?? [:]
                    let signedIn = try await browser.get(path, more)
                    let visitor = try await Browser(client).get(path, more)
                    for reply in [signedIn, visitor] {
                        #expect(reply.headers[try Browser.field("Access-Control-Allow-Credentials")] == nil)
                    }
                    #expect(signedIn.headers[.vary]?.contains("Cookie") == true, "\(path)")
                    let caching = try #require(signedIn.headers[.cacheControl])
                    #expect(caching == "no-store" || caching.hasPrefix("private"), "\(path)")
                    if visitor.headers[.cacheControl]?.hasPrefix("public") == true {
                        #expect(visitor.headers[.vary]?.contains("Cookie") == true)
                        #expect(visitor.headers[.eTag] != signedIn.headers[.eTag] || visitor.bytes == signedIn.bytes)
                    }
                }
            }
            // No other page may even ask to send the page's header.
            for origin in ["https://app.example", "https://evil.example"] {
                let asked = try await client.send(.options, "/v1/session", headers: [.origin: origin])
                let allowed = asked.headers[try Browser.field("Access-Control-Allow-Headers")] ?? ""
                #expect(!allowed.lowercased().contains("waymark-page") && !allowed.contains("*"))
            }
        }
    }

    @Test("A token in Authorization counts alone; a bad one is not replaced by the cookie")
    func precedence() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let browser = try await Browser.signedIn(as: "ana", client)
            let token = try await client.accounts.issueToken(for: try #require(UserID("ben")), seconds: 60)
            #expect(try await browser.get("/v1/me", ["Authorization": "Bearer \(token)"]).json["id"]?.string == "ben")
            #expect(try await browser.get("/v1/me", ["Authorization": "Bearer nonsense"]).status == 401)
            // Routes for devices, some of which store positions by GET, do not look at it.
            #expect(try await browser.get("/ingest/osmand?id=p&lat=1&lon=2").status == 401)
            // A ticket of the page's opens its stream, and stands for the session only as long as that lasts.
            let ticket = try await browser.send(.post, "/v1/notifications/stream/ticket").json["ticket"]?.string
            try await browser.send(.delete, "/v1/session")
            let stream = "/v1/notifications/stream?ticket=\(try #require(ticket))"
            #expect(try await client.get(stream).status == 401)
        }
    }

    @Test("With TLS the cookie has a prefix that no other host and no unencrypted page can set, and only it is read")
    func secure() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        var options = WaymarkService.Options()
        options.publicURL = "https://stories.example.org"
        options.trustsProxy = true
        try await fixture.run(options: options) { client async throws in
            let token = try await client.accounts.issueToken(for: try #require(UserID("ana")), seconds: 60)
            let headers: HTTPFields = [
                try Browser.field("Waymark-Page"): "1", .origin: "https://stories.example.org",
                try Browser.field("X-Forwarded-Proto"): "https",
            ]
            let body = #"{"token":"\#(token)"}"#
            let reply = try await client.send(.post, "/v1/session", body, headers: headers)
            let set = try #require(reply.headers[.setCookie])
            #expect(set.hasPrefix("__Host-waymark_session=wm_session_") && set.hasSuffix("; Secure"))
            #expect(set.contains("; Path=/;") && !set.contains("Domain"))
            let secret = try #require(set.firstMatch(of: /=(wm_session_\w+);/)?.1)
            func me(_ cookie: String) async throws -> Int {
                try await client.get("/v1/me", headers: headers.with(.cookie, cookie)).status
            }
            #expect(try await me("__Host-waymark_session=\(secret)") == 200)
            #expect(try await me("a=b; __Host-waymark_session=\(secret); c") == 200)
            #expect(try await me("waymark_session=\(secret)") == 401)
            #expect(try await me("__Host-waymark_session=\(secret); __Host-waymark_session=\(secret)") == 401)
            #expect(try await me("x__Host-waymark_session=\(secret)") == 401)
            // An unencrypted page of the same host is another origin.
            let downgraded = headers.with(.origin, "http://stories.example.org")
            #expect(try await client.send(.post, "/v1/session", body, headers: downgraded).status == 403)
        }
    }
}

extension HTTPFields {
    /// These fields with another.
    fileprivate func with(_ name: HTTPField.Name, _ value: String) -> HTTPFields {
        var fields = self
        fields[name] = value
        return fields
    }
}
