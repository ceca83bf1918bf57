import App
import Library
import Formats
import Gazetteer
import GazetteerCompiler
import Geometry
import HTTPTypes
import Stories
import Synchronization
import TestSupport
import Testing

/// NTF-13: what an unnamed place is called.
@Suite("Names for unnamed places")
struct PlaceWordsTests {
    /// Atlanta with one of its neighbourhoods.
    private static let index = Result {
        let sources = GazetteerSources(
            countries: table(
                "id code code3 name lat lon west south east north population capital names abbreviations",
                ["6252001 US USA United_States 39.5 -99.1 172 18 -66 71 330000000 2 _ U.S."]
            ),
            states: table(
                "id code fips name lat lon west south east north population names abbreviations",
                ["12 GA 13 Georgia 32.6 -83.4 -85.6 30.3 -80.8 35 10700000 _ Ga."]
            ),
            regions: table(
                "country code name lat lon west south east north population bounds names abbreviations",
                []
            ),
            counties: table(
                "geoid name short state lat lon west south east north",
                ["13121 Fulton_County Fulton GA 33.79 -84.47 -84.85 33.5 -84.1 34.19"]
            ),
            places: table(
                "id name lat lon country admin1 county population names",
                ["2 Atlanta 33.749 -84.38798 US GA 13121 510823 _"]
            ),
            zipcodes: table("zip city state lat lon", ["30303 Atlanta GA 33.7529 -84.3925"]),
            community: table(
                "id name lat lon country admin1 county city geoname kind prominence from_year to_year names",
                ["sweet-auburn Sweet_Auburn 33.7556 -84.3750 US GA 13121 2 _ neighbourhood 12000 _ _ _"]
            )
        )
        return try GazetteerIndex(bytes: GazetteerBytes(GazetteerBuilder.build(sources, checksum: Array(1...32))))
    }

    private static func table(_ header: String, _ rows: [String]) -> [UInt8] {
        let columns = header.split(separator: " ").joined(separator: "\t") + "\n"
        let lines = rows.map { row in
            row.split(separator: " ").map { $0 == "_" ? "" : $0.replacing("_", with: " ") }.joined(separator: "\t")
                + "\n"
        }
        return Array((columns + lines.joined()).utf8)
    }

    private static func told(_ location: String) async throws -> JSONValue {
        let fixture = try await ServiceFixture(gazetteer: index.get())
        let item = Told()
        try await fixture.run { client async throws in
            let scene = try await DeliveryTests.Scene(fixture, client)
            try await scene.settings(#"{"radius":500}"#)
            let story = try await client.create(as: "ana", title: "Here")
            let reply = try await client.send(.put, "/v1/stories/\(story)/location", as: "ana", location)
            #expect(reply.status == 200)
            try await scene.enter()
            let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]
            item.set(try #require(feed?[0]))
        }
        return item.value
    }

    @Test("NTF-13 An unnamed point is named by its neighbourhood and its distance from the centre")
    func neighbourhood() async throws {
        let item = try await PlaceWordsTests.told(#"{"lat":33.7554,"lon":-84.3736}"#)
        #expect(item["place"]?["name"]?.string == "Sweet Auburn" && item["title"]?.string == "Sweet Auburn")
        #expect(item["body"]?.string == "1 story nearby, 1.5 km north-east of the centre of Atlanta")
    }

    @Test("NTF-13 If the story names a street, the street distinguishes it")
    func street() async throws {
        let item = try await PlaceWordsTests.told(
            #"{"lat":33.7554,"lon":-84.3736,"address":"30 Wheat Street NE, Atlanta"}"#
        )
        #expect(item["title"]?.string == "Sweet Auburn")
        #expect(item["body"]?.string == "1 story nearby, at 30 Wheat Street NE")
    }

    @Test(
        "LOC-02 An approximate story is named by its cell's settlement, without neighbourhood, street or distance"
    )
    func approximate() async throws {
        let item = try await PlaceWordsTests.told(
            #"{"lat":33.7554,"lon":-84.3736,"precision":"approximate","cell":0.01,"address":"30 Wheat Street NE"}"#
        )
        #expect(item["title"]?.string == "Atlanta" && item["body"]?.string == "1 story nearby")
    }
}

/// What somebody was told.
private final class Told: Sendable {
    private let state = Mutex(JSONValue.null)
    var value: JSONValue { state.withLock { $0 } }
    func set(_ value: JSONValue) { state.withLock { $0 = value } }
}
