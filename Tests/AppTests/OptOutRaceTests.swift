import App
import Library
import Formats
import Foundation
import Geofencing
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

@Suite("Opting out while positions arrive")
struct OptOutRaceTests {
    /// How many races; a thousand with WAYMARK_RACES=1000.
    private static let races = ProcessInfo.processInfo.environment["WAYMARK_RACES"].flatMap { Int($0) } ?? 25

    @Test("NTF-01 SEC-09 After the answer to opting out, no notice or state is created, whatever was in progress")
    func races() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for race in 0..<OptOutRaceTests.races {
                let latitude = 10 + 0.01 * Double(race)
                _ = try await client.create(as: "ana", title: "Here \(race)", latitude: latitude)
                try await self.race(at: latitude, number: race, fixture, client)
            }
        }
    }

    private func race(at latitude: Double, number: Int, _ fixture: ServiceFixture, _ client: Client) async throws {
        let settings = "/v1/me/notification-settings"
        _ = try await client.send(.put, settings, as: "ben", "{\"enabled\":true}")
        let start = fixture.clock.now.milliseconds - 60_000
        let storm = (0..<6)
            .map { device in
                let fixes = (0..<8)
                    .map { step in
                        let time = RFC3339.format(Timestamp(milliseconds: start + Int64(step) * 6_000))
                        return "{\"t\":\"\(time)\",\"lat\":\(latitude),\"lon\":-84.3736,\"acc\":8}"
                    }
                return "{\"device\":\"d\(device)\",\"fixes\":[\(fixes.joined(separator: ","))]}"
            }
        func told() async throws -> Int? {
            try await client.get("/v1/notifications?limit=100", as: "ben").json["notifications"]?.array?.count
        }
        let sending = Task {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for body in storm {
                    group.addTask { try await client.send(.post, "/v1/fixes", as: "ben", body).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        // Sooner or later in the storm.
        for _ in 0..<(number % 7) { await Task.yield() }
        let answer = try await client.send(.put, settings, as: "ben", "{\"enabled\":false}")
        #expect(answer.status == 200)
        let atAnswer = try await told()
        let statuses = try await sending.value
        #expect(statuses.allSatisfy { $0 == 200 })
        fixture.clock.advance(seconds: 30)
        _ = try await fixture.library.fences.fireTimers()
        #expect(try await told() == atAnswer, "race \(number)")
        #expect(try fixture.library.store.inspectDevices().isEmpty, "race \(number)")
    }
}
