import App
import Library
import Formats
import GRDB
import Foundation
import HTTPTypes
import Storage
import Stories
import Testing
import TestSupport

@Suite("SYN-01 Batches from clients that were offline")
struct BatchTests {
    private static func send(
        _ client: Client,
        _ items: [String],
        as user: String = "ana",
        key: String? = nil
    ) async throws -> [JSONValue] {
        var headers: HTTPFields = [:]
        if let key, let name = HTTPField.Name("Idempotency-Key") { headers[name] = key }
        let body = "{\"items\":[\(items.joined(separator: ","))]}"
        let reply = try await client.send(.post, "/v1/stories/batch", as: user, body, headers: headers)
        #expect(reply.status == 200, "\(String(decoding: reply.bytes, as: UTF8.self))")
        let outcomes = try #require(reply.json["items"]?.array)
        #expect(outcomes.compactMap { $0["index"]?.integer } == Array(items.indices))
        return outcomes
    }

    private static func create(_ clientID: String, _ title: String, _ extra: String = "") -> String {
        "{\"op\":\"create\",\"client_id\":\"\(clientID)\",\"story\":{\"kind\":\"photo\",\"title\":\"\(title)\"\(extra)}}"
    }

    private static func words(_ outcomes: [JSONValue]) -> [String] {
        outcomes.map { ($0["outcome"]?.string ?? "") + ($0["reason"]?.string.map { ":" + $0 } ?? "") }
    }

