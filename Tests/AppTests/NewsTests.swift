import App
import Library
import Formats
import Foundation
import HTTPTypes
import Notifications
import Storage
import Stories
import Testing
import TestSupport

/// DLV-05, DLV-07: what is told besides places, and digests.
@Suite("News, invitations, syncs and digests")
struct NewsTests {
    private func run(_ body: @escaping @Sendable (DeliveryTests.Scene) async throws -> Void) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in try await body(try await DeliveryTests.Scene(fixture, client)) }
    }

    private func feed(_ scene: DeliveryTests.Scene, _ user: String, _ type: String) async throws -> [JSONValue] {
        let items =
            try await scene.client.get("/v1/notifications?limit=100", as: user).json["notifications"]?.array ?? []
        return items.filter { $0["type"]?.string == type }
    }

    @Test("DLV-07 A new story is announced to the families that see it, once, and to no one else")
    func newStory() async throws {
        try await run { scene async throws in
            _ = try await scene.webhook()
            let shared = #","privacy":"family_only""#
            let id = try await scene.client.create(as: "ana", title: "For all of us", extra: shared)
            _ = try await scene.client.create(as: "ana", title: "Mine", extra: #","privacy":"private""#)
            try await scene.fixture.library.delivery.deliverDue()
            let told = try await feed(scene, "ben", "family.new_story")
            #expect(told.count == 1 && told.first?["content_ids"]?[0]?.string == id)
            #expect(told.first?["body"]?.string == "added a story")
            #expect(scene.sender.webhooks("family.new_story").count == 1)
            #expect(try await feed(scene, "ana", "family.new_story").isEmpty)
            #expect(try await feed(scene, "cora", "family.new_story").isEmpty)
            // What they may not see any more is not told when the feed is read.
            _ = try await scene.client.send(.put, "/v1/stories/\(id)/privacy", as: "ana", #"{"privacy":"private"}"#)
            #expect(try await feed(scene, "ben", "family.new_story").isEmpty)
        }
    }

    @Test("DLV-07 Adding stories one by one within the hour alerts once; read news are not reopened")
    func oneByOne() async throws {
        try await run { scene async throws in
            _ = try await scene.webhook()
            for number in 0..<5 {
                _ = try await scene.client.create(
                    as: "ana",
                    title: "Photo \(number)",
                    extra: #","privacy":"family_only""#
                )
                try await scene.later(seconds: 60)
            }
            let told = try await feed(scene, "ben", "family.new_story")
            #expect(told.count == 1 && told.first?["count"]?.integer == 5)
            #expect(told.first?["body"]?.string == "added 5 stories")
            #expect(scene.sender.webhooks("family.new_story").count == 1)
            scene.fixture.clock.advance(seconds: 3_600)
            _ = try await scene.client.create(as: "ana", title: "Another", extra: #","privacy":"family_only""#)
            #expect(try await feed(scene, "ben", "family.new_story").count == 2)
        }
    }

    @Test("DLV-04 A type that is off is not written; another one is")
    func typeOff() async throws {
        try await run { scene async throws in
            try await scene.settings(#"{"types":[{"type":"family.new_story","enabled":false}]}"#)
            _ = try await scene.client.create(as: "ana", title: "Here", extra: #","privacy":"family_only""#)
            #expect(try await feed(scene, "ben", "family.new_story").isEmpty)
            let settings = try await scene.client.get(DeliveryTests.settings, as: "ben").json
            #expect(settings["types"]?[0]?["enabled"]?.bool == false && settings["everything"]?.bool == true)
        }
    }

    @Test("DLV-07 A batch notifies the author of the result, and the family of its stories in one message")
    func batch() async throws {
        try await run { scene async throws in
            let story = #"{"op":"create","story":{"kind":"interview","title":"T","privacy":"public"}}"#
            let bad = #"{"op":"create","story":{"kind":"interview"}}"#
            let body = "{\"items\":[\(story),\(story),\(story)]}"
            let reply = try await scene.client.send(.post, "/v1/stories/batch", as: "ana", body)
            #expect(reply.status == 200, "\(String(decoding: reply.bytes, as: UTF8.self))")
            #expect(try await feed(scene, "ana", "sync.finished").first?["details"]?["taken"]?.string == "3")
            #expect(try await feed(scene, "ben", "family.new_story").first?["count"]?.integer == 3)
            _ = try await scene.client.send(.post, "/v1/stories/batch", as: "ana", "{\"items\":[\(story),\(bad)]}")
            #expect(try await feed(scene, "ana", "sync.failed").first?["details"]?["refused"]?.string == "1")
            #expect(try await feed(scene, "ana", "sync.finished").count == 1)
        }
    }

    @Test("PRV-04 DLV-07 An invitation is announced by name, or by e-mail with its link while valid")
    func invitations() async throws {
        try await run { scene async throws in
            var credentials = ChannelCredentials()
            credentials.sender = try MailSender(address: "waymark@example.org")
            scene.fixture.library.delivery.open(
                scene.sender,
                writer: ChannelWriter(credentials: credentials),
                address: { "https://stories.example" }
            )
            let people = #"{"invitations":[{"user":"cora"},{"email":"dan@example.org"},{"email":"eve@example.org"}]}"#
            let path = "/v1/families/whitfield/invitations"
            let made = try await scene.client.send(.post, path, as: "ana", people).json
            #expect(try await feed(scene, "cora", "family.invitation").count == 1)
            let eve = try #require(made["invitations"]?[2]?["invitation"]?["id"]?.string)
            _ = try await scene.client.send(.delete, "\(path)/\(eve)", as: "ana")
            try await scene.later(seconds: 1)
            let mails = scene.sender.sent.compactMap { if case .mail(let mail) = $0 { mail } else { nil } }
            #expect(mails.map(\.to) == ["dan@example.org"])
            let link = try #require(made["invitations"]?[1]?["link"]?.string)
            let token = try #require(link.split(separator: "=").last)
            let text = String(decoding: mails.first?.bytes ?? [], as: UTF8.self)
            let plain = text.replacingOccurrences(of: "=\r\n", with: "")
            #expect(plain.contains(token))
            // Until when it is good is said as people say it.
            let words = plain.replacingOccurrences(of: "\r\n", with: " ")
            #expect(words.contains(/day, \d{1,2} [A-Z][a-z]+ \d{4} at \d{2}:\d{2} \(/))
            #expect(!words.contains(/\d{4}-\d{2}-\d{2}T\d{2}/))
            // The inviter's channels are their own alone.
            #expect(try await scene.client.get("/v1/me/channels", as: "ana").json["channels"]?.array?.isEmpty == true)
        }
    }

    @Test("DLV-03 An e-mail address must confirm a code before it gets anything else")
    func mailAddress() async throws {
        try await run { scene async throws in
            var credentials = ChannelCredentials()
            credentials.sender = try MailSender(address: "waymark@example.org")
            let writer = ChannelWriter(credentials: credentials)
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            let body = #"{"kind":"email","target":{"address":"ben@example.org"}}"#
            let made = try await scene.client.send(.post, "/v1/me/channels", as: "ben", body)
            let id = try #require(made.json["id"]?.string)
            try await scene.fixture.library.delivery.deliverDue()
            let text = try #require(try scene.mails().first)
            let code = try #require(text.firstMatch(of: /code: (\d{8})/)?.1)
            _ = try await scene.client.create(as: "ana", title: "Here", extra: #","privacy":"family_only""#)
            try await scene.later(seconds: 1)
            #expect(try scene.mails().count == 1)
            let path = "/v1/me/channels/\(id)/verify"
            #expect(try await scene.client.send(.post, path, as: "ben", #"{"code":"00000000"}"#).status == 422)
            let proven = try await scene.client.send(.post, path, as: "ben", "{\"code\":\"\(code)\"}")
            #expect(proven.json["state"]?.string == "active")
            scene.fixture.clock.advance(seconds: 7_200)
            _ = try await scene.client.create(as: "ana", title: "There", extra: #","privacy":"family_only""#)
            try await scene.later(seconds: 1)
            #expect(try scene.mails().count == 2)
            // The weekly digest: both stories, once however often somebody looks.
            let week = #"{"time_zone":"Europe/Berlin","digest":{"every":"weekly","day":"mon","hour":8}}"#
            try await scene.settings(week)
            var count = 0
            for _ in 0..<(14 * 24) {
                scene.fixture.clock.advance(seconds: 3_600)
                async let other = scene.fixture.library.delivery.digests.writeDigests()
                count += try await scene.fixture.library.delivery.digests.writeDigests() + other
                try await scene.fixture.library.delivery.deliverDue()
            }
            #expect(count == 1)
            let digest = try #require(try scene.mails().last)
            #expect(try scene.mails().count == 3 && digest.contains("added a story"))
            // Its link turns digests off, and nothing else; a look at the page does not.
            let link = try #require(
                digest.firstMatch(of: /<https:\/\/stories\.example(\/v1\/unsubscribe\?token=[^>]+)>/)?.1
            )
            let page = try await scene.client.get(String(link))
            #expect(page.status == 200 && String(decoding: page.bytes, as: UTF8.self).contains("<form"))
            #expect(
                try await scene.client.get(DeliveryTests.settings, as: "ben").json["digest"]?["every"]?.string
                    == "weekly"
            )
            for wrong in [
                link.replacing("digest.", with: "email."), link.replacing(".ben.", with: ".ana."), link.dropLast(),
            ] {
                #expect(try await scene.client.send(.post, String(wrong)).status == 404)
            }
            #expect(
                try await scene.client.send(.post, String(link), as: nil, "List-Unsubscribe=One-Click").status == 200
            )
            let after = try await scene.client.get(DeliveryTests.settings, as: "ben").json
            #expect(after["digest"]?["every"]?.string == "never" && after["channels"]?["email"]?.isNull != false)
        }
    }

    @Test("DLV-05 A digest contains what its reader may see when it is sent")
    func digestPrivacy() async throws {
        try await run { scene async throws in
            var credentials = ChannelCredentials()
            credentials.sender = try MailSender(address: "waymark@example.org")
            let writer = ChannelWriter(credentials: credentials)
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            let id = try await scene.client.create(as: "ana", title: "Here", extra: #","privacy":"family_only""#)
            try await scene.activeMailbox()
            try await scene.settings(#"{"digest":{"every":"monthly","hour":6}}"#)
            var hours = 0
            while try await scene.fixture.library.delivery.digests.writeDigests() == 0, hours < 40 * 24 {
                scene.fixture.clock.advance(seconds: 3_600)
                hours += 1
            }
            let before = try scene.mails().count
            _ = try await scene.client.send(.delete, "/v1/stories/\(id)", as: "ana")
            try await scene.later(seconds: 1)
            #expect(try scene.mails().count == before)
            #expect(try await scene.entries(.cancelled).map(\.reason) == ["nothing_to_tell"])
        }
    }
}

extension DeliveryTests.Scene {
    /// The e-mails that left, as texts whose soft line ends are undone.
    func mails() throws -> [String] {
        sender.sent.compactMap { message in
            guard case .mail(let mail) = message else { return nil }
            return String(decoding: mail.bytes, as: UTF8.self).replacingOccurrences(of: "=\r\n", with: "")
                .replacingOccurrences(of: "\r\n", with: " ")
        }
    }

    /// Makes an e-mail channel of ben's and gives its code.
    func activeMailbox() async throws {
        let body = #"{"kind":"email","target":{"address":"ben@example.org"}}"#
        let made = try await client.send(.post, "/v1/me/channels", as: "ben", body)
        let id = try #require(made.json["id"]?.string)
        try await fixture.library.delivery.deliverDue()
        let code = try #require(try mails().last?.firstMatch(of: /code: (\d{8})/)?.1)
        _ = try await client.send(.post, "/v1/me/channels/\(id)/verify", as: "ben", "{\"code\":\"\(code)\"}")
    }
}
