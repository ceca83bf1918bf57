import App
import Formats
import Foundation
import Gazetteer
import Testing

@Suite("Cities in Photon's answers")
struct PhotonCityTests {
    @Test("GEO-06 Photon: what lies in a settlement names its city, also where the gazetteer does not link the two")
    func city() async throws {
        for index in [TwinGazetteer.withPart, TwinGazetteer.withLonePart] {
            try await ServiceFixture(gazetteer: index.get())
                .run { client async throws in
                    let part = try await client.get("/photon/api?q=Sweet%20Auburn").json["features"]?[0]?["properties"]
                    #expect(part?["name"]?.string == "Sweet Auburn" && part?["type"]?.string == "district")
                    #expect(part?["city"]?.string == "Atlanta")
                    for (query, type) in [("Atlanta", "city"), ("Georgia", "state"), ("Fulton%20County", "county")] {
                        let features = try await client.get("/photon/api?q=\(query)&layer=\(type)").json["features"]
                        let whole = try #require(features?[0]?["properties"])
                        #expect(whole["city"] == nil, "\(query)")
                    }
                }
        }
    }
}
