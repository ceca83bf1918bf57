import App
import HTTPTypes
import Testing

@Suite("Origins of media")
struct MediaOriginTests {
    @Test(
        "An origin is what a browser would call one, over TLS except on this machine",
        arguments: [
            ("https://media.example", true), ("https://media.example:8443", true), ("https://192.0.2.7", true),
            ("https://[2001:db8::1]:8443", true), ("http://localhost:9000", true), ("http://127.0.0.1", true),
            ("http://[::1]:81", true), ("https://xn--caf-dma.example", true),
            ("http://media.example", false), ("https://media.example/", false), ("https://media.example/a", false),
            ("https://Media.example", false), ("HTTPS://media.example", false), ("https://media.example:443", false),
            ("http://localhost:80", false), ("https://media.example:0", false), ("https://media.example:99999", false),
            ("https://media.example:", false), ("https://media.example:+81", false), ("https://*.example", false),
            ("https://*", false), ("https:", false), ("https://", false), ("*", false), ("", false),
            ("data:", false), ("https://a;script-src *", false), ("https://a b", false), ("https://a\"b", false),
            ("https://a@b.example", false), ("https://a..b", false), ("https://.a", false), ("https://a.", false),
            ("https://-a.example", false), ("https://[::1", false), ("https://café.example", false),
            ("http://localhost.evil.example", false), ("http://127.0.0.1.evil.example", false),
        ]
    )
    func reading(text: String, isGood: Bool) {
        #expect((MediaOrigin(text) != nil) == isGood)
        if let origin = MediaOrigin(text) { #expect(origin.text == text) }
    }

    @Test("The page may load media from the named origins, scripts and styles from nowhere else")
    func policy() async throws {
        var options = WaymarkService.Options()
        options.mediaOrigins = Set(["https://b.example", "https://a.example:8443"].compactMap(MediaOrigin.init))
        let fixture = try await ServiceFixture()
        let browser: HTTPFields = [.accept: "text/html"]
        try await fixture.run(options: options) { client async throws in
            let page = try await client.get("/", headers: browser)
            let policy = try #require(page.headers[.contentSecurityPolicy])
            let rules = policy.split(separator: ";").map { $0.split(separator: " ").map(String.init) }
            let sources = Dictionary(uniqueKeysWithValues: rules.compactMap { rule in rule.first.map { ($0, rule) } })
            let named = ["https://a.example:8443", "https://b.example"]
            #expect(sources["img-src"] == ["img-src", "'self'", "data:", "blob:"] + named)
            #expect(sources["media-src"] == ["media-src", "'self'"] + named)
            #expect(sources.filter { rule in rule.value.contains(where: named.contains) }.count == 2)
            #expect(sources["default-src"] == ["default-src", "'self'"])
            let text = String(decoding: page.bytes, as: UTF8.self)
            #expect(text.contains(#"name="waymark-media-origins" content="https://a.example:8443 https://b.example""#))
        }
        try await fixture.run { client async throws in
            let page = try await client.get("/", headers: browser)
            #expect(page.headers[.contentSecurityPolicy]?.contains("media-src 'self';") == true)
            #expect(String(decoding: page.bytes, as: UTF8.self).contains(#"waymark-media-origins" content="""#))
        }
    }
}
