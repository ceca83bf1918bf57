import App
import Library
import Formats
import Foundation
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

/// NTF-10: apps that were found wanting, at the routes.
@Suite("Routes for trackers")
struct TrackerRouteTests {
    private static let uLogger = "/ingest/ulogger/client/index.php"
    private static let seconds = 1_795_262_400

    private func basic(_ password: String) -> HTTPFields {
        [.authorization: "Basic " + Data("jane:\(password)".utf8).base64EncodedString()]
    }

    /// Opts ben in, with a story nearby, and returns a key for his device `phone`.
    private func device(_ client: Client) async throws -> String {
        _ = try await client.create(as: "ana", title: "Here")
        _ = try await client.send(.put, "/v1/me/notification-settings", as: "ben", "{\"enabled\":true}")
        let reply = try await client.send(.post, "/v1/me/keys", as: "ben", "{\"name\":\"P\",\"device\":\"phone\"}")
        return try #require(reply.json["key"]?.string)
    }

    private func reports(_ client: Client, _ device: String = "phone") async throws -> JSONValue {
        let reply = try await client.get("/v1/me/devices/\(device)", as: "ben")
        #expect(reply.status == 200)
        return reply.json
    }

    @Test("NTF-10 A 401 at the routes of apps offers Basic beside Bearer, and nowhere else")
    func challenges() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for (method, path) in [
                    (HTTPRequest.Method.post, "/ingest/owntracks"), (.post, "/ingest/overland"),
                    (.get, "/ingest/osmand?id=word&lat=1&lon=2"), (.post, "/ingest/osmand"),
                    (.post, TrackerRouteTests.uLogger),
                ] {
                    for headers in [HTTPFields(), basic("guess")] {
                        let body = method == .get ? nil : "{}"
                        let reply = try await client.send(method, path, body, headers: headers)
                        let asked = reply.headers[.wwwAuthenticate] ?? ""
                        #expect(reply.status == 401 && asked.hasPrefix("Bearer, Basic realm="), "\(path) \(asked)")
                    }
                }
                // The apps show the answer as it is, so it says where the key stands in them.
                for (path, words) in [
                    ("/ingest/owntracks", "password in OwnTracks"), ("/ingest/overland", "access token in Overland"),
                    ("/ingest/osmand", "device identifier"), (TrackerRouteTests.uLogger, "password in uLogger"),
                ] {
                    let reply = try await client.send(.post, path, "{}", headers: basic("guess"))
                    let text = String(decoding: reply.bytes, as: UTF8.self)
                    #expect(
                        reply.headers[.contentType]?.hasPrefix("text/plain") == true && text.contains(words),
                        "\(text)"
                    )
                }
                let other = try await client.send(.post, "/v1/fixes", "{}", headers: basic("guess"))
                #expect(other.status == 401 && other.headers[.wwwAuthenticate] == "Bearer")
            }
    }

    @Test("NTF-10 Colota, GPSLogger and Home Assistant send JSON to the route of OsmAnd, with Basic or Bearer")
    func json() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let key = try await device(client)
            for turn in 0..<4 {
                let time = TrackerRouteTests.seconds + turn * 6
                let body =
                    [
                        #"{"lat":33.7554,"lon":-84.3736,"acc":8,"vel":0,"batt":85,"tst":\#(time)}"#,
                        #"{"lat":"33.7554","lon":"-84.3736","acc":"8","spd":"0","time":"\#(time)"}"#,
                        #"{"type":"update_location","data":{"gps":[33.7554,-84.3736],"gps_accuracy":8,"timestamp":\#(time)}}"#,
                        #"[{"latitude":33.7554,"longitude":-84.3736,"accuracy":8,"timestamp":\#(time)}]"#,
                    ][turn]
                let headers = turn % 2 == 0 ? basic(key) : KeyTests.bearer(key)
                let reply = try await client.send(.post, "/ingest/osmand", body, headers: headers)
                #expect(reply.status == 200 && reply.bytes.isEmpty, "\(body)")
                fixture.clock.advance(seconds: 6)
            }
            let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array
            #expect(feed?.count == 1)
            #expect(try fixture.library.store.inspectDevices() == ["phone"])
            #expect(try await client.send(.post, "/ingest/osmand", "[", headers: basic(key)).status == 400)
        }
    }

    @Test("NTF-10 uLogger signs in with a device key, keeps it as a cookie of this route, and sends positions")
    func uLogger() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let key = try await device(client)
            let begun = try await client.send(.post, TrackerRouteTests.uLogger, "action=auth&user=jane&pass=\(key)")
            #expect(begun.status == 200 && begun.json == .object(["error": .bool(false)]))
            let given = try #require(begun.headers[.setCookie])
            #expect(given.contains("; Path=/ingest/ulogger; HttpOnly; SameSite=Strict"))
            let cookie = try #require(given.split(separator: ";").first.map(String.init))
            let headers: HTTPFields = [.cookie: cookie]
            let track = try await client.send(
                .post,
                TrackerRouteTests.uLogger,
                "action=addtrack&track=Walk",
                headers: headers
            )
            #expect(track.json["trackid"]?.integer == 1 && track.json["error"]?.bool == false)
            for turn in 0..<4 {
                let place = "lat=33.7554&lon=-84.3736&altitude=3&speed=0.5&bearing=9&accuracy=8&provider=gps&trackid=1"
                let body = "action=addpos&time=\(TrackerRouteTests.seconds + turn * 6)&\(place)"
                let reply = try await client.send(.post, TrackerRouteTests.uLogger, body, headers: headers)
                #expect(reply.status == 200 && reply.json == .object(["error": .bool(false)]))
                fixture.clock.advance(seconds: 6)
            }
            let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array
            #expect(feed?.count == 1)
            for (body, status) in [
                ("action=auth&user=jane&pass=guess", 401), ("action=addtrack&track=a", 401), ("", 401),
            ] { #expect(try await client.send(.post, TrackerRouteTests.uLogger, body).status == status, "\(body)") }
            #expect(
                try await client.send(.post, TrackerRouteTests.uLogger, "action=erase", headers: headers).status == 400
            )
            // What cannot be read is acknowledged, or the app would send it for ever.
            for bad in ["lat=95&lon=0&time=1", "lat=1&lon=2&time=soon", ""] {
                let reply = try await client.send(
                    .post,
                    TrackerRouteTests.uLogger,
                    "action=addpos&" + bad,
                    headers: headers
                )
                #expect(reply.status == 200, "\(bad)")
            }
            // The cookie opens nothing else, and ends with its key.
            #expect(try await client.send(.post, "/ingest/osmand", "lat=1&lon=2", headers: headers).status == 401)
            #expect(try await client.get("/v1/notifications", headers: headers).status == 401)
            let id = try #require(try await client.get("/v1/me/keys", as: "ben").json["keys"]?[0]?["id"]?.string)
            #expect(try await client.send(.delete, "/v1/me/keys/\(id)", as: "ben", nil).status == 204)
            let ended = try await client.send(.post, TrackerRouteTests.uLogger, "action=addtrack", headers: headers)
            #expect(ended.status == 401)
        }
    }

    @Test("NTF-10 A device says why its last report was not used, without a position")
    func reasons() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let key = try await device(client)
            let never = try await reports(client)
            #expect(never["received_at"]?.isNull == true && never["ignored"]?.isNull == true)
            let now = TrackerRouteTests.seconds
            for (body, why) in [
                (#"{"_type":"lwt","tst":1}"#, "other_type"),
                (#"{"_type":"location","lat":95,"lon":0,"tst":\#(now)}"#, "position"),
                (#"{"_type":"location","lat":5,"lon":0}"#, "time"),
                (#"{"_type":"location","lat":5,"lon":0,"tst":\#(now + 9_999_999)}"#, "future"),
                (#"{"_type":"location","lat":5,"lon":0,"tst":\#(now - 200_000)}"#, "old"),
                (#"{"_type":"location","lat":0,"lon":0,"tst":\#(now)}"#, "zero"),
                (#"{"_type":"location","lat":5,"lon":7,"acc":5000,"tst":\#(now)}"#, "accuracy"),
            ] {
                #expect(try await client.send(.post, "/ingest/owntracks", body, headers: basic(key)).status == 200)
                let known = try await reports(client)
                #expect(known["ignored"]?["why"]?.string == why, "\(body)")
                #expect(
                    known["received_at"]?.string == RFC3339.format(fixture.clock.now)
                        && known["used_at"]?.isNull == true
                )
                let message = known["ignored"]?["message"]?.string ?? ""
                #expect(message.hasSuffix(".") && !message.contains("95") && !message.contains("5000"), "\(message)")
                fixture.clock.advance(seconds: 1)
            }
            let good = #"{"_type":"location","lat":5,"lon":7,"acc":8,"tst":\#(now + 7)}"#
            _ = try await client.send(.post, "/ingest/owntracks", good, headers: basic(key))
            #expect(try await reports(client)["used_at"]?.string == RFC3339.format(fixture.clock.now))
            _ = try await client.send(.post, "/ingest/owntracks", good, headers: basic(key))
            #expect(try await reports(client)["ignored"]?["why"]?.string == "duplicate")
            // POST /v1/fixes says it in its answer as well.
            let fix = #"{"device":"pad","fixes":[{"t":"2026-11-21T12:00:09Z","lat":99,"lon":0}]}"#
            _ = try await client.send(.post, "/v1/fixes", as: "ben", fix)
            #expect(try await reports(client, "pad")["ignored"]?["why"]?.string == "position")
            // A device's key reads nothing, and nobody reads another's.
            let own = try await client.get("/v1/me/devices/phone", headers: KeyTests.bearer(key))
            #expect(own.status == 403)
            let other = try await client.get("/v1/me/devices/phone", as: "ana").json
            #expect(other["received_at"]?.isNull == true)
            // Who opts out is forgotten; from then on the reason is that.
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "ben", "{\"enabled\":false}")
            #expect(try await reports(client)["received_at"]?.isNull == true)
            _ = try await client.send(.post, "/ingest/owntracks", good, headers: basic(key))
            #expect(try await reports(client)["ignored"]?["why"]?.string == "off")
            _ = try await client.send(.delete, "/v1/me/location-data", as: "ben", nil)
            #expect(try await reports(client)["received_at"]?.isNull == true)
        }
    }

    @Test("NTF-10 The journal of reports holds a limited number of devices, those that reported last")
    func bounded() throws {
        let journal = ReportJournal(size: 10)
        let user = try #require(UserID("ben"))
        let now = Timestamp(milliseconds: 1_795_262_400_000)
        for number in 0..<1_000 {
            journal.note(ignored: "position", "It has none.", of: user, device: "\(number)", at: now)
        }
        #expect(journal.entry(of: user, device: "999") != nil && journal.entry(of: user, device: "0") == nil)
        #expect((0..<1_000).count { journal.entry(of: user, device: "\($0)") != nil } <= 20)
        journal.forget(user)
        #expect(journal.entry(of: user, device: "999") == nil)
    }
}
