import Web
import Library
import App
import Formats
import HTTPTypes
import Stories
import TestSupport
import Testing

@Suite("Live map changes", .timeLimit(.minutes(30)))
struct MapStreamTests {
    /// A viewer who looks at a part of the map of a service.
    private struct Onlooker: Sendable {
        let log = EventLog()
        let run: LiveRun

        init(_ name: String?, _ fixture: ServiceFixture, query: String = "", since: String? = nil) async throws {
            let log = log
            let viewer = try await fixture.library.viewer(named: name)
            let seat = try fixture.library.live.open(.map, for: LiveOwner(viewer.user))
            let stream = try MapStream(
                library: fixture.library,
                client: seat.client,
                bbox: "-85,33,-84,34",
                zoom: 10,
                query: query,
                viewer: viewer,
                resume: since
            )
            run = LiveRun(seat: seat) {
                try await stream.run(to: &$0)
            } log: {
                log
            }
            await run.settle(log)
        }
    }

    /// Lets a second go by and waits until everybody has looked.
    private static func tick(_ fixture: ServiceFixture, _ onlookers: Onlooker...) async {
        fixture.clock.advance(seconds: 1)
        fixture.library.live.tick(at: fixture.clock.now)
        for onlooker in onlookers { await onlooker.run.settle(onlooker.log) }
    }

    @Test("DLV-02 A change in view is reported within a second, once; one elsewhere or invisible is not")
    func changes() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let ben = try await Onlooker("ben", fixture)
            let cora = try await Onlooker("cora", fixture)
            let nobody = try await Onlooker(nil, fixture)
            func names(_ onlooker: Onlooker) -> [String] { onlooker.log.events.map(\.name) }
            #expect(names(ben) == ["view"] && names(nobody) == ["view"])
            // Not before the second is over; two changes are one event.
            let story = try await client.create(as: "ana", title: "A")
            _ = try await client.create(as: "ana", title: "B")
            await ben.run.settle(ben.log)
            #expect(names(ben) == ["view"])
            await MapStreamTests.tick(fixture, ben, cora, nobody)
            #expect(names(ben) == ["view", "changed"] && names(nobody) == ["view", "changed"])
            await MapStreamTests.tick(fixture, ben, cora, nobody)
            #expect(names(ben).count == 2)
            // Elsewhere, private, for the family.
            _ = try await client.create(as: "ana", title: "Far", latitude: -20)
            _ = try await client.create(as: "ana", title: "Own", extra: #","privacy":"private""#)
            await MapStreamTests.tick(fixture, ben, cora, nobody)
            #expect(names(ben).count == 2 && names(cora).count == 2)
            let kin = try await client.create(as: "ana", title: "Kin", extra: #","privacy":"family_only""#)
            await MapStreamTests.tick(fixture, ben, cora, nobody)
            #expect(names(ben).count == 3 && names(cora).count == 2 && names(nobody).count == 2)
            // Other words in a story of the list, for those who see it.
            _ = try await client.send(.patch, "/v1/stories/\(kin)", as: "ana", #"{"text":"Told anew"}"#)
            await MapStreamTests.tick(fixture, ben, cora, nobody)
            #expect(names(ben).count == 4 && names(cora).count == 2 && names(nobody).count == 2)
            // What one hides changes one's own map alone.
            _ = try await client.send(.put, "/v1/stories/\(story)/hide", as: "ben")
            await MapStreamTests.tick(fixture, ben, cora, nobody)
            #expect(names(ben).count == 5 && names(cora).count == 2)
            // Leaving the family takes its stories away.
            let reply = try await client.send(.delete, "/v1/families/whitfield/members/ben", as: "ben")
            #expect(reply.status < 300)
            await MapStreamTests.tick(fixture, ben, cora, nobody)
            #expect(names(ben).count == 6 && names(cora).count == 2)
            for onlooker in [ben, cora, nobody] { await onlooker.run.finish() }
        }
    }

    @Test("After a reconnection the stream reports whether anything changed; filters count")
    func resumes() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let first = try await Onlooker("ben", fixture)
            let photos = try await Onlooker("ben", fixture, query: "kind=photo")
            await first.run.finish()
            _ = try await client.create(as: "ana", title: "Own", extra: #","privacy":"private""#)
            let same = try await Onlooker("ben", fixture, since: first.log.lastID)
            #expect(same.log.events.map(\.name) == ["view"] && same.log.lastID == first.log.lastID)
            await same.run.finish()
            _ = try await client.create(as: "ana", title: "Shown")
            let other = try await Onlooker("ben", fixture, since: first.log.lastID)
            #expect(other.log.events.map(\.name) == ["changed"] && other.log.lastID != first.log.lastID)
            await MapStreamTests.tick(fixture, other, photos)
            #expect(photos.log.events.map(\.name) == ["view"])
            // What one saw is no use to anybody else.
            let cora = try await Onlooker("cora", fixture)
            #expect(cora.log.lastID != other.log.lastID)
            for onlooker in [other, photos, cora] { await onlooker.run.finish() }
        }
    }

    @Test("PRV-02 In twin worlds every second has the same events and heartbeats, whatever happens out of sight")
    func twins() async throws {
        let (plain, whole) = (try await ServiceFixture(), try await ServiceFixture(gazetteer: nil))
        for fixture in [plain, whole] { try await fixture.makeFamilies() }
        try await plain.run { client async throws in
            try await whole.run { other async throws in
                let pairs = [
                    (try await Onlooker("ben", plain), try await Onlooker("ben", whole)),
                    (try await Onlooker(nil, plain), try await Onlooker(nil, whole)),
                ]
                for step in 0..<45 {
                    // Out of ben's sight, in one of the worlds alone.
                    let place = 33.75 + Double(step % 7) / 1_000
                    let secret = try await other.create(
                        as: "cora",
                        title: "Secret \(step)",
                        latitude: place,
                        extra: step.isMultiple(of: 2) ? #","privacy":"private""# : #","privacy":"family_only""#
                    )
                    if step.isMultiple(of: 3) { _ = try await other.send(.delete, "/v1/stories/\(secret)", as: "cora") }
                    // In sight, in both.
                    if step % 5 == 2 {
                        for world in [client, other] {
                            _ = try await world.create(as: "ana", title: "Shown \(step)", latitude: place)
                        }
                    }
                    for _ in 0..<2 {
                        await MapStreamTests.tick(step: plain, pairs.map(\.0))
                        await MapStreamTests.tick(step: whole, pairs.map(\.1))
                    }
                    for (one, two) in pairs {
                        #expect(one.log.events.map(\.name) == two.log.events.map(\.name), "second \(step)")
                        #expect(one.log.beats == two.log.beats, "second \(step)")
                    }
                }
                #expect(pairs[0].0.log.events.count == 10)
                for (one, two) in pairs { for onlooker in [one, two] { await onlooker.run.finish() } }
            }
        }
    }

    /// Lets a second pass and waits for all streams: one that is still busy would answer two heartbeats with one.
    private static func tick(step fixture: ServiceFixture, _ onlookers: [Onlooker]) async {
        fixture.clock.advance(seconds: 1)
        fixture.library.live.tick(at: fixture.clock.now)
        for onlooker in onlookers { await onlooker.run.settle(onlooker.log) }
    }
}

extension StoryLibrary {
    /// The viewer of a user, or anybody with `nil`.
    fileprivate func viewer(named name: String?) async throws -> Viewer {
        guard let name else { return .anonymous }
        let user = try #require(UserID(name))
        let viewer = try await viewer(of: user)
        return try #require(viewer)
    }
}
