import App
import Foundation
import HTTPTypes
import Library
import Notifications
import Stories
import Testing
import TestSupport

@Suite("Maps in digests")
struct DigestMapTests {
    /// A scene in which ben is told of a story and gets a digest by e-mail on Monday.
    private static func run(
        preview: String = "full",
        _ body: @escaping @Sendable (DeliveryTests.Scene, _ story: String) async throws -> Void
    ) async throws {
        try await DeliveryTests.run { scene async throws in
            let credentials = ChannelCredentials(sender: try MailSender(address: "waymark@example.org"))
            let writer = ChannelWriter(credentials: credentials)
            scene.fixture.library.delivery.open(scene.sender, writer: writer, address: { "https://stories.example" })
            try await scene.activeMailbox()
            let story = try await scene.client.create(as: "ana", title: "The mill")
            try await scene.settings(#"{"time_zone":"UTC","digest":{"every":"weekly","day":"mon","hour":8}}"#)
            try await scene.settings(#"{"preview":"\#(preview)"}"#)
            try await scene.enter()
            try await scene.later(seconds: 1)
            // The clock begins on a Saturday, and the window ends on Monday at eight.
            scene.fixture.clock.advance(seconds: 2 * 86_400)
            #expect(try await scene.fixture.library.delivery.digests.writeDigests() == 1)
            try await body(scene, story)
        }
    }

    @Test("DLV-05 A digest by e-mail shows a small map within the message; the text names everything without it")
    func map() async throws {
        try await DigestMapTests.run { scene, _ async throws in
            try await scene.later(seconds: 1)
            let mail = try #require(try scene.mails().last)
            #expect(mail.contains("Content-Type: multipart/related; type=\"text/html\""))
            #expect(mail.contains("Content-Type: image/png") && mail.contains("Content-Disposition: inline"))
            // Quoted-printable writes = as =3D.
            #expect(mail.contains("src=3D\"cid:map."))
            #expect(mail.contains(" iVBORw0KGgo"), "the picture is PNG")
            #expect(!mail.contains("src=3D\"http"), "nothing is loaded from elsewhere")
            #expect(mail.components(separatedBy: "The mill").count >= 3, "the headline stands in both texts")
        }
    }

    @Test("PRV-02 A story withdrawn before the digest is sent is on no map")
    func withdrawn() async throws {
        try await DigestMapTests.run { scene, story async throws in
            let body = #"{"privacy":"private"}"#
            #expect(try await scene.client.send(.patch, "/v1/stories/\(story)", as: "ana", body).status == 200)
            let before = try scene.mails().count
            try await scene.later(seconds: 1)
            for mail in try scene.mails().dropFirst(before) { #expect(!mail.contains("image/png")) }
        }
    }

    @Test("A preview that tells only the number shows no map", arguments: ["count", "none"])
    func preview(preview: String) async throws {
        try await DigestMapTests.run(preview: preview) { scene, _ async throws in
            let before = try scene.mails().count
            try await scene.later(seconds: 1)
            let mails = try scene.mails().dropFirst(before)
            #expect(!mails.isEmpty)
            for mail in mails { #expect(!mail.contains("image/png")) }
        }
    }
}
