import App
import Formats
import Foundation
import HTTPTypes
import Library
import Logging
import Notifications
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("Restoring a backup under the present list of erasures")
struct RestoredBackupTests {
    private static let passphrase = Array("a passphrase of a test".utf8)

    /// Restores as `waymark restore` does: opened where it was extracted, closed, and put in place.
    private static func restore(
        _ file: String,
        to path: String,
        passphrase: [UInt8]?,
        at now: Timestamp,
        acceptsOldCopy: Bool = false
    ) async throws {
        let restoration = try Restoration(of: file, passphrase: passphrase, to: path, now: now)
        let store = try StoryStore(
            path: restoration.staged,
            mode: .readWrite,
            acceptsOldCopy: acceptsOldCopy,
            logger: .init(label: "test")
        )
        _ = try await StoryLibrary(store: store, gazetteer: nil, now: { now })
        #expect(try await store.finishRestoring())
        try store.close()
        _ = try restoration.swap()
    }

    private static func backUp(_ fixture: ServiceFixture, to name: String, passphrase: [UInt8]?) throws -> String {
        let order = Backup.Order(
            database: fixture.library.store.path,
            destination: fixture.folder.path(name),
            passphrase: passphrase,
            program: "0.1.0",
            now: fixture.clock.now
        )
        return try Backup.make(order).file
    }

    @Test(
        "REL-05 NTF-09 What was erased, deleted, revoked or withdrawn since does not come back",
        arguments: [true, false]
    )
    func erased(isSealed: Bool) async throws {
        let before = try await ServiceFixture()
        try await before.makeFamilies()
        let (ana, ben, cora) = (
            try #require(UserID("ana")), try #require(UserID("ben")), try #require(UserID("cora"))
        )
        let passphrase = isSealed ? RestoredBackupTests.passphrase : nil
        let key = try await before.accounts.makeKey(.init(holder: .user(cora, [.accountManage]), name: "x", days: nil))
        let kept = try await before.accounts.makeKey(.init(holder: .user(cora, [.accountManage]), name: "y", days: nil))
        let session = try await before.accounts.signIn(ben)
        for user in [ben, cora] {
            _ = try await before.library.rights.settings.change(of: user, source: .app) { settings, now in
                try settings.optIn(at: now, version: Consent.version)
            }
        }
        let ids = Mutex<[String: String]>([:])
        let file = Mutex("")
        try await before.run { client async throws in
            for (owner, title) in [("ana", "Anaquill"), ("cora", "Deletedquill"), ("cora", "Staying")] {
                let id = try await client.create(as: owner, title: title, latitude: 48.858372, longitude: 2.294481)
                ids.withLock { $0[title] = id }
            }
            // While the service runs.
            let made = try RestoredBackupTests.backUp(before, to: "backup", passphrase: passphrase)
            file.withLock { $0 = made }
            before.clock.advance(seconds: 60)
            #expect(try await client.send(.delete, "/v1/me/keys/\(key.key.id)", as: "cora").status == 204)
            let deleted = try #require(ids.withLock { $0["Deletedquill"] })
            #expect(try await client.send(.delete, "/v1/stories/\(deleted)", as: "cora").status == 204)
            #expect(try await client.send(.delete, "/v1/me/sessions", as: "ben").status == 204)
            #expect(try await client.send(.delete, "/v1/me/location-data", as: "ben").status == 200)
            _ = try await client.create(as: "cora", title: "Newquill")
        }
        #expect(try await before.library.rights.erasures.eraseAccount(of: ana) != nil)
        try before.library.store.close()
        let path = before.folder.path("waymark.db")
        before.clock.advance(seconds: 60)
        try await RestoredBackupTests.restore(
            file.withLock { $0 },
            to: path,
            passphrase: passphrase,
            at: before.clock.now
        )
        // Not a byte of it is put in place.
        for ending in ["", "-wal"] {
            let bytes = (try? Data(contentsOf: URL(fileURLWithPath: path + ending))) ?? Data()
            #expect(bytes.range(of: Data("Anaquill".utf8)) == nil)
            #expect(bytes.range(of: Data("Deletedquill".utf8)) == nil)
        }

        let restored = try await ServiceFixture(of: before)
        #expect(!restored.library.store.erasures.hasLostLines)
        #expect(restored.library.store.lostKeys == [])
        try await restored.run { client async throws in
            let list = try await client.get("/v1/stories", as: "cora").json["features"]?.array ?? []
            #expect(list.compactMap { $0["properties"]?["title"]?.string } == ["Staying"])
            for (bearer, status) in [(key.text, 401), (kept.text, 200), (session.access, 401)] {
                #expect(try await client.get("/v1/me", headers: KeyTests.bearer(bearer)).status == status)
            }
        }
        #expect(try await restored.library.store.read { try $0.user(ana) } == nil)
        try await restored.library.store.read { transaction throws in
            #expect(try transaction.notificationSettings(of: ben).enabled == false)
            #expect(try transaction.notificationSettings(of: cora).enabled)
        }
    }

