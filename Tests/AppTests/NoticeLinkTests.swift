import App
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// DLV-08: the link of a notification opens exactly what it is about.
@Suite("Targets of notification links")
struct NoticeOpeningTests {
    private static func ids(_ reply: Client.Reply) -> Set<String> {
        Set(reply.json["features"]?.array?.compactMap { $0["id"]?.string } ?? [])
    }

    private static func newest(_ client: Client, _ type: String, of user: String) async throws -> JSONValue {
        let list = try await client.get("/v1/notifications?type=\(type)", as: user)
        return try #require(list.json["notifications"]?[0])
    }

    @Test("DLV-08 Nearby stories open as exactly those, page by page, if they still exist")
    func nearby() async throws {
        try await DeliveryTests.run { scene async throws in
            let client = scene.client
            var here: Set<String> = []
            for number in 0..<3 { here.insert(try await client.create(as: "ana", title: "Here \(number)")) }
            _ = try await client.create(as: "ana", title: "Elsewhere", latitude: 60)
            try await scene.enter()
            let item = try await NoticeOpeningTests.newest(client, "story.nearby", of: "ben")
            let id = try #require(item["id"]?.string)
            #expect(item["opens"]?["kind"]?.string == "stories" && item["opens"]?["id"]?.string == id)
            #expect(item["url"]?.string == "/#notice=\(id)")
            let path = "/v1/notifications/\(id)/stories"
            let list = try await client.get(path, as: "ben")
            #expect(list.status == 200 && NoticeOpeningTests.ids(list) == here)
            let first = try await client.get(path + "?limit=2", as: "ben")
            let next = try #require(first.json["links"]?[0]?["href"]?.string)
            let rest = try await client.get(next, as: "ben")
            #expect(NoticeOpeningTests.ids(first).union(NoticeOpeningTests.ids(rest)) == here)
            #expect(NoticeOpeningTests.ids(rest).count == 1)
            let gone = try #require(here.sorted().first)
            _ = try await client.send(.put, "/v1/stories/\(gone)/privacy", as: "ana", #"{"privacy":"private"}"#)
            #expect(NoticeOpeningTests.ids(try await client.get(path, as: "ben")) == here.subtracting([gone]))
            #expect(try await client.get(path, as: "ana").status == 404)
        }
    }

    @Test("DLV-08 A link's stories are requested by name; stories invisible to the viewer are left out")
    func byName() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let (open, closed) = (
                    try await client.create(as: "ana", title: "Open", latitude: nil),
                    try await client.create(as: "ana", title: "Closed", extra: #","privacy":"private""#)
                )
                _ = try await client.create(as: "ana", title: "Another")
                let path = "/v1/stories?ids=\(open),\(closed),0123456789abcdef0123456789abcdef"
                #expect(NoticeOpeningTests.ids(try await client.get(path, as: "ben")) == [open])
                #expect(NoticeOpeningTests.ids(try await client.get(path, as: "ana")) == [open, closed])
                #expect(try await client.get("/v1/stories?ids=x", as: "ben").status == 400)
                let many = (0...100).map { _ in open }.joined(separator: ",")
                #expect(try await client.get("/v1/stories?ids=\(many)", as: "ben").status == 400)
            }
    }

