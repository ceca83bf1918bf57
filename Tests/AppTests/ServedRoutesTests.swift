import App
import Formats
import HTTPTypes
import Hummingbird
import Testing

@Suite("What the service serves")
struct ServedRoutesTests {
    /// The page's own files, which are no part of the API.
    private static let page = ["/walk", "/embed", "/sw.js", "/assets/{name}"]

    /// Returns a method with a path, whose variable parts have no names.
    private static func form(_ method: String, _ path: String) -> String {
        method.uppercased() + " " + RouterPath(path).description.replacing(/\{\w+\}/, with: "{}")
    }

    @Test("One host serves one application: each route is in the document of the API, or a file of the page")
    func oneApplication() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            var known = Set(ServedRoutesTests.page.map { ServedRoutesTests.form("GET", $0) })
            let document = try await client.get("/openapi.json").json
            for (path, operations) in try #require(document["paths"]?.object) {
                for method in try #require(operations.object).keys {
                    known.insert(ServedRoutesTests.form(method, path))
                }
            }
            let routes = fixture.service.buildRouter().routes
                // These two are added to every route.
                .filter { $0.method != .head && $0.method != .options }
            let served = Set(routes.map { ServedRoutesTests.form($0.method.rawValue, $0.path.description) })
            #expect(served.subtracting(known).sorted() == [])
            #expect(known.subtracting(served).sorted() == [])
            #expect(served.count > 150)
        }
    }
}
