import Web
import App
import Library
import Formats
import Geometry
import HTTPTypes
import Testing

@Suite("TileJSON")
struct TileJSONTests {
    @Test("MAP-08 It gives the tile URLs with the filters, and never with a token")
    func template() async throws {
        try await ServiceFixture()
            .run { client async throws in
                _ = try await client.create(as: "ana", title: "Here")
                let plain = try await client.get("/v1/tiles.json").json
                #expect(plain["tilejson"]?.string == "3.0.0" && plain["maxzoom"]?.integer == 20)
                let address = try #require(plain["tiles"]?[0]?.string)
                #expect(address.hasPrefix("http://") && address.hasSuffix("/v1/tiles/{z}/{x}/{y}.mvt"))
                let query = "?tag=a%2Cb,c&kind=photo&from=1936&q=x%20y"
                let filtered = try await client.get("/v1/tiles.json" + query, as: "ana")
                let text = String(decoding: filtered.bytes, as: UTF8.self)
                let expected = "/v1/tiles/{z}/{x}/{y}.mvt?from=1936&kind=photo&q=x%20y&tag=a%2Cb,c"
                #expect(filtered.json["tiles"]?[0]?.string?.hasSuffix(expected) == true, "\(text)")
                #expect(!text.contains("eyJ") && !text.contains("earer") && !text.contains("ana"))
                #expect(filtered.headers[.cacheControl] == "private, no-cache")
                #expect(try await client.get("/v1/tiles.json?access_token=x").status == 400)
                let layer = try #require(plain["vector_layers"]?[0])
                #expect(layer["id"]?.string == "stories" && layer["fields"]?["point_count"]?.string == "Number")
            }
    }

    @Test(
        "MAP-08 Its URL is the operator's, else the client's, with TLS if a trusted proxy says so",
        arguments: [
            (nil, false, "maps.example:81", nil, "http://maps.example:81"),
            (nil, false, "maps.example", "https", "http://maps.example"),
            (nil, true, "maps.example", "https", "https://maps.example"),
            (nil, true, "[::1]:81", "http", "http://[::1]:81"),
            ("https://stories.example.org/map", true, "maps.example", "http", "https://stories.example.org/map"),
            (nil, false, "a/b", nil, "http://127.0.0.1:8080"), (nil, false, "a\"<", nil, "http://127.0.0.1:8080"),
            (nil, false, "u@h", nil, "http://127.0.0.1:8080"),
        ] as [(String?, Bool, String, String?, String)]
    )
    func address(publicURL: String?, trustsProxy: Bool, host: String, scheme: String?, expected: String) throws {
        var options = WaymarkService.Options()
        options.publicURL = publicURL
        options.trustsProxy = trustsProxy
        var headers: HTTPFields = [:]
        headers[try #require(HTTPField.Name("X-Forwarded-Proto"))] = scheme
        #expect(PublicAddress(options: options).url(authority: host, headers: headers) == expected)
    }

    @Test("MAP-08 PRV-02 Its box contains only what the viewer may see, and tiles outside it are empty")
    func bounds() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            #expect(try await client.get("/v1/tiles.json").json["bounds"] == nil)
            let id = try await client.create(as: "ana", title: "Public", latitude: 0, longitude: 0)
            _ = try await client.create(as: "ana", title: "Mine", latitude: 10, extra: ",\"privacy\":\"private\"")
            func box(_ user: String?, _ query: String = "") async throws -> [Double] {
                try await client.get("/v1/tiles.json" + query, as: user).json["bounds"]?.array?.compactMap(\.number)
                    ?? []
            }
            // A little wider than the point, which stands on the edges of four tiles.
            #expect(try await box(nil) == [-0.000_01, -0.000_01, 0.000_01, 0.000_01])
            #expect(try await box("ana")[3] == 10.000_01)
            #expect(try await box("ana", "?view=shared") == box(nil))
            _ = try await client.create(as: "ana", title: "East", latitude: 88, longitude: 100)
            _ = try await client.create(as: "ana", title: "West", latitude: -90, longitude: -100)
            let edge = 85.0511288
            #expect(try await box(nil) == [-100.000_01, -edge, 100.000_01, edge])
            _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
            #expect(try await box(nil) == [-180, -edge, 180, edge], "over the antimeridian")
        }
    }
}
