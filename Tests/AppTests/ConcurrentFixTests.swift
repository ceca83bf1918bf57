import Library
import App
import Foundation
import Formats
import Geometry
import HTTPTypes
import Notifications
import Stories
import TestSupport
import Testing

@Suite("Simultaneous devices")
struct ConcurrentFixTests {
    /// How many rounds; more with WAYMARK_RACES=1000.
    private static let rounds = ProcessInfo.processInfo.environment["WAYMARK_RACES"].flatMap { Int($0) } ?? 20

    /// Two fixes at a place, eight seconds apart.
    private static func batch(device: String, latitude: Double, at start: Int64) -> String {
        let fixes = [Int64(0), 8_000]
            .map { elapsed in
                let time = RFC3339.format(Timestamp(milliseconds: start + elapsed))
                return "{\"t\":\"\(time)\",\"lat\":\(latitude),\"lon\":-84.3736,\"acc\":8}"
            }
        return "{\"device\":\"\(device)\",\"fixes\":[\(fixes.joined(separator: ","))]}"
    }

    @Test("NTF-05 With six devices, each reporting twice at once, and clocks changing, one announces once")
    func once() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, CrossOfPlaces.settings, as: "ben", "{\"enabled\":true}")
            for round in 0..<ConcurrentFixTests.rounds {
                let latitude = 10 + 0.05 * Double(round)
                let story = try await client.create(as: "ana", title: "Round \(round)", latitude: latitude)
                let start = fixture.clock.now.milliseconds - 10_000
                let told = try await withThrowingTaskGroup(of: [String].self) { group in
                    for number in 0..<12 {
                        // New devices in each round: nobody leaps over fifty kilometres.
                        let device = "r\(round)d\(number / 2)"
                        let body = ConcurrentFixTests.batch(device: device, latitude: latitude, at: start)
                        group.addTask { () async throws in
                            let reply = try await client.send(.post, "/v1/fixes", as: "ben", body)
                            #expect(reply.status == 200)
                            return reply.json["notifications"]?.array?.compactMap(\.string) ?? []
                        }
                        group.addTask { () async throws in
                            _ = try await fixture.library.fences.fireTimers()
                            return []
                        }
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                #expect(told.count == 1, "round \(round)")
                let feed = try await client.get("/v1/notifications?limit=100", as: "ben").json["notifications"]?.array
                let contents = (feed ?? []).flatMap { $0["content_ids"]?.array?.compactMap(\.string) ?? [] }
                #expect(contents.count { $0 == story } == 1, "round \(round)")
                #expect(contents.count == Set(contents).count, "round \(round)")
                fixture.clock.advance(seconds: 60)
            }
        }
    }

    @Test("NTF-12 Simultaneous reports of one device are all accepted, in any order")
    func oneDevice() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, CrossOfPlaces.settings, as: "ben", "{\"enabled\":true}")
            let start = fixture.clock.now.milliseconds - 60_000
            try await withThrowingTaskGroup(of: Void.self) { group async throws in
                for number in 0..<24 {
                    let time = RFC3339.format(Timestamp(milliseconds: start + Int64(number) * 2_000))
                    let fix = "{\"t\":\"\(time)\",\"lat\":10,\"lon\":20,\"acc\":8}"
                    group.addTask { () async throws in
                        let body = "{\"device\":\"phone\",\"fixes\":[\(fix)]}"
                        #expect(try await client.send(.post, "/v1/fixes", as: "ben", body).status == 200)
                    }
                }
                try await group.waitForAll()
            }
            // Whoever asked earlier and comes later is told what became of theirs all the same.
            fixture.clock.advance(seconds: 30)
            _ = try await fixture.library.fences.fireTimers()
            fixture.clock.advance(seconds: -5)
            let time = RFC3339.format(Timestamp(milliseconds: start + 52_000))
            let late = "{\"device\":\"phone\",\"fixes\":[{\"t\":\"\(time)\",\"lat\":10,\"lon\":20,\"acc\":8}]}"
            let answer = try await client.send(.post, "/v1/fixes", as: "ben", late).json
            #expect(answer["accepted"]?.integer == 1, "\(answer)")
            fixture.clock.advance(seconds: 10)
            _ = try await fixture.library.fences.fireTimers()
            let device = try await client.get("/v1/me/location-data", as: "ben").json["devices"]?[0]
            #expect(device?["fix_digests"]?.integer == 25)
        }
    }

    @Test("NTF-05 Device entries, fixes and recordings of one walk at the same time are announced once")
    func everyWay() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, CrossOfPlaces.settings, as: "ben", "{\"enabled\":true}")
            for round in 0..<ConcurrentFixTests.rounds {
                let latitude = 10 + 0.05 * Double(round)
                let story = try await client.create(as: "ana", title: "Round \(round)", latitude: latitude)
                let place = PlaceID(Coordinate(wrappingLatitude: latitude, longitude: -84.3736))
                let start = fixture.clock.now.milliseconds - 10_000
                let rows = [Int64(0), 4_000, 8_000]
                    .map { "\(RFC3339.format(Timestamp(milliseconds: start + $0))),\(latitude),-84.3736,8\n" }
                let recording = "time,lat,lon,accuracy\n" + rows.joined()
                try await withThrowingTaskGroup(of: Void.self) { group async throws in
                    for number in 0..<4 {
                        let body = ConcurrentFixTests.batch(
                            device: "r\(round)d\(number)",
                            latitude: latitude,
                            at: start
                        )
                        for (path, body) in [
                            ("/v1/fixes", body), ("/v1/fences/\(place)/entered", "{}"),
                            ("/v1/traces?name=a.csv", recording),
                        ] {
                            group.addTask { () async throws in
                                var reply = try await client.send(.post, path, as: "ben", body)
                                // One recording of a user at a time: the others come again.
                                while reply.status == 429, path.hasPrefix("/v1/traces") {
                                    await Task.yield()
                                    reply = try await client.send(.post, path, as: "ben", body)
                                }
                                #expect(reply.status == 200)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let feed = try await client.get("/v1/notifications?limit=100", as: "ben").json["notifications"]?.array
                let contents = (feed ?? []).flatMap { $0["content_ids"]?.array?.compactMap(\.string) ?? [] }
                #expect(contents.count { $0 == story } == 1, "round \(round)")
                fixture.clock.advance(seconds: 60)
            }
        }
    }

    @Test("NTF-03 NTF-07 With a tablet at one place and a phone passing another, each place is announced")
    func tabletAtRest() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.send(.put, CrossOfPlaces.settings, as: "ben", "{\"enabled\":true}")
            let passed = try await client.create(as: "ana", title: "On the way", latitude: 10)
            let rested = try await client.create(as: "ana", title: "Where the tablet lies", latitude: 10.02)
            for step in 0..<60 {
                let way = 10 + 6e-5 * Double(step - 30)
                for (device, latitude) in [("phone", way), ("tablet", 10.02)] {
                    let time = RFC3339.format(fixture.clock.now)
                    let fix = "{\"t\":\"\(time)\",\"lat\":\(latitude),\"lon\":-84.3736,\"acc\":8}"
                    let body = "{\"device\":\"\(device)\",\"fixes\":[\(fix)]}"
                    #expect(try await client.send(.post, "/v1/fixes", as: "ben", body).status == 200)
                }
                fixture.clock.advance(seconds: 5)
                _ = try await fixture.library.fences.fireTimers()
            }
            let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array ?? []
            let told = feed.map { $0["content_ids"]?.array?.compactMap(\.string) ?? [] }
            #expect(told.count == 2 && Set(told) == [[passed], [rested]])
        }
    }
}
