import App
import Library
import Formats
import GRDB
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

@Suite("Named places")
struct NamedPlaceTests {
    static let path = "/v1/named-places"

    /// The body of a place so far down the street.
    static func body(_ name: String, at metres: Double, radius: Double = 75, _ more: String = "") -> String {
        let point = FenceStreet.point(metres)
        return "{\"name\":\"\(name)\",\"lat\":\(point.latitude),\"lon\":\(point.longitude),\"radius\":\(radius)\(more)}"
    }

    private static func make(_ client: Client, as user: String, _ body: String) async throws -> String {
        let reply = try await client.send(.post, path, as: user, body)
        #expect(reply.status == 201, "\(String(decoding: reply.bytes, as: UTF8.self))")
        return try #require(reply.json["id"]?.string)
    }

    /// The header fields of a backend that acts for a user.
    private static func service(_ fixture: ServiceFixture, as user: String) async throws -> HTTPFields {
        let request = Accounts.KeyRequest(holder: .service(Accounts.serviceScopes), name: "backend", days: nil)
        var headers: HTTPFields = [.authorization: "Bearer " + (try await fixture.accounts.makeKey(request).text)]
        headers[try #require(HTTPField.Name("Waymark-User"))] = user
        return headers
    }

    @Test(
        "NTF-03 Stories in the place are announced together under its name, even beyond 150 m; others are not"
    )
    func together() async throws {
        try await FenceStreet.run { street async throws in
            var inside: [String] = []
            for metres in [0.0, 90, 260] {
                inside.append(try await street.story("ana", at: metres, named: "Grave \(Int(metres))"))
            }
            _ = try await street.story("ana", at: 340, named: "Mill")
            let place = try await NamedPlaceTests.make(
                street.client,
                as: "ben",
                NamedPlaceTests.body("Oakland Cemetery", at: 130, radius: 150)
            )
            let fences = try await street.fences()
            #expect(try await street.enter(try #require(fences[260])) == 1)
            #expect(try await street.words() == ["Oakland Cemetery: 3 stories nearby"])
            let told = try #require(try await street.feed().first)
            #expect(told["place"]?["named_place"]?.string == place)
            #expect(told["place"]?["id"]?.string == PlaceID(FenceStreet.point(260)).description)
            #expect(Set(told["content_ids"]?.array?.compactMap(\.string) ?? []) == Set(inside))
            // The mill is told where it is, and not as part of it.
            street.fixture.clock.advance(seconds: 1)
            #expect(try await street.enter(try #require(fences[340])) == 1)
            #expect(try await street.words().first == "Mill: 1 story nearby")
            #expect(try await street.enter(try #require(fences[0])) == 0)
        }
    }

    @Test("NTF-03 A place spans its whole extent, however far from the point of entry")
    func acrossIt() async throws {
        try await FenceStreet.run { street async throws in
            for metres in [0.0, 990] { _ = try await street.story("ana", at: metres, named: "Gate \(Int(metres))") }
            let campus = NamedPlaceTests.body("Campus", at: 495, radius: 500)
            _ = try await NamedPlaceTests.make(street.client, as: "ben", campus)
            #expect(try await street.enter(PlaceID(FenceStreet.point(0)).description) == 1)
            #expect(try await street.words() == ["Campus: 2 stories nearby"])
        }
    }

    @Test("LOC-08 A story shown as a cell is announced without the name of a place containing the cell's centre")
    func cell() async throws {
        try await FenceStreet.run { street async throws in
            let location =
                ",\"location\":{\"lat\":33.7554,\"lon\":-84.3736,\"precision\":\"approximate\",\"cell\":0.01}"
            let id = try await street.client.create(as: "ana", title: "A", latitude: nil, extra: location)
            let shown = try await street.client.get("/v1/stories/\(id)").json["location"]
            let (latitude, longitude) = (shown?["lat"]?.number ?? 0, shown?["lon"]?.number ?? 0)
            let body = "{\"name\":\"Yard\",\"lat\":\(latitude),\"lon\":\(longitude)}"
            _ = try await NamedPlaceTests.make(street.client, as: "ben", body)
            let place = PlaceID(Coordinate(wrappingLatitude: latitude, longitude: longitude))
            #expect(try await street.enter(place.description) == 1)
            #expect(try await !street.words().contains { $0.contains("Yard") })
        }
    }

    @Test("PRV-02 A place only affects users who may know of it; others are notified without it")
    func levels() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        for (level, family, isNamed) in [
            ("private", "null", false), ("family_only", "null", true), ("family_only", "\"whitfield\"", true),
            ("public", "null", true),
        ] {
            try await FenceStreet.run(in: fixture) { street async throws in
                let stories = [
                    try await street.story("cora", at: 0, named: "A"),
                    try await street.story("cora", at: 200, named: "B"),
                ]
                let headers = try await NamedPlaceTests.service(fixture, as: "ana")
                let more = ",\"privacy\":\"\(level)\",\"family\":\(family)"
                let body = NamedPlaceTests.body("Old Square", at: 100, radius: 150, more)
                let made = try await street.client.send(.post, NamedPlaceTests.path, body, headers: headers)
                #expect(made.status == 201)
                let id = try #require(made.json["id"]?.string)
                let status = try await street.client.get(NamedPlaceTests.path + "/" + id, as: "ben").status
                #expect(status == (isNamed ? 200 : 404))
                let list = try await street.client.get(NamedPlaceTests.path, as: "ben")
                #expect(list.json["named_places"]?.array?.count == (isNamed ? 1 : 0))
                let anonymous = try await street.client.get(NamedPlaceTests.path)
                #expect(anonymous.json["named_places"]?.array?.count == (level == "public" ? 1 : 0))
                #expect(try await street.enter(try #require(try await street.fences()[0])) == 1)
                let expected = isNamed ? "Old Square: 2 stories nearby" : "A: 1 story nearby"
                #expect(try await street.words().first == expected, "\(level) \(family)")
                #expect(try await street.client.send(.delete, "\(NamedPlaceTests.path)/\(id)", as: "ana").status == 204)
                for story in stories { _ = try await street.client.send(.delete, "/v1/stories/\(story)", as: "cora") }
            }
        }
    }

