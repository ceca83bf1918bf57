import App
import HTTPTypes
import Stories
import Testing

@Suite("The map in frames of other sites")
struct EmbeddingTests {
    private static let browser: HTTPFields = [.accept: "text/html"]

    private static var options: WaymarkService.Options {
        var options = WaymarkService.Options()
        options.embedders = Set(["https://museum.example", "http://localhost:8412"].compactMap(MediaOrigin.init))
        return options
    }

    /// The value of a rule of an answer's content security policy.
    private static func rule(_ name: String, of headers: HTTPFields) -> String? {
        headers[.contentSecurityPolicy]?.split(separator: ";").map { $0.drop(while: { $0 == " " }) }
            .first { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.count + 1)) }
    }

    @Test("Only the named sites may show the map of public stories, and nothing of others is loaded")
    func policy() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run(options: EmbeddingTests.options) { client async throws in
            let page = try await client.get("/embed", headers: EmbeddingTests.browser)
            #expect(page.status == 200)
            let framing = EmbeddingTests.rule("frame-ancestors", of: page.headers)
            #expect(framing == "http://localhost:8412 https://museum.example")
            #expect(EmbeddingTests.rule("connect-src", of: page.headers) == "'self'")
            #expect(EmbeddingTests.rule("default-src", of: page.headers) == "'self'")
            #expect(EmbeddingTests.rule("form-action", of: page.headers) == "'none'")
            #expect(page.headers[.setCookie] == nil)
        }
    }

    @Test("PRV-02 The map in a frame is the same bytes for everybody, signed in or not")
    func strangers() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run(options: EmbeddingTests.options) { client async throws in
            _ = try await client.create(as: "ana", title: "Mine alone", extra: #","privacy":"private""#)
            let stranger = try await client.get("/embed?bbox=-85,33,-84,34&kind=photo", headers: EmbeddingTests.browser)
            let owner = try await client.get("/embed", as: "ana", headers: EmbeddingTests.browser)
            #expect(stranger.bytes == owner.bytes && stranger.headers[.eTag] == owner.headers[.eTag])
        }
    }

    @Test("Without the option there is no such page")
    func absent() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            #expect(try await client.get("/embed", headers: EmbeddingTests.browser).status == 404)
        }
    }

    @Test(
        "No other page may be shown in a frame, under none of its addresses",
        arguments: ["/", "/walk", "/assets/index.html", "/assets/walk.html", "/stories/STORY", "/stories/none"]
    )
    func framing(path: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run(options: EmbeddingTests.options) { client async throws in
            let story = try await client.create(as: "ana", title: "Wheat harvest")
            let page = try await client.get(
                path.replacing("STORY", with: story),
                headers: EmbeddingTests.browser
            )
            #expect(EmbeddingTests.rule("frame-ancestors", of: page.headers) == "'none'")
        }
    }

    @Test("The map in a frame has one address, and the service worker does not keep it")
    func address() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run(options: EmbeddingTests.options) { client async throws in
            #expect(try await client.get("/assets/embed.html", headers: EmbeddingTests.browser).status == 404)
            let worker = String(decoding: try await client.get("/sw.js").bytes, as: UTF8.self)
            #expect(worker.contains("walk.html") && !worker.contains("embed.html"))
        }
    }
}
