import App
import Formats
import HTTPTypes
import Testing
import Web

@Suite("Places in imports over HTTP")
struct ImportPlacesTests {
    private static let exchanged = """
        id,title,lat,lon,city,state,country
        1,One,-84.38798,33.749,Atlanta,Georgia,United States
        2,Two,-84.38801,33.7491,Atlanta,Georgia,United States

        """
    private static let named = """
        id,title,city,state,country
        1,One,Atlanta,Georgia,United States
        2,Two,Qqqqq,Oklahoma,United States

        """

    private func send(_ client: Client, _ body: String, _ query: String = "") async throws -> Client.Reply {
        try await client.send(.post, "/v1/imports?name=letters.csv" + query, as: "ana", body)
    }

    private func messages(_ answer: JSONValue) -> [String] {
        (answer["problems"]?.array ?? [])
            .map { problem in "\(problem["severity"]?.string ?? ""): \(problem["message"]?.string ?? "")" }
    }

    /// The latitudes of ana's stories, by title.
    private func latitudes(_ client: Client) async throws -> [String: Double] {
        let stories = try await client.get("/v1/changes", as: "ana").json["changed"]?.array ?? []
        var found: [String: Double] = [:]
        for story in stories {
            if let title = story["title"]?.string { found[title] = story["location"]?["lat"]?.number }
        }
        return found
    }

    @Test("LOC-07 Positions that seem exchanged are remarked, and refused with strict")
    func doubts() async throws {
        let fixture = try await ServiceFixture(gazetteer: TwinGazetteer.index.get())
        try await fixture.run { client async throws in
            let trial = try await send(client, Self.exchanged, "&strict=true&dry_run=true").json
            #expect(trial["accepted"]?.bool == false)
            let refused = try #require(try await send(client, Self.exchanged, "&strict=true").json["import"])
            #expect(refused["state"]?.string == "refused" && refused["new"]?.integer == 0)
            #expect(messages(refused).contains { $0.hasPrefix("error: ") && $0.contains("exchanged") })
            let remarked = try await send(client, Self.exchanged).json
            #expect(remarked["state"]?.string == "complete" && remarked["new"]?.integer == 2)
            #expect(messages(remarked).contains { $0.hasPrefix("warning: ") && $0.contains("exchanged") })
            // What lies where its words say is not doubted.
            let right = "id,title,lat,lon,city,state,country\n1,A,33.749,-84.388,Atlanta,Georgia,United States\n"
            let good = try await send(client, right, "&strict=true&source=right").json
            #expect(good["state"]?.string == "complete" && messages(good) == [])
        }
    }

    @Test("Rows without a position are located by their words where it is asked for, and only there")
    func geocoded() async throws {
        let fixture = try await ServiceFixture(gazetteer: TwinGazetteer.index.get())
        try await fixture.run { client async throws in
            _ = try await send(client, Self.named.replacing("One", with: "Plain"), "&source=plain")
            #expect(try await latitudes(client) == [:])
            let located = try await send(client, Self.named, "&source=located&geocode=true").json
            #expect(located["new"]?.integer == 2)
            let latitude = try #require(try await latitudes(client)["One"])
            #expect(abs(latitude - 33.749) < 0.5)
            #expect(try await latitudes(client).keys.sorted() == ["One"])
            #expect(messages(located).allSatisfy { !$0.contains("--review") })
        }
        let other = try await ServiceFixture(gazetteer: TwinGazetteer.index.get())
        try await other.run { client async throws in
            let column = "id,title,where\n1,One,\"Tulsa, Oklahoma\"\n"
            _ = try await send(client, column, "&geocode_column=where")
            let latitude = try #require(try await latitudes(client)["One"])
            #expect(abs(latitude - 36.154) < 0.5)
        }
    }

    @Test("Without place names, what needs them is refused with the parameter's name")
    func withoutNames() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for query in ["strict=true", "geocode=true", "geocode_column=city"] {
                let reply = try await send(client, Self.named, "&" + query)
                #expect(reply.status == 400, "\(query)")
                let name = query.split(separator: "=")[0]
                #expect(reply.json["errors"]?[0]?["field"]?.string == String(name))
            }
            #expect(try await client.get("/v1/imports", as: "ana").json["imports"]?.array?.isEmpty == true)
            #expect(try await send(client, Self.named).json["new"]?.integer == 2)
        }
    }
}
