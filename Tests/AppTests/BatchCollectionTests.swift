import App
import Formats
import HTTPTypes
import Testing
import Web

@Suite("SYN-05 Collections in batches")
struct BatchCollectionTests {
    private func send(_ client: Client, as user: String, _ items: [String]) async throws -> [JSONValue] {
        let body = "{\"items\":[\(items.joined(separator: ","))]}"
        return try await client.send(.post, "/v1/stories/batch", as: user, body).json["items"]?.array ?? []
    }

    private func outcomes(_ answers: [JSONValue]) -> [String] { answers.map { $0["outcome"]?.string ?? "?" } }

    private static let trip = #"{"op":"create_collection","collection":{"title":"Delta","privacy":"public"}}"#

    private static func story(_ id: String) -> String {
        """
        {"op":"create","client_id":"\(id)","story":{"kind":"photo","title":"\(id)","privacy":"public",\
        "collection":"Delta"}}
        """
    }

    @Test("SYN-05 A trip made offline comes with its stories and their order; a repetition changes nothing")
    func offline() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let order = #"{"op":"order_collection","title":"Delta","stories":["b","a"]}"#
            let items = [Self.trip, Self.story("a"), Self.story("b"), order]
            let first = try await send(client, as: "ana", items)
            #expect(outcomes(first) == ["created", "created", "created", "updated"])
            let id = try #require(first[0]["id"]?.string)
            #expect(first[3]["id"]?.string == id)
            let stories = try await client.get("/v1/collections/\(id)/stories").json["features"]?.array ?? []
            #expect(stories.compactMap { $0["properties"]?["title"]?.string } == ["b", "a"])
            let again = try await send(client, as: "ana", items)
            #expect(outcomes(again) == Array(repeating: "unchanged", count: 4))
            #expect(again[0]["id"]?.string == id)

            let delete = "{\"op\":\"delete_collection\",\"id\":\"\(id)\"}"
            #expect(outcomes(try await send(client, as: "ana", [delete, delete])) == ["deleted", "unchanged"])
            #expect(try await client.get("/v1/collections/\(id)", as: "ana").status == 404)
            #expect(try await client.get("/v1/stories?owner=ana").json["numberMatched"]?.integer == 2)
        }
    }

    @Test("SYN-05 What a collection may not be is refused with the field, and stops nothing else")
    func refused() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let elsewhere = try await client.create(as: "ana", title: "elsewhere")
            let items = [
                Self.trip, #"{"op":"create_collection","collection":{"title":"Delta","text":"Another"}}"#,
                #"{"op":"create_collection","collection":{"title":"Ours","family":"north"}}"#,
                #"{"op":"create_collection","collection":{"title":""}}"#,
                #"{"op":"order_collection","title":"Delta","stories":["\#(elsewhere)"]}"#,
                #"{"op":"order_collection","stories":[]}"#, Self.story("a"),
            ]
            let answers = try await send(client, as: "ana", items)
            #expect(
                outcomes(answers) == ["created", "refused", "refused", "refused", "refused", "refused", "created"]
            )
            #expect(answers[1]["reason"]?.string == "title-taken")
            let fields = [1, 2, 3, 4, 5].map { answers[$0]["errors"]?[0]?["field"]?.string }
            #expect(fields == ["collection", "collection.family", "collection.title", "stories.0", "id"])
        }
    }

    @Test("SYN-05 PRV-02 Others' collections stay, and one that may not be seen answers as if it were not there")
    func others() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let made = try await send(
                client,
                as: "ana",
                [Self.trip, #"{"op":"create_collection","collection":{"title":"Mine"}}"#]
            )
            let (open, closed) = (made[0]["id"]?.string ?? "", made[1]["id"]?.string ?? "")
            let absent = "0123456789abcdef0123456789abcdef"
            func attempt(_ id: String) async throws -> [String] {
                let items = [
                    "{\"op\":\"delete_collection\",\"id\":\"\(id)\"}",
                    "{\"op\":\"order_collection\",\"id\":\"\(id)\",\"stories\":[]}",
                ]
                return try await send(client, as: "ben", items)
                    .map { answer in
                        let error = answer["errors"]?[0]
                        let words = [answer["outcome"], answer["reason"], error?["field"], error?["message"]]
                        #expect(answer["id"]?.string == id)
                        return words.map { $0?.string ?? "none" }.joined(separator: "|")
                    }
            }
            #expect(try await attempt(closed) == (try await attempt(absent)))
            let refused = try await attempt(open)
            #expect(refused.allSatisfy { $0.contains("refused") && $0.contains("forbidden") })
            // A title means only one's own.
            let byTitle = #"{"op":"delete_collection","title":"Delta"}"#
            #expect(outcomes(try await send(client, as: "ben", [byTitle])) == ["unchanged"])
            let list = try await client.get("/v1/collections", as: "ana").json["collections"]?.array
            #expect(list?.count == 2)
        }
    }
}