    @Test("DLV-08 DLV-07 A batch's result opens the stories it created and changed, without those deleted since")
    func sync() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let old = try await client.create(as: "ben", title: "Old")
                let items = """
                    {"op":"create","client_id":"b1","story":{"kind":"photo","title":"One"}},
                    {"op":"update","id":"\(old)","story":{"title":"Changed"}},
                    {"op":"create","client_id":"b2","story":{"kind":"photo","title":"Two"}},
                    {"op":"delete","client_id":"b2"},{"op":"create"}
                    """
                let reply = try await client.send(.post, "/v1/stories/batch", as: "ben", "{\"items\":[\(items)]}")
                #expect(reply.status == 200, "\(String(decoding: reply.bytes, as: UTF8.self))")
                let made = try #require(reply.json["items"]?[0]?["id"]?.string)
                let item = try await NoticeOpeningTests.newest(client, "sync.failed", of: "ben")
                #expect(Set(item["content_ids"]?.array?.compactMap(\.string) ?? []) == [made, old])
                #expect(item["opens"]?["kind"]?.string == "stories" && item["count"]?.integer == 2)
                _ = try await client.send(.delete, "/v1/stories/\(made)", as: "ben")
                let after = try await NoticeOpeningTests.newest(client, "sync.failed", of: "ben")
                #expect(after["opens"]?["kind"]?.string == "story" && after["opens"]?["id"]?.string == old)
                #expect(after["body"] == item["body"])
            }
    }

    @Test("PRV-01 DLV-08 A message opens no story its reader may no longer see")
    func hiddenContent() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Ours", extra: #","privacy":"family_only""#)
            let (ben, now) = (try #require(UserID("ben")), fixture.clock.now)
            let content = FeedItem.Content(id: try #require(StoryID(id)), sourceID: nil)
            let message = FeedItem.Message(type: .syncFinished, details: ["taken": "1"], content: [content])
            let item = FeedItem(
                id: StoryID(high: 0xF222, low: 1).description,
                user: ben,
                at: now,
                createdAt: now,
                subject: .message(message),
                title: "Synced",
                body: "1 change was accepted."
            )
            try await fixture.library.store.write { try $0.insert(item, ledger: []) }
            func opened() async throws -> [String] {
                let item = try await NoticeOpeningTests.newest(client, "sync.finished", of: "ben")
                #expect(item["body"]?.string == "1 change was accepted.")
                return item["content_ids"]?.array?.compactMap(\.string) ?? []
            }
            #expect(try await opened() == [id])
            let path = "/v1/stories/\(id)/privacy"
            #expect(try await client.send(.put, path, as: "ana", #"{"privacy":"private"}"#).status == 200)
            #expect(try await opened() == [])
        }
    }

    @Test("DLV-08 An invitation opens with an id its invitee can answer; its answer opens the family")
    func invitation() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let family = try await client.makeFamily(of: "ana", "Lake")
            _ = try await client.invite([#"{"user":"cora"}"#], into: family, as: "ana")
            let item = try await NoticeOpeningTests.newest(client, "family.invitation", of: "cora")
            #expect(item["opens"]?["kind"]?.string == "invitation")
            let id = try #require(item["opens"]?["id"]?.string)
            #expect(try await client.send(.post, "/v1/invitations/\(id)/accept", as: "cora").status == 200)
            let answer = try await NoticeOpeningTests.newest(client, "family.invitation_answer", of: "ana")
            #expect(answer["opens"]?["kind"]?.string == "family" && answer["opens"]?["id"]?.string == family)
        }
    }

    @Test("DLV-08 App links: with a scheme the operator allows, for its channels, while allowed")
    func template() async throws {
        try await DeliveryTests.run { scene async throws in
            let client = scene.client
            let template = #"{"link_template":"myapp://{kind}/{id}?n={notification}"}"#
            let refused = try await client.send(.put, DeliveryTests.settings, as: "ben", template)
            #expect(refused.status == 422 && refused.json["errors"]?[0]?["field"]?.string == "link_template")
            scene.fixture.library.delivery.allowLinks(of: ["myapp"])
            for bad in ["other://{id}", "myapp://open", "javascript:{id}", "myapp://{surprise}/{id}"] {
                let reply = try await client.send(
                    .put,
                    DeliveryTests.settings,
                    as: "ben",
                    "{\"link_template\":\"\(bad)\"}"
                )
                #expect(reply.status == 422 && reply.json["errors"]?[0]?["field"]?.string == "link_template", "\(bad)")
            }
            try await scene.settings(template)
            var credentials = ChannelCredentials()
            credentials.sender = try MailSender(address: "waymark@example.org")
            let writer = ChannelWriter(credentials: credentials)
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            try await scene.activeMailbox()
            _ = try await scene.webhook()
            let ntfy = #"{"kind":"ntfy","target":{"url":"https://ntfy.example","topic":"bens"}}"#
            #expect(try await client.send(.post, "/v1/me/channels", as: "ben", ntfy).status == 201)
            let story = try await client.create(as: "ana", title: "Here")
            try await scene.enter()
            try await scene.later(seconds: 1)
            let hook = try #require(scene.sender.webhooks("story.nearby").first)
            #expect(hook.data["url"]?.string == "myapp://story/\(story)?n=\(hook.id)")
            // A letter is read anywhere, also where there is no such app.
            let letter = try #require(try scene.mails().last)
            #expect(letter.contains("https://stories.example/#notice=3D\(hook.id)") && !letter.contains("myapp:"))
            func clicks() -> [String] {
                scene.sender.sent.compactMap { message in
                    guard case .http(let http) = message else { return nil }
                    return (try? JSONValue(parsing: http.body))?["click"]?.string
                }
            }
            #expect(clicks() == ["myapp://story/\(story)?n=\(hook.id)"])
            // Who wants nothing shown has no story named either.
            try await scene.settings(#"{"preview":"none"}"#)
            let service = KeyTests.bearer(try await scene.service())
            let body = #"{"users":["ben"],"type":"comment.new","title":"Hi","link":"/s/1"}"#
            let told = try await client.send(.post, "/v1/notifications", as: nil, body, headers: service)
            let id = try #require(told.json["told"]?[0]?["notification_id"]?.string)
            try await scene.later(seconds: 1)
            #expect(clicks().last == "myapp://notification/\(id)?n=\(id)")
            // A scheme that is allowed no more leads nowhere; nothing of the settings is lost.
            scene.fixture.library.delivery.allowLinks(of: [])
            _ = try await client.send(
                .post,
                "/v1/notifications",
                as: nil,
                #"{"users":["ben"],"type":"comment.new","title":"Two"}"#,
                headers: service
            )
            try await scene.later(seconds: 1)
            #expect(clicks().last?.hasPrefix("https://stories.example/#notice=") == true)
            try await scene.settings(#"{"link_template":null}"#)
            #expect(try await client.get(DeliveryTests.settings, as: "ben").json["link_template"]?.isNull == true)
        }
    }
}
