import App
import Library
import Formats
import Foundation
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

@Suite("Starting on a full disk", .enabled(if: SmallDisk.isPossible, "mounting a small file system needs root"))
struct FullDiskStartTests {
    private static let long =
        "{\"kind\":\"interview\",\"title\":\"More\",\"text\":\""
        + String(repeating: "word ", count: 8_000) + "\"}"

    /// A service on a small disk, with something to withdraw and to erase; it is closed again.
    private func prepare(_ disk: SmallDisk) async throws -> ServiceFixture {
        let fixture = try await ServiceFixture(in: disk.folder, isSteady: true)
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for number in 0..<30 { _ = try await client.create(as: "ana", title: "Story \(number)") }
            for user in ["ana", "ben", "cora"] {
                let on = "{\"enabled\":true}"
                #expect(try await client.send(.put, "/v1/me/notification-settings", as: user, on).status == 200)
            }
            #expect(try await client.get("/readyz").json["warnings"] == nil)
        }
        return fixture
    }

    /// Stores texts until the disk takes no more.
    private static func fillUp(_ client: Client) async throws {
        var reply = try await client.send(.post, "/v1/stories", as: "ben", long)
        for _ in 0..<2_000 where reply.status == 201 {
            reply = try await client.send(.post, "/v1/stories", as: "ben", long)
        }
        #expect(reply.status == 507)
    }

    private static func warnings(_ client: Client) async throws -> [String] {
        let ready = try await client.get("/readyz")
        if ready.status != 200 { return [(ready.json["type"]?.string ?? "").replacing("/problems/", with: "")] }
        return ready.json["warnings"]?.array?.compactMap { $0["code"]?.string } ?? []
    }

    private static func reserve(_ disk: SmallDisk) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: disk.folder.path("waymark.db.reserve"))[.size] as? Int ?? 0
    }

    @Test("REL-02 NTF-09 A reserve partly used before a restart still helps after it")
    func partlyUsed() async throws {
        let disk = try #require(try SmallDisk(megabytes: 40))
        let first = try await prepare(disk)
        try disk.fill()
        try first.library.store.close()
        // As an erasure on a full disk leaves it: less than plenty is free, and a part of the reserve is there.
        #expect(truncate(disk.folder.path("waymark.db.reserve"), 1 << 20) == 0)
        let next = try await ServiceFixture(of: first, isSteady: true)
        try await next.run { client async throws in
            #expect(try await FullDiskStartTests.warnings(client) == ["disk-reserve-used"])
            try disk.fill()
            try await FullDiskStartTests.fillUp(client)
            #expect(try await client.send(.delete, "/v1/me/consents", as: "ben").status == 200)
            try await FullDiskStartTests.fillUp(client)
            #expect(try await client.send(.delete, "/v1/me", as: "ana").status == 200)
        }
        try next.library.store.close()
    }

    @Test("REL-02 NTF-09 On a full disk the reserve lets the service start, report it, and accept withdrawals")
    func full() async throws {
        let disk = try #require(try SmallDisk(megabytes: 40))
        let first = try await prepare(disk)
        try first.library.store.close()
        try disk.fill()
        let next = try await ServiceFixture(of: first, isSteady: true)
        try await next.run { client async throws in
            try disk.fill()
            try await FullDiskStartTests.fillUp(client)
            #expect(try await FullDiskStartTests.warnings(client) == ["disk-full"])
            #expect(try await client.send(.delete, "/v1/me/consents", as: "ben").status == 200)
            #expect(try await client.send(.delete, "/v1/me/location-data", as: "cora").status == 200)
            #expect(try await client.send(.delete, "/v1/me", as: "ana").status == 200)
            #expect(try FullDiskStartTests.reserve(disk) < 4 << 20)
            // What was erased left room for a little; that is filled again.
            try disk.fill()
            try await FullDiskStartTests.fillUp(client)
            #expect(try await FullDiskStartTests.warnings(client) == ["disk-full"])
            // The first write that finds room again ends it, and makes the reserve whole.
            try disk.free()
            #expect(try await client.send(.post, "/v1/stories", as: "ben", FullDiskStartTests.long).status == 201)
            #expect(try await FullDiskStartTests.warnings(client) == [])
            #expect(try FullDiskStartTests.reserve(disk) == 4 << 20)
        }
        try next.library.store.close()
        let last = try await ServiceFixture(of: first, isSteady: true)
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        #expect(try await last.library.store.read { try $0.user(ana) } == nil)
        #expect(try await !last.library.store.read { try $0.notificationSettings(of: ben).enabled })
        try last.library.store.close()
    }

    @Test("REL-02 Without any space, startup fails with one message that gives the remedy, and changes nothing")
    func withoutReserve() async throws {
        let disk = try #require(try SmallDisk(megabytes: 40))
        let first = try await prepare(disk)
        try first.library.store.close()
        try FileManager.default.removeItem(atPath: disk.folder.path("waymark.db.reserve"))
        try disk.fill()
        let before = first.contents(ofFileEnding: "")
        let failure = await #expect(throws: StoreError.self) { try await ServiceFixture(of: first) }
        #expect(failure?.code == .diskFull)
        let words = failure?.description ?? ""
        #expect(
            words.contains("the reserve") && words.contains("Free 12 MB") && words.contains("start again"),
            "\(words)"
        )
        #expect(first.contents(ofFileEnding: "") == before)
        try disk.free()
        let next = try await ServiceFixture(of: first)
        try next.library.store.close()
    }
}
