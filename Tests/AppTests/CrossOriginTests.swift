import App
import Library
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@Suite("Cross-origin pages")
struct CrossOriginTests {
    private static func options(origins: Set<String>) -> WaymarkService.Options {
        var options = WaymarkService.Options()
        options.origins = origins
        return options
    }

    private static func headers(origin: String) throws -> HTTPFields { [.origin: origin] }

    @Test("Every origin may read public data, without a preflight")
    func anyOrigin() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run(options: CrossOriginTests.options(origins: ["https://app.example"])) {
            client async throws in
            let other = try CrossOriginTests.headers(origin: "https://other.example")
            let asked = try await client.send(.options, "/v1/stories", nil, headers: other)
            #expect(asked.headers[.accessControlAllowOrigin] == "*")
            #expect(asked.headers[.accessControlAllowMethods] == "GET, HEAD")
            #expect(asked.headers[.accessControlAllowHeaders]?.contains("Authorization") == false)
            #expect(try await client.get("/v1/stories", headers: other).headers[.accessControlAllowOrigin] == "*")
            let written = try await client.send(.post, "/v1/stories", "{}", headers: other)
            #expect(written.headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test("A listed origin may send tokens and write, and caches know the answer depends on it")
    func listedOrigin() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run(options: CrossOriginTests.options(origins: ["https://app.example"])) {
            client async throws in
            let app = try CrossOriginTests.headers(origin: "https://app.example")
            let asked = try await client.send(.options, "/v1/stories", nil, headers: app)
            #expect(asked.headers[.accessControlAllowOrigin] == "https://app.example")
            #expect(asked.headers[.accessControlAllowMethods]?.contains("PATCH") == true)
            #expect(asked.headers[.accessControlAllowHeaders]?.contains("Authorization") == true)
            #expect(asked.headers[.vary]?.contains("Origin") == true)
            let written = try await client.send(.post, "/v1/stories", "{}", headers: app)
            #expect(written.headers[.accessControlAllowOrigin] == "https://app.example")
            #expect(written.headers[.vary]?.contains("Origin") == true)
        }
    }
}
