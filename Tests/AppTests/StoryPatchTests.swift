import App
import Formats
import Foundation
import HTTPTypes
import Library
import TestSupport
import Testing

@Suite("Changes of a part of a story")
struct StoryPatchTests {
    private static let filled =
        #","date":"1936","text":"c","collection":"Trip","alt":"d","media_url":"/m","thumbnail_url":"/t""#

    @Test(
        "LOC-07 An empty text clears a field, as null does",
        arguments: ["date", "text", "collection", "alt", "media_url", "thumbnail_url"],
        [#""""#, "null"]
    )
    func emptyTexts(field: String, value: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "x", extra: StoryPatchTests.filled)
                let before = try await client.get("/v1/stories/\(id)", as: "ana").json
                #expect(before[field]?.string?.isEmpty == false)
                let reply = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", "{\"\(field)\":\(value)}")
                #expect(reply.status == 200)
                #expect(reply.json[field]?.isNull == true)
                #expect(reply.json["title"] == before["title"] && reply.json["location"] == before["location"])
            }
    }

    @Test("LOC-03 Half a position moves the story along the other axis (RFC 7396)")
    func halfPosition() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "x")
                for (change, latitude, longitude) in [
                    (#"{"lat":33.76}"#, 33.76, -84.3736), (#"{"lon":-84.37}"#, 33.76, -84.37), ("{}", 33.76, -84.37),
                ] {
                    let body = "{\"location\":\(change)}"
                    let reply = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", body)
                    #expect(reply.status == 200)
                    #expect(reply.json["location"]?["lat"]?.number == latitude, "\(change)")
                    #expect(reply.json["location"]?["lon"]?.number == longitude, "\(change)")
                }
            }
    }

    @Test(
        "LOC-07 A change that makes no sense names its fields and changes nothing",
        arguments: [
            (33.7554, #"{"lat":1}"#, ["lat"]), (33.7554, #"{"location":{"lat":null}}"#, ["location.lat"]),
            (33.7554, #"{"location":{"lat":1,"lon":null}}"#, ["location.lon"]),
            (33.7554, #"{"location":{"lat":91}}"#, ["location.lat"]), (33.7554, #"{"title":""}"#, ["title"]),
            (nil, #"{"location":{"lat":1}}"#, ["location.lon"]), (nil, #"{"location":{"lon":1}}"#, ["location.lat"]),
            (nil, #"{"location":{"city":"Atlanta"}}"#, ["location.lat", "location.lon"]),
        ] as [(Double?, String, [String])]
    )
    func refusals(latitude: Double?, body: String, fields: [String]) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "x", latitude: latitude)
                let before = try await client.get("/v1/stories/\(id)", as: "ana").bytes
                let reply = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", body)
                #expect(reply.status == 422)
                #expect(reply.json["errors"]?.array?.compactMap { $0["field"]?.string } == fields)
                #expect(try await client.get("/v1/stories/\(id)", as: "ana").bytes == before)
            }
    }
}
