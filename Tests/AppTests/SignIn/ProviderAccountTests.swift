import App
import Library
import Formats
import Foundation
import HTTPTypes
import OpenID
import Storage
import Stories
import TestSupport
import Testing

@Suite("Accounts at a provider and accounts here", .serialized)
struct ProviderAccountTests {
    typealias Person = TestProvider.Person

    @Test("A stranger gets the same page whether or not an account has their address; no account is made")
    func unknown() async throws {
        try await ProviderSignInTests.run { scene in
            // An address that nobody has proven, one that two have proven, and one whose account has another person.
            try await scene.setEmail("unproven@example.org", of: "ana", isProven: false)
            try await scene.setEmail("two@example.org", of: "ben", isProven: true)
            try await scene.setEmail("TWO@example.org", of: "dora", isProven: true)
            try await scene.setEmail("taken@example.org", of: "cora", isProven: true)
            try await scene.link("other", to: "cora")
            var pages: Set<String> = []
            let users = try await scene.fixture.library.store.read { try $0.users().count }
            for (email, isVerified) in [
                (nil, true), ("nobody@example.org", true), ("unproven@example.org", true), ("two@example.org", true),
                ("taken@example.org", true), ("two@example.org", false), ("nonsense", true),
            ] {
                let browser = scene.browser()
                let reply = try await browser.visit(as: Person(email: email, isVerified: isVerified))
                #expect(reply.status == 403 && reply.text.contains("not linked to an account here"))
                #expect(try await browser.user() == nil)
                pages.insert(reply.text)
            }
            #expect(pages.count == 1)
            #expect(try await scene.fixture.library.store.read { try $0.users().count } == users)
        }
    }

    @Test("A verified address equal to a proven one links once; later the subject counts, whatever the address")
    func byAddress() async throws {
        try await ProviderSignInTests.run { scene in
            try await scene.setEmail("ana@example.org", of: "ana", isProven: true)
            let unverified = try await scene.browser().visit(as: Person(email: "ana@example.org", isVerified: false))
            #expect(unverified.status == 403)
            let browser = scene.browser()
            #expect(try await browser.visit(as: Person(email: "ANA@example.org")).status == 303)
            #expect(try await browser.user() == "ana")
            let again = scene.browser()
            try await again.visit(as: Person(email: "moved@example.org"))
            #expect(try await again.user() == "ana")
            // Somebody else got the address at the provider later.
            let heir = try await scene.browser().visit(as: Person(subject: "another", email: "ana@example.org"))
            #expect(heir.status == 403)
            // The address of the account is another by now: what was proven before does not count.
            try await scene.setEmail("ben@example.org", of: "ben", isProven: true)
            try await scene.setEmail("victim@example.org", of: "ben", isProven: false)
            for email in ["ben@example.org", "victim@example.org"] {
                #expect(try await scene.browser().visit(as: Person(subject: email, email: email)).status == 403)
            }
        }
    }

    @Test("A code by e-mail proves the address to which it went")
    func provenByMail() async throws {
        try await ProviderSignInTests.run { scene in
            try await scene.setEmail("ana@example.org", of: "ana", isProven: false)
            let (store, now) = (scene.fixture.library.store, scene.fixture.clock.now)
            let ana = try #require(UserID("ana"))
            let code = SignInCode(.linked, random: .system)
            try await store.write { transaction in
                try transaction.insert(
                    StoredSignInCode(
                        digest: code.digest(keys: store.keys),
                        user: ana,
                        kind: .mail,
                        email: "ana@example.org",
                        createdAt: now,
                        expiresAt: now.advanced(byMilliseconds: 900_000)
                    )
                )
            }
            #expect(try await scene.browser().visit(as: Person(email: "ana@example.org")).status == 403)
            let browser = scene.browser()
            #expect(try await browser.send(.post, "/v1/session", #"{"code":"\#(code.text)"}"#).status == 201)
            #expect(try await scene.browser().visit(as: Person(email: "ana@example.org")).status == 303)
        }
    }

