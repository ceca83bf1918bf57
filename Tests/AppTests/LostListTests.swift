import App
import Library
import Formats
import Foundation
import HTTPTypes
import Logging
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("A lost list of erasures")
struct LostListTests {
    /// What can become of the list.
    enum Loss: CaseIterable {
        case removed
        case emptied
        case shortened
        case withItsFolder

        func happen(to fixture: ServiceFixture) throws {
            let list = fixture.folder.path("waymark.db.keys/erasures.log")
            switch self {
            case .removed: try FileManager.default.removeItem(atPath: list)
            case .emptied: try Data().write(to: URL(filePath: list))
            case .shortened:
                let text = try String(contentsOfFile: list, encoding: .utf8)
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                try lines.dropLast(2).map { $0 + "\n" }.joined().write(toFile: list, atomically: false, encoding: .utf8)
            case .withItsFolder: try FileManager.default.removeItem(atPath: fixture.folder.path("waymark.db.keys"))
            }
        }
    }

    private static func warnings(_ fixture: ServiceFixture) async throws -> [String] {
        let codes = Mutex<[String]>([])
        try await fixture.run { client async throws in
            let ready = try await client.get("/readyz")
            #expect(ready.status == 200)
            codes.withLock { $0 = ready.json["warnings"]?.array?.compactMap { $0["code"]?.string } ?? [] }
        }
        return codes.withLock { $0 }
    }

    /// A service of which three things were erased or withdrawn; it is closed again.
    private func prepare() async throws -> ServiceFixture {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for _ in 0..<2 { #expect(try await client.send(.delete, "/v1/me/sessions", as: "ben").status == 204) }
            #expect(try await client.send(.delete, "/v1/me", as: "ana").status == 200)
        }
        #expect(try await LostListTests.warnings(fixture) == [])
        try fixture.library.store.close()
        return fixture
    }

    @Test(
        "NTF-09 A missing list or lost lines are reported from startup until resolved",
        arguments: Loss.allCases
    )
    func lost(loss: Loss) async throws {
        let first = try await prepare()
        try loss.happen(to: first)
        let note = first.folder.path("waymark.db.keys/erasures.lost")
        // With the folder went the keys, which is said until they are back or their note is removed.
        let lostKeys = loss == .withItsFolder ? ["keys-lost"] : []
        // Nobody knows whether the database is an older copy: it is served only with everything withheld.
        for _ in 0..<2 {
            let refused = await #expect(throws: StoreError.self) { try await ServiceFixture(of: first) }
            #expect(refused?.description.contains("--after-old-copy private") == true)
        }
        // It does not pass with a restart, nor with the next line on the list.
        for round in 0..<2 {
            let lines = Mutex([String]())
            let logger = LineLog.logger { line in lines.withLock { $0.append(line) } }
            let next = try await ServiceFixture(logger: logger, of: first, acceptsOldCopy: round == 0)
            #expect(lines.withLock { $0.contains { $0.hasPrefix("error the list of erasures has lost lines") } })
            #expect(try await LostListTests.warnings(next) == ["erasures-lost"] + lostKeys)
            let cora = try #require(UserID("cora"))
            _ = try await next.library.rights.erasures.eraseLocationData(of: cora)
            try next.library.store.close()
        }
        let words = try String(contentsOfFile: note, encoding: .utf8)
        #expect(words.contains("were missing") && words.contains("remove this file"))
        try FileManager.default.removeItem(atPath: note)
        let last = try await ServiceFixture(of: first)
        #expect(try await LostListTests.warnings(last) == lostKeys)
        #expect(last.library.store.erasures.locationErasure(of: try #require(UserID("cora"))) != nil)
        try last.library.store.close()
    }