    @Test("Renaming, moving, shrinking or removing a place immediately rewords past notifications")
    func changes() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await FenceStreet.run(in: fixture) { street async throws in
            _ = try await street.story("cora", at: 0, named: "A")
            let client = street.client
            let more = ",\"privacy\":\"family_only\""
            let id = try await NamedPlaceTests.make(
                client,
                as: "ana",
                NamedPlaceTests.body("Farm", at: 0, radius: 80, more)
            )
            let path = "\(NamedPlaceTests.path)/\(id)"
            #expect(try await street.enter(try #require(try await street.fences()[0])) == 1)
            #expect(try await street.words() == ["Farm: 1 story nearby"])
            let far = FenceStreet.point(400)
            for (body, words) in [
                ("{\"name\":\"Homestead\"}", "Homestead"), ("{\"privacy\":\"private\"}", "A"),
                ("{\"privacy\":\"family_only\",\"family\":\"whitfield\"}", "Homestead"),
                ("{\"lon\":\(far.longitude)}", "A"), ("{\"lon\":\(FenceStreet.start.longitude)}", "Homestead"),
            ] {
                #expect(try await client.send(.patch, path, as: "ana", body).status == 200)
                #expect(try await street.words() == ["\(words): 1 story nearby"], "\(body)")
                let shown = try #require(try await street.feed().first)
                #expect(shown["place"]?["named_place"]?.string == (words == "A" ? nil : id))
                if words == "A" { try NamedPlaceTests.expectNoTrace(of: ["Homestead"], in: fixture) }
            }
            #expect(try await client.send(.delete, path, as: "ben").status == 403)
            #expect(try await client.send(.delete, path, as: "cora").status == 404)
            #expect(try await client.send(.delete, path, as: "ana").status == 204)
            #expect(try await street.words() == ["A: 1 story nearby"])
            #expect(try await client.get(path, as: "ana").status == 404)
            try NamedPlaceTests.expectNoTrace(of: ["Homestead", id], in: fixture)
        }
    }

    /// That no row of a feed holds any of these words.
    private static func expectNoTrace(of words: [String], in fixture: ServiceFixture) throws {
        let rows = try fixture.library.store.inspect { db in
            try Row.fetchAll(db, sql: "SELECT place_name, title, body, data, named_place FROM notices")
                .map { row in row.map { "\($0.1)" }.joined(separator: "|") }
        }
        #expect(!rows.isEmpty)
        for word in words { #expect(!rows.contains { $0.contains(word) }, "\(rows)") }
    }

    @Test("NTF-09 Erasing its owner or family removes a place, and its name from others' notifications")
    func endings() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await FenceStreet.run(in: fixture) { street async throws in
            _ = try await street.story("cora", at: 0, named: "A")
            let more = ",\"privacy\":\"family_only\",\"family\":\"whitfield\""
            let client = street.client
            let id = try await NamedPlaceTests.make(
                client,
                as: "ben",
                NamedPlaceTests.body("Zion", at: 0, radius: 80, more)
            )
            _ = try await client.send(.put, FenceStreet.settings, as: "ana", "{\"enabled\":true}")
            let entered = "/v1/fences/\(PlaceID(FenceStreet.start))/entered"
            #expect(try await client.send(.post, entered, as: "ana", "{}").json["notifications"]?.array?.count == 1)
            func title() async throws -> String? {
                // Answers to invitations come between.
                try await client.get("/v1/notifications", as: "ana").json["notifications"]?.array?
                    .first { $0["type"]?.string == "story.nearby" }?["title"]?
                    .string
            }
            #expect(try await title() == "Zion")
            #expect(try await client.send(.delete, "/v1/families/whitfield/members/ben", as: "ben").status == 204)
            #expect(try await title() == "A")
            try NamedPlaceTests.expectNoTrace(of: ["Zion"], in: fixture)
            let left = try await client.get("\(NamedPlaceTests.path)/\(id)", as: "ben").json
            #expect(left["privacy"]?.string == "private" && left["family"]?.isNull == true)
            // It comes back with him, as long as it is shared again.
            try await client.join("whitfield", as: "ben", invitedBy: "ana")
            #expect(try await title() == "A")
            let again = "{\"privacy\":\"family_only\"}"
            #expect(try await client.send(.patch, "\(NamedPlaceTests.path)/\(id)", as: "ben", again).status == 200)
            #expect(try await title() == "Zion")
            // Whoever was told and leaves takes the name along no more than whoever gave it.
            let cora = try #require(UserID("cora"))
            let (family, now) = (try #require(FamilyID("whitfield")), fixture.clock.now)
            try await fixture.library.store.write { try $0.saveMember(cora, of: family, role: .owner, at: now) }
            #expect(try await client.send(.delete, "/v1/families/whitfield/members/ana", as: "ana").status == 204)
            #expect(try await title() == "A")
            try NamedPlaceTests.expectNoTrace(of: ["Zion"], in: fixture)
            try await client.join("whitfield", as: "ana", invitedBy: "cora")
            #expect(try await title() == "Zion")
            let ben = try #require(UserID("ben"))
            let receipt = try #require(try await fixture.library.rights.erasures.eraseAccount(of: ben))
            #expect(receipt.counts.first { $0.name == "named_places" }?.count == 1)
            #expect(try await title() == "A")
            try NamedPlaceTests.expectNoTrace(of: ["Zion", id], in: fixture)
        }
    }

    @Test("LOC-08 A place touching a sensitive area is visible only to its owner, while the area exists")
    func held() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let area = try #require(SensitiveAreaTests.area)
        try await FenceStreet.run(in: fixture) { street async throws in
            let client = street.client
            let family = ",\"privacy\":\"family_only\""
            _ = try await street.story("cora", at: 0, named: "A")
            let id = try await NamedPlaceTests.make(
                client,
                as: "ana",
                NamedPlaceTests.body("Farm", at: 0, radius: 80, family)
            )
            #expect(try await street.enter(try #require(try await street.fences()[0])) == 1)
            #expect(try await street.words() == ["Farm: 1 story nearby"])
            let path = "\(NamedPlaceTests.path)/\(id)"
            _ = try await fixture.library.moderation.areas.replace([area])
            #expect(try await client.get(path, as: "ben").status == 404)
            #expect(try await client.get(path, as: "ana").json["held"]?.bool == true)
            #expect(try await !street.words().contains { $0.contains("Farm") })
            try NamedPlaceTests.expectNoTrace(of: ["Farm"], in: fixture)
            // A new one there is held too; what touches a cell of the area with its edge alone is.
            let edge = "{\"name\":\"Edge\",\"lat\":33.8001,\"lon\":-84.37,\"radius\":20\(family)}"
            let new = try await client.send(.post, NamedPlaceTests.path, as: "ana", edge)
            #expect(new.status == 201 && new.json["held"]?.bool == true)
            let out = "{\"lat\":33.81}"
            let newPath = "\(NamedPlaceTests.path)/\(new.json["id"]?.string ?? "")"
            #expect(try await client.send(.patch, newPath, as: "ana", out).json["held"]?.bool == false)
            #expect(try await client.get(newPath, as: "ben").status == 200)
            _ = try await fixture.library.moderation.areas.replace([])
            #expect(try await client.get(path, as: "ben").status == 200)
        }
    }

    @Test("PRV-02 Only the operator or a service can make a place public, whoever the service acts for")
    func publicOnes() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let body = NamedPlaceTests.body("Here", at: 0, radius: 75, ",\"privacy\":\"public\"")
            let refused = try await client.send(.post, NamedPlaceTests.path, as: "ana", body)
            #expect(refused.status == 403 && client.code(refused) == "not-for-everybody")
            let id = try await NamedPlaceTests.make(client, as: "ana", NamedPlaceTests.body("Here", at: 0))
            let path = "\(NamedPlaceTests.path)/\(id)"
            let level = "{\"privacy\":\"public\"}"
            #expect(try await client.send(.patch, path, as: "ana", level).status == 403)
            let headers = try await NamedPlaceTests.service(fixture, as: "ana")
            #expect(try await client.send(.patch, path, level, headers: headers).status == 200)
            #expect(try await client.get(path).status == 200)
            // It is not renamed or moved under everybody's eyes either; its owner may narrow it.
            for body in ["{\"name\":\"There\"}", "{\"lat\":1}", "{\"radius\":400}"] {
                #expect(try await client.send(.patch, path, as: "ana", body).status == 403)
            }
            #expect(try await client.send(.patch, path, as: "ana", level).status == 200)
            #expect(try await client.send(.patch, path, as: "ana", "{\"privacy\":\"private\"}").status == 200)
            #expect(try await client.get(path).status == 404)
            let other = try await NamedPlaceTests.service(fixture, as: "ben")
            #expect(try await client.send(.delete, path, headers: other).status == 204)
        }
    }

    @Test("An outdated version changes nothing; errors name their field")
    func refusals() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await NamedPlaceTests.make(client, as: "ana", NamedPlaceTests.body("Here", at: 0))
            let path = "\(NamedPlaceTests.path)/\(id)"
            let tag = try await client.get(path, as: "ana").headers[.eTag]
            let first = try await client.send(
                .patch,
                path,
                as: "ana",
                "{\"radius\":90}",
                headers: [.ifMatch: tag ?? ""]
            )
            #expect(first.status == 200 && first.headers[.eTag] != tag && first.json["radius"]?.number == 90)
            for method in [HTTPRequest.Method.patch, .delete] {
                let stale = try await client.send(
                    method,
                    path,
                    as: "ana",
                    method == .patch ? "{\"radius\":95}" : nil,
                    headers: [.ifMatch: tag ?? ""]
                )
                #expect(stale.status == 412 && stale.json["current"]?.string == first.headers[.eTag])
            }
            // Nothing changed, and so no other version.
            let same = try await client.send(.patch, path, as: "ana", "{\"radius\":90}")
            #expect(same.headers[.eTag] == first.headers[.eTag])
            for (body, field) in [
                ("{\"name\":\" \"}", "name"), ("{\"name\":\"a\\nb\"}", "name"), ("{\"name\":null}", "name"),
                ("{\"name\":\"a\\u202eb\"}", "name"), ("{\"name\":\"\\u2028a\"}", "name"),
                ("{\"name\":\"\\u200b\\u3164\"}", "name"), ("{\"name\":\"a\\u0085\"}", "name"),
                ("{\"radius\":9}", "radius"), ("{\"radius\":501}", "radius"), ("{\"lat\":91}", "lat"),
                ("{\"lon\":null}", "lon"), ("{\"family\":\"whitfield\"}", "family"),
                ("{\"privacy\":\"family_only\",\"family\":\"delacroix\"}", "family"),
                ("{\"privacy\":\"family_only\",\"family\":\"no such\"}", "family"),
                ("{\"privacy\":\"all\"}", "privacy"),
                ("{\"owner\":\"ben\"}", "owner"),
            ] {
                let reply = try await client.send(.patch, path, as: "ana", body)
                #expect(reply.status == 422 && reply.json["errors"]?[0]?["field"]?.string == field, "\(body)")
            }
            for body in ["{}", "{\"name\":\"A\",\"lat\":1}", "{\"name\":\"A\",\"lon\":1}", "{\"lat\":1,\"lon\":1}"] {
                #expect(try await client.send(.post, NamedPlaceTests.path, as: "ana", body).status == 422, "\(body)")
            }
            #expect(try await client.get(path, as: "ana").headers[.eTag] == first.headers[.eTag])
        }
    }

    @Test("The list continues where it stopped, and a box lists centres within it, even across the antimeridian")
    func list() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            var made: [String] = []
            for (index, longitude) in [-84.4, 179.9999, -179.9999, 10].enumerated() {
                let body = "{\"name\":\"P\(index)\",\"lat\":33,\"lon\":\(longitude)}"
                made.insert(try await NamedPlaceTests.make(client, as: "ana", body), at: 0)
                fixture.clock.advance(seconds: 1)
            }
            func ids(_ query: String) async throws -> [String] {
                let json = try await client.get(NamedPlaceTests.path + query, as: "ana").json
                return json["named_places"]?.array?.compactMap { $0["id"]?.string } ?? []
            }
            var (next, seen): (String?, [String]) = (NamedPlaceTests.path + "?limit=3", [])
            while let address = next {
                let json = try await client.get(address, as: "ana").json
                seen += json["named_places"]?.array?.compactMap { $0["id"]?.string } ?? []
                next = json["links"]?["next"]?.string
            }
            #expect(seen == made)
            #expect(try await ids("?bbox=179,30,-179,40") == [made[1], made[2]])
            #expect(try await ids("?bbox=-90,30,-80,40") == [made[3]])
            #expect(try await ids("?bbox=-90,34,-80,40").isEmpty)
            #expect(try await client.get(NamedPlaceTests.path + "?bbox=1,2,3", as: "ana").status == 400)
        }
    }

    @Test("PRV-07 Removing a place cancels deliveries under its name and announces without it")
    func underWay() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            let body = "{\"name\":\"Farm\",\"lat\":33.7554,\"lon\":-84.3736}"
            let id = try await NamedPlaceTests.make(scene.client, as: "ben", body)
            _ = try await scene.webhook()
            try await scene.enter()
            let (begun, ended) = (Signal(), Signal())
            scene.sender.forget()
            scene.sender.behave { _ in
                if begun.isGiven { return ChannelAnswer(status: 200) }
                begun.give()
                // Long enough for the answer; without an end a failure would hang.
                for _ in 0..<1_000_000 where !Task.isCancelled { await Task.yield() }
                ended.give()
                throw CancellationError()
            }
            async let delivery = scene.fixture.library.delivery.deliverDue()
            await begun.wait()
            #expect(try await scene.client.send(.delete, "\(NamedPlaceTests.path)/\(id)", as: "ben").status == 204)
            #expect(ended.isGiven, "it goes on after the answer")
            _ = try await delivery
            try await scene.later(seconds: 60)
            let names = scene.sender.webhooks("story.nearby").map { $0.data["place"]?["name"]?.string }
            #expect(names.count == 2 && names.first == "Farm" && names.last != "Farm", "\(names)")
        }
    }
}
