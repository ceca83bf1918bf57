import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("Sign-ins")
struct SessionTests {
    static func refresh(_ token: String, _ client: Client) async throws -> Client.Reply {
        try await client.send(.post, "/v1/tokens/refresh", "{\"refresh_token\":\"\(token)\"}")
    }

    private static func isGood(_ access: String?, _ client: Client) async throws -> Bool {
        try await client.get("/v1/me", headers: KeyTests.bearer(access ?? "")).status == 200
    }

    private static func run(
        _ body: @escaping @Sendable (Client, ServiceFixture, Accounts.Pair) async throws -> Void
    ) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let pair = try await fixture.accounts.signIn(
            try #require(UserID("ana")),
            scopes: [.storiesRead, .accountManage]
        )
        try await fixture.run { try await body($0, fixture, pair) }
    }

    @Test("A refresh token is valid for one exchange and 30 days; the pair keeps user and scopes")
    func rotation() async throws {
        try await SessionTests.run { client, fixture, pair async throws in
            #expect(try await SessionTests.isGood(pair.access, client))
            var token = pair.refresh
            var seen: Set<String> = [token]
            for _ in 0..<5 {
                fixture.clock.advance(seconds: 29 * 86_400)
                let reply = try await SessionTests.refresh(token, client)
                #expect(reply.status == 200 && reply.json["token_type"]?.string == "Bearer")
                #expect(reply.json["expires_in"]?.integer == 900)
                #expect(reply.json["refresh_expires_in"]?.integer == 30 * 86_400)
                #expect(reply.headers[.cacheControl] == "no-store")
                token = try #require(reply.json["refresh_token"]?.string)
                #expect(seen.insert(token).inserted)
                let me = try await client.get(
                    "/v1/me",
                    headers: KeyTests.bearer(reply.json["access_token"]?.string ?? "")
                )
                #expect(me.json["id"]?.string == "ana")
                #expect(me.json["scopes"] == .array([.string("account:manage"), .string("stories:read")]))
            }
            fixture.clock.advance(seconds: 30 * 86_400)
            #expect(try await SessionTests.refresh(token, client).status == 401)
        }
    }

    @Test("Reusing a token later ends its chain, with the newest and the access tokens; other chains stay")
    func reuse() async throws {
        try await SessionTests.run { client, fixture, pair async throws in
            let other = try await fixture.accounts.signIn(try #require(UserID("ana")))
            let second = try await SessionTests.refresh(pair.refresh, client).json
            let newest = try #require(second["refresh_token"]?.string)
            let access = second["access_token"]?.string
            fixture.clock.advance(seconds: 31)
            #expect(try await SessionTests.isGood(access, client))
            #expect(try await SessionTests.refresh(pair.refresh, client).status == 401)
            #expect(try await SessionTests.refresh(newest, client).status == 401)
            #expect(try await !SessionTests.isGood(access, client))
            #expect(try await SessionTests.isGood(other.access, client))
            #expect(try await SessionTests.refresh(other.refresh, client).status == 200)
        }
    }

    @Test("Reusing a token after its successor was used ends the chain immediately")
    func reuseAfterSuccessor() async throws {
        try await SessionTests.run { client, _, pair async throws in
            let second = try #require(
                try await SessionTests.refresh(pair.refresh, client).json["refresh_token"]?.string
            )
            let third = try #require(try await SessionTests.refresh(second, client).json["refresh_token"]?.string)
            #expect(try await SessionTests.refresh(pair.refresh, client).status == 401)
            #expect(try await SessionTests.refresh(third, client).status == 401)
        }
    }

    @Test("A lost answer can be repeated for 30 seconds: the same successor, which continues")
    func lostAnswer() async throws {
        try await SessionTests.run { client, fixture, pair async throws in
            let first = try await SessionTests.refresh(pair.refresh, client).json["refresh_token"]?.string
            fixture.clock.advance(seconds: 30)
            let again = try await SessionTests.refresh(pair.refresh, client)
            #expect(again.status == 200 && again.json["refresh_token"]?.string == first && first != nil)
            #expect(try await SessionTests.refresh(first ?? "", client).status == 200)
        }
    }

    @Test("Of simultaneous exchanges one makes the successor: all get it, and the chain continues")
    func race() async throws {
        try await SessionTests.run { client, fixture, pair async throws in
            let replies = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<12 {
                    group.addTask { try await SessionTests.refresh(pair.refresh, client).json["refresh_token"]?.string }
                }
                return try await group.reduce(into: [String?]()) { $0.append($1) }
            }
            #expect(replies.count == 12 && Set(replies).count == 1)
            let good = try fixture.library.store.inspectGoodRefreshTokens()
            #expect(good == 1)
            #expect(try await SessionTests.refresh(try #require(replies[0]), client).status == 200)
        }
    }

    @Test("Revoking ends a chain; an unknown token is already revoked, and the answers are the same")
    func revoke() async throws {
        try await SessionTests.run { client, _, pair async throws in
            func revoke(_ token: String) async throws -> Client.Reply {
                try await client.send(.post, "/v1/tokens/revoke", "{\"refresh_token\":\"\(token)\"}")
            }
            let unknown = try await revoke("wm_refresh_nothing")
            let known = try await revoke(pair.refresh)
            #expect(unknown.status == 204 && known.status == 204 && unknown.headers.count == known.headers.count)
            #expect(try await SessionTests.refresh(pair.refresh, client).status == 401)
            #expect(try await !SessionTests.isGood(pair.access, client))
        }
    }

    @Test("Signing out everywhere ends every chain and access token immediately, even of the same second")
    func everywhere() async throws {
        try await SessionTests.run { client, fixture, pair async throws in
            let ana = try #require(UserID("ana"))
            let second = try await fixture.accounts.signIn(ana)
            let plain = try await fixture.accounts.issueToken(for: ana, seconds: 3_600)
            let ben = try await fixture.accounts.signIn(try #require(UserID("ben")))
            let key = try await KeyTests.make("{\"name\":\"stays\"}", client).text
            #expect(try await client.send(.delete, "/v1/me/sessions", headers: KeyTests.bearer(plain)).status == 204)
            for token in [pair.access, second.access, plain] {
                #expect(try await !SessionTests.isGood(token, client))
            }
            for token in [pair.refresh, second.refresh] {
                #expect(try await SessionTests.refresh(token, client).status == 401)
            }
            #expect(try await SessionTests.isGood(ben.access, client))
            #expect(try await SessionTests.isGood(key, client))
            // The next sign-in is good in the same second.
            #expect(try await SessionTests.isGood(try await fixture.accounts.signIn(ana).access, client))
        }
    }

    @Test("Signing out everywhere also ends external issuer tokens; later ones are valid")
    func everywhereOutside() async throws {
        let fixture = try await ServiceFixture()
        let forge = TokenForge(fixture)
        try await fixture.run(accounts: forge.accounts()) { client async throws in
            let token = try forge.signed()
            #expect(try await SessionTests.isGood(token, client))
            #expect(try await client.send(.delete, "/v1/me/sessions", headers: KeyTests.bearer(token)).status == 204)
            #expect(try await !SessionTests.isGood(token, client))
            fixture.clock.advance(seconds: 2)
            #expect(try await SessionTests.isGood(try TokenForge(fixture, like: forge).signed(), client))
        }
    }

    @Test("A removed user's tokens create no new user, from any issuer")
    func removed() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let forge = TokenForge(fixture)
        try await fixture.run(accounts: forge.accounts()) { client async throws in
            let cora = try #require(UserID("cora"))
            let own = try await client.accounts.issueToken(for: cora, seconds: 3_600)
            let pair = try await client.accounts.signIn(cora)
            let key = try await KeyTests.make("{\"name\":\"x\"}", as: "cora", client).text
            let outside = try forge.signed(["sub": "\"cora\""])
            for token in [own, pair.access, key, outside] { #expect(try await SessionTests.isGood(token, client)) }
            fixture.clock.advance(seconds: 1)
            #expect(try await fixture.library.rights.erasures.removeUser(cora))
            for token in [own, pair.access, key, outside] { #expect(try await !SessionTests.isGood(token, client)) }
            #expect(try await SessionTests.refresh(pair.refresh, client).status == 401)
            #expect(try await fixture.library.store.read { try $0.user(cora) } == nil)
            fixture.clock.advance(seconds: 2)
            #expect(try await SessionTests.isGood(TokenForge(fixture, like: forge).signed(["sub": "\"cora\""]), client))
        }
    }
}
