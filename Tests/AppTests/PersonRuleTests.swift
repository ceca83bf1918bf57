import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("Identity rules")
struct PersonRuleTests {
    @Test("PRV-08 An external issuer cannot act as the built-in user archive; other tokens are unaffected")
    func archive() async throws {
        let fixture = try await ServiceFixture()
        let forge = TokenForge(fixture)
        for trustsScopes in [false, true] {
            try await fixture.run(accounts: forge.accounts(trustsScopes: trustsScopes)) { client async throws in
                for subject in ["archive", "Archive", "ana"] {
                    let claims: [String: String?] = [
                        "sub": "\"\(subject)\"", "scope": "\"account:manage stories:write\"",
                    ]
                    let token = KeyTests.bearer(try forge.signed(claims))
                    let isRefused = subject == "archive"
                    #expect(
                        try await client.get("/v1/me", headers: token).status == (isRefused ? 401 : 200),
                        "\(subject)"
                    )
                    let story = "{\"kind\":\"interview\",\"title\":\"x\"}"
                    let made = try await client.send(.post, "/v1/stories", as: nil, story, headers: token)
                    #expect(made.status == (isRefused ? 401 : 201), "\(subject)")
                }
                // The same words as for any token that is not good.
                let refused = try await client.get(
                    "/v1/me",
                    headers: KeyTests.bearer(forge.signed(["sub": "\"archive\""]))
                )
                let bad = try await client.get("/v1/me", headers: KeyTests.bearer("x.y.z"))
                #expect(refused.json["detail"] == bad.json["detail"])
            }
        }
        let archive = UserID.archive
        #expect(try await fixture.library.store.read { try $0.storyIDs(of: archive, after: nil, limit: 1) } == [])
    }

    @Test("PRV-04 NTF-09 An invitation to an address survives the erasure of an account that only claimed it")
    func claimedAddress() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let family = try await client.makeFamily(of: "ana", "Whitfields")
            let sent = try await client.inviteByEmail("dora@example.org", into: family, as: "ana")
            let claim = "{\"email\":\"dora@example.org\"}"
            #expect(try await client.send(.patch, "/v1/me", as: "cora", claim).status == 200)
            func pending() async throws -> [String?] {
                let list = try await client.get("/v1/families/\(family)/invitations", as: "ana").json["invitations"]
                return (list?.array ?? []).map { $0["id"]?.string }
            }
            #expect(try await pending() == [sent.id])
            #expect(try await client.send(.delete, "/v1/me", as: "cora").status == 200)
            #expect(try await pending() == [sent.id])
            // Whoever holds the link is the one it was for.
            #expect(try await client.send(.post, "/v1/invitations/\(sent.token)/accept", as: "dora").status == 200)
            #expect(try await client.members(of: family, as: "ana") == ["ana:owner", "dora:member"])
        }
    }

    @Test("A name is one line of 1 to 300 bytes, an address has a valid form and length; null removes the address")
    func profile() async throws {
        func text(_ count: Int) -> String { String(repeating: "a", count: count) }
        let domain = [text(63), text(63), text(61), "org"].joined(separator: ".")
        let names: [(value: String, isGood: Bool)] = [
            ("\"a\"", true), ("\"\(text(300))\"", true), ("\"\(text(301))\"", false),
            ("\"\(String(repeating: "é", count: 150))\"", true), ("\"\(String(repeating: "é", count: 151))\"", false),
            ("\"\"", false), ("\" \"", false), ("\"\\u3000\"", false), ("\"a\\nb\"", false), ("\"a\\u0000b\"", false),
            ("null", false), ("7", false), ("[\"a\"]", false),
        ]
        let addresses: [(value: String, isGood: Bool)] = [
            ("\"a@b.c\"", true), ("\"\(text(64))@example.org\"", true), ("\"\(text(65))@example.org\"", false),
            ("\"\(text(61))@\(domain)\"", false),
            ("\"\(text(60))@\(domain)\"", true), ("\"a@\(text(63)).org\"", true), ("\"a@\(text(64)).org\"", false),
            ("\"a@b\"", false), ("\"a@-b.org\"", false), ("\"a@b-.org\"", false), ("\"a@b..org\"", false),
            ("\"a b@c.org\"", false), ("\"a@b.org\\r\\nBcc: c@d.org\"", false), ("\"é@example.org\"", false),
            ("\"a<b>@c.org\"", false), ("\"\"", false), ("[]", false), ("null", true),
        ]
        #expect(60 + 1 + domain.utf8.count == 254 && addresses.filter { !$0.isGood }.count > 10)
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for (field, cases) in [("name", names), ("email", addresses)] {
                for (value, isGood) in cases {
                    let before = try await client.get("/v1/me", as: "ana").json
                    let reply = try await client.send(.patch, "/v1/me", as: "ana", "{\"\(field)\":\(value)}")
                    let after = try await client.get("/v1/me", as: "ana").json
                    #expect(reply.status == (isGood ? 200 : 422), "\(field) \(value)")
                    guard isGood else {
                        let fields = (reply.json["errors"]?.array ?? []).map { $0["field"]?.string }
                        #expect(fields == [field], "\(value)")
                        #expect(after == before, "\(value)")
                        continue
                    }
                    let expected = try JSONValue(parsing: Array(value.utf8), limits: .init(bytes: 10_000))
                    #expect(after[field] == expected)
                    // What is not given stays.
                    let other = field == "name" ? "email" : "name"
                    #expect(after[other] == before[other])
                }
            }
            // Both wrong, both told; one wrong, neither is changed.
            let both = try await client.send(.patch, "/v1/me", as: "ana", "{\"name\":\" \",\"email\":\"x@y\"}")
            #expect(
                (both.json["errors"]?.array ?? []).compactMap { $0["field"]?.string }.sorted() == ["email", "name"]
            )
            let one = try await client.send(.patch, "/v1/me", as: "ana", "{\"name\":\"Other\",\"email\":\"x@y\"}")
            #expect(one.status == 422 && one.json["errors"]?.array?.count == 1)
            #expect(try await client.get("/v1/me", as: "ana").json["name"]?.string != "Other")
            #expect(try await client.send(.patch, "/v1/me", as: "ana", "{}").status == 200)
        }
    }
}
