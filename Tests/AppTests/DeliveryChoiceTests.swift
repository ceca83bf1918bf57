import App
import Library
import Formats
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// DLV-04, DLV-05: the way each person wants it.
@Suite("Personal delivery settings")
struct DeliveryChoiceTests {
    @Test("DLV-04 NTF-05 Switched-off nearby stories are not announced, but are on a later visit once switched on")
    func nearbyOff() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Here")
            try await scene.settings(#"{"types":[{"type":"story.nearby","enabled":false}]}"#)
            try await scene.enter()
            #expect(
                try await scene.client.get("/v1/notifications", as: "ben").json["notifications"]?.array?.isEmpty == true
            )
            try await scene.settings(#"{"types":[]}"#)
            scene.fixture.clock.advance(seconds: 3_600)
            try await scene.enter(latitude: 33.8, fixes: 15)
            scene.fixture.clock.advance(seconds: 3_600)
            try await scene.enter()
            #expect(try await scene.client.get("/v1/notifications", as: "ben").json["notifications"]?.array?.count == 1)
        }
    }

    @Test("DLV-05 In quiet hours channels are silent; afterwards unread items come as one message")
    func quietHours() async throws {
        try await DeliveryTests.run { scene async throws in
            let channel = try await scene.webhook()
            // The fixture's clock begins at noon UTC.
            try await scene.settings(
                #"{"time_zone":"UTC","quiet_hours":[{"from":"11:00","to":"13:00"}],"types":[]}"#
            )
            let service = KeyTests.bearer(try await scene.service())
            for number in 0..<3 {
                let body = #"{"users":["ben"],"type":"comment.new","title":"Comment \#(number)","key":"\#(number)"}"#
                let told = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
                #expect(told.json["told"]?.array?.count == 1)
            }
            try await scene.later(seconds: 60)
            #expect(scene.sender.webhooks("comment.new").isEmpty)
            #expect(try await scene.state(of: channel)["waiting"]?.integer == 3)
            let feed = try await scene.client.get("/v1/notifications", as: "ben").json["notifications"]?.array
            #expect(feed?.count == 3)
            try await scene.later(seconds: 3_600)
            #expect(scene.sender.webhooks("comment.new").isEmpty)
            #expect(scene.sender.webhooks("digest").count == 1)
            try await scene.later(seconds: 3_600)
            #expect(scene.sender.webhooks("digest").count == 1)
        }
    }

    @Test("DLV-05 Removing quiet hours releases the held messages")
    func quietHoursEnded() async throws {
        try await DeliveryTests.run { scene async throws in
            let channel = try await scene.webhook()
            try await scene.settings(#"{"time_zone":"UTC","quiet_hours":[{"from":"00:00","to":"24:00"}]}"#)
            let service = KeyTests.bearer(try await scene.service())
            let body = #"{"users":["ben"],"type":"comment.new","title":"Comment","key":"1"}"#
            _ = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
            try await scene.later(seconds: 1)
            #expect(try await scene.state(of: channel)["waiting"]?.integer == 1)
            try await scene.settings(#"{"radius":200}"#)
            try await scene.later(seconds: 1)
            #expect(scene.sender.webhooks("comment.new").isEmpty)
            try await scene.settings(#"{"quiet_hours":[]}"#)
            try await scene.later(seconds: 1)
            #expect(scene.sender.webhooks("comment.new").count == 1)
        }
    }

    @Test("PRV-01 With the preview off, no channel gets a word, place or number, whoever the storyteller")
    func previewNone() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.client.create(as: "ana", title: "Secret title")
            _ = try await scene.webhook()
            try await scene.settings(#"{"preview":"none"}"#)
            try await scene.enter()
            let service = KeyTests.bearer(try await scene.service())
            let body =
                #"{"users":["ben"],"type":"comment.new","title":"Secret title","body":"Secret","link":"/secret"}"#
            _ = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
            try await scene.later(seconds: 1)
            let sent = scene.sender.webhooks("story.nearby") + scene.sender.webhooks("comment.new")
            #expect(sent.count == 2)
            for (id, data) in sent {
                #expect(data["title"]?.string == "Waymark" && data["place"] == nil && data["kind"] == nil)
                #expect(data["url"]?.string == "https://stories.example/#notice=\(id)")
                #expect(data["counts"]?["total"]?.integer ?? 0 == 0 && data["content_ids"]?.array?.isEmpty ?? true)
            }
        }
    }

    @Test("DLV-05 Caps hold back channels, not the feed")
    func caps() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            try await scene.settings(#"{"caps":{"per_hour":2}}"#)
            let service = KeyTests.bearer(try await scene.service())
            for number in 0..<5 {
                let body = #"{"users":["ben"],"type":"comment.new","title":"Comment","key":"\#(number)"}"#
                _ = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
                try await scene.later(seconds: 10)
            }
            #expect(scene.sender.webhooks("comment.new").count == 2)
            #expect(try await scene.entries(.cancelled).map(\.reason) == ["cap", "cap", "cap"])
            let feed = try await scene.client.get("/v1/notifications", as: "ben").json["notifications"]?.array
            #expect(feed?.count == 5)
        }
    }

    private func tell(_ scene: DeliveryTests.Scene, _ type: String, _ key: String) async throws -> String {
        let service = KeyTests.bearer(try await scene.service())
        let body = #"{"users":["ben"],"type":"\#(type)","title":"Title \#(key)","body":"Body","key":"\#(key)"}"#
        let told = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
        return try #require(told.json["told"]?[0]?["notification_id"]?.string)
    }

    @Test("DLV-05 Nothing is dropped silently: the next message gives the number of capped ones, once")
    func leftOut() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            try await scene.settings(#"{"preview":"full","caps":{"per_hour":1}}"#)
            var ids: [String] = []
            for number in 0..<6 {
                ids.append(try await tell(scene, number == 5 ? "other.type" : "comment.new", "\(number)"))
                try await scene.later(seconds: 10)
            }
            func bodies() -> [String] { scene.sender.webhooks("comment.new").compactMap { $0.data["body"]?.string } }
            #expect(bodies() == ["Body"])
            // Read meanwhile, or switched off since: nothing to say of it.
            _ = try await scene.client.send(.patch, "/v1/notifications/\(ids[1])", as: "ben", #"{"read":true}"#)
            try await scene.settings(#"{"types":[{"type":"other.type","channels":{"webhook":false}}]}"#)
            try await scene.later(seconds: 3_600)
            _ = try await tell(scene, "comment.new", "6")
            try await scene.later(seconds: 10)
            #expect(bodies().last == "Body\n3 more notifications are in your feed since the last message.")
            try await scene.later(seconds: 3_600)
            _ = try await tell(scene, "comment.new", "7")
            try await scene.later(seconds: 10)
            #expect(bodies().count == 3 && bodies().last == "Body")
            // Who wants nothing on the screen is told no number either.
            try await scene.settings(#"{"preview":"none"}"#)
            _ = try await tell(scene, "comment.new", "8")
            try await scene.later(seconds: 3_600)
            _ = try await tell(scene, "comment.new", "9")
            try await scene.later(seconds: 10)
            #expect(bodies().count == 4 && bodies().last == "You have a new notification")
        }
    }

    @Test(
        "DLV-05 After quiet hours one message names the new items, as far as the preview allows",
        arguments: [2, 5, 6, 8]
    )
    func summary(_ count: Int) async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            let quiet = #"{"preview":"full","time_zone":"UTC","quiet_hours":[{"from":"11:00","to":"13:00"}]}"#
            try await scene.settings(quiet)
            for number in 0..<count { _ = try await tell(scene, "comment.new", "\(number)") }
            try await scene.later(seconds: 1)
            try await scene.later(seconds: 4_000)
            let lines = try #require(scene.sender.webhooks("digest").first?.data["body"]?.string).split(separator: "\n")
            #expect(lines.first == "\(count) notifications:")
            #expect(lines.count == min(count, 6) + 1)
            #expect(lines.dropFirst().prefix(2) == ["Title 0: Body", "Title 1: Body"])
            #expect(lines.last == (count == 8 ? "and 3 more" : "Title \(count - 1): Body"))
        }
    }

    @Test("DLV-05 After quiet hours a single item speaks for itself, and an off preview shows nothing")
    func summaryOfOne() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            try await scene.settings(
                #"{"preview":"full","time_zone":"UTC","quiet_hours":[{"from":"11:00","to":"13:00"}]}"#
            )
            let ids = [try await tell(scene, "comment.new", "0"), try await tell(scene, "comment.new", "1")]
            // Both are deferred before one is read.
            try await scene.later(seconds: 1)
            _ = try await scene.client.send(.patch, "/v1/notifications/\(ids[0])", as: "ben", #"{"read":true}"#)
            try await scene.later(seconds: 4_000)
            let data = try #require(scene.sender.webhooks("digest").first?.data)
            #expect(data["body"]?.string == "Title 1: Body")
            #expect(data["url"]?.string?.hasSuffix("#notice=\(ids[1])") == true)
            try await scene.settings(#"{"preview":"none","quiet_hours":[{"from":"00:00","to":"15:00"}]}"#)
            for number in 2..<5 { _ = try await tell(scene, "comment.new", "\(number)") }
            try await scene.later(seconds: 1)
            try await scene.later(seconds: 8_000)
            let last = try #require(scene.sender.webhooks("digest").last?.data)
            #expect(scene.sender.webhooks("digest").count == 2)
            #expect(last["title"]?.string == "Waymark" && last["body"]?.string == "3 notifications")
        }
    }

    @Test("DLV-04 A pending type switched off for a channel is not in a combined message either")
    func switchedOffWhileQuiet() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            try await scene.settings(
                #"{"preview":"full","time_zone":"UTC","quiet_hours":[{"from":"11:00","to":"13:00"}]}"#
            )
            for number in 0..<4 { _ = try await tell(scene, number < 2 ? "comment.new" : "other.type", "\(number)") }
            try await scene.later(seconds: 1)
            try await scene.settings(#"{"types":[{"type":"other.type","channels":{"webhook":false}}]}"#)
            try await scene.later(seconds: 4_000)
            #expect(
                scene.sender.webhooks("digest").map { $0.data["body"]?.string }
                    == ["2 notifications:\nTitle 0: Body\nTitle 1: Body"]
            )
        }
    }
}
