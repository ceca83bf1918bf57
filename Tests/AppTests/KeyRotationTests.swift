import App
import Foundation
import Formats
import HTTPTypes
import Library
import Logging
import Notifications
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("A service whose keys were rotated")
struct RotatedServiceTests {
    private static let day = 86_400.0

    /// What was made before the keys were rotated.
    private struct Made: Sendable {
        let token: String
        let cursor: String
        let page: String
        let unsubscribe: String
        let code: String
        let story: StoryID
    }

    private static func make(_ fixture: ServiceFixture) async throws -> Made {
        try await fixture.makeFamilies()
        let made = Held<Made>()
        try await fixture.run { client async throws in
            let ana = try #require(UserID("ana"))
            for number in 0..<4 { _ = try await client.create(as: "ana", title: "Story \(number)") }
            let gone = try await client.create(as: "ana", title: "Gone")
            #expect(try await client.send(.delete, "/v1/stories/\(gone)", as: "ana").status == 204)
            let target = #"{"url":"https://ntfy.example/","topic":"waymark"}"#
            let channel = #"{"kind":"ntfy","name":"Door","target":\#(target)}"#
            #expect(try await client.send(.post, "/v1/me/channels", as: "ana", channel).status == 201)
            let (store, now) = (fixture.library.store, fixture.clock.now)
            let code = try SignInService.leave(
                .init(user: ana, name: nil, membership: nil, minutes: 10_080),
                beside: store,
                at: now
            )
            let links = try await client.get("/v1/stories?limit=2", as: "ana").json["links"]?.array
            let href = try #require(links?.first?["href"]?.string)
            made.set(
                Made(
                    token: try await fixture.accounts.issueToken(for: ana, seconds: 40 * 86_400),
                    cursor: try #require(try await client.get("/v1/changes", as: "ana").json["next"]?.string),
                    page: String(href[(try #require(href.range(of: "/v1/"))).lowerBound...]),
                    unsubscribe: UnsubscribeToken(.digest, of: ana).text(secret: store.keys[.channels]),
                    code: code.text,
                    story: try #require(StoryID(gone))
                )
            )
        }
        return try #require(made.value)
    }

    /// Rotates all keys that can be, and returns the service on the database with the new ones.
    private static func rotate(_ fixture: ServiceFixture, days: Int?) async throws -> ServiceFixture {
        for name in [StoreKeys.Name.tokens, .cursors, .channels, .sealing, .vapid, .versions] {
            _ = try fixture.library.store.rotateKey(name, days: name == .versions ? nil : days, at: fixture.clock.now)
        }
        try fixture.library.store.close()
        return try await ServiceFixture(of: fixture)
    }

    /// The status of each use of what was made before.
    private static func uses(_ made: Made, _ fixture: ServiceFixture) async throws -> [String: Int] {
        let found = Held<[String: Int]>()
        try await fixture.run { client async throws in
            let bearer: HTTPFields = [.authorization: "Bearer \(made.token)"]
            func status(_ path: String) async throws -> Int { try await client.get(path, headers: bearer).status }
            let ana = try #require(UserID("ana"))
            let fresh = try await fixture.accounts.issueToken(for: ana, seconds: 60)
            let signed: HTTPFields = [.authorization: "Bearer \(fresh)"]
            let unsubscribe = "/v1/unsubscribe?token=\(made.unsubscribe)"
            found.set([
                "token": try await status("/v1/me"),
                "cursor": try await client.get("/v1/changes?since=\(made.cursor)", headers: signed).status,
                "page": try await client.get(made.page, headers: signed).status,
                "unsubscribe": try await client.send(.post, unsubscribe, as: nil, "x").status,
                "code": try await offers(made.code, fixture) ? 200 : 404,
            ])
        }
        return try #require(found.value)
    }

    private static func offers(_ code: String, _ fixture: ServiceFixture) async throws -> Bool {
        do {
            _ = try await fixture.library.signIns.offer(code, to: nil)
            return true
        } catch let refusal as Refusal where refusal.kind == .notFound {
            return false
        }
    }

    @Test(
        "REL-09 What the old keys signed is accepted in the overlap and not after it; what they sealed stays readable"
    )
    func overlap() async throws {
        let first = try await ServiceFixture()
        let made = try await RotatedServiceTests.make(first)
        let fixture = try await RotatedServiceTests.rotate(first, days: 5)
        #expect(Set(try await RotatedServiceTests.uses(made, fixture).values) == [200])
        let ana = try #require(UserID("ana"))

        // Before and after they are sealed anew, the rows are readable; a repetition finds nothing to do.
        let library = fixture.library
        #expect(library.channels.lostSeals == 0 && !library.rights.retention.hadLostStories)
        let before = try await CheckService(store: library.store, now: library.now).check()
        #expect(before.outcome == .healthy)
        #expect(before.figures["under_former_keys"] == 2 && before.figures["former_keys"] == 5)
        for count in [2, 0] {
            let outcome = try await KeyRotations(of: library).finish()
            #expect(outcome.resealed == count && outcome.endedSubscriptions == 0 && outcome.forgotten == [])
        }
        let resealed = try await CheckService(store: library.store, now: library.now).check()
        #expect(resealed.figures["under_former_keys"] == nil)

        fixture.clock.advance(seconds: 5 * RotatedServiceTests.day)
        #expect(
            try await RotatedServiceTests.uses(made, fixture)
                == ["token": 401, "cursor": 400, "page": 400, "unsubscribe": 404, "code": 404]
        )
        let outcome = try await KeyRotations(of: library).finish()
        #expect(Set(outcome.forgotten) == [.tokens, .cursors, .channels, .sealing, .vapid])
        try library.store.close()

        // Without any former key, all rows can be read.
        let last = try await ServiceFixture(of: fixture)
        for name in StoreKeys.Name.allCases { #expect(last.library.store.keys.formers(name) == []) }
        #expect(last.library.channels.lostSeals == 0)
        let channels = try await last.library.store.read { try $0.channels(of: ana) }
        #expect(channels.compactMap { last.library.channels.seal.target(of: $0) }.count == 1)
        #expect(try await last.library.rights.retention.restore(made.story))
    }

    @Test("REL-09 Without an overlap, what the old keys signed ends at once, and nothing that was sealed is lost")
    func leaked() async throws {
        let first = try await ServiceFixture()
        let made = try await RotatedServiceTests.make(first)
        let fixture = try await RotatedServiceTests.rotate(first, days: 0)
        let outcome = try await KeyRotations(of: fixture.library).finish()
        #expect(outcome.resealed == 2 && Set(outcome.forgotten) == [.tokens, .cursors, .channels, .sealing, .vapid])
        try fixture.library.store.close()
        let last = try await ServiceFixture(of: fixture)
        #expect(
            try await RotatedServiceTests.uses(made, last)
                == ["token": 401, "cursor": 400, "page": 400, "unsubscribe": 404, "code": 404]
        )
        #expect(try await last.library.rights.retention.restore(made.story))
    }

    /// Returns the key pair of a service's key for browsers.
    private static func pair(_ key: [UInt8]) throws -> VAPIDKey {
        try VAPIDKey(privateKey: Base64.encodeURL(key.prefix(32)), subject: "mailto:operator@example.org")
    }

    /// Lets a service send to browsers, as `serve` does, and returns what it sends.
    private static func open(_ library: StoryLibrary) throws -> RecordingSender {
        let (sender, keys) = (RecordingSender(), library.store.keys)
        var credentials = ChannelCredentials(vapid: try pair(keys[.vapid]))
        credentials.formerVAPID = try keys.formers(.vapid)
            .map { FormerVAPIDKey(key: try pair($0.key), replacedAt: $0.replacedAt, until: $0.until) }
        sender.answer(201)
        library.delivery.open(
            sender,
            writer: ChannelWriter(credentials: credentials),
            address: { "https://stories.example" }
        )
        return sender
    }

    private static func subscribe(_ number: Int, _ library: StoryLibrary) async throws -> String {
        let fields = [
            "endpoint": "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt5\(number)",
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        ]
        let ben = try #require(UserID("ben"))
        return try await library.channels.make(.webPush, fields: fields, name: "Kitchen", for: ben).channel.id
    }

    @Test("REL-09 A browser is served by the key it subscribed with, and switched off when that ends")
    func browsers() async throws {
        let first = try await ServiceFixture()
        try await first.makeFamilies()
        _ = try RotatedServiceTests.open(first.library)
        let ben = try #require(UserID("ben"))
        let old = try await RotatedServiceTests.subscribe(1, first.library)
        first.clock.advance(seconds: 1)
        let fixture = try await RotatedServiceTests.rotate(first, days: 2)
        let (library, keys) = (fixture.library, fixture.library.store.keys)
        let sender = try RotatedServiceTests.open(library)
        let new = try await RotatedServiceTests.subscribe(2, library)
        for (channel, key) in [(old, try #require(keys.formers(.vapid).first).key), (new, keys[.vapid])] {
            sender.forget()
            _ = try await library.channels.test(channel, of: ben)
            try await library.delivery.deliverDue()
            let sent = sender.sent.compactMap { message -> String? in
                if case .http(let http) = message { http[header: "authorization"] } else { nil }
            }
            #expect(sent.count == 1)
            #expect(sent.first?.hasSuffix("k=\(try RotatedServiceTests.pair(key).publicKey)") == true)
        }
        #expect(try await KeyRotations(of: library).finish().endedSubscriptions == 0)
        fixture.clock.advance(seconds: 2 * RotatedServiceTests.day)
        let outcome = try await KeyRotations(of: library).finish()
        #expect(outcome.endedSubscriptions == 1 && outcome.forgotten.contains(.vapid))
        #expect(try await KeyRotations(of: library).finish().endedSubscriptions == 0)
        let channels = try await library.store.read { try $0.channels(of: ben) }
        #expect(channels.first { $0.id == old }?.reason == "key_replaced")
        #expect(channels.first { $0.id == new }?.state == .active)
        try await fixture.run { client async throws in
            let feed = try await client.get("/v1/notifications?limit=100", as: "ben").json["notifications"]?.array
            let told = feed?.filter { $0["type"]?.string == "channel.disabled" } ?? []
            #expect(told.count == 1 && told.first?["body"]?.string?.contains("Add this browser again") == true)
            let proof = try await client.send(.post, "/v1/me/channels/\(old)/verify", as: "ben", "{}")
            #expect(proof.status == 409 && proof.json["type"]?.string == "/problems/subscription-ended")
        }
    }

    @Test("REL-09 Readiness says that others can read keys, or use the folder, until they cannot")
    func rights() async throws {
        let fixture = try await ServiceFixture()
        let key = fixture.folder.path("waymark.db.keys/tokens.key")
        let folder = fixture.folder.url.path
        for (file, mode, codes) in [
            (key, 0o604, ["files-open"]), (folder, 0o755, ["files-open", "folder-open"]), (key, 0o600, ["folder-open"]),
            (folder, 0o777, ["folder-open"]), (folder, 0o700, []),
        ] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            let warnings = try await Readiness(of: fixture.library).warnings
            #expect(warnings.map(\.code) == codes && warnings.allSatisfy { !$0.preventsReadiness })
            #expect(warnings.allSatisfy { !$0.detail.contains(folder) })
        }
    }
}

/// Takes a value out of a closure.
private final class Held<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)
    func set(_ value: Value) { state.withLock { $0 = value } }
    var value: Value? { state.withLock { $0 } }
}
