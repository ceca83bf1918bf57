import Formats
import HTTPTypes
import Library
import Stories
import Testing

@Suite("LOC-10 Answers to changes of a story's places")
struct StoryPlaceAnswerTests {
    @Test("LOC-10 The answer names the new place, and its ETag is that of the story")
    func named() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let story = try await client.create(as: "ana", title: "x")
                let path = "/v1/stories/\(story)"
                var ids: [String] = []
                for (fields, status) in [
                    (#"{"lat":1,"lon":2}"#, 201), (#"{"lat":5,"lon":6,"source":"ai_extracted"}"#, 202),
                    (#"{"lat":5,"lon":6,"source":"ai_extracted"}"#, 202),
                ] {
                    let reply = try await client.send(.post, path + "/places", as: "ana", fields)
                    #expect(reply.status == status && reply.json["id"]?.string == story)
                    let id = try #require(reply.json["story_place"]?.string)
                    #expect(reply.headers[.location] == "\(path)/places/\(id)")
                    #expect(reply.json["places"]?.array?.contains { $0["id"]?.string == id } == true)
                    #expect(try await client.get(path, as: "ana").headers[.eTag] == reply.headers[.eTag])
                    ids.append(id)
                }
                #expect(ids[1] == ids[2] && ids[0] != ids[1])
                #expect(try await client.get(path, as: "ana").json["story_place"] == nil)
                #expect(try await client.send(.delete, "\(path)/places/\(ids[0])", as: "ana").status == 204)
            }
    }

    @Test(
        "LOC-10 A place keeps a position: null takes neither its geometry nor its latitude away",
        arguments: [
            (#"{"geometry":null}"#, "geometry"), (#"{"lat":null}"#, "lat"), (#"{"geometry":null,"lat":3}"#, "geometry"),
        ]
    )
    func kept(patch: String, field: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let story = try await client.create(as: "ana", title: "x")
                let line = #"{"geometry":{"type":"LineString","coordinates":[[10,50],[11,51]]}}"#
                let made = try await client.send(.post, "/v1/stories/\(story)/places", as: "ana", line)
                let path = try #require(made.headers[.location])
                let reply = try await client.send(.patch, path, as: "ana", patch)
                #expect(reply.status == 422)
                #expect(reply.json["errors"]?.array?.contains { $0["field"]?.string == field } == true)
                let whole = #"{"places":[{"id":"\#(made.json["story_place"]?.string ?? "")",\#(patch.dropFirst())]}"#
                #expect(try await client.send(.patch, "/v1/stories/\(story)", as: "ana", whole).status == 422)
                let now = try await client.get("/v1/stories/\(story)", as: "ana").json
                #expect(now["places"]?[0]?["geometry"] == made.json["places"]?[0]?["geometry"])
                // A point instead of the line is a change like any other.
                let point = try await client.send(.patch, path, as: "ana", #"{"geometry":null,"lat":3,"lon":4}"#)
                #expect(point.json["places"]?[0]?["geometry"]?["type"]?.string == "Point")
            }
    }

    @Test("LOC-10 A line that steps over 180 degrees goes the short way, and a place beyond them is told where it is")
    func across() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let story = try await client.create(as: "ana", title: "x")
                let path = "/v1/stories/\(story)/places"
                let line = #"{"geometry":{"type":"LineString","coordinates":[[177,-17],[-179,-17]]}}"#
                let reply = try await client.send(.post, path, as: "ana", line)
                let place = reply.json["places"]?[0]
                #expect(reply.status == 201 && place?["lon"]?.number == 179 && place?["lat"]?.number == -17)
                let kept = try JSONValue(parsing: Array("[[177,-17],[181,-17]]".utf8))
                #expect(place?["geometry"]?["coordinates"] == kept)
                for (geometry, words) in [
                    (#"{"type":"Point","coordinates":[181,10]}"#, "write -179.0 for 181.0"),
                    (#"{"type":"LineString","coordinates":[[181,10],[182,11]]}"#, "write -179.0 for 181.0"),
                ] {
                    let refused = try await client.send(.post, path, as: "ana", "{\"geometry\":\(geometry)}")
                    let message = refused.json["errors"]?[0]?["message"]?.string
                    #expect(refused.status == 422 && message?.contains(words) == true, "\(message ?? "")")
                }
            }
    }

    @Test(
        "LOC-07 Areas that cross themselves or enclose nothing, and long positions, are refused over HTTP and in a row",
        arguments: [
            (#"{"type":"Polygon","coordinates":[[[0,0],[4,4],[4,0],[0,4],[0,0]]]}"#, "after position 0 meets"),
            (#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[2,2],[0,0]]]}"#, "without an area, coordinates[0]"),
            (#"{"type":"LineString","coordinates":[[0,0],[1,1,5,7]]}"#, "coordinates[1]"),
            (#"{"type":"Point","coordinates":[0,0,1,2]}"#, "more than three numbers at coordinates;"),
        ]
    )
    func refused(geometry: String, words: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let story = try await client.create(as: "ana", title: "x")
                let body = "{\"geometry\":\(geometry)}"
                let reply = try await client.send(.post, "/v1/stories/\(story)/places", as: "ana", body)
                let error = reply.json["errors"]?[0]
                #expect(reply.status == 422 && error?["field"]?.string == "geometry")
                #expect(error?["message"]?.string?.contains(words) == true, "\(error?["message"]?.string ?? "")")
                let row = #"{"type":"Feature","id":"1","geometry":null,"properties":{"title":"A","places":[\#(body)]}}"#
                let sent = try await client.send(.post, "/v1/imports?name=a.ndjson", as: "ana", row)
                #expect(sent.status == 422)
                let remark = sent.json["import"]?["problems"]?[0]
                #expect(remark?["row"]?.integer == 1 && remark?["message"]?.string?.contains(words) == true)
                // A height is not kept, and is no error.
                let high = #"{"geometry":{"type":"Point","coordinates":[1,2,300]}}"#
                #expect(try await client.send(.post, "/v1/stories/\(story)/places", as: "ana", high).status == 201)
            }
    }
}
