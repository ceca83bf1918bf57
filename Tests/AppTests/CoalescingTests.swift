import Library
import App
import Foundation
import Formats
import Geofencing
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// Somebody in the middle of places west, east, north and south of them, with a radius of 500 m: after two fixes they are
/// surely at those in the west and the east, and only likely at those in the north and the south.
struct CrossOfPlaces: Sendable {
    static let middle = Coordinate(wrappingLatitude: 33.7554, longitude: -84.3736)
    static let settings = "/v1/me/notification-settings"

    let fixture: ServiceFixture

    static func point(_ bearing: Double, _ metres: Double) -> Coordinate {
        GreatCircle.destination(from: middle, bearing: bearing, distance: metres)
    }

    /// Stories of Ana at the places with these bearings; Ben wants to be told.
    func prepare(_ client: Client, bearings: [Double] = [270, 90, 0, 180]) async throws {
        for bearing in bearings {
            let point = CrossOfPlaces.point(bearing, bearing == 90 || bearing == 270 ? 250 : 475)
            let title = "At \(bearing)"
            _ = try await client.create(
                as: "ana",
                title: title,
                latitude: point.latitude,
                longitude: point.longitude
            )
        }
        _ = try await client.send(.put, CrossOfPlaces.settings, as: "ben", "{\"enabled\":true,\"radius\":500}")
    }

    /// Reports the middle, now; returns the ids of what was told at once.
    func report(_ client: Client, device: String = "phone", at place: Coordinate = middle) async throws -> [String] {
        let time = RFC3339.format(fixture.clock.now)
        let fix = "{\"t\":\"\(time)\",\"lat\":\(place.latitude),\"lon\":\(place.longitude),\"acc\":30}"
        let reply = try await client.send(
            .post,
            "/v1/fixes",
            as: "ben",
            "{\"device\":\"\(device)\",\"fixes\":[\(fix)]}"
        )
        #expect(reply.json["monitoring"]?.string == "on")
        return reply.json["notifications"]?.array?.compactMap(\.string) ?? []
    }

    /// Ben's notifications, newest first.
    func feed(_ client: Client) async throws -> [JSONValue] {
        try await client.get("/v1/notifications?limit=100", as: "ben").json["notifications"]?.array ?? []
    }

    /// How many visits wait to be told.
    func waiting(_ client: Client) async throws -> Int? {
        let kept = try await client.get("/v1/me/location-data", as: "ben").json["kept"]?.array ?? []
        return kept.first { $0["kind"]?.string == "visits" }?["rows"]?.integer
    }
}

@Suite("Grouping of simultaneous entries")
struct CoalescingTests {
    @Test("NTF-03 Places decided in several requests within seconds make one notification")
    func together() async throws {
        let fixture = try await ServiceFixture()
        let cross = CrossOfPlaces(fixture: fixture)
        try await fixture.run { client async throws in
            try await cross.prepare(client)
            #expect(try await cross.report(client).isEmpty)
            fixture.clock.advance(seconds: 5)
            // West and east are decided, north and south are not: it waits for them.
            #expect(try await cross.report(client).isEmpty)
            #expect(try await cross.waiting(client) == 2)
            #expect(try await cross.feed(client).isEmpty)
            fixture.clock.advance(seconds: 4)
            let told = try await cross.report(client)
            #expect(told.count == 1)
            #expect(try await cross.waiting(client) == 0)
            let feed = try await cross.feed(client)
            #expect(feed.compactMap { $0["count"]?.integer } == [4])
            #expect(feed.first?["body"]?.string?.hasPrefix("4 stories") == true)
        }
    }

