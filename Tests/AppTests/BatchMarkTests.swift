import App
import Formats
import HTTPTypes
import Testing
import Web

@Suite("Marks in batches")
struct BatchMarkTests {
    private func outcomes(_ client: Client, as user: String, _ items: String) async throws -> [String] {
        let reply = try await client.send(.post, "/v1/stories/batch", as: user, "{\"items\":[\(items)]}")
        return (reply.json["items"]?.array ?? []).map { $0["outcome"]?.string ?? "?" }
    }

    @Test("SYN-05 Favourites, hides and views come with a batch, each once")
    func marks() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Harvest")
            func item(_ op: String, _ id: String) -> String { "{\"op\":\"\(op)\",\"id\":\"\(id)\"}" }
            let all = ["favourite", "view", "hide", "unhide", "unfavourite"]
            let items = all.map { item($0, id) }.joined(separator: ",")
            #expect(try await outcomes(client, as: "ben", items) == Array(repeating: "updated", count: 5))
            #expect(try await outcomes(client, as: "ben", item("view", id)) == ["unchanged"])
            #expect(try await outcomes(client, as: "ben", item("favourite", id)) == ["updated"])
            let list = try await client.get("/v1/stories?favourites=true", as: "ben").json
            #expect(list["numberMatched"]?.integer == 1)
            // One's own cannot be hidden, and what one may not see is as if it were not there.
            #expect(try await outcomes(client, as: "ana", item("hide", id)) == ["refused"])
            _ = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", #"{"privacy":"private"}"#)
            let absent = "0123456789abcdef0123456789abcdef"
            let gone = try await client.send(
                .post,
                "/v1/stories/batch",
                as: "ben",
                "{\"items\":[\(item("favourite", id)),\(item("favourite", absent))]}"
            )
            #expect(gone.json["items"]?[0]?["reason"] == gone.json["items"]?[1]?["reason"])
            #expect(gone.json["items"]?[0]?["outcome"]?.string == "refused")
        }
    }
}
