import App
import Formats
import HTTPTypes
import Library
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// DLV-09: what is withdrawn disappears from where it was shown.
@Suite("Messages taken back")
struct TakenBackTests {
    /// Makes a channel of ben's and brings him to a place with ana's stories, which he is notified of.
    private static func notified(
        _ kind: String,
        _ target: String,
        stories: Int = 1,
        _ scene: DeliveryTests.Scene
    ) async throws -> [String] {
        var ids: [String] = []
        for number in 0..<stories { ids.append(try await scene.client.create(as: "ana", title: "Story \(number)")) }
        let body = #"{"kind":"\#(kind)","target":\#(target)}"#
        #expect(try await scene.client.send(.post, "/v1/me/channels", as: "ben", body).status == 201)
        try await scene.enter()
        try await scene.later(seconds: 1)
        return ids
    }

    private static let ntfy = #"{"url":"https://ntfy.example.org/","topic":"stories","token":"tk_abcdefgh"}"#

    private static func requests(_ scene: DeliveryTests.Scene, _ method: String) -> [OutgoingHTTP] {
        scene.sender.sent.compactMap { message in
            if case .http(let http) = message, http.method == method { http } else { nil }
        }
    }

    private static func delete(_ id: String, _ scene: DeliveryTests.Scene) async throws {
        #expect(try await scene.client.send(.delete, "/v1/stories/\(id)", as: "ana").status == 204)
        try await scene.later(seconds: 1)
    }

    @Test("DLV-09 A message whose last story is withdrawn is taken back from ntfy, once, under the id it was sent with")
    func takenBack() async throws {
        try await DeliveryTests.run { scene async throws in
            let stories = try await TakenBackTests.notified("ntfy", TakenBackTests.ntfy, stories: 2, scene)
            let sent = try #require(TakenBackTests.requests(scene, "POST").last)
            let id = try #require(try JSONValue(parsing: sent.body)["sequence_id"]?.string)
            try await TakenBackTests.delete(stories[0], scene)
            #expect(TakenBackTests.requests(scene, "DELETE").isEmpty)
            try await TakenBackTests.delete(stories[1], scene)
            let taken = TakenBackTests.requests(scene, "DELETE")
            #expect(taken.map(\.url) == ["https://ntfy.example.org/stories/\(id)"])
            #expect(taken.first?[header: "authorization"] == "Bearer tk_abcdefgh" && taken.first?.body.isEmpty == true)
            // Whatever else is withdrawn, it is not taken back again.
            let other = try await scene.client.create(as: "ana", title: "Another")
            try await TakenBackTests.delete(other, scene)
            for _ in 0..<3 { try await scene.later(seconds: 600) }
            #expect(TakenBackTests.requests(scene, "DELETE").count == 1)
        }
    }

    @Test("DLV-09 A story that became private is taken back like a deleted one; Gotify cannot take anything back")
    func narrowed() async throws {
        for (kind, target, count) in [
            ("ntfy", TakenBackTests.ntfy, 1),
            ("gotify", #"{"url":"https://push.example.org","token":"A1b2C3d4E5"}"#, 0),
        ] {
            try await DeliveryTests.run { scene async throws in
                let stories = try await TakenBackTests.notified(kind, target, scene)
                let path = "/v1/stories/\(stories[0])/privacy"
                let narrowed = try await scene.client.send(.put, path, as: "ana", #"{"privacy":"private"}"#)
                #expect((200..<300).contains(narrowed.status))
                try await scene.later(seconds: 1)
                #expect(TakenBackTests.requests(scene, "DELETE").count == count, "\(kind)")
            }
        }
    }

    @Test("DLV-09 An attempt that got no answer may have arrived, and is taken back as well")
    func unanswered() async throws {
        try await DeliveryTests.run { scene async throws in
            scene.sender.behave { _ in throw SendingError(.timedOut, "there was no answer in time") }
            let stories = try await TakenBackTests.notified("ntfy", TakenBackTests.ntfy, scene)
            #expect(!TakenBackTests.requests(scene, "POST").isEmpty)
            scene.sender.answer(200)
            try await TakenBackTests.delete(stories[0], scene)
            for _ in 0..<3 { try await scene.later(seconds: 60) }
            #expect(TakenBackTests.requests(scene, "DELETE").count == 1)
        }
    }

    @Test("DLV-09 A server that cannot take messages back is asked once, and its channel stays on")
    func oldServer() async throws {
        for status in [404, 405, 410] {
            try await DeliveryTests.run { scene async throws in
                let stories = try await TakenBackTests.notified("ntfy", TakenBackTests.ntfy, scene)
                scene.sender.answer(status)
                try await TakenBackTests.delete(stories[0], scene)
                for _ in 0..<3 { try await scene.later(seconds: 600) }
                #expect(TakenBackTests.requests(scene, "DELETE").count == 1)
                let channels = try await scene.client.get("/v1/me/channels", as: "ben").json["channels"]
                #expect(channels?[0]?["state"]?.string == "active", "\(status)")
            }
        }
    }

    @Test("DLV-09 What servers keep no longer is not taken back")
    func old() async throws {
        try await DeliveryTests.run { scene async throws in
            let stories = try await TakenBackTests.notified("ntfy", TakenBackTests.ntfy, scene)
            try await scene.later(seconds: 13 * 3_600)
            try await TakenBackTests.delete(stories[0], scene)
            #expect(TakenBackTests.requests(scene, "DELETE").isEmpty)
        }
    }
}