    @Test(
        "REL-09 On a machine with nothing but a backup without keys, the losses are said until somebody deals with them"
    )
    func withoutKeys() async throws {
        let before = try await ServiceFixture()
        try await before.makeFamilies()
        let plain = try RestoredBackupTests.backUp(before, to: "plain", passphrase: nil)
        let sealed = try RestoredBackupTests.backUp(before, to: "sealed", passphrase: RestoredBackupTests.passphrase)
        let place = try TemporaryFolder()
        func warnings(_ fixture: ServiceFixture) throws -> [String] {
            let codes = ReadinessWarning.backups(of: fixture.library).map(\.code)
            try fixture.library.store.close()
            return codes
        }
        let path = place.path("waymark.db")
        let now = before.clock.now
        await #expect(throws: StoreError.self) {
            try await RestoredBackupTests.restore(plain, to: path, passphrase: nil, at: now)
        }
        try await RestoredBackupTests.restore(plain, to: path, passphrase: nil, at: now, acceptsOldCopy: true)
        #expect(try await warnings(ServiceFixture(in: place)).contains("keys-lost"))
        // Not only on the first day.
        let second = try await ServiceFixture(in: place)
        #expect(second.library.store.lostKeys.contains(.tokens) && second.library.store.lostKeys.contains(.channels))
        #expect(try warnings(second).contains("keys-lost"))
        // A sealed backup ends it. The list that began meanwhile knows nothing of it, so it is an old copy as well.
        try await RestoredBackupTests.restore(
            sealed,
            to: path,
            passphrase: RestoredBackupTests.passphrase,
            at: now,
            acceptsOldCopy: true
        )
        #expect(try await warnings(ServiceFixture(in: place)).contains("keys-lost") == false)
    }

    @Test("REL-05 DLV-09 What may have been sent since the backup is not sent again where a repeat shows")
    func waitingMessages() async throws {
        let before = try await ServiceFixture()
        try await before.makeFamilies()
        let file = Mutex("")
        try await before.run { client async throws in
            let scene = try await DeliveryTests.Scene(before, client)
            for (kind, target) in UncertainDeliveryTests.targets.sorted(by: { $0.key < $1.key }) {
                let made = try await client.send(
                    .post,
                    "/v1/me/channels",
                    as: "ben",
                    #"{"kind":"\#(kind)","target":\#(target)}"#
                )
                #expect(made.status == 201)
            }
            scene.sender.answer(500)
            let service = KeyTests.bearer(try await scene.service())
            let body = #"{"users":["ben"],"type":"comment.new","title":"Comment","key":"1"}"#
            _ = try await client.send(.post, "/v1/notifications", as: nil, body, headers: service)
            try await scene.later(seconds: 1)
            let made = try RestoredBackupTests.backUp(before, to: "backup", passphrase: RestoredBackupTests.passphrase)
            file.withLock { $0 = made }
            scene.sender.answer(200)
            try await scene.later(seconds: 70)
            #expect(try await scene.entries(nil).map(\.state) == [.done, .done, .done])
        }
        try before.library.store.close()
        try await RestoredBackupTests.restore(
            file.withLock { $0 },
            to: before.folder.path("waymark.db"),
            passphrase: RestoredBackupTests.passphrase,
            at: before.clock.now
        )
        let restored = try await ServiceFixture(of: before)
        try await restored.run { client async throws in
            let scene = try await DeliveryTests.Scene(restored, client)
            for _ in 0..<3 { try await scene.later(seconds: 70) }
            // ntfy replaces a message of the same sequence.
            let hosts = scene.sender.sent.compactMap { message -> Substring? in
                guard case .http(let http) = message else { return nil }
                return http.url.split(separator: "/").dropFirst().first
            }
            #expect(hosts == ["ntfy.example.org"])
            let ended = try await scene.entries(nil).filter { $0.state == .dead }
            #expect(ended.map(\.reason) == ["uncertain", "uncertain"])
        }
    }
}
