import App
import Library
import Formats
import HTTPTypes
import Testing

@Suite("Preview of approximate places")
struct CellPreviewTests {
    @Test(
        "LOC-08 The preview is the cell at which others see a story saved there",
        arguments: ["0.01", "0.1", "1"],
        [(33.7554, -84.3736), (-17.8, 179.995), (89.999, -12.5), (0, 0)]
    )
    func same(cell: String, position: (Double, Double)) async throws {
        let (latitude, longitude) = position
        try await ServiceFixture()
            .run { client async throws in
                let preview = try await client.get("/v1/approximate-cell?lat=\(latitude)&lon=\(longitude)&cell=\(cell)")
                #expect(preview.status == 200)
                let place = #"{"lat":\#(latitude),"lon":\#(longitude),"precision":"approximate","cell":\#(cell)}"#
                let body = #"{"kind":"photo","title":"A","location":\#(place)}"#
                let story = try await client.send(.post, "/v1/stories", as: "ana", body)
                #expect(story.status == 201)
                let id = try #require(story.json["id"]?.string)
                let seen = try await client.get("/v1/stories/\(id)").json["location"]
                #expect(seen?["lat"] == preview.json["lat"] && seen?["lon"] == preview.json["lon"])
                #expect(seen?["cell"] == preview.json["cell"])
                let edges = (preview.json["bbox"]?.array ?? []).compactMap(\.number)
                try #require(edges.count == 4)
                #expect(edges[0] <= longitude && longitude <= edges[2])
                #expect(edges[1] <= latitude && latitude <= edges[3])
            }
    }

    @Test("LOC-08 Sizes that no story can have are rejected", arguments: ["cell=0.2", "cell=-1", "cell="])
    func size(query: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let reply = try await client.get("/v1/approximate-cell?lat=1&lon=1&\(query)")
                #expect(reply.status == 400)
                #expect(reply.json["detail"]?.string?.hasPrefix("cell: ") == true)
            }
    }
}
