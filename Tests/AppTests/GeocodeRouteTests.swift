import App
import Library
import Foundation
import Formats
import Gazetteer
import Testing

@Suite("Geocoding over HTTP")
struct GeocodeRouteTests {
    private func fixture() async throws -> ServiceFixture {
        try await ServiceFixture(gazetteer: TwinGazetteer.index.get())
    }

    @Test(
        "GEO-01 Free text, a structured address and a prefix find the same place",
        arguments: [
            "geocode?q=Atlanta,%20GA", "geocode?q=Altanta%20Georgia", "geocode?city=Atlanta&state=GA",
            "geocode?city=Atlanta&country=us", "geocode?q=Atlanta&near=33.7,-84.4&limit=1",
            "geocode?q=Atlanta&bbox=-85,33,-84,34",
            "suggest?q=atl", "suggest?q=atlanta,%20g", "suggest?q=atl&country=us&limit=1",
        ]
    )
    func found(path: String) async throws {
        try await fixture()
            .run { client async throws in
                let reply = try await client.get("/v1/" + path)
                #expect(reply.status == 200)
                let first = reply.json.array?.first
                #expect(first?["id"]?.string == "geonames:2")
                #expect(first?["label"]?.string == "Atlanta, Georgia, United States")
            }
    }

    @Test("GEO-01 Filters exclude results elsewhere, and a minimum confidence excludes uncertain ones")
    func filters() async throws {
        try await fixture()
            .run { client async throws in
                for path in [
                    "geocode?q=Atlanta&country=fr", "geocode?q=Atlanta&bbox=2,48,3,49", "suggest?q=atl&country=fr",
                    "suggest?q=atl&bbox=2,48,3,49", "geocode?q=Atlnata&min_confidence=0.99", "geocode?q=qwxzzy",
                ] {
                    let reply = try await client.get("/v1/" + path)
                    #expect(reply.status == 200 && reply.json.array?.isEmpty == true, "\(path)")
                }
            }
    }

    @Test(
        "Neither a missing query nor both text and parts are accepted",
        arguments: [
            "geocode": "q: is missing; give it, or parts of an address such as city and state",
            "geocode?q=%20": "q: must contain something to search for",
            "suggest?q=%20%09": "q: must contain something to search for",
            "geocode?q=Atlanta&near=0x10,0x10": "near: must be LAT,LON in degrees",
            "geocode?q=Atlanta&lang=spanish": "lang: must be a language's code (ISO 639)",
            "geocode?limit=3": "q: is missing; give it, or parts of an address such as city and state",
            "geocode?q=Atlanta&state=GA": "q: must not be given together with parts of an address",
        ]
    )
    func misuse(path: String, message: String) async throws {
        try await fixture()
            .run { client async throws in
                let reply = try await client.get("/v1/" + path)
                #expect(reply.status == 400)
                #expect(reply.json["detail"]?.string == message)
            }
    }
}
