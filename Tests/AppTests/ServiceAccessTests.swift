import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("Services' access to exact points")
struct ServiceAccessTests {
    private struct Row: Hashable {
        let story: String?
        let reader: String?
        let kind: String?
        let name: String?
    }

    private static func log(_ client: Client, as owner: String = "ana") async throws -> [Row] {
        let rows = try await client.get("/v1/me/access-log?limit=500", as: owner).json["accesses"]?.array ?? []
        return rows.map {
            Row(
                story: $0["story"]?.string,
                reader: $0["reader"]?.string,
                kind: $0["reader_kind"]?.string,
                name: $0["reader_name"]?.string
            )
        }
    }

    private static func place(_ precision: String, _ latitude: Double = 52.3456, trusted: Bool = false) -> String {
        let cell = precision == "approximate" ? ",\"cell\":0.1" : ""
        return
            ",\"location\":{\"lat\":\(latitude),\"lon\":12.34567,\"precision\":\"\(precision)\"\(cell),\"family_sees_exact\":\(trusted)}"
    }

    /// A new service key, and the header fields with which it acts for a user or for nobody in particular.
    private static func service(
        _ fixture: ServiceFixture,
        as user: String?
    ) async throws -> (key: String, headers: HTTPFields) {
        let request = Accounts.KeyRequest(holder: .service(Accounts.serviceScopes), name: "backend", days: nil)
        let made = try await fixture.accounts.makeKey(request)
        var headers = KeyTests.bearer(made.text)
        if let user, let name = HTTPField.Name("Waymark-User") { headers[name] = user }
        return (made.key.id, headers)
    }

