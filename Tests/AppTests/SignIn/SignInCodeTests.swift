import App
import Library
import Formats
import Foundation
import HTTPTypes
import HummingbirdTesting
import Storage
import Stories
import TestSupport
import Testing

@Suite("Codes that sign in once")
struct SignInCodeTests {
    /// Leaves a code as the operator's command does.
    private static func invite(
        _ user: String,
        name: DisplayName? = nil,
        family: String? = nil,
        role: FamilyRole = .member,
        minutes: Int = 60,
        _ fixture: ServiceFixture
    ) throws -> SignInCode {
        try SignInService.leave(
            .init(
                user: try #require(UserID(user)),
                name: name,
                membership: try family.map { .init(family: try #require(FamilyID($0)), role: role) },
                minutes: minutes
            ),
            beside: fixture.library.store,
            at: fixture.clock.now
        )
    }

    private static func enter(_ code: String, _ browser: Browser) async throws -> Client.Reply {
        try await browser.send(.post, "/v1/session", #"{"code":"\#(code)"}"#)
    }

    @Test("A code names the account, makes it, joins the family and signs in, once")
    func life() async throws {
        try await PageSessionTests.run { client, fixture async throws in
            let code = try SignInCodeTests.invite("dora", name: "Aunt Dora", family: "whitfield", fixture)
            let browser = Browser(client)
            for _ in 0..<2 {
                let offer = try await browser.send(.post, "/v1/session/code", #"{"code":"\#(code.text)"}"#)
                #expect(offer.status == 200 && offer.json["name"]?.string == "Aunt Dora")
                #expect(offer.json["family"]?.string == "Whitfield")
            }
            #expect(try await fixture.library.store.read { try $0.user(try #require(UserID("dora"))) } == nil)
            let reply = try await SignInCodeTests.enter(code.text, browser)
            #expect(reply.status == 201 && reply.json["user"]?["id"]?.string == "dora")
            let me = try await browser.get("/v1/me")
            #expect(me.json["name"]?.string == "Aunt Dora")
            #expect(try await client.members(of: "whitfield", as: "ana") == ["ana:owner", "ben:member", "dora:member"])
            for other in [Browser(client), browser] {
                let again = try await SignInCodeTests.enter(code.text, other)
                #expect(again.status == 410 && again.json["type"]?.string == "/problems/code-used")
            }
            #expect(try await browser.user() == "dora")
        }
    }

    @Test("A code is read as people type it; what cannot be one is unknown")
    func typing() throws {
        let code = SignInCode(.typed, random: SeededRandom.source(3))
        #expect(code.text.utf8.count == 10 && code.shown.count == 11)
        #expect(SignInCode(typed: code.shown.lowercased())?.text == code.text)
        #expect(SignInCode(typed: " 0o1i l-23456 ")?.text == "0011123456")
        for bad in ["", "123456789", "12345678901", "1234-5678U", "12345é7890", String(repeating: "1", count: 101)] {
            #expect(SignInCode(typed: bad) == nil)
        }
        #expect(SignInCode(.linked, random: .system).text.utf8.count == 26)
    }

    @Test("Of simultaneous uses of a code exactly one signs in")
    func race() async throws {
        try await PageSessionTests.run { client, fixture async throws in
            let code = try SignInCodeTests.invite("dora", fixture)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await SignInCodeTests.enter(code.text, Browser(client)).status }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201] + Array(repeating: 410, count: 7))
            let dora = try #require(UserID("dora"))
            #expect(try await fixture.library.signIns.sessions(of: dora).count == 1)
        }
    }

    @Test("A code expires, at the earliest after 15 minutes and at the latest after seven days")
    func expiry() async throws {
        try await PageSessionTests.run { client, fixture async throws in
            for (minutes, lasts) in [(15, 900.0), (1, 900), (10_080, 604_800), (1_000_000, 604_800)] {
                let early = try SignInCodeTests.invite("dora", minutes: minutes, fixture)
                let late = try SignInCodeTests.invite("dora", minutes: minutes, fixture)
                fixture.clock.advance(seconds: lasts - 1)
                #expect(try await SignInCodeTests.enter(early.text, Browser(client)).status == 201)
                fixture.clock.advance(seconds: 1)
                #expect(try await SignInCodeTests.enter(late.text, Browser(client)).status == 410)
            }
        }
    }

    @Test("A used code stays used when its file comes back, and its digest is all that is stored")
    func files() async throws {
        try await PageSessionTests.run { client, fixture async throws in
            let code = try SignInCodeTests.invite("dora", fixture)
            let folder = fixture.folder.path("waymark.db.keys/sign-in-codes")
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            #expect(!String(decoding: bytes, as: UTF8.self).contains(code.text))
            #expect(!name.contains(code.text.lowercased()))
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            #expect((attributes[.posixPermissions] as? Int) == 0o600)
            #expect(try await SignInCodeTests.enter(code.text, Browser(client)).status == 201)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            try bytes.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            try Data("not json".utf8).write(to: URL(fileURLWithPath: "\(folder)/other.json"))
            #expect(try await SignInCodeTests.enter(code.text, Browser(client)).status == 410)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            #expect(fixture.contents(ofFileEnding: "").range(of: Data(code.text.utf8)) == nil)
            #expect(fixture.contents(ofFileEnding: "-wal").range(of: Data(code.text.utf8)) == nil)
        }
    }

    @Test("Whatever ends a person's access ends their codes, stored or not", arguments: [false, true], [0, 1, 2])
    func endings(isStored: Bool, way: Int) async throws {
        try await PageSessionTests.run { client, fixture async throws in
            let cora = try #require(UserID("cora"))
            let code = try SignInCodeTests.invite("cora", fixture)
            if isStored {
                let offer = try await Browser(client).send(.post, "/v1/session/code", #"{"code":"\#(code.text)"}"#)
                #expect(offer.status == 200)
            }
            fixture.clock.advance(seconds: 5)
            switch way {
            case 0: try await fixture.accounts.signOutEverywhere(cora)
            case 1: #expect(try await fixture.library.rights.erasures.removeUser(cora))
            default: _ = try await fixture.library.rights.erasures.eraseAccount(of: cora)
            }
            fixture.clock.advance(seconds: 5)
            #expect(try await SignInCodeTests.enter(code.text, Browser(client)).status == 404)
            if way > 0 { #expect(try await fixture.library.store.read { try $0.user(cora) } == nil) }
            // A later code is good.
            let later = try SignInCodeTests.invite("cora", fixture)
            #expect(try await SignInCodeTests.enter(later.text, Browser(client)).status == 201)
        }
    }

    @Test("Short codes are tried thirty times an hour by a client, before any is looked up; linked ones stay usable")
    func guessing() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let service = fixture.library.signIns
        let code = try SignInCodeTests.invite("dora", minutes: 600, fixture)
        func offer(_ code: String, _ client: String) async throws -> String? {
            do {
                _ = try await service.offer(code, to: client)
                return nil
            } catch let refusal as Refusal {
                return refusal.code
            }
        }
        for _ in 0..<30 { #expect(try await offer("0000000000", "guesser") == "unknown-code") }
        let effort = try await fixture.library.store.effort { () async throws in
            let refused = try await offer(code.text, "guesser")
            #expect(refused == "too-many-requests")
        }
        #expect(effort.statements == 0 && effort.pages == 0)
        #expect(try await offer(code.text, "another") == nil)
        #expect(try await offer(SignInCode(.linked, random: .system).text, "guesser") == "unknown-code")
        // All clients together have a limit as well.
        for number in 0..<569 { #expect(try await offer("0000000000", "c\(number)") == "unknown-code") }
        #expect(try await offer(code.text, "fresh") == "too-many-requests")
        fixture.clock.advance(seconds: 60)
        #expect(try await offer(code.text, "fresh") == nil)
    }

    @Test("The demo's users are offered and accepted on this machine's own names alone")
    func demo() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let users = try await fixture.library.store.read { try $0.users() }.filter { $0.id.rawValue == "ana" }
        let service = WaymarkService(
            library: fixture.library,
            accounts: fixture.accounts,
            folders: DataFolders(),
            logger: fixture.logger,
            demoUsers: users
        )
        try await RoutesAlone(application: service.buildApplication(), logger: fixture.logger)
            .test(.router) { transport in
                let client = Client(transport: transport, accounts: fixture.accounts)
                let browser = Browser(client)
                let ways = try await browser.get("/v1/session").json["ways"]?["demo_users"]
                #expect(ways?[0]?["name"]?.string == "Ana" && ways?.array?.count == 1)
                #expect(try await browser.send(.post, "/v1/session", #"{"demo_user":"ben"}"#).status == 403)
                #expect(try await browser.send(.post, "/v1/session", #"{"demo_user":"ana"}"#).status == 201)
                #expect(try await browser.user() == "ana")
            }
    }
}
