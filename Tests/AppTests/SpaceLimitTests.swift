import App
import Foundation
import Formats
import HTTPTypes
import HummingbirdTesting
import Library
import Logging
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("Limits of the disk, over HTTP")
struct SpaceLimitTests {
    @Test("REL-03 NTF-09 With little space left new data is rejected; withdrawals, deletions and revocations are not")
    func short() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let free = Mutex(150_000_000)
        let clock = fixture.clock
        let ana = try #require(UserID("ana"))
        let key = try await fixture.accounts.makeKey(.init(holder: .user(ana, [.accountManage]), name: "x", days: nil))
        try await fixture.run { client async throws in
            let story = try await client.create(as: "ana", title: "Kept")
            let on = "{\"enabled\":true}"
            for user in ["ana", "ben"] {
                #expect(try await client.send(.put, "/v1/me/notification-settings", as: user, on).status == 200)
            }
            fixture.library.store.watchSpace(
                .standard,
                measuring: { free.withLock { $0 } },
                now: { clock.now.milliseconds }
            )
            let body = "{\"kind\":\"photo\",\"title\":\"More\"}"
            let refused = try await client.send(.post, "/v1/stories", as: "ana", body)
            #expect(refused.status == 507 && refused.json["type"]?.string == "/problems/disk-full")
            let ready = try await client.get("/readyz")
            #expect(ready.status == 503 && ready.json["type"]?.string == "/problems/disk-short")
            #expect(ready.json["detail"]?.string?.contains("150 MB free") == true)
            #expect(try await client.get("/healthz").status == 200)
            // Reading works, and what people want to be rid of goes.
            #expect(try await client.get("/v1/stories/\(story)", as: "ben").status == 200)
            #expect(try await client.send(.delete, "/v1/stories/\(story)", as: "ana").status == 204)
            let off = "{\"enabled\":false}"
            #expect(try await client.send(.put, "/v1/me/notification-settings", as: "ana", off).status == 200)
            #expect(try await client.send(.delete, "/v1/me/consents", as: "ben").status == 200)
            #expect(try await client.send(.delete, "/v1/me/keys/\(key.key.id)", as: "ana").status == 204)
            #expect(try await client.send(.delete, "/v1/me/location-data", as: "ben").status == 200)
            #expect(try await client.send(.delete, "/v1/me", as: "ana").status == 200)
            #expect(try await client.send(.post, "/v1/stories", as: "ben", body).status == 507)
            // The reserve is for a disk that is really full.
            #expect(fixture.library.store.refillReserve())
            free.withLock { $0 = 500_000_000 }
            clock.advance(seconds: 1)
            #expect(try await client.send(.post, "/v1/stories", as: "ben", body).status == 201)
            let warnings = try await client.get("/readyz").json["warnings"]?.array?.compactMap { $0["code"]?.string }
            #expect(warnings == ["disk-low"])
            free.withLock { $0 = 2_000_000_000 }
            clock.advance(seconds: 1)
            #expect(try await client.get("/readyz").json["warnings"] == nil)
        }
    }

    @Test(
        "REL-03 A service on a disk that cannot be written answers reads, rejects changes, and says so",
        .enabled(if: SmallDisk.isPossible, "mounting a small file system needs root"),
        arguments: [false, true]
    )
    func readOnly(wasKilled: Bool) async throws {
        let disk = try #require(try SmallDisk(megabytes: 40))
        let first = try await ServiceFixture(in: disk.folder)
        try await first.makeFamilies()
        let story = Mutex("")
        try await first.run { client async throws in
            let id = try await client.create(as: "ana", title: "Kept")
            story.withLock { $0 = id }
        }
        let path = disk.folder.path("waymark.db")
        if wasKilled {
            // What a killed process leaves: the last changes are in the log alone.
            let files = ["", "-wal", "-shm"].map { (path + $0, disk.folder.path("copy" + $0)) }
            for (from, to) in files { try FileManager.default.copyItem(atPath: from, toPath: to) }
            try first.library.store.close()
            for (from, to) in files {
                try? FileManager.default.removeItem(atPath: from)
                try FileManager.default.moveItem(atPath: to, toPath: from)
            }
        } else {
            try first.library.store.close()
        }
        #expect(!StoryStore.isReadOnly(path))
        try disk.makeReadOnly()
        #expect(StoryStore.isReadOnly(path))
        let store = try StoryStore(path: path, mode: .readOnly, logger: first.logger)
        let library = try await StoryLibrary(store: store, gazetteer: nil, now: { first.clock.now })
        let accounts = await Accounts(store: store, now: library.now)
        let service = WaymarkService(library: library, accounts: accounts, folders: DataFolders(), logger: first.logger)
        try await RoutesAlone(application: service.buildApplication(), logger: first.logger)
            .test(.router) { transport in
                let client = Client(transport: transport, accounts: accounts)
                let id = story.withLock { $0 }
                #expect(try await client.get("/v1/stories/\(id)", as: "ben").json["title"]?.string == "Kept")
                #expect(try await client.get("/v1/me", as: "ana").status == 200)
                for (method, address) in [(HTTPRequest.Method.post, "/v1/stories"), (.delete, "/v1/stories/\(id)")] {
                    let body = method == .post ? "{\"kind\":\"photo\",\"title\":\"More\"}" : nil
                    let reply = try await client.send(method, address, as: "ana", body)
                    #expect(reply.status == 503 && reply.json["type"]?.string == "/problems/read-only", "\(address)")
                }
                let ready = try await client.get("/readyz")
                #expect(ready.status == 503 && ready.json["type"]?.string == "/problems/read-only")
            }
        try store.close()
    }
}

extension SmallDisk {
    /// Lets nothing be written any more.
    func makeReadOnly() throws {
        #expect(try ProgramRun("/bin/mount", ["-o", "remount,ro", folder.url.path]).status == 0)
    }
}
