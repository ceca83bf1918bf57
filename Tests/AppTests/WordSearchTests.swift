import Formats
import HTTPTypes
import Testing

@Suite("Repeated word searches")
struct WordSearchTests {
    @Test("MAP-07 PRV-03 A repeated search reflects stories written, shared and withdrawn since")
    func changes() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Here", extra: ",\"text\":\"a choir\"")
            func found(_ word: String) async throws -> [Int?] {
                var counts: [Int?] = []
                for user in ["ana", "ben", "cora"] {
                    let reply = try await client.get("/v1/clusters?bbox=-180,-85,180,85&zoom=3&q=\(word)", as: user)
                    counts.append(reply.json["numberMatched"]?.integer)
                }
                return counts
            }
            for _ in 0..<2 { #expect(try await found("choir") == [1, 1, 1]) }
            _ = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", "{\"text\":\"a band\"}")
            #expect(try await found("choir") == [0, 0, 0])
            #expect(try await found("band") == [1, 1, 1])
            _ = try await client.send(.put, "/v1/stories/\(id)/privacy", as: "ana", "{\"privacy\":\"family_only\"}")
            #expect(try await found("band") == [1, 1, 0])
            _ = try await client.create(as: "ben", title: "There", extra: ",\"text\":\"another band\"")
            #expect(try await found("band") == [2, 2, 1])
            _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
            #expect(try await found("band") == [1, 1, 1])
        }
    }
}