    @Test(
        "LOC-08 Every route giving a service an owner's exact point logs that access for the service",
        arguments: [
            "stories?limit=100", "stories/ID", "clusters?bbox=12.3,52.3,12.4,52.4&zoom=14", "bounds", "changes",
            "offline-package?bbox=12,52,13,53&zoom=10", "me/export",
        ]
    )
    func readingForOwner(surface: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(
                as: "ana",
                title: "A",
                latitude: nil,
                extra: ServiceAccessTests.place("hidden")
            )
            _ = try await client.create(as: "ben", title: "B", latitude: 52.9, longitude: 12.5)
            let (key, headers) = try await ServiceAccessTests.service(fixture, as: "ana")
            let path = "/v1/" + surface.replacing("ID", with: id)
            #expect(try await client.get(path, as: "ana").status == 200)
            #expect(try await ServiceAccessTests.log(client) == [])
            #expect(try await client.get(path, headers: headers).status == 200)
            let expected = [Row(story: id, reader: key, kind: "service", name: "backend")]
            #expect(try await ServiceAccessTests.log(client) == expected)
            #expect(try await ServiceAccessTests.log(client, as: "ben") == [])
        }
    }

    @Test("LOC-08 A notification of one's own story has its exact point: a service reading it is logged")
    func feed() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(
                as: "ana",
                title: "A",
                latitude: nil,
                extra: ServiceAccessTests.place("approximate")
            )
            let settings = "{\"enabled\":true,\"radius\":200,\"notify_own\":true}"
            let set = try await client.send(.put, "/v1/me/notification-settings", as: "ana", settings)
            #expect(set.status == 200, "\(String(decoding: set.bytes, as: UTF8.self))")
            for _ in 0..<3 {
                let time = RFC3339.format(fixture.clock.now)
                let fix = "{\"t\":\"\(time)\",\"lat\":52.3457,\"lon\":12.3457,\"acc\":8}"
                _ = try await client.send(.post, "/v1/fixes", as: "ana", "{\"device\":\"phone\",\"fixes\":[\(fix)]}")
                fixture.clock.advance(seconds: 6)
            }
            let mine = try await client.get("/v1/notifications", as: "ana").json["notifications"]?.array ?? []
            #expect(mine.count == 1)
            #expect(try await ServiceAccessTests.log(client) == [])
            let (key, headers) = try await ServiceAccessTests.service(fixture, as: "ana")
            #expect(try await client.get("/v1/notifications", headers: headers).status == 200)
            #expect(
                try await ServiceAccessTests.log(client)
                    == [Row(story: id, reader: key, kind: "service", name: "backend")]
            )
        }
    }

    @Test(
        "LOC-08 A service changing a story is logged only if its answer has the exact point"
    )
    func changing() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            // Acting for a stranger, for the owner, and for nobody; each of the routes that answer with the story.
            for (number, user) in ["cora", "ana", nil].enumerated() {
                for (method, path, body) in [
                    (HTTPRequest.Method.patch, "", "{\"title\":\"y\"}"),
                    (.put, "/privacy", "{\"privacy\":\"family_only\"}"),
                    (.put, "/location", "{\"lat\":52.4,\"lon\":12.4,\"precision\":\"hidden\"}"),
                ] {
                    let extra = ServiceAccessTests.place("hidden") + ",\"privacy\":\"private\""
                    let id = try await client.create(as: "ana", title: "A\(number)", latitude: nil, extra: extra)
                    let (key, headers) = try await ServiceAccessTests.service(fixture, as: user)
                    let known = Set(try await ServiceAccessTests.log(client))
                    let reply = try await client.send(
                        method,
                        "/v1/stories/\(id)" + path,
                        as: nil,
                        body,
                        headers: headers
                    )
                    // For nobody in particular a service reads no more than anybody.
                    let isAnswered = reply.status == 200
                    #expect(isAnswered == (user != nil) || reply.json["location"] != nil, "\(path) \(reply.status)")
                    let new = Set(try await ServiceAccessTests.log(client)).subtracting(known)
                    let row = Row(story: id, reader: key, kind: "service", name: "backend")
                    #expect(new == (isAnswered ? [row] : []), "\(user ?? "nobody") \(path)")
                }
            }
            // What a trusted relative's service gets, the service got.
            let id = try await client.create(
                as: "ana",
                title: "K",
                latitude: nil,
                extra: ServiceAccessTests.place("hidden", 53.3, trusted: true)
            )
            let (key, headers) = try await ServiceAccessTests.service(fixture, as: "ben")
            _ = try await client.get("/v1/stories/\(id)", headers: headers)
            let readers = try await ServiceAccessTests.log(client).filter { $0.story == id }.map(\.reader)
            #expect(readers == [key])
            // The public point of it, for nobody in particular, is no look.
            let (_, plain) = try await ServiceAccessTests.service(fixture, as: nil)
            let count = try await ServiceAccessTests.log(client).count
            #expect(try await client.get("/v1/stories?limit=100", headers: plain).status == 200)
            #expect(try await ServiceAccessTests.log(client).count == count)
        }
    }

    @Test("LOC-08 NTF-09 A page of the log continues after a service; a revoked key no longer has a name")
    func pages() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let extra = ServiceAccessTests.place("hidden", trusted: true)
            let id = try await client.create(as: "ana", title: "A", latitude: nil, extra: extra)
            var keys: [String] = []
            for _ in 0..<3 {
                let (key, headers) = try await ServiceAccessTests.service(fixture, as: "ana")
                keys.append(key)
                _ = try await client.get("/v1/stories/\(id)", headers: headers)
            }
            _ = try await client.get("/v1/stories/\(id)", as: "ben")
            var (found, next): ([String?], String?) = ([], "/v1/me/access-log?limit=1")
            while let address = next {
                let page = try await client.get(address, as: "ana").json
                found += (page["accesses"]?.array ?? []).map { $0["reader"]?.string }
                next = page["links"]?["next"]?.string
            }
            #expect(found.count == 4 && Set(found.compactMap(\.self)) == Set(keys + ["ben"]))
            #expect(try await fixture.accounts.revokeKey(keys[0]))
            let row = try await ServiceAccessTests.log(client).first { $0.reader == keys[0] }
            #expect(row?.kind == "service" && row?.name == nil)
            let export = try await client.get("/v1/me/access-log?cursor=1-\(id)-x:y", as: "ana")
            #expect(export.status == 400)
        }
    }
}
