import App
import Library
import Formats
import Foundation
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("Apps with their own position protocols")
struct IngestTests {
    private static let settings = "/v1/me/notification-settings"
    private static let seconds = 1_795_262_400

    private func basic(_ password: String) -> HTTPFields {
        [.authorization: "Basic " + Data("jane:\(password)".utf8).base64EncodedString()]
    }

    /// Opts ben in and returns a key for his device `phone`.
    private func device(_ client: Client) async throws -> String {
        _ = try await client.create(as: "ana", title: "Here")
        _ = try await client.send(.put, IngestTests.settings, as: "ben", "{\"enabled\":true}")
        let body = "{\"name\":\"My phone\",\"device\":\"phone\"}"
        let reply = try await client.send(.post, "/v1/me/keys", as: "ben", body)
        return try #require(reply.json["key"]?.string)
    }

    private func feed(_ client: Client) async throws -> Int? {
        try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array?.count
    }

    @Test(
        "NTF-10 OwnTracks with a device key as password: announced once, always answered with an empty list"
    )
    func ownTracks() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let key = try await device(client)
            for turn in 0..<4 {
                let body =
                    #"{"_type":"location","lat":33.7554,"lon":-84.3736,"acc":8,"tst":\#(IngestTests.seconds + turn * 6)}"#
                let reply = try await client.send(
                    .post,
                    "/ingest/owntracks?u=jane&d=other",
                    body,
                    headers: basic(key)
                )
                #expect(reply.status == 200 && reply.bytes == Array("[]".utf8))
                fixture.clock.advance(seconds: 6)
            }
            #expect(try await feed(client) == 1)
            #expect(try fixture.library.store.inspectDevices() == ["phone"])
            for body in ["", #"{"_type":"waypoints"}"#, #"{"_type":"location","lat":95,"lon":0,"tst":1}"#] {
                let reply = try await client.send(.post, "/ingest/owntracks", body, headers: basic(key))
                #expect(reply.status == 200 && reply.bytes == Array("[]".utf8))
            }
            #expect(try await client.send(.post, "/ingest/owntracks", "{", headers: basic(key)).status == 400)
            #expect(try await client.send(.post, "/ingest/owntracks", "{}", headers: basic("guess")).status == 401)
            #expect(try await client.send(.post, "/ingest/owntracks", "{}").status == 401)
        }
    }

    @Test("NTF-10 Overland: a batch, even newest first, is acknowledged with the text its app expects")
    func overland() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let key = try await device(client)
            let features = (0..<4)
                .map { turn in
                    let time = RFC3339.format(Timestamp(milliseconds: Int64(IngestTests.seconds - turn * 6) * 1_000))
                    return """
                        {"type":"Feature","geometry":{"type":"Point","coordinates":[-84.3736,33.7554]},"properties":
                        {"timestamp":"\(time)","horizontal_accuracy":8,"device_id":"pad"}}
                        """
                }
            let body = "{\"locations\":[\(features.joined(separator: ","))]}"
            for headers in [HTTPFields([HTTPField(name: .authorization, value: "Bearer " + key)]), [:]] {
                let path = headers.isEmpty ? "/ingest/overland?access_token=" + key : "/ingest/overland"
                let reply = try await client.send(.post, path, body, headers: headers)
                #expect(reply.status == 200 && reply.bytes == Array("{\"result\":\"ok\"}".utf8))
            }
            fixture.clock.advance(seconds: 30)
            _ = try await fixture.library.fences.fireTimers()
            #expect(try await feed(client) == 1)
        }
    }

    @Test("NTF-10 OsmAnd and Traccar: the identifier is the key, in the URL, in a form or in JSON")
    func osmAnd() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let key = try await device(client)
            let place = "lat=33.7554&lon=-84.3736&accuracy=8"
            for turn in 0..<4 {
                let time = IngestTests.seconds + turn * 6
                let reply: Client.Reply
                switch turn {
                case 0: reply = try await client.get("/ingest/osmand?id=\(key)&timestamp=\(time)&\(place)")
                case 1: reply = try await client.send(.post, "/ingest/osmand?id=\(key)&timestamp=\(time)&\(place)", "")
                case 2: reply = try await client.send(.post, "/ingest/osmand", "id=\(key)&timestamp=\(time)&\(place)")
                default:
                    let coords = #"{"latitude":33.7554,"longitude":-84.3736,"accuracy":8}"#
                    let body = #"{"device_id":"\#(key)","location":{"timestamp":\#(time)000,"coords":\#(coords)}}"#
                    reply = try await client.send(.post, "/ingest/osmand", body)
                }
                #expect(reply.status == 200 && reply.bytes.isEmpty)
                fixture.clock.advance(seconds: 6)
            }
            #expect(try await feed(client) == 1)
            #expect(try fixture.library.store.inspectDevices() == ["phone"])
            let far = try await client.get("/ingest/osmand?id=\(key)&lat=95&lon=0")
            #expect(far.status == 400)
            #expect(far.json["detail"]?.string == "lat: must be a latitude from -90 to 90 in degrees")
            for id in ["id=unknown&", ""] {
                #expect(try await client.get("/ingest/osmand?\(id)\(place)").status == 401)
            }
        }
    }

    @Test("NTF-10 NTF-12 Each app's reported speed is used: one certain position is enough while driving")
    func speeds() async throws {
        for (app, isFast) in ["owntracks", "overland", "osmand"].flatMap({ [($0, true), ($0, false)] }) {
            let fixture = try await ServiceFixture()
            try await fixture.run { client async throws in
                let key = try await device(client)
                let time = IngestTests.seconds
                // Thirty-six kilometres an hour, or two, in the unit of each app.
                switch app {
                case "owntracks":
                    let speed = isFast ? "36" : "2"
                    let place = "\"lat\":33.7554,\"lon\":-84.3736,\"acc\":8,\"tst\":\(time)"
                    let body = "{\"_type\":\"location\",\(place),\"vel\":\(speed)}"
                    _ = try await client.send(.post, "/ingest/owntracks", body, headers: basic(key))
                case "overland":
                    let stamp = RFC3339.format(Timestamp(milliseconds: Int64(time) * 1_000))
                    let properties =
                        "{\"timestamp\":\"\(stamp)\",\"horizontal_accuracy\":8,\"speed\":\(isFast ? 10 : 0.5)}"
                    let point = "{\"type\":\"Point\",\"coordinates\":[-84.3736,33.7554]}"
                    let feature = "{\"type\":\"Feature\",\"geometry\":\(point),\"properties\":\(properties)}"
                    let path = "/ingest/overland?access_token=" + key
                    _ = try await client.send(.post, path, "{\"locations\":[\(feature)]}")
                default:
                    let speed = isFast ? "19.4" : "1"
                    let query = "timestamp=\(time)&lat=33.7554&lon=-84.3736&accuracy=8&speed=\(speed)"
                    _ = try await client.get("/ingest/osmand?id=\(key)&\(query)")
                }
                #expect(try await feed(client) == (isFast ? 1 : 0), "\(app)")
            }
        }
    }

    @Test("NTF-01 With notifications off, app data is acknowledged and ignored")
    func off() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let key = try await device(client)
            _ = try await client.send(.put, IngestTests.settings, as: "ben", "{\"enabled\":false}")
            let body = #"{"_type":"location","lat":33.7554,"lon":-84.3736,"acc":8,"tst":\#(IngestTests.seconds)}"#
            #expect(try await client.send(.post, "/ingest/owntracks", body, headers: basic(key)).status == 200)
            #expect(try fixture.library.store.inspectDevices().isEmpty)
            #expect(try await feed(client) == 0)
        }
    }
}
