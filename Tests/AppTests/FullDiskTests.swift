import App
import Library
import Formats
import Foundation
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

/// A small file system of its own, in memory, that can be filled to the last page.
final class SmallDisk: Sendable {
    let folder: TemporaryFolder

    /// Mounts it; `nil` where that is not allowed.
    init?(megabytes: Int) throws {
        folder = try TemporaryFolder()
        let options = ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "waymark-test", folder.url.path]
        guard SmallDisk.run("/bin/mount", options) else { return nil }
    }

    deinit { _ = SmallDisk.run("/bin/umount", ["-l", folder.url.path]) }

    /// Whether such file systems can be made here: it needs root.
    static let isPossible = (try? SmallDisk(megabytes: 1)).flatMap(\.self) != nil

    /// Writes until not one page is left.
    func fill() throws {
        let path = folder.path("filler")
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? file.close() }
        for size in [1 << 20, 1 << 16, 4_096] {
            let zeros = Data(count: size)
            while (try? file.seekToEnd()) != nil, (try? file.write(contentsOf: zeros)) != nil {}
        }
    }

    /// Gives the room back that was filled.
    func free() throws { try FileManager.default.removeItem(atPath: folder.path("filler")) }

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        (try? ProgramRun(program, arguments, showsErrors: false))?.status == 0
    }
}

@Suite("A full disk", .enabled(if: SmallDisk.isPossible, "mounting a small file system needs root"))
struct FullDiskTests {
    private static func add(_ count: Int, to fixture: ServiceFixture, of owner: UserID) async throws {
        let now = fixture.clock.now
        try await fixture.library.store.write { transaction in
            var generator = SystemRandomNumberGenerator()
            for number in 0..<count {
                let id = StoryID(using: &generator)
                var story = Story(id: id, kind: .photo, title: "Story", owner: owner, createdAt: now)
                story.text = String(repeating: "told \(number) ", count: 200)
                story.privacy = .public
                try fixture.library.feed.insert(story, in: transaction)
            }
        }
    }

    @Test("REL-02 NTF-09 On a full disk users can still withdraw, delete, revoke and erase; the rest is rejected")
    func full() async throws {
        let disk = try #require(try SmallDisk(megabytes: 40))
        let fixture = try await ServiceFixture(in: disk.folder)
        try await fixture.makeFamilies()
        let ana = try #require(UserID("ana"))
        let key = try await fixture.accounts.makeKey(.init(holder: .user(ana, [.accountManage]), name: "x", days: nil))
        try await fixture.run { client async throws in
            var stories: [String] = []
            for number in 0..<40 { stories.append(try await client.create(as: "ana", title: "Story \(number)")) }
            // Many pieces: each writes again to pages that the one before it wrote to.
            for _ in 0..<3 { try await FullDiskTests.add(100, to: fixture, of: ana) }
            for user in ["ana", "ben", "cora"] {
                let on = "{\"enabled\":true}"
                #expect(try await client.send(.put, "/v1/me/notification-settings", as: user, on).status == 200)
            }
            try disk.fill()
            // What the log has room for is stored; then nothing is, and that is said.
            let text = String(repeating: "word ", count: 8_000)
            let body = "{\"kind\":\"interview\",\"title\":\"More\",\"text\":\"\(text)\"}"
            func fillUp() async throws {
                var reply = try await client.send(.post, "/v1/stories", as: "ben", body)
                for _ in 0..<2_000 where reply.status == 201 {
                    reply = try await client.send(.post, "/v1/stories", as: "ben", body)
                }
                #expect(reply.status == 507 && reply.json["type"]?.string == "/problems/disk-full")
            }
            try await fillUp()
            // The reserve is for what follows, and for nothing else.
            #expect(fixture.library.store.refillReserve())
            let off = "{\"enabled\":false}"
            #expect(try await client.send(.put, "/v1/me/notification-settings", as: "ana", off).status == 200)
            try await fillUp()
            for story in stories.prefix(5) {
                #expect(try await client.send(.delete, "/v1/stories/\(story)", as: "ana").status == 204)
            }
            try await fillUp()
            #expect(try await client.send(.delete, "/v1/me/keys/\(key.key.id)", as: "ana").status == 204)
            #expect(try await client.send(.delete, "/v1/me/sessions", as: "cora").status == 204)
            try await fillUp()
            let consents = try await client.send(.delete, "/v1/me/consents", as: "ben")
            #expect([200, 204].contains(consents.status))
            try await fillUp()
            #expect(try await client.send(.delete, "/v1/me/location-data", as: "ben").status == 200)
            let receipt = try await client.send(.delete, "/v1/me", as: "ana")
            #expect(
                receipt.status == 200 && receipt.json["counts"]?["stories"]?.integer == 335,
                "\(receipt.status) \(receipt.json)"
            )
            #expect(try await fixture.library.store.read { try $0.unfinishedErasures() } == [])
            #expect(try await client.get("/v1/stories?owner=ana", as: "ben").json["numberMatched"]?.integer == 0)
            // With room again everything goes on, without a restart, and the reserve is there for the next time.
            try disk.free()
            #expect(try await client.send(.post, "/v1/stories", as: "ben", body).status == 201)
            try await ErasureUpkeep(library: fixture.library, logger: fixture.logger).keepUp()
            #expect(fixture.library.store.refillReserve())
        }
        try fixture.library.store.close()
        let next = try await ServiceFixture(of: fixture)
        #expect(try await next.library.store.read { try $0.user(ana) } == nil)
        try next.library.store.close()
    }
}
