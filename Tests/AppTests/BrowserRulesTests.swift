import App
import Formats
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Library
import Testing
import Web

@Suite("What answers say to browsers")
struct BrowserRulesTests {
    private static let policy = "default-src 'none'; frame-ancestors 'none'"
    private static let page: HTTPFields = [.accept: "text/html"]

    @Test(
        "An answer that is no page runs nothing and is shown in no frame, whatever its status",
        arguments: [
            ("/v1/stories", 200), ("/v1/tiles/0/0/0.mvt", 204), ("/openapi.json", 200), ("/collections", 200),
            ("/healthz", 200), ("/v1/nothing", 404), ("/v1/stories?colour=red", 400),
            ("/v1/me/notification-settings", 401), ("/assets/nothing.js", 404), ("/assets/page.css", 200),
        ]
    )
    func answers(path: String, status: Int) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let reply = try await client.get(path)
            #expect(reply.status == status)
            #expect(reply.headers[.contentSecurityPolicy] == BrowserRulesTests.policy)
            #expect(reply.headers[.xContentTypeOptions] == "nosniff")
            #expect(reply.headers[.strictTransportSecurity] == nil, "the program does not speak TLS here")
        }
    }

    @Test("A page keeps its own policy", arguments: ["/", "/walk", "/docs", "/stories", "/embed", "/sw.js"])
    func pages(path: String) async throws {
        let fixture = try await ServiceFixture()
        var options = WaymarkService.Options()
        options.embedders = Set(["https://museum.example"].compactMap(MediaOrigin.init))
        try await fixture.run(options: options) { client async throws in
            let reply = try await client.get(path, headers: BrowserRulesTests.page)
            #expect(reply.status == 200)
            let policy = try #require(reply.headers[.contentSecurityPolicy])
            #expect(policy != BrowserRulesTests.policy && policy.contains("'self'"))
        }
    }

    @Test(
        "PRV-02 No page names itself to the sites that it links",
        arguments: [
            "/", "/walk", "/docs", "/stories", "/embed", "/conformance", "/collections", "/collections/stories",
            "/collections/stories/items",
        ]
    )
    func referrers(path: String) async throws {
        let fixture = try await ServiceFixture()
        var options = WaymarkService.Options()
        options.embedders = Set(["https://museum.example"].compactMap(MediaOrigin.init))
        try await fixture.run(options: options) { client async throws in
            let reply = try await client.get(path, headers: BrowserRulesTests.page)
            #expect(reply.status == 200 && reply.headers[.contentType]?.hasPrefix("text/html") == true)
            let field = try #require(HTTPField.Name("Referrer-Policy"))
            let isInHead = String(decoding: reply.bytes, as: UTF8.self)
                .contains(#"<meta name="referrer" content="no-referrer">"#)
            #expect(reply.headers[field] == "no-referrer" || isInHead)
        }
    }

    @Test("Without a change, the client's headers stay: a 304 brings a page's own policy, or none")
    func unchanged() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for path in ["/v1/stories", "/walk", "/assets/page.css"] {
                let headers = BrowserRulesTests.page
                let first = try await client.get(path, headers: headers)
                var again = headers
                let tag = try #require(first.headers[.eTag], "\(path)")
                again[.ifNoneMatch] = tag
                let second = try await client.get(path, headers: again)
                #expect(second.status == 304)
                let kept = path == "/walk" ? first.headers[.contentSecurityPolicy] : nil
                #expect(second.headers[.contentSecurityPolicy] == kept, "\(path)")
            }
        }
    }

    @Test(
        "With TLS of its own, every answer has browsers ask for the host by TLS alone, or forget it",
        arguments: [(BrowserRules.Encryption.year, "max-age=31536000"), (.forget, "max-age=0")]
    )
    func encrypted(encryption: BrowserRules.Encryption, value: String) async throws {
        let fixture = try await ServiceFixture()
        var options = WaymarkService.Options()
        options.rules = BrowserRules(encryption: encryption)
        let whole = fixture.service.buildRouter(options: options).buildResponder()
        // The client of tests asks for localhost, whatever it is told.
        let responder = CallbackResponder<ServiceContext> { request, context in
            var head = request.head
            head.authority = "stories.example.org:8443"
            return try await whole.respond(to: Request(head: head, body: request.body), context: context)
        }
        try await Application(responder: responder, logger: fixture.logger)
            .test(.router) { client async throws in
                for path in ["/v1/stories", "/v1/nothing", "/walk"] {
                    let reply = try await client.execute(uri: path, method: .get)
                    #expect(reply.headers[.strictTransportSecurity] == value, "\(path)")
                }
            }
    }

    @Test("Every program of a machine shares the name localhost, so nothing is said of it")
    func shared() {
        let rules = BrowserRules(encryption: .year)
        for (host, isSaid) in [
            ("localhost", false), ("localhost:8443", false), ("LocalHost", false), ("localhost.example.org", true),
            ("stories.example.org", true), ("[::1]:8443", true),
        ] {
            var headers = HTTPFields()
            rules.apply(to: &headers, status: .ok, authority: host)
            #expect((headers[.strictTransportSecurity] != nil) == isSaid, "\(host)")
        }
    }

    @Test("While stories load, the same holds")
    func starting() async throws {
        let fixture = try await ServiceFixture()
        let gate = StartupGate(progress: StartupProgress(), rules: BrowserRules(encryption: .year))
        try await Application(responder: gate, logger: fixture.logger)
            .test(.router) { client async throws in
                let answer = try await client.execute(uri: "/v1/stories", method: .get)
                #expect(answer.status == .serviceUnavailable)
                #expect(answer.headers[.contentSecurityPolicy] == BrowserRulesTests.policy)
            }
    }
}
