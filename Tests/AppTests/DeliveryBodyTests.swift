import App
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// DLV-03: whatever is told, and however little its reader wants shown, a channel gets something to read.
@Suite("No channel gets an empty body")
struct DeliveryBodyTests {
    /// Every kind that needs nothing of the operator's, and e-mail.
    private static let targets = [
        #"{"kind":"gotify","target":{"url":"https://gotify.example","token":"AverysecretToken"}}"#,
        #"{"kind":"ntfy","target":{"url":"https://ntfy.example","topic":"bens"}}"#,
        #"{"kind":"apprise","target":{"url":"https://apprise.example","key":"family"}}"#,
    ]

    private static func open(_ scene: DeliveryTests.Scene) async throws {
        scene.sender.behave { StrictReceivers.answer($0) }
        let credentials = ChannelCredentials(sender: try MailSender(address: "waymark@example.org"))
        let writer = ChannelWriter(credentials: credentials)
        scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
        for target in targets {
            #expect(try await scene.client.send(.post, "/v1/me/channels", as: "ben", target).status == 201)
        }
        _ = try await scene.webhook()
        try await scene.activeMailbox()
    }

    /// Tells ben one of everything.
    private static func tellEverything(_ scene: DeliveryTests.Scene) async throws {
        let client = scene.client
        let family = try await client.makeFamily(of: "ben", "Bens")
        try await client.join(family, as: "ana", invitedBy: "ben")
        _ = try await client.create(as: "ana", title: "Here", extra: ",\"privacy\":\"family_only\"")
        let other = try await client.makeFamily(of: "ana", "Anas")
        _ = try await client.invite([#"{"user":"ben"}"#], into: other, as: "ana")
        for batch in [#"{"op":"create","client_id":"b1","story":{"kind":"photo","title":"T"}}"#, #"{"op":"nonsense"}"#]
        {
            _ = try await client.send(.post, "/v1/stories/batch", as: "ben", "{\"items\":[\(batch)]}")
        }
        let service = KeyTests.bearer(try await scene.service())
        for words in [
            #""title":"Ana wrote","body":"secret""#, #""title":"Only a title""#, #""title":"T","body":" \n ""#,
        ] {
            let body = #"{"users":["ben"],"type":"comment.new",\#(words)}"#
            let told = try await client.send(.post, "/v1/notifications", as: nil, body, headers: service)
            #expect(told.json["told"]?.array?.count == 1)
        }
        try await scene.enter()
        try await client.join(
            try await client.makeFamily(of: "ana", "Both"),
            as: "ben",
            invitedBy: "ana",
            role: "owner"
        )
        let both = try await client.get("/v1/families", as: "ana").json["families"]?.array?.last?["id"]?.string
        _ = try await client.send(.delete, "/v1/families/\(both ?? "")", as: "ana")
        for channel in try await client.get("/v1/me/channels", as: "ben").json["channels"]?.array ?? [] {
            let path = "/v1/me/channels/\(channel["id"]?.string ?? "")/test"
            #expect(try await client.send(.post, path, as: "ben").status == 202)
        }
    }

    @Test(
        "DLV-03 Receivers that reject empty messages, as Gotify does, accept every type at every preview",
        arguments: NotificationSettings.Preview.allCases
    )
    func everything(preview: NotificationSettings.Preview) async throws {
        try await DeliveryTests.run { scene async throws in
            try await DeliveryBodyTests.open(scene)
            try await scene.settings("{\"preview\":\"\(preview.rawValue)\"}")
            try await DeliveryBodyTests.tellEverything(scene)
            for _ in 0..<20 { try await scene.later(seconds: 1) }
            let entries = try await scene.entries(nil)
            #expect(entries.filter { $0.state == .dead }.map(\.type.rawValue) == [])
            let delivered = Set(entries.filter { $0.state == .done }.map(\.type.rawValue))
            #expect(
                delivered == [
                    "story.nearby", "family.new_story", "family.invitation", "family.invitation_answer",
                    "family.deleted", "sync.finished", "sync.failed", "comment.new", "channel.test",
                ]
            )
        }
    }

    @Test(
        "DLV-03 A sample from the command reveals as little as a real message would",
        arguments: NotificationSettings.Preview.allCases
    )
    func sampleOfCommand(preview: NotificationSettings.Preview) {
        let message = SampleMessage.make("n_1", at: Timestamp(milliseconds: 0), preview: preview)
        #expect(message.body.contains("This is a test") == (preview == .full))
        #expect((message.title == "Waymark") == (preview == .none))
    }

    @Test("DLV-03 A sample is like a backend's message to this user: its body is withheld in the same cases")
    func sample() async throws {
        try await DeliveryTests.run { scene async throws in
            let channel = try await scene.webhook()
            for preview in ["count", "full"] {
                try await scene.settings("{\"preview\":\"\(preview)\"}")
                _ = try await scene.client.send(.post, "/v1/me/channels/\(channel)/test", as: "ben")
                scene.fixture.clock.advance(seconds: 1)
                try await scene.later(seconds: 1)
            }
            let bodies = scene.sender.webhooks("channel.test").map { $0.data["body"]?.string }
            #expect(bodies == ["Open it to see more.", "This is a test. Notifications will arrive here."])
        }
    }
}