    @Test("SYN-01 Items run in order, each with its own result, and repeating a batch changes nothing")
    func orderAndRepeat() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let items = [
                BatchTests.create("a", "First"),
                "{\"op\":\"update\",\"client_id\":\"a\",\"story\":{\"title\":\"Second\"}}",
                BatchTests.create("b", ""), BatchTests.create("c", "Third"),
                "{\"op\":\"delete\",\"client_id\":\"c\"}", "{\"op\":\"fly\"}", "{\"op\":\"delete\"}", "7",
                BatchTests.create("d", "Fourth", ",\"date\":\"30.2.2026\",\"family\":\"delacroix\""),
            ]
            let first = try await BatchTests.send(client, items)
            let expected = [
                "created", "updated", "refused:invalid-body", "created", "deleted", "refused:invalid-body",
                "refused:invalid-body", "refused:invalid-body", "refused:invalid-body",
            ]
            #expect(BatchTests.words(first) == expected)
            #expect(first[2]["errors"]?.array?.compactMap { $0["field"]?.string } == ["story.title"])
            #expect(first[8]["errors"]?.array?.compactMap { $0["field"]?.string } == ["story.date", "story.family"])
            let id = try #require(first[0]["id"]?.string)
            let story = try await client.get("/v1/stories/\(id)", as: "ana")
            #expect(story.json["title"]?.string == "Second" && story.json["client_id"]?.string == "a")
            #expect(story.headers[.eTag] == first[1]["etag"]?.string)
            fixture.clock.advance(seconds: 60)
            let second = try await BatchTests.send(client, items)
            #expect(BatchTests.words(second).prefix(2) == ["unchanged", "unchanged"])
            #expect(BatchTests.words(second)[3...4] == ["unchanged", "unchanged"])
            #expect(second[3]["id"] == first[3]["id"])
            #expect(try await client.get("/v1/stories/\(id)", as: "ana").bytes == story.bytes)
            #expect(try await client.get("/v1/stories", as: "ana").json["numberMatched"]?.integer == 1)
        }
    }

    @Test("SYN-01 A known client id with different content is a conflict and overwrites nothing")
    func otherContent() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let place = ",\"location\":{\"lat\":1,\"lon\":2}"
            let made = try await BatchTests.send(client, [BatchTests.create("a", "First", place)])
            let id = try #require(made[0]["id"]?.string)
            let other = try await BatchTests.send(client, [BatchTests.create("a", "Other", place)])
            #expect(BatchTests.words(other) == ["conflict:exists"])
            #expect(other[0]["current"] == made[0]["etag"] && other[0]["id"] == made[0]["id"])
            // Edited elsewhere meanwhile: the repetition of the creation is still known as one.
            _ = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", "{\"title\":\"Edited\"}")
            let again = try await BatchTests.send(client, [BatchTests.create("a", "First", place)])
            #expect(BatchTests.words(again) == ["unchanged"])
            #expect(try await client.get("/v1/stories/\(id)").json["title"]?.string == "Edited")
            // Another user's client may use the same id.
            #expect(
                BatchTests.words(try await BatchTests.send(client, [BatchTests.create("a", "X")], as: "ben")) == [
                    "created"
                ]
            )
        }
    }

    @Test("SYN-02 A change of an outdated version conflicts, unless it has already been made")
    func conflicts() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let made = try await BatchTests.send(client, [BatchTests.create("a", "First")])
            let (id, tag) = (try #require(made[0]["id"]?.string), try #require(made[0]["etag"]?.string))
            let quoted = tag.replacing("\"", with: "\\\"")
            let update =
                "{\"op\":\"update\",\"id\":\"\(id)\",\"if_match\":\"\(quoted)\",\"story\":{\"title\":\"Mine\"}}"
            #expect(BatchTests.words(try await BatchTests.send(client, [update])) == ["updated"])
            #expect(BatchTests.words(try await BatchTests.send(client, [update])) == ["unchanged"])
            _ = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", "{\"title\":\"Elsewhere\"}")
            let delete = "{\"op\":\"delete\",\"id\":\"\(id)\",\"if_match\":\"\(quoted)\"}"
            let weak = "{\"op\":\"delete\",\"id\":\"\(id)\",\"if_match\":\"W/\(quoted)\"}"
            let outcomes = try await BatchTests.send(client, [update, delete, weak])
            #expect(BatchTests.words(outcomes) == ["conflict:changed", "conflict:changed", "conflict:changed"])
            let current = try await client.get("/v1/stories/\(id)", as: "ana")
            #expect(outcomes.allSatisfy { $0["current"]?.string == current.headers[.eTag] })
            #expect(current.json["title"]?.string == "Elsewhere")
            for method in [HTTPRequest.Method.patch, .delete] {
                let body = method == .patch ? "{\"title\":\"No\"}" : nil
                for given in [tag, "W/" + (current.headers[.eTag] ?? "")] {
                    let path = "/v1/stories/\(id)"
                    let reply = try await client.send(method, path, as: "ana", body, headers: [.ifMatch: given])
                    #expect(reply.status == 412 && reply.headers[.eTag] == current.headers[.eTag])
                    #expect(reply.json["current"]?.string == current.headers[.eTag])
                }
            }
            let any = "{\"op\":\"delete\",\"id\":\"\(id)\",\"if_match\":\"*\"}"
            #expect(BatchTests.words(try await BatchTests.send(client, [any])) == ["deleted"])
            #expect(BatchTests.words(try await BatchTests.send(client, [any])) == ["unchanged"])
        }
    }

    @Test("PRV-08 Others' stories are rejected: visible ones as forbidden, invisible ones as not found")
    func others() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let open = try await client.create(as: "ana", title: "Open")
            let secret = try await client.create(as: "ana", title: "Secret", extra: ",\"privacy\":\"private\"")
            let nothing = String(repeating: "0", count: 32)
            for op in ["update", "delete"] {
                let story = op == "update" ? ",\"story\":{\"title\":\"x\"}" : ""
                let items = [open, secret, nothing].map { "{\"op\":\"\(op)\",\"id\":\"\($0)\"\(story)}" }
                let outcomes = try await BatchTests.send(client, items, as: "cora")
                #expect(BatchTests.words(outcomes) == ["refused:forbidden", "refused:not-found", "refused:not-found"])
                #expect(outcomes[1]["errors"] == outcomes[2]["errors"])
            }
        }
    }

    @Test("SYN-01 An equal media checksum is reported, but only among the caller's own stories")
    func duplicates() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let sum = String(repeating: "ab", count: 32)
            let media = ",\"media_sha256\":\"\(sum.uppercased())\""
            let foreign = try await BatchTests.send(client, [BatchTests.create("a", "Hers", media)], as: "cora")
            let outcomes = try await BatchTests.send(
                client,
                [
                    BatchTests.create("a", "One", media), BatchTests.create("b", "Two", media),
                    BatchTests.create("c", "Three"),
                    "{\"op\":\"update\",\"client_id\":\"c\",\"story\":{\"media_sha256\":\"\(sum)\"}}",
                    BatchTests.create("d", "Four", ",\"media_sha256\":\"\(sum.dropLast())g\""),
                ]
            )
            #expect(foreign[0]["duplicate_of"] == nil && outcomes[0]["duplicate_of"] == nil)
            #expect(outcomes[1]["duplicate_of"]?.array == [outcomes[0]["id"]].compactMap { $0 })
            #expect(outcomes[3]["duplicate_of"]?.array?.count == 2)
            #expect(BatchTests.words(outcomes)[4] == "refused:invalid-body")
            let id = try #require(outcomes[0]["id"]?.string)
            #expect(try await client.get("/v1/stories/\(id)", as: "ana").json["media_sha256"]?.string == sum)
            #expect(try await client.get("/v1/stories/\(id)").json["media_sha256"]?.isNull == true)
        }
    }

    @Test("SYN-01 With an Idempotency-Key a repeated batch gets the same answer and does nothing")
    func keyed() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let create = "{\"op\":\"create\",\"story\":{\"kind\":\"photo\",\"title\":\"x\"}}"
            let first = try await BatchTests.send(client, [create], key: "k")
            #expect(try await BatchTests.send(client, [create], key: "k") == first)
            #expect(try await client.get("/v1/stories").json["numberMatched"]?.integer == 1)
            let name = try #require(HTTPField.Name("Idempotency-Key"))
            let other = try await client.send(
                .post,
                "/v1/stories/batch",
                as: "ana",
                "{\"items\":[]}",
                headers: [name: "k"]
            )
            #expect(other.status == 422)
            fixture.clock.advance(seconds: 86_401)
            #expect(try await BatchTests.send(client, [create], key: "k") != first)
            let many = Array(repeating: "{}", count: 501)
            let body = "{\"items\":[\(many.joined(separator: ","))]}"
            #expect(try await client.send(.post, "/v1/stories/batch", as: "ana", body).status == 422)
        }
    }

    @Test("SYN-01 The client id of a deleted story creates no new story, alone or in a batch")
    func deletedSince() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x", extra: ",\"client_id\":\"a\"")
            _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
            let body = "{\"kind\":\"photo\",\"title\":\"x\",\"client_id\":\"a\"}"
            #expect(try await client.send(.post, "/v1/stories", as: "ana", body).status == 410)
            #expect(
                BatchTests.words(try await BatchTests.send(client, [BatchTests.create("a", "x")])) == [
                    "refused:deleted"
                ]
            )
            #expect(try await client.send(.post, "/v1/stories", as: "ben", body).status == 201)
        }
    }

    @Test("SYN-01 Repeating a batch that created, changed and deleted a story is harmless and announces nothing")
    func repeatedDeletion() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let create = BatchTests.create("z1", "First")
            let items = [
                create, "{\"op\":\"update\",\"client_id\":\"z1\",\"story\":{\"title\":\"Second\"}}",
                "{\"op\":\"delete\",\"client_id\":\"z1\"}",
            ]
            let first = try await BatchTests.send(client, items)
            #expect(BatchTests.words(first) == ["created", "updated", "deleted"])
            func titles() async throws -> [String] {
                let feed = try await client.get("/v1/notifications", as: "ana").json["notifications"]?.array ?? []
                return feed.compactMap { $0["title"]?.string }
            }
            #expect(try await titles() == ["Synced"])
            fixture.clock.advance(seconds: 60)
            for repeated in [items, [create], [items[2]], [create, items[2]]] {
                let again = try await BatchTests.send(client, repeated)
                #expect(Set(BatchTests.words(again)) == ["unchanged"])
                #expect(again.allSatisfy { $0["id"] == first[0]["id"] })
            }
            #expect(try await titles() == ["Synced"])
            // A story deleted by an older version, of whose making nothing was noted: what the batch itself deletes again.
            try fixture.library.store.inspect {
                try $0.execute(sql: "UPDATE deleted_stories SET client_digest = NULL")
            }
            let old = try await BatchTests.send(client, items)
            #expect(Set(BatchTests.words(old)) == ["unchanged"])
            #expect(try await titles() == ["Synced"])
            // Other content under that id, or a change of what is gone, is no repetition.
            #expect(BatchTests.words(try await BatchTests.send(client, [items[1]])) == ["refused:deleted"])
            let other = BatchTests.create("z1", "Another")
            #expect(BatchTests.words(try await BatchTests.send(client, [other])) == ["refused:deleted"])
            #expect(try await client.get("/v1/stories", as: "ana").json["numberMatched"]?.integer == 0)
        }
    }

    @Test("SYN-01 A single story too: a known client id conflicts with different content, not with the same")
    func conflictAlone() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            func post(_ title: String) async throws -> Client.Reply {
                let body =
                    "{\"kind\":\"photo\",\"title\":\"\(title)\",\"client_id\":\"a\",\"location\":{\"lat\":1,\"lon\":2}}"
                return try await client.send(.post, "/v1/stories", as: "ana", body)
            }
            let made = try await post("x")
            #expect(made.status == 201)
            fixture.clock.advance(seconds: 60)
            #expect(try await post("x").bytes == made.bytes)
            let other = try await post("y")
            #expect(other.status == 409 && other.json["errors"]?[0]?["field"]?.string == "client_id")
            let id = made.json["id"]?.string ?? ""
            #expect(try await client.get("/v1/stories/\(id)", as: "ana").bytes == made.bytes)
            // Changed since, it is still what the first request made.
            _ = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", "{\"title\":\"y\"}")
            #expect(try await post("x").status == 200)
            #expect(try await post("y").status == 200)
        }
    }

    @Test("LOC-07 An invalid item names all its invalid fields at once")
    func allProblems() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let story =
                    "{\"kind\":\"No kind\",\"title\":7,\"date\":\"30.2.2026\",\"family\":\"none\","
                    + "\"location\":{\"lat\":91,\"lon\":0,\"precision\":\"approximate\",\"cell\":0.5}}"
                let item = "{\"op\":\"create\",\"client_id\":\"a\",\"story\":\(story)}"
                let outcome = try await BatchTests.send(client, [item])
                let fields = outcome[0]["errors"]?.array?.compactMap { $0["field"]?.string } ?? []
                let expected = ["title", "location.lat", "location.cell", "kind", "date", "family"]
                    .map { "story." + $0 }
                #expect(fields == expected)
            }
    }
}
