import App
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// DLV-06: operators list, look at and replay dead letters while the service runs.
@Suite("The outbox over HTTP")
struct OutboxEndpointTests {
    private static let path = "/v1/service/outbox"

    private struct Operator: Sendable {
        let scene: DeliveryTests.Scene
        let headers: HTTPFields

        init(_ scene: DeliveryTests.Scene) async throws {
            self.scene = scene
            let request = Accounts.KeyRequest(holder: .service([.adminOps]), name: "ops", days: nil)
            headers = KeyTests.bearer(try await scene.client.accounts.makeKey(request).text)
        }

        func get(_ rest: String) async throws -> Client.Reply {
            try await scene.client.get(OutboxEndpointTests.path + rest, headers: headers)
        }

        func replay(_ body: String) async throws -> Client.Reply {
            let path = OutboxEndpointTests.path + "/replay"
            return try await scene.client.send(.post, path, as: nil, body, headers: headers)
        }
    }

    /// Dead letters of ben's: one of each of so many webhooks, with secrets of all sorts.
    private func dead(_ count: Int, _ scene: DeliveryTests.Scene) async throws -> [String] {
        var channels: [String] = []
        for number in 0..<count { channels.append(try await scene.webhook("private-path-\(number)")) }
        scene.sender.answer(400)
        let service = KeyTests.bearer(try await scene.service())
        let body =
            #"{"users":["ben"],"type":"comment.new","title":"Secret title","body":"Secret words","link":"/secret"}"#
        _ = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
        try await scene.later(seconds: 1)
        return channels
    }

    @Test(
        "DLV-06 Dead letters are paged and shown with their attempts, without text, names or addresses"
    )
    func list() async throws {
        try await DeliveryTests.run { scene async throws in
            let channels = try await dead(5, scene)
            let ops = try await Operator(scene)
            var numbers: [Int] = []
            var next: String? = "?state=dead&limit=2"
            while let rest = next {
                let page = try await ops.get(rest)
                #expect(page.status == 200)
                numbers += page.json["entries"]?.array?.compactMap { $0["number"]?.integer } ?? []
                next = page.json["links"]?["next"]?.string.map { String($0.drop { $0 != "?" }) }
                OutboxEndpointTests.expectNothingPrivate(page.bytes)
            }
            #expect(numbers.count == 5 && numbers == numbers.sorted(by: >))
            let shown = try await ops.get("/\(numbers[0])")
            #expect(shown.json["state"]?.string == "dead" && shown.json["reason"]?.string == "bad_message")
            #expect(shown.json["status"]?.integer == 400 && shown.json["tries"]?.array?.count == 1)
            #expect(shown.json["tries"]?[0]?["outcome"]?.string == "bad_message")
            OutboxEndpointTests.expectNothingPrivate(shown.bytes)
            let one = try await ops.get("?channel=\(channels[3])").json["entries"]?.array ?? []
            #expect(one.count == 2 && one.allSatisfy { $0["channel"]?.string == channels[3] })
            #expect(try await ops.get("?state=pending").json["entries"]?.array?.isEmpty == true)
            #expect(try await ops.get("?state=lost").status == 400)
            #expect(try await ops.get("/999999").status == 404)
        }
    }

    private static func expectNothingPrivate(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        for word in ["ecret", "ben", "private-path", "example.org", "whsec_"] {
            #expect(!text.contains(word), "\(word)")
        }
    }

    @Test("DLV-06 Named dead letters are resent, all or none, under their old ids and current settings")
    func replay() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await dead(3, scene)
            let ops = try await Operator(scene)
            let before = scene.sender.webhooks("comment.new").map(\.id)
            let numbers = try await ops.get("?state=dead").json["entries"]?.array?.compactMap { $0["number"]?.integer }
            let found = try #require(numbers)
            scene.sender.answer(204)
            let mixed = try await ops.replay("{\"entries\":[\(found[0]),999999,1]}")
            #expect(mixed.status == 422)
            #expect(mixed.json["errors"]?.array?.compactMap { $0["field"]?.string } == ["entries[1]", "entries[2]"])
            try await scene.later(seconds: 10)
            #expect(scene.sender.webhooks("comment.new").count == 3)
            let two = try await ops.replay("{\"entries\":[\(found[0]),\(found[1]),\(found[0])]}")
            #expect(two.status == 200 && two.json["replayed"]?.integer == 2)
            try await scene.later(seconds: 10)
            #expect(scene.sender.webhooks("comment.new").count == 5)
            #expect(Set(scene.sender.webhooks("comment.new").map(\.id)) == Set(before))
            let done = try await ops.get("/\(found[0])").json
            #expect(done["state"]?.string == "done")
            #expect(done["tries"]?.array?.compactMap { $0["outcome"]?.string } == ["bad_message", "delivered"])
            // The third is not wanted any more.
            try await scene.settings(#"{"types":[{"type":"comment.new","enabled":false}]}"#)
            #expect(try await ops.replay("{\"entries\":[\(found[2])]}").status == 200)
            try await scene.later(seconds: 10)
            #expect(scene.sender.webhooks("comment.new").count == 5)
            #expect(try await ops.get("/\(found[2])").json["reason"]?.string == "switched_off")
        }
    }

    @Test("DLV-06 All dead letters, or those of one channel, are resent on request")
    func replayAll() async throws {
        try await DeliveryTests.run { scene async throws in
            let channels = try await dead(4, scene)
            let ops = try await Operator(scene)
            scene.sender.answer(204)
            let one = try await ops.replay("{\"all\":true,\"channel\":\"\(channels[1])\"}")
            #expect(one.json["replayed"]?.integer == 1)
            try await scene.later(seconds: 1)
            #expect(try await ops.get("?state=dead").json["entries"]?.array?.count == 3)
            #expect(try await ops.replay(#"{"all":true}"#).json["replayed"]?.integer == 3)
            try await scene.later(seconds: 1)
            #expect(try await ops.get("?state=dead").json["entries"]?.array?.isEmpty == true)
            #expect(scene.sender.webhooks("comment.new").count == 8)
            #expect(try await ops.replay(#"{"all":true}"#).json["replayed"]?.integer == 0)
        }
    }

    @Test(
        "DLV-06 Entries to resend are named in exactly one way",
        arguments: [
            "{}", #"{"all":false}"#, #"{"entries":[1],"all":true}"#, #"{"entries":[0]}"#, #"{"entries":["1"]}"#,
            #"{"entries":[1],"channel":"0123456789abcdef0123456789abcdef"}"#, #"{"every":true}"#,
        ]
    )
    func misnamed(_ body: String) async throws {
        try await DeliveryTests.run { scene async throws in
            #expect(try await Operator(scene).replay(body).status == 422)
        }
    }
}
