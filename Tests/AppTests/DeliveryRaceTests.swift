import App
import Library
import Formats
import Foundation
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories
import Synchronization
import Testing
import TestSupport

/// NTF-01, NTF-08, PRV-07, DLV-04: whatever is withdrawn while it is on its way, no attempt begins or goes on after the
/// answer.
@Suite("Races between withdrawing and sending")
struct DeliveryRaceTests {
    /// What is withdrawn.
    static let sorts = [
        "opt out", "type off", "channel off", "quiet hours", "channel removed", "story deleted", "story private",
        "story hidden", "place muted",
    ]
    /// How many races of each sort; `WAYMARK_RACES` says otherwise.
    static var count: Int {
        ProcessInfo.processInfo.environment["WAYMARK_RACES"].flatMap { Int($0) }.map { max(1, $0 / sorts.count) } ?? 25
    }

    /// Notes which attempts are under way.
    private final class Line: Sendable {
        private let state = Mutex<(begun: Int, open: Int)>((0, 0))

        var begun: Int { state.withLock { $0.begun } }
        var open: Int { state.withLock { $0.open } }

        func enter() { state.withLock { $0 = ($0.begun + 1, $0.open + 1) } }
        func leave() { state.withLock { $0.open -= 1 } }
    }

    @Test(
        "No attempt starts or continues after the answer",
        arguments: DeliveryRaceTests.sorts
    )
    func races(_ how: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let scene = try await DeliveryTests.Scene(fixture, client)
            let line = Line()
            var generator = SplitMix64(seed: 7)
            var (sent, stopped) = (0, 0)
            for race in 0..<DeliveryRaceTests.count {
                scene.sender.answer(200)
                fixture.clock.advance(seconds: 300)
                let story = try await client.create(as: "ana", title: "Race \(race)")
                let channel = try await scene.webhook("race\(race)")
                try await DeliveryRaceTests.tell(story, race, scene)
                scene.sender.behave { _ in
                    line.enter()
                    defer { line.leave() }
                    for _ in 0..<20 where !Task.isCancelled { await Task.yield() }
                    // What is called off takes a moment to close.
                    if Task.isCancelled { for _ in 0..<200 { await Task.yield() } }
                    return ChannelAnswer(status: 200)
                }
                let pauses = race.isMultiple(of: 2) ? 0 : Int.random(in: 0...40, using: &generator)
                let before = line.begun
                async let delivery = fixture.library.delivery.deliverDue()
                for _ in 0..<pauses { await Task.yield() }
                try await DeliveryTests.withdraw(how, story, channel, scene)
                #expect(line.open == 0, "an attempt goes on after the answer")
                let begun = line.begun
                _ = try await delivery
                try await fixture.library.delivery.deliverDue()
                #expect(line.begun == begun, "an attempt begins after the answer")
                sent += begun - before
                stopped += begun == before ? 1 : 0
                try await DeliveryRaceTests.reset(scene, story: story, channel: channel)
            }
            // A race that always ends in the same way is none.
            if DeliveryRaceTests.count >= 25 { #expect(sent > 0 && stopped > 0, "\(sent) sent, \(stopped) stopped") }
        }
    }

    /// Writes a notification about a story at the place, as an entry does.
    private static func tell(_ story: String, _ race: Int, _ scene: DeliveryTests.Scene) async throws {
        let (id, user) = (try #require(StoryID(story)), try #require(UserID("ben")))
        let now = scene.fixture.clock.now
        let item = FeedItem(
            id: String(String(repeating: "0", count: 32 - String(race).count) + String(race)),
            user: user,
            at: now,
            createdAt: now,
            subject: .nearby(
                .init(
                    kind: .entered,
                    placeName: "Here",
                    place: Coordinate(wrappingLatitude: 33.7554, longitude: -84.3736),
                    content: [.init(id: id, sourceID: nil)],
                    confidence: 0.9
                )
            ),
            title: "Here",
            body: "1 story nearby"
        )
        try await scene.fixture.library.store.write { try $0.insert(item, ledger: []) }
    }

    /// Puts everything back for the next race.
    private static func reset(_ scene: DeliveryTests.Scene, story: String, channel: String) async throws {
        try await scene.settings(
            #"{"enabled":true,"types":[],"places":[],"quiet_hours":[],"everything":true,"channels":{"webhook":true}}"#
        )
        _ = try await scene.client.send(.delete, "/v1/me/channels/\(channel)", as: "ben")
        _ = try await scene.client.send(.delete, "/v1/stories/\(story)", as: "ana")
    }
}
