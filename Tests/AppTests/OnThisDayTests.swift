import Formats
import HTTPTypes
import Testing

@Suite("On this day over HTTP")
struct OnThisDayTests {
    @Test("MAP-09 The filter on gives the same stories on the map, in lists and in counts")
    func everywhere() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for date in ["1936-06-19", "1950-06-18/1950-06-21", "1936-06", "1936", "1936-06-20"] {
                _ = try await client.create(as: "ana", title: date, extra: ",\"date\":\"\(date)\"")
            }
            _ = try await client.create(as: "ana", title: "undated")
            let list = try await client.get("/v1/stories?on=06-19", as: nil).json
            let titles = (list["features"]?.array ?? []).compactMap { $0["properties"]?["title"]?.string }
            #expect(Set(titles) == ["1936-06-19", "1950-06-18/1950-06-21"])
            for path in [
                "/v1/clusters?bbox=-180,-85,180,85&zoom=3&on=06-19", "/v1/facets?on=06-19", "/v1/stories?on=06-19",
                "/v1/histogram?on=06-19", "/v1/histogram?on=06-19&bbox=-180,-85,180,85",
            ] {
                #expect(try await client.get(path, as: nil).json["numberMatched"]?.integer == 2, "\(path)")
            }
            let both = try await client.get("/v1/stories?on=06-19&from=1940", as: nil).json
            #expect(both["numberMatched"]?.integer == 1)
        }
    }

    @Test(
        "MAP-09 A day that no year has, and anything else, is refused with the form",
        arguments: ["02-30", "6-19", "june", ""]
    )
    func refused(on: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let reply = try await client.get("/v1/stories?on=\(on)", as: nil)
            #expect(reply.status == 400)
            #expect(String(decoding: reply.bytes, as: UTF8.self).contains("on"))
        }
    }
}
