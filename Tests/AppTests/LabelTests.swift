import App
import Library
import Formats
import Gazetteer
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// NTF-13: what a viewer calls others, in their own notifications alone.
@Suite("Labels of people")
struct LabelTests {
    private static func body(_ label: String) -> String { "{\"label\":\"\(label)\"}" }

    @Test("NTF-13 A storyteller has the name given by the reader, visible to no one else")
    func named() async throws {
        try await DeliveryTests.run { scene async throws in
            let client = scene.client
            try await scene.settings(#"{"preview":"full"}"#)
            let set = try await client.send(.put, "/v1/me/labels/ana", as: "ben", LabelTests.body("Grandpa Joe"))
            #expect(set.status == 200 && set.json["label"]?.string == "Grandpa Joe")
            _ = try await client.create(as: "ana", title: "The mill")
            try await scene.enter()
            let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]?[0]
            #expect(feed?["body"]?.string == "Grandpa Joe told a story here: The mill")
            for (user, path) in [("ana", "/v1/me/labels"), ("ana", "/v1/me/export"), ("cora", "/v1/me/labels")] {
                let reply = try await client.get(path, as: user)
                #expect(reply.status == 200 && !String(decoding: reply.bytes, as: UTF8.self).contains("Grandpa"))
            }
            #expect(try await client.get("/v1/me/labels", as: "ben").json["labels"]?.array?.count == 1)
            #expect(try await client.send(.delete, "/v1/me/labels/ana", as: "ben").status == 204)
            #expect(try await client.get("/v1/me/labels", as: "ben").json["labels"]?.array?.isEmpty == true)
        }
    }

    @Test(
        "NTF-13 DLV-03 The storyteller is not named unless the preview is full",
        arguments: ["count", "none"]
    )
    func unnamed(preview: String) async throws {
        try await DeliveryTests.run { scene async throws in
            let client = scene.client
            _ = try await scene.webhook()
            try await scene.settings("{\"preview\":\"\(preview)\"}")
            let set = try await client.send(.put, "/v1/me/labels/ana", as: "ben", LabelTests.body("Grandpa Joe"))
            #expect(set.status == 200)
            let id = try await client.create(as: "ana", title: "The mill")
            try await scene.enter()
            try await scene.later(seconds: 1)
            func said() async throws -> String {
                let feed = try await client.get("/v1/notifications", as: "ben")
                #expect(feed.json["notifications"]?.array?.count == 1)
                return String(decoding: feed.bytes, as: UTF8.self)
            }
            #expect(try await !said().contains("Grandpa"))
            // Changed since, it is worded anew when it is read.
            scene.fixture.clock.advance(seconds: 60)
            let patch = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", #"{"title":"The old mill"}"#)
            #expect(patch.status == 200)
            #expect(try await !said().contains("Grandpa"))
            let sent = scene.sender.webhooks("story.nearby")
            #expect(sent.count == 1 && !sent.map { "\($0.data)" }.joined().contains("Grandpa"))
        }
    }

    @Test("NTF-13 No one is named as the storyteller of their own story")
    func own() async throws {
        try await DeliveryTests.run { scene async throws in
            try await scene.fixture.makeFamilies()
            try await scene.settings(#"{"preview":"full","notify_own":true}"#)
            _ = try await scene.client.create(as: "ben", title: "The mill")
            try await scene.enter()
            let feed = try await scene.client.get("/v1/notifications", as: "ben").json["notifications"]?[0]
            let body = feed?["body"]?.string ?? ""
            #expect(body.contains("The mill") && !body.contains("Ben"), "\(body)")
        }
    }

    @Test("NTF-13 Family news and invitation answers use the reader's labels")
    func family() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, "/v1/me/labels/ana", as: "ben", LabelTests.body("Grandpa Joe"))
            _ = try await client.create(as: "ana", title: "New", extra: ",\"privacy\":\"family_only\"")
            let news = try await client.get("/v1/notifications", as: "ben").json["notifications"]?[0]
            #expect(news?["title"]?.string == "Grandpa Joe" && news?["body"]?.string == "added a story")
        }
    }

    @Test("NTF-13 A label is one visible line, and does not reveal whether the user exists")
    func refused() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for bad in ["", " ", "\\u200b", String(repeating: "x", count: 101)] {
                    let reply = try await client.send(.put, "/v1/me/labels/ana", as: "ben", LabelTests.body(bad))
                    #expect(reply.status == 422 && reply.json["errors"]?[0]?["field"]?.string == "label")
                }
                let known = try await client.send(.put, "/v1/me/labels/ana", as: "ben", LabelTests.body("A\\nB"))
                let unknown = try await client.send(.put, "/v1/me/labels/nobody", as: "ben", LabelTests.body("A\\nB"))
                #expect(known.status == 200 && unknown.status == 200 && known.json["label"]?.string == "A B")
                for path in ["/v1/me/labels/ana", "/v1/me/labels/nobody", "/v1/me/labels/never"] {
                    #expect(try await client.send(.delete, path, as: "ben").status == 204)
                }
            }
    }

    @Test("NTF-09 A label is removed with either account", arguments: ["ana", "ben"])
    func erased(leaving: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, "/v1/me/labels/ana", as: "ben", LabelTests.body("Grandpa Joe"))
            let gone = try await client.send(.delete, "/v1/me", as: leaving)
            #expect(gone.status == 200)
            let left = try await fixture.library.store.read { transaction in
                try ["ana", "ben"].compactMap { UserID($0) }.map { try transaction.labels(of: $0).count }.reduce(0, +)
            }
            #expect(left == 0)
        }
    }
}
