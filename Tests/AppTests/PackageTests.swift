import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import Testing
import TestSupport

@Suite("SYN-04 Offline packages")
struct PackageTests {
    private static let path = "/v1/offline-package?bbox=-85,33,-84,34&zoom=9"

    @Test("REL-10 A user can have two packages built at a time, while others get theirs")
    func shares() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let cora = try #require(UserID("cora"))
            var held = try (0..<2).map { _ in try fixture.library.sync.packages.shares.take(user: cora, address: nil) }
            let refused = try await client.get(PackageTests.path, as: "cora")
            #expect(refused.status == 429 && refused.json["type"]?.string == "/problems/work-under-way")
            #expect(try await client.get(PackageTests.path, as: "ben").status == 200)
            held.removeLast()
            #expect(try await client.get(PackageTests.path, as: "cora").status == 200)
            #expect(held.count == 1 && fixture.library.sync.packages.shares.count == 1)
        }
    }

    @Test(
        "SYN-04 A package has the newest stories, the map at several zooms and, once opted in, nearby fences"
    )
    func contents() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for number in 0..<60 {
                _ = try await client.create(as: "ana", title: "\(number)", latitude: 33.5 + Double(number % 6) / 100)
                fixture.clock.advance(seconds: 1)
            }
            _ = try await client.create(as: "ana", title: "Elsewhere", latitude: 10)
            let reply = try await client.get(PackageTests.path + "&limit=50", as: "cora")
            let package = reply.json
            let titles = package["stories"]?["features"]?.array?.compactMap { $0["properties"]?["title"]?.string }
            #expect(titles == (10..<60).reversed().map { "\($0)" })
            #expect(package["stories"]?["numberMatched"]?.integer == 60)
            #expect(package["clusters"]?.array?.compactMap { $0["zoom"]?.integer } == [9, 10, 11, 12])
            for level in package["clusters"]?.array ?? [] {
                let zoom = try #require(level["zoom"]?.integer)
                let map = try await client.get("/v1/clusters?bbox=-85,33,-84,34&zoom=\(zoom)", as: "cora")
                #expect(map.json == level)
            }
            #expect(package["monitoring"]?.string == "off" && package["fences"]?.array == [])
            _ = try await client.send(
                .put,
                "/v1/me/notification-settings",
                as: "cora",
                "{\"enabled\":true,\"radius\":150}"
            )
            let watched = try await client.get(PackageTests.path, as: "cora").json
            let fences = watched["fences"]?.array ?? []
            #expect(watched["monitoring"]?.string == "on")
            #expect(fences.map { $0["count"]?.integer } == Array(repeating: 10, count: 6))
            #expect(fences.allSatisfy { $0["radius"]?.number == 150 })
            // Wider than a map may be, fewer than are promised, and no box.
            for query in ["bbox=-180,-85,180,85&zoom=9", "bbox=-85,33,-84,34&zoom=9&limit=49", "zoom=9"] {
                #expect(try await client.get("/v1/offline-package?\(query)").status == 400)
            }
        }
    }

    @Test("SYN-04 PRV-03 A package's bytes do not depend on invisible content; its ETag ignores its age")
    func nothingElse() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Open")
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "cora", "{\"enabled\":true}")
            let viewers = ["cora", nil]
            var before: [Client.Reply] = []
            for viewer in viewers { before.append(try await client.get(PackageTests.path, as: viewer)) }
            _ = try await client.create(as: "ana", title: "Mine", extra: ",\"privacy\":\"private\"")
            _ = try await client.create(as: "ana", title: "Ours", extra: ",\"privacy\":\"family_only\"")
            for (viewer, old) in zip(viewers, before) {
                #expect(try await client.get(PackageTests.path, as: viewer).bytes == old.bytes)
            }
            fixture.clock.advance(seconds: 60)
            for (viewer, old) in zip(viewers, before) {
                let later = try await client.get(PackageTests.path, as: viewer)
                #expect(later.bytes != old.bytes && later.headers[.eTag] == old.headers[.eTag])
                let tag = try #require(old.headers[.eTag])
                #expect(try await client.get(PackageTests.path, as: viewer, headers: [.ifNoneMatch: tag]).status == 304)
            }
            #expect(try await client.get(PackageTests.path, as: "ben").headers[.eTag] != before[0].headers[.eTag])
        }
    }

    @Test("SYN-04 A fence counts announceable stories: the user's own only on request")
    func ownStories() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for owner in ["ana", "ana", "cora"] {
                _ = try await client.create(as: owner, title: "x", latitude: 33.5, longitude: -84.5)
            }
            _ = try await client.create(as: "cora", title: "x", latitude: 33.6, longitude: -84.5)
            for (wantsOwn, expected) in [(false, [2]), (true, [3, 1])] {
                let settings = "{\"enabled\":true,\"notify_own\":\(wantsOwn)}"
                _ = try await client.send(.put, "/v1/me/notification-settings", as: "cora", settings)
                let fences = try await client.get(PackageTests.path, as: "cora").json["fences"]?.array ?? []
                #expect(fences.compactMap { $0["count"]?.integer }.sorted(by: >) == expected)
            }
        }
    }

    @Test("SYN-04 LOC-08 Fences surround published points; hidden points and others' cells reveal nothing")
    func fences() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for precision in ["approximate", "hidden"] {
                let place =
                    "{\"lat\":33.5012,\"lon\":-84.5012,\"precision\":\"\(precision)\",\"family_sees_exact\":true}"
                _ = try await client.create(as: "ana", title: "x", latitude: nil, extra: ",\"location\":\(place)")
            }
            for viewer in ["ben", "cora"] {
                _ = try await client.send(.put, "/v1/me/notification-settings", as: viewer, "{\"enabled\":true}")
                let fences = try await client.get(PackageTests.path, as: viewer).json["fences"]?.array ?? []
                #expect(fences.compactMap { $0["lat"]?.number } == [33.505], "\(viewer)")
            }
        }
    }
}