    @Test("NTF-09 Neither a new database, an older copy nor a compacted list counts as a loss")
    func nothingLost() async throws {
        let first = try await ServiceFixture()
        try await first.makeFamilies()
        #expect(try await LostListTests.warnings(first) == [])
        let copy = try TemporaryFolder()
        try await first.run { client async throws in
            for _ in 0..<3 { #expect(try await client.send(.delete, "/v1/me/sessions", as: "ben").status == 204) }
        }
        try first.closeAndCopy(to: copy)
        first.clock.advance(seconds: 60)
        // Three times the same: two lines go when it is opened, which the copy knows of.
        let second = try await ServiceFixture(of: first)
        #expect(try second.erasureLines().count == 1)
        #expect(try await LostListTests.warnings(second) == [])
        _ = try await second.library.rights.erasures.eraseLocationData(of: try #require(UserID("cora")))
        try second.closeAndPutBack(copy)
        let third = try await ServiceFixture(of: first)
        #expect(try await LostListTests.warnings(third) == [])
        #expect(try third.erasureLines().count == 2)
        try third.library.store.close()
        let fourth = try await ServiceFixture(of: first)
        #expect(try await LostListTests.warnings(fourth) == [])
        try fourth.library.store.close()
    }

    @Test("PRV-07 Deleted stories with a lost key are reported, even without channels")
    func sealing() async throws {
        let first = try await ServiceFixture()
        try await first.makeFamilies()
        try await first.run { client async throws in
            let id = try await client.create(as: "ana", title: "Kept sealed")
            #expect(try await client.send(.delete, "/v1/stories/\(id)", as: "ana").status == 204)
        }
        try first.library.store.close()
        let (key, aside) = (first.folder.path("waymark.db.keys/sealing.key"), try TemporaryFolder())
        try FileManager.default.moveItem(atPath: key, toPath: aside.path("sealing.key"))
        let lines = Mutex([String]())
        let logger = LineLog.logger { line in lines.withLock { $0.append(line) } }
        let bare = try await ServiceFixture(logger: logger, of: first)
        #expect(try await LostListTests.warnings(bare) == ["sealing-key-lost"])
        #expect(lines.withLock { $0.contains { $0.hasPrefix("error Deleted stories in retention") } })
        try bare.library.store.close()
        try FileManager.default.removeItem(atPath: key)
        try FileManager.default.moveItem(atPath: aside.path("sealing.key"), toPath: key)
        let again = try await ServiceFixture(of: first)
        #expect(try await LostListTests.warnings(again) == [])
        try again.library.store.close()
    }

    @Test("An unreadable key or list reports permissions or damage, and the remedy")
    func unreadable() async throws {
        let first = try await prepare()
        let (key, list) = (
            first.folder.path("waymark.db.keys/erasures.key"), first.folder.path("waymark.db.keys/erasures.log")
        )
        let bytes = try Data(contentsOf: URL(filePath: key))
        try bytes.prefix(20).write(to: URL(filePath: key))
        let damaged = await #expect(throws: StoreError.self) { try await ServiceFixture(of: first) }
        let words = damaged?.description ?? ""
        #expect(words.contains("holds 20 bytes instead of 32") && words.contains("erasures.log"), "\(words)")
        #expect(!words.contains("tokens") && !words.contains("delete the file"))
        let denied = StoreKeys.advice(on: .erasures, in: key, .unreadable(EACCES))
        #expect(denied.contains("Permission denied") && denied.contains("chown") && denied.contains("Do not delete it"))
        let advice = StoreKeys.advice(on: .tokens, in: key, .damaged(0))
        #expect(advice.contains("access tokens issued so far become invalid"))
        try bytes.write(to: URL(filePath: key))
        // A folder in its place cannot be read, by root neither; a list that cannot be read is not an empty one.
        try FileManager.default.removeItem(atPath: list)
        try FileManager.default.createDirectory(atPath: list, withIntermediateDirectories: false)
        let unread = await #expect(throws: StoreError.self) { try await ServiceFixture(of: first) }
        #expect(unread?.description.contains("erasures.log cannot be read") == true)
    }
}
