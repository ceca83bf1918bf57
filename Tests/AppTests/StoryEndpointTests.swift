import Formats
import HTTPTypes
import Testing
import TestSupport

@Suite("Stories over HTTP")
struct StoryEndpointTests {
    @Test("LOC-01 A story is created, read, changed, moved, removed from the map and deleted")
    func lifeOfAStory() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(
                    as: "ana",
                    title: "Choir",
                    extra: ",\"date\":\"1936\",\"tags\":[\"church\"]"
                )
                let read = try await client.get("/v1/stories/\(id)")
                #expect(read.json["title"]?.string == "Choir")
                #expect(read.json["location"]?["lat"]?.number == 33.7554)
                let changed = try await client.send(
                    .patch,
                    "/v1/stories/\(id)",
                    as: "ana",
                    "{\"title\":\"The choir\",\"date\":null}"
                )
                #expect(changed.json["title"]?.string == "The choir")
                #expect(changed.json["date"]?.isNull == true)
                #expect(changed.json["tags"]?[0]?.string == "church")
                let moved = try await client.send(
                    .put,
                    "/v1/stories/\(id)/location",
                    as: "ana",
                    "{\"lat\":-33.9,\"lon\":18.4,\"source\":\"gps\",\"accuracy\":12}"
                )
                #expect(moved.json["location"]?["source"]?.string == "gps")
                let seen = try await client.get("/v1/clusters?bbox=18,-34,19,-33&zoom=5")
                #expect(seen.json["numberMatched"]?.integer == 1)
                #expect(try await client.send(.delete, "/v1/stories/\(id)/location", as: "ana").status == 204)
                #expect(
                    try await client.get("/v1/clusters?bbox=-180,-90,180,90&zoom=0").json["numberMatched"]?.integer == 0
                )
                #expect(try await client.get("/v1/stories").json["numberMatched"]?.integer == 1)
                #expect(try await client.send(.delete, "/v1/stories/\(id)", as: "ana").status == 204)
                #expect(try await client.get("/v1/stories/\(id)").status == 404)
            }
    }

    @Test(
        "LOC-07 Bad input is rejected with one error per field and changes nothing",
        arguments: [
            ("{\"kind\":\"interview\"", 400, [] as [String]),
            ("{}", 422, ["kind", "title"]),
            ("{\"kind\":\"interview\",\"title\":\"\"}", 422, ["title"]),
            (#"{"kind":"interview","title":"\u200b"}"#, 422, ["title"]),
            (#"{"kind":"interview","title":" \u200b\ufeff\u00a0"}"#, 422, ["title"]),
            ("{\"kind\":\"Interview!\",\"title\":\"x\"}", 422, ["kind"]),
            ("{\"kind\":\"interview\",\"title\":\"x\",\"location\":{\"lat\":91,\"lon\":0}}", 422, ["location.lat"]),
            (
                "{\"kind\":\"interview\",\"title\":\"x\",\"location\":{\"lat\":\"north\"}}", 422,
                ["location.lat", "location.lon"]
            ),
            ("{\"kind\":\"interview\",\"title\":\"x\",\"date\":\"30.2.2026\"}", 422, ["date"]),
            ("{\"kind\":\"interview\",\"title\":\"x\",\"date\":\"2090\"}", 422, ["date"]),
            ("{\"kind\":\"interview\",\"title\":\"x\",\"colour\":\"red\"}", 422, ["colour"]),
            ("{\"kind\":\"interview\",\"title\":\"x\",\"privacy\":\"secret\"}", 422, ["privacy"]),
            ("{\"kind\":\"interview\",\"title\":\"x\",\"family\":\"nobodys\"}", 422, ["family"]),
            ("{\"kind\":\"interview\",\"title\":\"x\",\"media_url\":\"javascript:alert(1)\"}", 422, ["media_url"]),
            ("[1,2]", 422, [""]),
        ]
    )
    func badBodies(body: String, status: Int, fields: [String]) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let reply = try await client.send(.post, "/v1/stories", as: "ana", body)
                #expect(reply.status == status)
                #expect(reply.headers[.contentType] == "application/problem+json")
                #expect(reply.json["errors"]?.array?.compactMap { $0["field"]?.string } ?? [] == fields)
                #expect(try await client.get("/v1/stories", as: "ana").json["numberMatched"]?.integer == 0)
            }
    }

    @Test("SYN-02 A change naming an old version is rejected with the current one")
    func preconditions() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "One")
                let read = try await client.get("/v1/stories/\(id)", as: "ana")
                let tag = try #require(read.headers[.eTag])
                let first = try await client.send(
                    .patch,
                    "/v1/stories/\(id)",
                    as: "ana",
                    "{\"title\":\"Two\"}",
                    headers: [.ifMatch: tag]
                )
                #expect(first.status == 200)
                let second = try await client.send(
                    .patch,
                    "/v1/stories/\(id)",
                    as: "ana",
                    "{\"title\":\"Three\"}",
                    headers: [.ifMatch: tag]
                )
                #expect(second.status == 412)
                #expect(second.headers[.eTag] != nil && second.headers[.eTag] != tag)
                #expect(try await client.get("/v1/stories/\(id)").json["title"]?.string == "Two")
            }
    }

    @Test("SYN-01 The client's own id makes a repeat harmless")
    func clientID() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let body = "{\"kind\":\"photo\",\"title\":\"x\",\"client_id\":\"p-1\"}"
                let first = try await client.send(.post, "/v1/stories", as: "ana", body)
                let again = try await client.send(.post, "/v1/stories", as: "ana", body)
                #expect(first.status == 201 && again.status == 200)
                #expect(first.json["id"] == again.json["id"])
                #expect(try await client.send(.post, "/v1/stories", as: "ben", body).status == 201)
            }
    }

    @Test("LOC-08 Moving a story does not show its place more exactly, by PATCH or PUT; PATCH merges")
    func locationsMerge() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let hidden =
                    ",\"location\":{\"lat\":33.7,\"lon\":-84.3,\"name\":\"Home\",\"precision\":\"approximate\",\"cell\":0.1}"
                let id = try await client.create(as: "ana", title: "x", latitude: nil, extra: hidden)
                // Some metres put the pin right: it is the place that was meant.
                let patch = "{\"location\":{\"lat\":33.7002,\"lon\":-84.3002}}"
                let patched = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", patch).json["location"]
                #expect(patched?["precision"]?.string == "approximate" && patched?["cell"]?.number == 0.1)
                #expect(patched?["name"]?.string == "Home")
                let put = try await client.send(.put, "/v1/stories/\(id)/location", as: "ana", "{\"lat\":1,\"lon\":2}")
                #expect(put.json["location"]?["precision"]?.string == "approximate")
                let closed = "{\"location\":{\"precision\":\"hidden\"}}"
                let last = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", closed).json["location"]
                #expect(last?["precision"]?.string == "hidden" && last?["lat"]?.number == 1)
                #expect(try await client.get("/v1/stories/\(id)").json["location"]?.isNull == true)
            }
    }

    @Test("PRV-03 Moving a point within its published cell changes nothing for others, not even a time")
    func unseenMoves() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let near = ",\"location\":{\"lat\":33.7554,\"lon\":-84.3736,\"precision\":\"approximate\",\"cell\":0.1}"
            let id = try await client.create(as: "ana", title: "x", latitude: nil, extra: near)
            let before = try await client.get("/v1/stories/\(id)", as: "cora")
            fixture.clock.advance(seconds: 60)
            let moved = "{\"location\":{\"lat\":33.7600}}"
            #expect(try await client.send(.patch, "/v1/stories/\(id)", as: "ana", moved).status == 200)
            let after = try await client.get("/v1/stories/\(id)", as: "cora")
            #expect(after.bytes == before.bytes && after.headers[.eTag] == before.headers[.eTag])
            let mine = try await client.get("/v1/stories/\(id)", as: "ana")
            #expect(mine.json["updated_at"] != before.json["updated_at"])
        }
    }

    @Test("PRV-02 Only a story's family learns which family it is for")
    func familyName() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x", extra: ",\"family\":\"whitfield\"")
            for (user, name) in [(nil, nil), ("cora", nil), ("ben", "whitfield"), ("ana", "whitfield")]
                as [(String?, String?)]
            {
                #expect(try await client.get("/v1/stories/\(id)", as: user).json["family"]?.string == name)
            }
        }
    }

    @Test("If-Match accepts the ETag of a compressed answer, but no weak one")
    func packedPrecondition() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let long = ",\"text\":\"\(String(repeating: "word ", count: 500))\""
                let id = try await client.create(as: "ana", title: "x", extra: long)
                let packed = try await client.get("/v1/stories/\(id)", as: "ana", headers: [.acceptEncoding: "gzip"])
                let tag = try #require(packed.headers[.eTag])
                #expect(packed.headers[.contentEncoding] == "gzip" && tag.hasSuffix("-gz\""))
                let path = "/v1/stories/\(id)"
                #expect(
                    try await client.send(.patch, path, as: "ana", "{\"title\":\"y\"}", headers: [.ifMatch: "W/" + tag])
                        .status == 412
                )
                #expect(
                    try await client.send(.patch, path, as: "ana", "{\"title\":\"y\"}", headers: [.ifMatch: tag]).status
                        == 200
                )
            }
    }

    @Test("A NUL is rejected in every text input", arguments: ["title", "text", "client_id", "collection"])
    func noNUL(field: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let members = ["kind": "photo", "title": "x"].merging([field: "a\\u0000b"]) { $1 }
                let body = "{" + members.map { "\"\($0)\":\"\($1)\"" }.sorted().joined(separator: ",") + "}"
                #expect(try await client.send(.post, "/v1/stories", as: "ana", body).status == 422)
                #expect(try await client.get("/v1/stories?q=a%00b").status == 400)
            }
    }

    @Test("MAP-09 A value with a comma can be queried; an empty one is rejected")
    func commas() async throws {
        try await ServiceFixture()
            .run { client async throws in
                _ = try await client.create(as: "ana", title: "x", extra: ",\"people\":[\"King, Martin Luther\"]")
                let found = try await client.get("/v1/stories?person=King%2C%20Martin%20Luther&limit=1")
                #expect(found.json["numberMatched"]?.integer == 1)
                #expect(
                    try await client.get("/v1/stories?person=King,%20Martin%20Luther").json["numberMatched"]?.integer
                        == 0
                )
                for query in ["q=", "kind=", "limit=", "tag=a,,b"] {
                    #expect(try await client.get("/v1/stories?" + query).status == 400, "\(query)")
                }
            }
    }

    @Test("SYN-02 A change without effect keeps the version")
    func idleChange() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            let before = try await client.get("/v1/stories/\(id)", as: "ana")
            fixture.clock.advance(seconds: 60)
            for body in ["{}", "{\"title\":\"x\"}"] {
                let reply = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", body)
                #expect(reply.status == 200 && reply.bytes == before.bytes)
            }
        }
    }

    @Test(
        "A URL that a browser could read as another is rejected",
        arguments: [
            "//evil.example", "/\\\\evil.example/x", "https://", "http://a\\\"onerror=x", "data:text/html,x", "/a b",
        ]
    )
    func addresses(url: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let body = "{\"kind\":\"photo\",\"title\":\"x\",\"media_url\":\"\(url)\"}"
                #expect(try await client.send(.post, "/v1/stories", as: "ana", body).status == 422)
            }
    }

    @Test("An Idempotency-Key makes a repeat harmless for a day, for the same user and request only")
    func idempotencyKey() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let name = try #require(HTTPField.Name("Idempotency-Key"))
            let headers: HTTPFields = [name: "k-1"]
            let (body, other) = ("{\"kind\":\"photo\",\"title\":\"x\"}", "{\"kind\":\"photo\",\"title\":\"y\"}")
            let first = try await client.send(.post, "/v1/stories", as: "ana", body, headers: headers)
            let again = try await client.send(.post, "/v1/stories", as: "ana", body, headers: headers)
            #expect(first.status == 201 && again.status == 200)
            #expect(first.json["id"] == again.json["id"])
            #expect(try await client.send(.post, "/v1/stories", as: "ana", other, headers: headers).status == 422)
            #expect(try await client.send(.post, "/v1/stories", as: "ben", other, headers: headers).status == 201)
            fixture.clock.advance(seconds: 90_000)
            #expect(try await client.send(.post, "/v1/stories", as: "ana", body, headers: headers).status == 201)
        }
    }

    @Test("PRV-08 An invisible story gives the same 404 bytes as a missing one; a visible foreign one gives 403")
    func otherPeoplesStories() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let secret = try await client.create(as: "ana", title: "Secret", extra: ",\"privacy\":\"private\"")
            let open = try await client.create(as: "ana", title: "Open")
            let missing = "00000000000000000000000000000000"
            for method in [HTTPRequest.Method.get, .patch, .delete] {
                let body = method == .patch ? "{\"title\":\"x\"}" : nil
                let hidden = try await client.send(method, "/v1/stories/\(secret)", as: "cora", body)
                let absent = try await client.send(method, "/v1/stories/\(missing)", as: "cora", body)
                #expect(hidden.status == 404)
                #expect(hidden.bytes == absent.bytes)
            }
            #expect(try await client.send(.delete, "/v1/stories/\(open)", as: "cora").status == 403)
            #expect(try await client.send(.patch, "/v1/stories/\(open)", as: "cora", "{\"title\":\"x\"}").status == 403)
        }
    }

    @Test("LOC-01 A place extracted from the text does not replace one entered by hand")
    func extractedLocations() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "x")
                let path = "/v1/stories/\(id)/location"
                let guess = "{\"lat\":1,\"lon\":2,\"source\":\"ai_extracted\"}"
                for (source, words) in [("manual", "set by hand."), ("gps", "set by GPS.")] {
                    let given = "{\"lat\":33.7554,\"lon\":-84.3736,\"source\":\"\(source)\"}"
                    #expect(try await client.send(.put, path, as: "ana", given).status == 200)
                    let refused = try await client.send(.put, path, as: "ana", guess)
                    #expect(refused.status == 409 && refused.json["detail"]?.string?.hasSuffix(words) == true)
                    #expect(try await client.get("/v1/stories/\(id)").json["location"]?["lat"]?.number == 33.7554)
                }
            }
    }

    @Test("MAP-10 Pages follow each other without gaps or repeats, and a cursor is valid for its own list only")
    func paging() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for number in 0..<45 { _ = try await client.create(as: "ana", title: "Story \(number)") }
                var titles: [String] = []
                var next: String? = "/v1/stories?limit=20"
                while let path = next {
                    let page = try await client.get(path)
                    titles += page.json["features"]?.array?.compactMap { $0["properties"]?["title"]?.string } ?? []
                    next = page.json["links"]?[0]?["href"]?.string
                    if let next {
                        #expect(
                            try await client.get(next.replacing("limit=20", with: "limit=20&kind=photo")).status == 400
                        )
                        #expect(try await client.get(next, as: "ben").status == 400)
                    }
                }
                #expect(titles.count == 45 && Set(titles).count == 45)
            }
    }
}
