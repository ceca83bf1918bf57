import Formats
import Library
import Testing

@Suite("Dates that are exchanged")
struct ReversedDatesTests {
    @Test("MAP-09 from after to is refused with both names and both values")
    func reversed() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for path in ["/v1/stories", "/v1/facets"] {
                    let reply = try await client.get(path + "?from=1950&to=1940-05")
                    #expect(reply.status == 400)
                    let words = "to: must not be before from: from is 1950, and to is 1940-05"
                    #expect(reply.json["detail"]?.string == words)
                }
            }
    }
}