    @Test("Who is signed in links their account, sees it, and removes it; nobody else can")
    func linking() async throws {
        try await ProviderSignInTests.run { scene in
            let browser = scene.browser()
            try await browser.signIn(as: "ana")
            let linked = try await browser.link()
            #expect(linked.status == 303 && linked.headers[.location] == "/#linked=1", "\(linked.text)")
            let list = try await browser.send(.get, "/v1/me/provider-accounts").json
            let account = try #require(list["provider_accounts"]?[0])
            #expect(account["name"]?.string == "Our <church>" && list["provider"]?.string == "Our <church>")
            #expect(try await browser.link().status == 303)
            let other = scene.browser()
            try await other.signIn(as: "ben")
            let elsewhere = try await other.link()
            #expect(elsewhere.status == 409 && elsewhere.text.contains("Nothing was linked"))
            let second = try await browser.link(Person(subject: "second"))
            #expect(second.status == 409 && second.text.contains("another account at"))
            #expect(try await other.user() == "ben")
            let id = try #require(account["id"]?.string)
            #expect(try await other.send(.delete, "/v1/me/provider-accounts/\(id)").status == 404)
            let visitor = scene.browser()
            try await visitor.visit()
            #expect(try await visitor.user() == "ana")
            #expect(try await browser.send(.delete, "/v1/me/provider-accounts/\(id)").status == 204)
            #expect(try await scene.browser().visit().status == 403)
            // A token, and another site's page, cannot begin it.
            #expect(try await scene.client.send(.post, "/v1/me/provider-accounts", as: "ana").status == 403)
            let headers = ["Origin": "https://evil.example"]
            #expect(try await browser.send(.post, "/v1/me/provider-accounts", nil, headers).status == 403)
            // Nor a session that may do less than its user: what signs in through the link may do everything.
            let begun = try await scene.fixture.library.signIns.begin(
                for: try #require(UserID("ana")),
                scopes: [.accountManage, .storiesRead],
                .init(label: "A browser", former: nil, client: nil)
            )
            let narrow = Browser(scene.client, cookie: begun.secret)
            #expect(try await narrow.get("/v1/me/provider-accounts").status == 200)
            let refused = try await narrow.send(.post, "/v1/me/provider-accounts")
            #expect(refused.status == 403 && PasskeyTests.code(refused) == "page-only")
        }
    }