    @Test("NTF-07 No notification waits unless another place is likely, and none longer than five seconds")
    func waiting() async throws {
        for bearings in [[90.0], [270, 0]] {
            let fixture = try await ServiceFixture()
            let cross = CrossOfPlaces(fixture: fixture)
            try await fixture.run { client async throws in
                try await cross.prepare(client, bearings: bearings)
                _ = try await cross.report(client)
                fixture.clock.advance(seconds: 4)
                let told = try await cross.report(client)
                #expect(told.count == (bearings.count == 1 ? 1 : 0))
                guard bearings.count > 1 else { return }
                // Another device of theirs begins to wonder, for longer than that.
                fixture.clock.advance(seconds: 3.5)
                let far = CrossOfPlaces.point(0, 10)
                _ = try await cross.report(client, device: "watch", at: far)
                fixture.clock.advance(seconds: 1)
                _ = try await fixture.library.fences.fireTimers()
                #expect(try await cross.waiting(client) == 2)
                #expect(try await cross.feed(client).isEmpty)
                fixture.clock.advance(seconds: 1)
                _ = try await fixture.library.fences.fireTimers()
                #expect(try await cross.waiting(client) == 0)
                #expect(try await cross.feed(client).count == 2)
            }
        }
    }

    @Test("NTF-05 Pending visits survive a restart and make the same notification as a replay")
    func restart() async throws {
        let first = try await ServiceFixture()
        let start = first.clock.now.milliseconds
        let fixes = [0, 5_000]
            .map { elapsed in
                Fix(
                    time: start + elapsed,
                    received: start + elapsed,
                    coordinate: CrossOfPlaces.middle,
                    accuracy: 30
                )
            }
        try await first.run { client async throws in
            let cross = CrossOfPlaces(fixture: first)
            try await cross.prepare(client)
            _ = try await cross.report(client)
            first.clock.advance(seconds: 5)
            _ = try await cross.report(client)
            #expect(try await cross.waiting(client) == 2)
        }
        var options = ReplayOptions()
        options.isDryRun = true
        let ben = try #require(UserID("ben"))
        let expected = try await first.library.fences.replay([fixes], for: ben, options: options).notices.map(\.id)
        #expect(expected.count == 1)
        try first.library.store.close()
        let second = try await ServiceFixture(of: first)
        try await second.run { client async throws in
            let cross = CrossOfPlaces(fixture: second)
            #expect(try await cross.waiting(client) == 2)
            second.clock.advance(seconds: 60)
            _ = try await second.library.fences.fireTimers()
            #expect(try await cross.feed(client).compactMap { $0["id"]?.string } == expected)
            #expect(try await cross.waiting(client) == 0)
        }
    }

    @Test("NTF-01 NTF-09 NTF-11 Pending visits are removed with the consent, with the permission, and on request")
    func dropped() async throws {
        for way in ["optOut", "permission", "erasure"] {
            let fixture = try await ServiceFixture()
            let cross = CrossOfPlaces(fixture: fixture)
            try await fixture.run { client async throws in
                try await cross.prepare(client)
                _ = try await cross.report(client)
                fixture.clock.advance(seconds: 5)
                _ = try await cross.report(client)
                let export = try await client.get("/v1/me/export", as: "ben")
                #expect(export.status == 200)
                switch way {
                case "optOut":
                    _ = try await client.send(.put, CrossOfPlaces.settings, as: "ben", "{\"enabled\":false}")
                    _ = try await client.send(.put, CrossOfPlaces.settings, as: "ben", "{\"enabled\":true}")
                case "permission":
                    let denied = "{\"permission\":\"denied\"}"
                    let reply = try await client.send(.put, "/v1/me/devices/phone", as: "ben", denied)
                    #expect(reply.status == 200)
                default:
                    let receipt = try await client.send(.delete, "/v1/me/location-data", as: "ben").json
                    #expect(receipt["counts"]?["visits"]?.integer == 2)
                }
                #expect(try await cross.waiting(client) == 0, "\(way)")
                fixture.clock.advance(seconds: 30)
                _ = try await fixture.library.fences.fireTimers()
                #expect(try await cross.feed(client).isEmpty, "\(way)")
            }
        }
    }

