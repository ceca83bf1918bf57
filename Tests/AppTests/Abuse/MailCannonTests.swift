import App
import Library
import Formats
import HTTPTypes
import Notifications
import Stories
import TestSupport
import Testing

@Suite("Unsolicited messages")
struct MailCannonTests {
    private typealias Scene = DeliveryTests.Scene

    /// A service that sends e-mail, with a family of ana's of this name.
    private static func run(
        family name: String = "Lake",
        _ body: @escaping @Sendable (DeliveryTests.Scene, _ family: String) async throws -> Void
    ) async throws {
        try await DeliveryTests.run { scene async throws in
            var credentials = ChannelCredentials()
            credentials.sender = try MailSender(address: "waymark@example.org")
            let writer = ChannelWriter(credentials: credentials)
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            try await body(scene, try await scene.client.makeFamily(of: "ana", name))
        }
    }

    private static func resend(
        _ id: String,
        into family: String,
        _ scene: DeliveryTests.Scene
    ) async throws
        -> Client.Reply
    {
        let path = "/v1/families/\(family)/invitations/\(id)/resend"
        let reply = try await scene.client.send(.post, path, as: "ana")
        try await scene.fixture.library.delivery.deliverDue()
        return reply
    }

    @Test(
        "DLV-10 A sender can send an address three invitations a day, however they are sent, made and cancelled"
    )
    func perRecipient() async throws {
        try await MailCannonTests.run { scene, family in
            let (id, _) = try await scene.client.inviteByEmail("x@example.org", into: family, as: "ana")
            try await scene.fixture.library.delivery.deliverDue()
            for _ in 0..<2 {
                #expect(try await MailCannonTests.resend(id, into: family, scene).status == 200)
                scene.fixture.clock.advance(seconds: 3_600)
            }
            for _ in 0..<50 {
                let refused = try await MailCannonTests.resend(id, into: family, scene)
                #expect(refused.status == 429)
                #expect(refused.json["type"]?.string == "/problems/too-many-invitations")
                #expect(refused.headers[try #require(HTTPField.Name("Retry-After"))] == "79200")
            }
            // Another spelling of the mailbox and another family are no way around it.
            let other = try await scene.client.makeFamily(of: "ana", "Other")
            let outcome = try await scene.client.invite([#"{"email":"X+2@Example.org"}"#], into: other, as: "ana")
            #expect(outcome[0]["outcome"]?.string == "refused")
            #expect(try scene.mails().count == 3)
            // The link that was sent last is still good, and the next day there may be another.
            scene.fixture.clock.advance(seconds: 86_400)
            #expect(try await MailCannonTests.resend(id, into: family, scene).status == 200)
            #expect(try scene.mails().count == 4)
        }
    }

    @Test("DLV-10 PRV-03 All senders together send an address three a day, and none learns of the others")
    func allSenders() async throws {
        try await MailCannonTests.run { scene, _ in
            var answers: [[String: JSONValue]] = []
            for number in 0..<8 {
                let user = "sender\(number)"
                let family = try await scene.client.makeFamily(of: user, "Lake")
                let outcome = try await scene.client.invite([#"{"email":"x@example.org"}"#], into: family, as: user)
                answers.append(try #require(outcome[0].object).mapValues { $0.object == nil ? $0 : .null })
                try await scene.fixture.library.delivery.deliverDue()
            }
            #expect(try scene.mails().count == 3)
            for answer in answers {
                #expect(answer["outcome"] == answers[0]["outcome"] && answer.keys == answers[0].keys)
            }
        }
    }

    @Test("DLV-10 A user can send twenty invitation e-mails an hour")
    func perSender() async throws {
        try await MailCannonTests.run { scene, family in
            for number in 0..<20 {
                _ = try await scene.client.inviteByEmail("a\(number)@example.org", into: family, as: "ana")
            }
            let outcome = try await scene.client.invite([#"{"email":"b@example.org"}"#], into: family, as: "ana")
            #expect(outcome[0]["reason"]?.string?.contains("too many e-mails") == true)
            scene.fixture.clock.advance(seconds: 3_600)
            _ = try await scene.client.inviteByEmail("b@example.org", into: family, as: "ana")
        }
    }

    @Test("DLV-10 A user invited by name repeatedly is notified three times a day")
    func byName() async throws {
        try await MailCannonTests.run { scene, family in
            _ = try await scene.client.create(as: "cora", title: "Here")
            let outcome = try await scene.client.invite([#"{"user":"cora"}"#], into: family, as: "ana")
            let id = try #require(outcome[0]["invitation"]?["id"]?.string)
            for _ in 0..<10 {
                scene.fixture.clock.advance(seconds: 60)
                #expect(try await MailCannonTests.resend(id, into: family, scene).status == 200)
            }
            let feed = try await scene.client.get("/v1/notifications", as: "cora").json["notifications"]
            #expect(feed?.array?.count == 3)
            // The invitation still waits for them.
            let list = try await scene.client.get("/v1/me/invitations", as: "cora").json["invitations"]
            #expect(list?.array?.count == 1)
        }
    }

    @Test("DLV-10 A stranger's text in an e-mail is quoted and shortened, and contains no links")
    func words() async throws {
        let name = "Free gifts at https://evil.example.com/win NOW " + String(repeating: "x", count: 90)
        try await MailCannonTests.run(family: name) { scene, family in
            _ = try await scene.client.inviteByEmail("x@example.org", into: family, as: "ana")
            try await scene.fixture.library.delivery.deliverDue()
            let mail = try #require(try scene.mails().last)
            #expect(!mail.contains("evil.example") && !mail.contains(String(repeating: "x", count: 60)))
            // Who is invited by name gets the same words, which channels carry.
            _ = try await scene.client.create(as: "cora", title: "Here")
            _ = try await scene.client.invite([#"{"user":"cora"}"#], into: family, as: "ana")
            let feed = try await scene.client.get("/v1/notifications", as: "cora").json["notifications"]?.array
            let body = try #require(feed?.first?["body"]?.string)
            #expect(body.contains("“Free gifts at https evil·example·com/win NOW"))
            #expect(!body.contains(String(repeating: "x", count: 60)))
        }
    }

    @Test(
        "DLV-10 Names lose only the parts that a mail program would turn into links",
        arguments: [
            ("Lake", "“Lake”"), ("J.R. Smith", "“J.R. Smith”"), ("St. Mary's", "“St. Mary's”"), ("", "“–”"),
            ("see https://a.example/x", "“see https a·example/x”"), ("www.example.org!", "“www·example·org!”"),
            ("me@example.org", "“me·example·org”"), ("a\nb\u{202E}c", "“a bc”"), ("say “hi” \"now\"", "“say hi now”"),
            ("The end.", "“The end.”"), ("example.org.", "“example·org.”"),
        ]
    )
    func names(name: String, shown: String) {
        #expect(StrangerWords.quoted(name) == shown)
        #expect(StrangerWords.plain(String(repeating: name + "x", count: 100)).count <= StrangerWords.length)
    }

    @Test("DLV-10 A host that has accepted nothing is tried thirty times an hour over all channels")
    func unknownHosts() async throws {
        try await DeliveryTests.run { scene async throws in
            scene.sender.behave { _ in throw SendingError(.unreachable, "nobody answers") }
            for number in 0..<40 {
                let body =
                    #"{"kind":"ntfy","target":{"url":"https://victim.example","topic":"t\#(number)"}}"#
                let user = "user\(number)"
                let made = try await scene.client.send(.post, "/v1/me/channels", as: user, body)
                let id = try #require(made.json["id"]?.string)
                #expect(try await scene.client.send(.post, "/v1/me/channels/\(id)/test", as: user).status == 202)
                try await scene.fixture.library.delivery.deliverDue()
            }
            #expect(scene.sender.sent.count == 30)
            // Once it has taken one it is as good as any.
            scene.sender.answer(200)
            try await scene.later(seconds: 600)
            #expect(scene.sender.sent.count > 34)
            for _ in 0..<3 { try await scene.later(seconds: 600) }
            // Forty that were put off, where an unknown host would have had another twenty attempts.
            #expect(scene.sender.sent.count > 50)
        }
    }

    @Test("DLV-03 A channel to a blocked port or address is rejected on creation, with the reason")
    func refusedTargets() async throws {
        try await DeliveryTests.run { scene async throws in
            let sender = try OutboundSender(.init())
            scene.fixture.library.delivery.open(sender, writer: ChannelWriter(), address: { "https://stories.example" })
            for (url, word) in [
                ("https://ntfy.example:22", "port"), ("https://127.0.0.1", "network"), ("https://10.1.2.3", "network"),
                ("https://[::1]", "network"), ("https://169.254.169.254", "network"), ("http://ntfy.example", "https"),
            ] {
                for body in [
                    #"{"kind":"ntfy","target":{"url":"\#(url)","topic":"t"}}"#,
                    #"{"kind":"webhook","target":{"url":"\#(url)/hook"}}"#,
                ] {
                    let made = try await scene.client.send(.post, "/v1/me/channels", as: "ben", body)
                    #expect(made.status == 422, "\(body)")
                    let error = made.json["errors"]?[0]
                    #expect(error?["field"]?.string == "target.url" || url.hasPrefix("http:"), "\(body)")
                    #expect(error?["message"]?.string?.contains(word) == true, "\(body) \(error ?? .null)")
                }
            }
            #expect(try await scene.client.get("/v1/me/channels", as: "ben").json["channels"]?.array?.isEmpty == true)
            await sender.close()
        }
    }

    @Test("DLV-03 No one learns whether a name leads into the operator's network or nowhere")
    func internalNames() async throws {
        var problems: [DeliveryProblem] = []
        let sender = try OutboundSender(.init())
        // The first leads to this machine, the second nowhere (RFC 6761).
        for host in ["localhost", "nothing.invalid"] {
            let url = "https://\(host)/x"
            do {
                _ = try await sender.send(.http(.init(method: "POST", url: url, headers: [], body: [])))
                Issue.record("something answered")
            } catch let error as SendingError {
                problems.append(error.problem)
            }
        }
        await sender.close()
        #expect(problems == [.unreachable, .unreachable])
    }
}
