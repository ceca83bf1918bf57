import App
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// DLV-04, DLV-05, NTF-02: what settings, channels and messages say of what is wrong with them or has no effect.
@Suite("Messages for invalid or ineffective settings")
struct SettingsWordsTests {
    @Test(
        "DLV-05 NTF-08 An invalid time is rejected with the expected form and an example",
        arguments: [
            (#"{"quiet_hours":[{"from":"9:00","to":"10:00"}]}"#, "quiet_hours[0].from", "HH:MM, such as 09:00"),
            (#"{"quiet_hours":[{"from":"09:00","to":"7"}]}"#, "quiet_hours[0].to", "HH:MM, such as 07:00"),
            (#"{"quiet_hours":[{"from":9,"to":"10:00"}]}"#, "quiet_hours[0].from", "HH:MM, such as 09:00"),
            (#"{"quiet_hours":[{"from":"24:00","to":"10:00"}]}"#, "quiet_hours[0].from", "HH:MM"),
            (#"{"quiet_hours":[{"from":"22:00","to":"00:00"}]}"#, "quiet_hours[0].to", "midnight is 24:00"),
            (#"{"quiet_hours":[{"from":"09:00"}]}"#, "quiet_hours[0].to", "is missing"),
            (
                #"{"places":[{"place_id":"pejcz04lpu1e","muted_until":"tomorrow"}]}"#, "places[0].muted_until",
                "such as 2026-11-21T13:00:00Z"
            ),
            (#"{"places":[{"place_id":"pejcz04lpu1e","muted_until":5}]}"#, "places[0].muted_until", "must be a time"),
            (#"{"types":[{"type":"No Word"}]}"#, "types[0].type", "such as story.nearby"),
            (#"{"types":[{"type":"story.nearby"},{"type":"digest"}]}"#, "types[1].type", "cannot be switched"),
            (#"{"types":[{"type":"channel.verification"}]}"#, "types[0].type", "cannot be switched"),
            (#"{"kinds":["No Kind"]}"#, "kinds", "such as interview"),
        ]
    )
    func refused(_ row: (body: String, field: String, words: String)) async throws {
        try await DeliveryTests.run { scene async throws in
            let reply = try await scene.client.send(.put, DeliveryTests.settings, as: "ben", row.body)
            #expect(reply.status == 422)
            #expect(reply.json["errors"]?[0]?["field"]?.string == row.field)
            #expect(reply.json["errors"]?[0]?["message"]?.string?.contains(row.words) == true, "\(reply.json)")
        }
    }

    @Test("NTF-02 DLV-05 Settings report which of them have no effect, until they have one")
    func notes() async throws {
        try await DeliveryTests.run { scene async throws in
            func notes(_ body: String?) async throws -> [String] {
                let method: HTTPRequest.Method = body == nil ? .get : .put
                let reply = try await scene.client.send(method, DeliveryTests.settings, as: "ben", body)
                #expect(reply.status == 200)
                return reply.json["notes"]?.array?
                    .map { "\($0["field"]?.string ?? "") \($0["message"]?.string?.prefix(20) ?? "")" } ?? ["none"]
            }
            #expect(try await notes(nil).isEmpty)
            #expect(try await notes(#"{"kinds":["photo","family_object"]}"#).isEmpty)
            #expect(try await notes(#"{"kinds":["photo","nope"]}"#) == ["kinds nope is not one of i"])
            let types = #"{"kinds":[],"types":[{"type":"story.nearby"},{"type":"comment.new"}]}"#
            #expect(try await notes(types) == ["types comment.new is not a"])
            let service = KeyTests.bearer(try await scene.service())
            let body = #"{"users":["ben"],"type":"comment.new","title":"Hello"}"#
            _ = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
            #expect(try await notes(nil).isEmpty)
            let weekly = #"{"digest":{"every":"weekly"}}"#
            #expect(try await notes(weekly) == ["digest.every this service sends n"])
            let credentials = ChannelCredentials(sender: try MailSender(address: "waymark@example.org"))
            let writer = ChannelWriter(credentials: credentials)
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            #expect(try await notes(nil) == ["digest.every there is no confirme"])
            try await scene.activeMailbox()
            #expect(try await notes(nil).isEmpty)
            #expect(try await notes(#"{"channels":{"email":false}}"#) == ["digest.every e-mail is switched o"])
            #expect(try await notes(#"{"digest":{"every":"never"}}"#).isEmpty)
        }
    }

    @Test(
        "DLV-03 A target is rejected field by field, whatever its values",
        arguments: [
            (#"{"url":"https://example.org/","url2":1}"#, "target.url2", "its fields are secret, signing_key, url"),
            (#"{"url":"https://example.org/","foo":"x"}"#, "target.foo", "its fields are secret, signing_key, url"),
            (#"{"url":7}"#, "target.url", "an absolute http or https address"),
            (#"{"url":"https://example.org/","secret":true}"#, "target.secret", "whsec_"),
            (#"{"url":"https://example.org/","rotated_at":"2026-11-21T13:00:00Z"}"#, "target.rotated_at", "alone"),
            (#"{"url":"https://example.org/","previous_secret":{}}"#, "target.previous_secret", "alone"),
        ]
    )
    func target(_ row: (target: String, field: String, words: String)) async throws {
        try await DeliveryTests.run { scene async throws in
            let body = "{\"kind\":\"webhook\",\"target\":\(row.target)}"
            let reply = try await scene.client.send(.post, "/v1/me/channels", as: "ben", body)
            #expect(reply.status == 422 && reply.json["errors"]?.array?.count == 1)
            #expect(reply.json["errors"]?[0]?["field"]?.string == row.field)
            #expect(reply.json["errors"]?[0]?["message"]?.string?.contains(row.words) == true, "\(reply.json)")
        }
    }

    @Test("DLV-03 A null in a target counts as missing")
    func nullTarget() async throws {
        try await DeliveryTests.run { scene async throws in
            let body = #"{"kind":"webhook","target":{"url":"https://example.org/","secret":null}}"#
            let reply = try await scene.client.send(.post, "/v1/me/channels", as: "ben", body)
            #expect(reply.status == 201 && reply.json["secret"]?.string?.hasPrefix("whsec_") == true)
        }
    }

    @Test("DLV-07 Control characters and bidirectional marks are removed from backend texts")
    func messages() async throws {
        try await DeliveryTests.run { scene async throws in
            let service = KeyTests.bearer(try await scene.service())
            func tell(_ title: String, _ body: String) async throws -> Client.Reply {
                let body = "{\"users\":[\"ben\"],\"type\":\"a.b\",\"title\":\"\(title)\",\"body\":\"\(body)\"}"
                return try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
            }
            let told = try await tell(#"Paid\u202E gnp\u0007\u2066\n5\u200F"#, #"one\r\ntwo\u0008\u202E\tthree"#)
            #expect(told.status == 200)
            let item = try await scene.client.get("/v1/notifications", as: "ben").json["notifications"]?[0]
            #expect(item?["title"]?.string == "Paid gnp  5\u{200F}")
            #expect(item?["body"]?.string == "one\ntwo  three")
            for empty in [#"\u202E"#, #"\u0007 \n"#, #"\u200B\u200F"#] {
                let reply = try await tell(empty, "x")
                #expect(reply.status == 422 && reply.json["errors"]?[0]?["field"]?.string == "title")
            }
        }
    }
}