    @Test("PRV-01 NTF-08 Pending visits are announced as visible by then, without closed, deleted and muted content")
    func changedMeanwhile() async throws {
        let fixture = try await ServiceFixture()
        let cross = CrossOfPlaces(fixture: fixture)
        try await fixture.run { client async throws in
            try await cross.prepare(client)
            let stories = try await client.get("/v1/stories", as: "ana").json["features"]?.array ?? []
            func id(_ title: String) throws -> String {
                let story = stories.first { $0["properties"]?["title"]?.string == title }
                return try #require(story?["id"]?.string)
            }
            _ = try await cross.report(client)
            fixture.clock.advance(seconds: 5)
            _ = try await cross.report(client)
            #expect(try await cross.waiting(client) == 2)
            let closed = "{\"privacy\":\"private\"}"
            let patched = try await client.send(.patch, "/v1/stories/\(try id("At 270.0"))", as: "ana", closed)
            #expect(patched.status == 200)
            #expect(try await client.send(.delete, "/v1/stories/\(try id("At 0.0"))", as: "ana").status == 204)
            let east = PlaceID(CrossOfPlaces.point(90, 250))
            let muted = "{\"places\":[{\"place_id\":\"\(east)\",\"enabled\":false}]}"
            #expect(try await client.send(.put, CrossOfPlaces.settings, as: "ben", muted).status == 200)
            fixture.clock.advance(seconds: 30)
            _ = try await fixture.library.fences.fireTimers()
            let feed = try await cross.feed(client)
            #expect(feed.map { $0["content_ids"]?.array?.compactMap(\.string) ?? [] } == [[try id("At 180.0")]])
        }
    }

    @Test(
        "NTF-10 Live, fix by fix with timers in between, and in a replay, notifications are the same",
        arguments: [(TravelMode.walk, UInt64(1)), (.walk, 2), (.drive, 3), (.bus, 4)]
    )
    func liveIsReplay(mode: TravelMode, seed: UInt64) async throws {
        var cell = TraceScenario(mode, .urban, .every(10))
        cell.duration = 1_500
        let fixture = try await ServiceFixture()
        let start = fixture.clock.now.milliseconds
        let world = TraceWorld(cell, around: CrossOfPlaces.middle, seed: seed)
        let shift = start - (world.fixes.first?.received ?? 0)
        let fixes = world.fixes
            .map { fix in
                var fix = fix
                fix.time += shift
                fix.received += shift
                return fix
            }
            .sorted { $0.received < $1.received }
        let ben = try #require(UserID("ben"))
        try await fixture.run { client async throws in
            for (number, fence) in world.fences.enumerated() {
                let point = fence.coordinate
                _ = try await client.create(
                    as: "ana",
                    title: "\(number)",
                    latitude: point.latitude,
                    longitude: point.longitude
                )
            }
            // Wide circles, so that several are often entered together.
            _ = try await client.send(.put, CrossOfPlaces.settings, as: "ben", "{\"enabled\":true,\"radius\":300}")
            var options = ReplayOptions()
            options.isDryRun = true
            let replayed = try await fixture.library.fences.replay([fixes], for: ben, options: options).notices
            var random = SplitMix64(seed: seed)
            for fix in fixes {
                while fix.received - fixture.clock.now.milliseconds > 1_500 {
                    fixture.clock.advance(seconds: 0.3 + random.unit())
                    _ = try await fixture.library.fences.fireTimers()
                }
                fixture.clock.advance(seconds: Double(fix.received - fixture.clock.now.milliseconds) / 1_000)
                let time = RFC3339.format(Timestamp(milliseconds: fix.time))
                let place = "\"lat\":\(fix.coordinate.latitude),\"lon\":\(fix.coordinate.longitude)"
                let accuracy = fix.accuracy.map { ",\"acc\":\($0)" } ?? ""
                let speed = fix.speed.map { ",\"speed\":\($0)" } ?? ""
                let body =
                    "{\"device\":\"p\",\"fixes\":[{\"t\":\"\(time)\",\(place)\(accuracy)\(speed)}]}"
                #expect(try await client.send(.post, "/v1/fixes", as: "ben", body).status == 200)
            }
            for _ in 0..<60 {
                fixture.clock.advance(seconds: 1)
                _ = try await fixture.library.fences.fireTimers()
            }
            let feed = try await client.get("/v1/notifications?limit=100", as: "ben").json["notifications"]?.array
            let live = (feed ?? []).reversed().compactMap { $0["id"]?.string }
            #expect(live == replayed.map(\.id))
            #expect(!live.isEmpty)
            #expect(replayed.contains { $0.content.count > 1 } || mode != .walk)
        }
    }
}
