import App
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// DLV-03 to DLV-07: what backends may say, what of it channels carry, and codes that are guessed.
@Suite("Backend texts and links")
struct DeliveryWordsTests {
    /// Tells ben something as the backend of that name.
    private func tell(
        _ scene: DeliveryTests.Scene,
        _ rest: String,
        as name: DisplayName = "app"
    ) async throws -> Client.Reply {
        let request = Accounts.KeyRequest(holder: .service(Accounts.serviceScopes), name: name, days: nil)
        let key = try await scene.client.accounts.makeKey(request).text
        let body = #"{"users":["ben"],"type":"comment.new",\#(rest)}"#
        return try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: KeyTests.bearer(key))
    }

    private func feed(_ scene: DeliveryTests.Scene) async throws -> [JSONValue] {
        try await scene.client.get("/v1/notifications", as: "ben").json["notifications"]?.array ?? []
    }

    @Test(
        "DLV-07 An accepted link is the same, encoded, in the feed and in every channel",
        arguments: [
            ("https://a.example/é", "https://a.example/%C3%A9"), ("/stories/é", "/stories/%C3%A9"),
            ("https://a.example/a|b?c=`\\u0085#d#e", "https://a.example/a%7Cb?c=%60%C2%85#d%23e"),
            ("http://plain.example", "http://plain.example"), ("HTTPS://A.example/%C3%A9", "HTTPS://A.example/%C3%A9"),
            ("/a\\u0301#x", "/a%CC%81#x"),
        ]
    )
    func links(_ link: String, _ normalised: String) async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            #expect(try await tell(scene, #""title":"Hi","link":"\#(link)""#).status == 200)
            try await scene.later(seconds: 1)
            #expect(try await feed(scene).first?["url"]?.string == normalised)
            let whole = normalised.hasPrefix("/") ? "https://stories.example" + normalised : normalised
            #expect(scene.sender.webhooks("comment.new").first?.data["url"]?.string == whole)
        }
    }

    @Test(
        "NTF-13 DLV-03 The subject of an e-mail is a sentence: who did something, or where something is",
        arguments: ["full", "none"]
    )
    func subject(preview: String) async throws {
        try await DeliveryTests.run { scene async throws in
            try await scene.fixture.makeFamilies()
            let writer = ChannelWriter(credentials: .init(sender: try MailSender(address: "waymark@example.org")))
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            try await scene.activeMailbox()
            try await scene.settings("{\"preview\":\"\(preview)\"}")
            scene.sender.forget()
            _ = try await scene.client.create(as: "ana", title: "New", extra: #","privacy":"family_only""#)
            for _ in 0..<3 { try await scene.later(seconds: 600) }
            let mail = try #require(try scene.mails().first)
            let words = Base64.encode(Array("Ana added a story: New".utf8))
            let subject = preview == "full" ? "=?utf-8?B?\(words)?" : "Waymark "
            #expect(mail.contains("Subject: \(subject)"), "\(mail.prefix(600))")
        }
    }

    @Test("DLV-03 DLV-01 Each outgoing message has the current number of unread notifications")
    func badge() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            for unread in [1, 2] {
                #expect(try await tell(scene, #""title":"Hi \#(unread)""#).status == 200)
                try await scene.later(seconds: 1)
                #expect(scene.sender.webhooks("comment.new").last?.data["badge"]?.integer == unread)
            }
            #expect(try await scene.client.send(.post, "/v1/notifications/read-all", as: "ben").status < 300)
            #expect(try await tell(scene, #""title":"Hi 3""#).status == 200)
            try await scene.later(seconds: 1)
            #expect(scene.sender.webhooks("comment.new").last?.data["badge"]?.integer == 1)
        }
    }

    @Test(
        "DLV-07 A link that no channel could carry is rejected by name",
        arguments: [
            "https://bücher.example/x", "https://a@b.example/", "https://", "https://a.example:99999/",
            "ftp://a.example/", "a b", "/a b", "//a.example", "//\u{301}a.example", "/a\\\\b", "https:///a",
            "stories/1",
        ]
    )
    func badLinks(_ link: String) async throws {
        try await DeliveryTests.run { scene async throws in
            let reply = try await tell(scene, #""title":"Hi","link":"\#(link)""#)
            #expect(reply.status == 422 && reply.json["errors"]?[0]?["field"]?.string == "link")
            #expect(try await feed(scene).isEmpty)
        }
    }

    @Test("DLV-07 A link too long for a push leads to the notification itself instead")
    func longLink() async throws {
        try await DeliveryTests.run { scene async throws in
            let target = #"{"kind":"ntfy","target":{"url":"https://ntfy.example.org","topic":"ben"}}"#
            #expect(try await scene.client.send(.post, "/v1/me/channels", as: "ben", target).status == 201)
            let link = "https://a.example/" + String(repeating: "x", count: 1_900)
            let told = try await tell(scene, #""title":"Hi","link":"\#(link)""#)
            let id = try #require(told.json["told"]?[0]?["notification_id"]?.string)
            try await scene.later(seconds: 1)
            let bodies = scene.sender.sent.compactMap { message in
                if case .http(let http) = message { try? JSONValue(parsing: http.body) } else { nil }
            }
            #expect(bodies.last?["click"]?.string == "https://stories.example/#notice=\(id)")
        }
    }

    @Test("DLV-07 Two backends' keys are separate; a backend's retry is recognized even with its next API key")
    func keysOfBackends() async throws {
        try await DeliveryTests.run { scene async throws in
            let words = #""title":"Hi","key":"8""#
            #expect(try await tell(scene, words).json["told"]?.array?.count == 1)
            #expect(try await tell(scene, words).json["told_before"]?.array?.count == 1)
            #expect(try await tell(scene, words, as: "other").json["told"]?.array?.count == 1)
            #expect(try await tell(scene, words, as: "other").json["told_before"]?.array?.count == 1)
            #expect(try await feed(scene).count == 2)
        }
    }

    @Test("NTF-04 A backend's body is in channels only with the full preview, and always in the feed")
    func previewOfBackends() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            _ = try await tell(scene, #""title":"Ana wrote to you","body":"secret""#)
            try await scene.later(seconds: 1)
            try await scene.settings(#"{"preview":"full"}"#)
            _ = try await tell(scene, #""title":"Ana wrote to you","body":"secret""#)
            try await scene.later(seconds: 1)
            let sent = scene.sender.webhooks("comment.new").map(\.data)
            #expect(sent.map { $0["title"]?.string } == ["Ana wrote to you", "Ana wrote to you"])
            #expect(sent.map { $0["body"]?.string } == ["Open it to see more.", "secret"])
            #expect(try await feed(scene).map { $0["body"]?.string } == ["secret", "secret"])
        }
    }

    @Test("DLV-05 An archived notification is not sent, neither after quiet hours nor by itself")
    func archived() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            try await scene.settings(#"{"time_zone":"UTC","quiet_hours":[{"from":"11:00","to":"13:00"}]}"#)
            for title in ["kept", "away"] { _ = try await tell(scene, #""title":"\#(title)""#) }
            try await scene.later(seconds: 1)
            let archive = #"{"archived":true}"#
            for item in try await feed(scene) where item["title"]?.string == "away" {
                let path = "/v1/notifications/\(item["id"]?.string ?? "")"
                #expect(try await scene.client.send(.patch, path, as: "ben", archive).status == 200)
            }
            try await scene.later(seconds: 4_000)
            #expect(scene.sender.webhooks("digest").map { $0.data["body"]?.string } == ["kept"])
            let told = try await tell(scene, #""title":"late""#)
            let id = try #require(told.json["told"]?[0]?["notification_id"]?.string)
            _ = try await scene.client.send(.patch, "/v1/notifications/\(id)", as: "ben", archive)
            try await scene.later(seconds: 1)
            #expect(scene.sender.webhooks("comment.new").isEmpty)
        }
    }

    @Test("DLV-07 Control characters, even U+0000, become spaces in title, body and details")
    func controlCharacters() async throws {
        try await DeliveryTests.run { scene async throws in
            let words = #""title":"a\u0000b\u0007c\u202ed","body":"e\u0000f\ng","details":{"n\u0001":"h\u0000\u2066i"}"#
            #expect(try await tell(scene, words).status == 200)
            let item = try #require(try await feed(scene).first)
            #expect(item["title"]?.string == "a b cd" && item["body"]?.string == "e f\ng")
            #expect(item["details"]?["n "]?.string == "h i")
            for (bad, field) in [
                (#""title":5"#, "title"), (#""title":"\u0000""#, "title"), (#""title":"a","body":null"#, "body"),
                (#""title":"\#(String(repeating: "a", count: 201))""#, "title"),
                (#""title":"a","body":"\#(String(repeating: "a", count: 1_001))""#, "body"),
            ] {
                let reply = try await tell(scene, bad)
                #expect(reply.status == 422 && reply.json["errors"]?[0]?["field"]?.string == field)
                #expect(reply.json["errors"]?.array?.count == 1)
            }
        }
    }
}

extension DeliveryWordsTests {
    @Test("DLV-03 A code sent by e-mail ends after ten wrong ones, and a new one must be requested")
    func codes() async throws {
        try await DeliveryTests.run { scene async throws in
            var credentials = ChannelCredentials()
            credentials.sender = try MailSender(address: "waymark@example.org")
            let writer = ChannelWriter(credentials: credentials)
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            let body = #"{"kind":"email","target":{"address":"ben@example.org"}}"#
            let made = try await scene.client.send(.post, "/v1/me/channels", as: "ben", body)
            let path = "/v1/me/channels/\(try #require(made.json["id"]?.string))/verify"
            func code() async throws -> String {
                try await scene.later(seconds: 1)
                return String(try #require(try scene.mails().last?.firstMatch(of: /code: (\d{8})/)?.1))
            }
            func give(_ code: String?) async throws -> Client.Reply {
                try await scene.client.send(.post, path, as: "ben", code.map { "{\"code\":\"\($0)\"}" } ?? "{}")
            }
            let first = try await code()
            // One that came late is not ended by asking again.
            #expect(try await give(nil).status == 200)
            #expect(try await code() == first)
            for number in 1...10 {
                let reply = try await give("x")
                #expect(reply.status == 422)
                let message = reply.json["errors"]?[0]?["message"]?.string ?? ""
                #expect(message.contains("ask for a new one") == (number == 10))
            }
            let ended = try await give(first)
            #expect(ended.status == 422 && ended.json["errors"]?[0]?["field"]?.string == "code")
            #expect(try await give(nil).json["state"]?.string == "unproven")
            let second = try await code()
            #expect(second != first)
            #expect(try await give(first).status == 422)
            #expect(try await give(second).json["state"]?.string == "active")
        }
    }

    @Test("DLV-03 A webhook's payload has the shape documented in OpenAPI")
    func webhooksMatch() async throws {
        try await DeliveryTests.run { scene async throws in
            let document = try await scene.client.get("/openapi.json").json
            let webhooks = try #require(document["webhooks"])
            func schema(_ name: String) -> JSONValue {
                let content = webhooks[name]?["post"]?["requestBody"]?["content"]
                return content?["application/json"]?["schema"] ?? .null
            }
            _ = try await scene.client.create(as: "ana", title: "Here")
            let channel = try await scene.webhook()
            _ = try await scene.client.send(.post, "/v1/me/channels/\(channel)/test", as: "ben")
            _ = try await tell(scene, #""title":"One","body":"Body","link":"/s/1""#)
            try await scene.enter()
            try await scene.later(seconds: 1)
            try await scene.settings(#"{"time_zone":"UTC","quiet_hours":[{"from":"11:00","to":"13:00"}]}"#)
            for title in ["Two", "Three"] { _ = try await tell(scene, #""title":"\#(title)""#) }
            try await scene.later(seconds: 1)
            try await scene.later(seconds: 4_000)
            let headers = webhooks["notification"]?["post"]?["parameters"]?.array?.compactMap { $0["name"]?.string }
            let checker = SchemaChecker(document: document)
            let known = document["components"]?["schemas"]?["WebhookMessage"]?["properties"]?["data"]?["properties"]
            var types: Set<String> = []
            for message in scene.sender.sent {
                guard case .http(let http) = message else { continue }
                let body = try JSONValue(parsing: http.body)
                let type = try #require(body["type"]?.string)
                types.insert(type)
                let name = type == "endpoint.verification" ? "endpointVerification" : "notification"
                #expect(schema(name) != .null)
                #expect(checker.faults(of: body, schema: schema(name)) == [], "\(type)")
                #expect(try #require(headers).allSatisfy { http[header: $0]?.isEmpty == false })
                guard name == "notification" else { continue }
                // The schema is open, for what comes later; what is sent today stands in it.
                for member in body["data"]?.object?.keys.sorted() ?? [] {
                    #expect(known?[member] != nil, "\(type): \(member) is not described")
                }
            }
            #expect(types == ["endpoint.verification", "channel.test", "comment.new", "story.nearby", "digest"])
        }
    }
}
