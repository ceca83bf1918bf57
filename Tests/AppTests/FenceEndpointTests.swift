import App
import Library
import Formats
import Geometry
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("Devices that monitor fences themselves")
struct FenceEndpointTests {
    private static let settings = "/v1/me/notification-settings"

    private func fences(_ client: Client, _ query: String = "lat=33.7554&lon=-84.3736") async throws -> JSONValue {
        let reply = try await client.get("/v1/fences?" + query, as: "ben")
        #expect(reply.status == 200)
        return reply.json
    }

    private func entered(_ id: String, _ body: String, _ client: Client) async throws -> Client.Reply {
        try await client.send(.post, "/v1/fences/\(id)/entered", as: "ben", body)
    }

    @Test("NTF-09 A device is the same in any URL spelling: denying permission removes its data")
    func deviceNames() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "ben", "{\"enabled\":true}")
            let time = RFC3339.format(fixture.clock.now)
            let fix = "{\"t\":\"\(time)\",\"lat\":33.7554,\"lon\":-84.3736,\"acc\":8}"
            let body = "{\"device\":\"Ben's phone é+1\",\"fixes\":[\(fix)]}"
            _ = try await client.send(.post, "/v1/fixes", as: "ben", body)
            #expect(try await client.get("/v1/me/location-data", as: "ben").json["devices"]?.array?.count == 1)
            let path = "/v1/me/devices/Ben's%20phone%20%C3%A9+1"
            let denied = try await client.send(.put, path, as: "ben", "{\"permission\":\"denied\"}")
            #expect(denied.json["device"]?.string == "Ben's phone é+1")
            #expect(try await client.get("/v1/me/location-data", as: "ben").json["devices"]?.array?.isEmpty == true)
        }
    }

    @Test("NTF-11 NTF-05 Fences cover stories still to be announced; an announced fence is freed")
    func packAndEntry() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for number in 0..<6 {
                _ = try await client.create(as: "ana", title: "\(number)", latitude: 33.7554 + 0.01 * Double(number))
            }
            // Ben's own, and what is not for him, is nothing to watch.
            _ = try await client.create(as: "ben", title: "Own", latitude: 33.7500)
            _ = try await client.create(as: "cora", title: "Hers", latitude: 33.7490, extra: ",\"privacy\":\"private\"")
            let off = try await fences(client)
            #expect(off["fences"]?.array?.isEmpty == true && off["refresh"]?.isNull == true)
            #expect(off["monitoring"]?.string == "off")
            _ = try await client.send(.put, FenceEndpointTests.settings, as: "ben", "{\"enabled\":true,\"radius\":200}")
            let pack = try await fences(client, "lat=33.7554&lon=-84.3736&limit=4")
            let three = try #require(pack["fences"]?.array)
            #expect(three.count == 3 && three.allSatisfy { $0["radius"]?.number == 200 })
            #expect(three.compactMap { $0["lat"]?.number } == [33.7554, 33.7654, 33.7754])
            // The next one is three hundredths of a degree away, less its radius.
            let refresh = try #require(pack["refresh"]?["radius"]?.number)
            #expect(abs(refresh - (0.03 * 111_195 - 200)) < 10)
            #expect(try await fences(client)["fences"]?.array?.count == 6)

            let id = try #require(three[0]["id"]?.string)
            #expect(try await entered("p1", "{}", client).status == 404)
            #expect(try await entered("nonsense", "{}", client).status == 404)
            let first = try await entered(id, "{\"device\":\"phone\"}", client)
            #expect(first.status == 200 && first.json["notifications"]?.array?.count == 1)
            for body in ["{}", "{\"device\":\"pad\"}"] {
                #expect(try await entered(id, body, client).json["notifications"]?.array?.isEmpty == true)
            }
            let left = try await fences(client)["fences"]?.array ?? []
            #expect(left.count == 5 && !left.contains { $0["id"]?.string == id })
            // That his family tells of new stories is another matter.
            let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array ?? []
            #expect(feed.count { $0["type"]?.string == "story.nearby" } == 1)
        }
    }

    @Test("NTF-11 An old entry, one shorter than the stay, or one of an invisible place is not announced")
    func entriesThatDoNotCount() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here")
            let secret = ",\"privacy\":\"private\""
            _ = try await client.create(as: "cora", title: "Secret", latitude: 40, extra: secret)
            let settings = "{\"enabled\":true,\"min_dwell\":60}"
            _ = try await client.send(.put, FenceEndpointTests.settings, as: "ben", settings)
            let id = try #require(try await fences(client)["fences"]?[0]?["id"]?.string)
            let hidden = PlaceID(Coordinate(wrappingLatitude: 40, longitude: -84.3736)).description
            let (unseen, nowhere) = (
                try await entered(hidden, "{\"stayed\":90}", client), try await entered("p1", "{\"stayed\":90}", client)
            )
            #expect(unseen.status == 404 && unseen.bytes == nowhere.bytes)
            let old = RFC3339.format(Timestamp(milliseconds: fixture.clock.now.milliseconds - 700_000))
            for body in ["{\"stayed\":30}", "{}", "{\"stayed\":90,\"t\":\"\(old)\"}"] {
                let reply = try await entered(id, body, client)
                #expect(reply.status == 200 && reply.json["notifications"]?.array?.isEmpty == true)
            }
            #expect(try await entered(id, "{\"t\":\"soon\"}", client).status == 422)
            #expect(try await entered(id, "{\"stayed\":60}", client).json["notifications"]?.array?.count == 1)
        }
    }

    @Test("NTF-11 A device without permission is removed, gets no fences, and its entries announce nothing")
    func permission() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here")
            _ = try await client.send(.put, FenceEndpointTests.settings, as: "ben", "{\"enabled\":true}")
            let time = RFC3339.format(fixture.clock.now)
            let fix = "{\"device\":\"phone\",\"fixes\":[{\"t\":\"\(time)\",\"lat\":10,\"lon\":10,\"acc\":8}]}"
            _ = try await client.send(.post, "/v1/fixes", as: "ben", fix)
            #expect(try fixture.library.store.inspectDevices() == ["phone"])
            func say(_ permission: String) async throws -> Client.Reply {
                let body = "{\"permission\":\"\(permission)\",\"platform\":\"ios\"}"
                return try await client.send(.put, "/v1/me/devices/phone", as: "ben", body)
            }
            #expect(try await say("always").json["monitoring"]?.string == "on")
            #expect(try fixture.library.store.inspectDevices() == ["phone"])
            #expect(try await say("denied").json["monitoring"]?.string == "off")
            #expect(try fixture.library.store.inspectDevices().isEmpty)
            let query = "lat=33.7554&lon=-84.3736&device="
            #expect(try await fences(client, query + "phone")["monitoring"]?.string == "off")
            let id = try #require(try await fences(client, query + "pad")["fences"]?[0]?["id"]?.string)
            let reply = try await entered(id, "{\"device\":\"phone\"}", client)
            #expect(reply.json["notifications"]?.array?.isEmpty == true && reply.json["monitoring"]?.string == "off")
            #expect(try await say("sometimes").status == 422)
            let erased = try await client.send(.delete, "/v1/me/location-data", as: "ben")
            #expect(erased.json["counts"]?["devices"]?.integer == 1)
        }
    }

    @Test("NTF-08 A place can be muted, switched off, and have its own radius and kinds; these are listed")
    func places() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let points = [33.70, 33.72, 33.74, 33.76]
            for (number, latitude) in points.enumerated() {
                let kind = number == 3 ? "photo" : "interview"
                let body = """
                    {"kind":"\(kind)","title":"\(number)","privacy":"public",
                    "location":{"lat":\(latitude),"lon":-84.3736}}
                    """
                #expect(try await client.send(.post, "/v1/stories", as: "ana", body).status == 201)
            }
            let ids = points.map { PlaceID(Coordinate(wrappingLatitude: $0, longitude: -84.3736)).description }
            let until = RFC3339.format(Timestamp(milliseconds: fixture.clock.now.milliseconds + 3_600_000))
            let places = """
                [{"place_id":"\(ids[0])","muted_until":"\(until)"},{"place_id":"\(ids[1])","enabled":false},
                {"place_id":"\(ids[2])","radius":1000},{"place_id":"\(ids[3])","kinds":["photo"]}]
                """
            let settings = "{\"enabled\":true,\"kinds\":[\"interview\"],\"places\":\(places)}"
            let reply = try await client.send(.put, FenceEndpointTests.settings, as: "ben", settings)
            #expect(reply.status == 200)
            func watched() async throws -> [String: Double] {
                let found = try await fences(client, "lat=33.7&lon=-84.3736")["fences"]?.array ?? []
                return Dictionary(
                    uniqueKeysWithValues: found.map { ($0["id"]?.string ?? "", $0["radius"]?.number ?? 0) }
                )
            }
            #expect(try await watched() == [ids[2]: 1_000, ids[3]: 150])
            // The own kinds and radius hold for what is announced too; the muted place is not told of.
            for (number, expected) in [(0, 404), (1, 404), (2, 200), (3, 200)] {
                let reply = try await entered(ids[number], "{}", client)
                #expect(reply.status == expected, "\(number)")
                #expect((reply.json["notifications"]?.array?.count ?? 0) == (expected == 200 ? 1 : 0))
            }
            let listed = try await client.get(FenceEndpointTests.settings, as: "ben").json["places"]?.array ?? []
            #expect(listed.compactMap { $0["place_id"]?.string } == ids)
            #expect(listed.map { $0["last_announced"]?.string != nil } == [false, false, true, true])
            fixture.clock.advance(seconds: 3_700)
            #expect(try await watched() == [ids[0]: 150])
            for wrong in [
                "[{\"place_id\":\"x\"}]", "[{\"place_id\":\"\(ids[0])\",\"radius\":10}]",
                "[{\"place_id\":\"\(ids[0])\"},{\"place_id\":\"\(ids[0])\"}]",
                "[{\"place_id\":\"\(ids[0])\",\"muted_until\":\"soon-but-not-a-time-at-all\"}]",
            ] {
                let reply = try await client.send(.put, FenceEndpointTests.settings, as: "ben", "{\"places\":\(wrong)}")
                #expect(reply.status == 422, "\(wrong)")
            }
        }
    }
}
