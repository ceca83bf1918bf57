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

@Suite("Sign-in links by e-mail")
struct SignInMailTests {
    /// A service that sends e-mail, with an address of ana's.
    private static func run(_ body: @escaping @Sendable (DeliveryTests.Scene) async throws -> Void) async throws {
        try await DeliveryTests.run { scene async throws in
            var credentials = ChannelCredentials()
            credentials.sender = try MailSender(address: "waymark@example.org")
            let writer = ChannelWriter(credentials: credentials)
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            let ana = #"{"name":"Ana","email":"ana@example.org"}"#
            #expect(try await scene.client.send(.patch, "/v1/me", as: "ana", ana).status == 200)
            try await body(scene)
        }
    }

    private static func ask(_ address: String, _ client: Client) async throws -> Client.Reply {
        try await Browser(client).send(.post, "/v1/session/email", #"{"email":"\#(address)"}"#)
    }

    /// Does what the loop beside the service does for one address, and sends what is due.
    private static func mail(_ address: String, _ scene: DeliveryTests.Scene) async throws {
        try await scene.fixture.library.signIns.mail(to: address)
        try await scene.fixture.library.delivery.deliverDue()
    }

    private static func codes(in mail: String) -> [String] {
        mail.replacing("=3D", with: "=").matches(of: /\#sign-in=([0-9A-Z]{26})/).map { String($0.1) }
    }

    @Test("Asking answers the same for every address, and touches the database for none")
    func sameAnswer() async throws {
        try await SignInMailTests.run { scene async throws in
            let store = scene.fixture.library.store
            var answers: Set<[UInt8]> = []
            for address in ["ana@example.org", "nobody@example.org", "ANA+x@example.org"] {
                var reply: Client.Reply?
                let statements = try await store.writerStatements {
                    let effort = try await store.effort { reply = try await SignInMailTests.ask(address, scene.client) }
                    #expect(effort.statements == 0 && effort.pages == 0)
                }
                #expect(statements.isEmpty && reply?.status == 202)
                answers.insert(try #require(reply?.bytes))
            }
            #expect(answers.count == 1)
            // What was asked for waits in order.
            var waiting = scene.fixture.library.signIns.mails.addresses.makeAsyncIterator()
            #expect(await waiting.next() == "ana@example.org")
            #expect(await waiting.next() == "nobody@example.org")
            #expect(try await SignInMailTests.ask("nonsense", scene.client).status == 422)
        }
    }

    @Test("The link signs in its account once, within 15 minutes; the code is in the fragment")
    func link() async throws {
        try await SignInMailTests.run { scene async throws in
            try await SignInMailTests.mail("Ana@Example.org", scene)
            let mail = try #require(try scene.mails().first)
            #expect(mail.contains("To: ana@example.org") && mail.contains("Sign in as Ana"))
            #expect(mail.contains("https://stories.example/#sign-in"))
            let code = try #require(SignInMailTests.codes(in: mail).first)
            let browser = Browser(scene.client)
            let body = #"{"code":"\#(code)"}"#
            #expect(try await browser.send(.post, "/v1/session/code", body).json["name"]?.string == "Ana")
            #expect(try await browser.send(.post, "/v1/session", body).status == 201)
            #expect(try await browser.user() == "ana")
            #expect(try await Browser(scene.client).send(.post, "/v1/session", body).status == 410)
            try await SignInMailTests.mail("ana@example.org", scene)
            let other = try #require(try scene.mails().last)
            let second = try #require(SignInMailTests.codes(in: other).first)
            scene.fixture.clock.advance(seconds: 900)
            #expect(try await Browser(scene.client).send(.post, "/v1/session", #"{"code":"\#(second)"}"#).status == 410)
        }
    }

    @Test("Nothing is sent to an address without an account, and three an hour to a mailbox however it is spelt")
    func limits() async throws {
        try await SignInMailTests.run { scene async throws in
            try await SignInMailTests.mail("nobody@example.org", scene)
            #expect(try scene.mails().isEmpty)
            for spelling in ["ana@example.org", "ANA@example.org", "ana@EXAMPLE.org", "ana@example.org"] {
                try await SignInMailTests.mail(spelling, scene)
            }
            #expect(try scene.mails().count == 3)
            scene.fixture.clock.advance(seconds: 3_600)
            try await SignInMailTests.mail("ana@example.org", scene)
            #expect(try scene.mails().count == 4)
        }
    }

    @Test("A client asks ten times an hour")
    func clients() async throws {
        try await SignInMailTests.run { scene async throws in
            for number in 0..<12 {
                let reply = try await SignInMailTests.ask("a\(number)@example.org", scene.client)
                #expect(reply.status == (number < 10 ? 202 : 429))
            }
        }
    }

    @Test("Several accounts of an address are named in one e-mail, each with its own link")
    func several() async throws {
        try await SignInMailTests.run { scene async throws in
            let body = #"{"name":"Ben","email":"Ana@example.org"}"#
            #expect(try await scene.client.send(.patch, "/v1/me", as: "ben", body).status == 200)
            try await SignInMailTests.mail("ana@example.org", scene)
            let mail = try #require(try scene.mails().last)
            let codes = SignInMailTests.codes(in: mail)
            var names: [String] = []
            for code in Set(codes) {
                let offer = try await Browser(scene.client).send(.post, "/v1/session/code", #"{"code":"\#(code)"}"#)
                names.append(offer.json["name"]?.string ?? "")
            }
            #expect(names.sorted() == ["Ana", "Ben"])
        }
    }

    @Test("Without e-mail set up, asking is refused for every address, and the page is not told to offer it")
    func none() async throws {
        try await PageSessionTests.run { client, _ async throws in
            #expect(try await SignInMailTests.ask("ana@example.org", client).status == 409)
            #expect(try await client.get("/v1/session").json["ways"]?["email"]?.bool == false)
        }
    }
}

@Suite("Joining by the link of an invitation")
struct JoiningTests {
    private static func link(_ client: Client, role: String = "member") async throws -> String {
        let entry = #"{"email":"x@example.org","role":"\#(role)"}"#
        let outcome = try await client.invite([entry], into: "whitfield", as: "ana")
        return try #require(outcome[0]["link"]?.string?.split(separator: "=").last.map(String.init))
    }

    @Test("The link names family and inviter; it makes one account, a member who is signed in")
    func life() async throws {
        try await PageSessionTests.run { client, _ async throws in
            let token = try await JoiningTests.link(client)
            let offer = try await client.get("/v1/invitations/\(token)")
            #expect(offer.json["family_name"]?.string == "Whitfield" && offer.json["inviter_name"]?.string == "Ana")
            #expect(!String(decoding: offer.bytes, as: UTF8.self).contains("x@example.org"))
            let browser = Browser(client)
            let path = "/v1/invitations/\(token)/join"
            for bad in ["{}", #"{"name":""}"#, #"{"name":"D","email":"no"}"#, #"{"name":"D","id":"ana"}"#] {
                #expect(try await browser.send(.post, path, bad).status == 422)
            }
            #expect(try await browser.send(.post, path, #"{"name":"D"}"#, asPage: false).status == 403)
            let reply = try await browser.send(.post, path, #"{"name":"Åse Ødegård","email":"ase@example.org"}"#)
            #expect(reply.status == 201 && reply.json["user"]?["name"]?.string == "Åse Ødegård")
            let id = try #require(try await browser.user())
            #expect(id.wholeMatch(of: /[a-z0-9]*-?[0-9a-z]{8}/) != nil)
            #expect(try await client.members(of: "whitfield", as: "ana").contains("\(id):member"))
            #expect(try await Browser(client).send(.post, path, #"{"name":"Second"}"#).status == 410)
            #expect(try await client.get("/v1/invitations/\(token)").status == 410)
        }
    }

    @Test("A refused join leaves no account; one who has an account accepts with it")
    func refused() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let counts = { () async throws in try await fixture.library.store.read { try $0.users().count } }
        let before = try await counts()
        try await fixture.run { client async throws in
            let token = try await JoiningTests.link(client)
            let cora = try await Browser.signedIn(as: "cora", client)
            #expect(try await cora.send(.post, "/v1/invitations/\(token)/join", #"{"name":"D"}"#).status == 409)
            let absent = String(repeating: "x", count: 43)
            let stranger = Browser(client)
            let name = #"{"name":"D"}"#
            #expect(try await stranger.send(.post, "/v1/invitations/\(absent)/join", name).status == 404)
            fixture.clock.advance(seconds: 8 * 86_400)
            #expect(try await stranger.send(.post, "/v1/invitations/\(token)/join", name).status == 410)
        }
        #expect(try await counts() == before)
        var options = WaymarkService.Options()
        options.invitationsMakeAccounts = false
        try await fixture.run(options: options) { client async throws in
            let token = try await JoiningTests.link(client)
            let reply = try await Browser(client).send(.post, "/v1/invitations/\(token)/join", #"{"name":"D"}"#)
            #expect(reply.status == 403 && reply.json["type"]?.string == "/problems/accounts-elsewhere")
        }
        #expect(try await counts() == before)
    }
}