    @Test("Who signs in or out meanwhile links nothing to anybody")
    func changedSession() async throws {
        try await ProviderSignInTests.run { scene in
            for change in [nil, "ben", "ana"] {
                let browser = scene.browser()
                try await browser.signIn(as: "ana")
                let begun = try await browser.send(.post, "/v1/me/provider-accounts").json["address"]?.string
                let answer = try scene.provider.signIn(at: try #require(begun))
                if let change { try await browser.signIn(as: change) } else { browser.cookies["waymark_session"] = nil }
                let reply = try await browser.comeBack(answer)
                #expect(reply.status == 409 && reply.text.contains("in the meantime"), "\(change ?? "nobody")")
                let linked = try await scene.fixture.library.store.read { store in
                    try ["ana", "ben"].compactMap { UserID($0) }.flatMap { try store.providerAccounts(of: $0) }
                }
                #expect(linked.isEmpty)
            }
        }
    }

    @Test("With --oidc-join a stranger gets an account of their own, once, and never another's")
    func joining() async throws {
        try await ProviderSignInTests.run(joins: true) { scene in
            try await scene.setEmail("olga@example.org", of: "ana", isProven: false)
            let browser = scene.browser()
            #expect(try await browser.visit(as: Person(email: "olga@example.org")).status == 303)
            let id = try #require(try await browser.user())
            #expect(id.hasPrefix("olgawhitfield-"))
            let user = try await scene.fixture.library.store.read { try $0.user(try #require(UserID(id))) }
            // The address stays with the account that has it.
            #expect(user?.name == "Olga Whitfield" && user?.email == nil)
            let again = scene.browser()
            try await again.visit()
            #expect(try await again.user() == id)
            let bad = scene.browser()
            #expect(try await bad.visit(as: Person(subject: "x", name: "a\\u202eb")).status == 303)
            let nameless = try #require(try await bad.user())
            #expect(try await bad.send(.get, "/v1/me").json["name"]?.string == nameless)
        }
    }

    @Test("An invitation's link makes the account through the provider, and asks whoever is known")
    func invitation() async throws {
        try await ProviderSignInTests.run { scene in
            let client = scene.client
            func token(_ number: Int) async throws -> String {
                let invited = [#"{"email":"x\#(number)@example.org"}"#]
                let outcome = try await client.invite(invited, into: "whitfield", as: "ana")
                return try #require(outcome[0]["link"]?.string?.split(separator: "=").last.map(String.init))
            }
            func follow(_ token: String, _ browser: ProviderBrowser) async throws -> Client.Reply {
                let reply = try await browser.send(.post, "/v1/invitations/\(token)/provider")
                return try await browser.comeBack(
                    try scene.provider.signIn(at: try #require(reply.json["address"]?.string))
                )
            }
            let first = try await token(1)
            let browser = scene.browser()
            #expect(try await follow(first, browser).headers[.location] == "/#signed-in=1")
            let id = try #require(try await browser.user())
            #expect(try await client.members(of: "whitfield", as: "ana").contains("\(id):member"))
            #expect(try await browser.send(.post, "/v1/invitations/\(first)/provider").status == 410)
            // Somebody with an account decides themself, signed in.
            let second = try await token(2)
            let known = scene.browser()
            #expect(try await follow(second, known).headers[.location] == "/#invitation=\(second)&signed-in=1")
            #expect(try await known.user() == id)
            // An invitation that ended meanwhile makes no account.
            let third = try await token(3)
            let late = scene.browser()
            let begun = try await late.send(.post, "/v1/invitations/\(third)/provider").json["address"]?.string
            _ = try await client.send(.post, "/v1/invitations/\(third)/accept", as: "cora")
            let users = try await scene.fixture.library.store.read { try $0.users().count }
            let reply = try await late.comeBack(
                try scene.provider.signIn(Person(subject: "late"), at: try #require(begun))
            )
            #expect(reply.status == 410 && reply.text.contains("no account was made"))
            #expect(try await scene.fixture.library.store.read { try $0.users().count } == users)
        }
    }

    @Test("Where invitations make no accounts, going through the provider makes none either")
    func invitationsElsewhere() async throws {
        try await ProviderSignInTests.run(invitationsMakeAccounts: false) { scene in
            let outcome = try await scene.client.invite([#"{"email":"x@example.org"}"#], into: "whitfield", as: "ana")
            let token = try #require(outcome[0]["link"]?.string?.split(separator: "=").last.map(String.init))
            let browser = scene.browser()
            let begun = try await browser.send(.post, "/v1/invitations/\(token)/provider").json["address"]?.string
            let reply = try await browser.comeBack(try scene.provider.signIn(at: try #require(begun)))
            #expect(reply.status == 403 && reply.text.contains("not linked to an account here"))
        }
    }

    @Test("The link is in the export, goes with the account, and does not come back with an older copy")
    func rights() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let signIns = fixture.library.signIns.byProvider
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        try await signIns.link(.init(issuer: "https://login.example.org", subject: "secret-subject"), to: ana)
        try await signIns.link(.init(issuer: "https://login.example.org", subject: "other"), to: ben)
        let counts = try await fixture.library.store.read { try $0.personalCounts(of: ana) }
        #expect(counts.first { $0.name == "provider_accounts" }?.count == 1)
        let rows = try await fixture.library.store.read { store in
            var json = JSONWriter()
            json.beginObject()
            try store.writePersonalRows(of: ana, to: &json)
            json.endObject()
            return json.text
        }
        #expect(rows.contains(#""subject":"secret-subject""#) && !rows.contains(#""other""#))
        let copy = try TemporaryFolder()
        try fixture.closeAndCopy(to: copy)
        let second = try await ServiceFixture(of: fixture)
        fixture.clock.advance(seconds: 5)
        let later = second.library.signIns.byProvider
        let id = try #require(try await later.accounts(of: ana).first?.id)
        try await later.unlink(id, of: ana)
        #expect(try await second.library.rights.erasures.removeUser(ben))
        #expect(try await later.accounts(of: ben).isEmpty)
        try second.closeAndPutBack(copy)
        let again = try await ServiceFixture(of: fixture)
        #expect(try await again.library.signIns.byProvider.accounts(of: ana).isEmpty)
        #expect(try await again.library.signIns.byProvider.accounts(of: ben).isEmpty)
    }
}
