import App
import Library
import Formats
import Foundation
import Geometry
import HTTPTypes
import HummingbirdTesting
import Storage
import Stories
import Testing
import TestSupport

@Suite("SYN-03 Syncs during writes")
struct ChangesInFlightTests {
    /// Two worlds that are the same, but for what is being written in one of them.
    private struct Pair: Sendable {
        let worlds: [TwinWorld]
        let clients: [any TestClientProtocol]
        let tokens: [String: String]

        static let viewers: [String?] = [nil, "sue", "mia", "olga"]

        func advance(_ seconds: Double) {
            for world in worlds { world.clock.advance(seconds: seconds) }
        }

        /// Sends a request to both and returns the answer of the first, which must be that of the second.
        func send(
            _ method: HTTPRequest.Method,
            _ path: String,
            as user: String?,
            _ body: String? = nil,
            tag: String? = nil
        ) async throws -> TwinReply {
            var request = TwinRequest(method: method, path: path, body: body, operation: path)
            request.headers[.twinRequestID] = "pair"
            request.headers[.ifNoneMatch] = tag
            if let user { request.headers[.authorization] = "Bearer " + (tokens[user] ?? "") }
            let first = try await TwinReply(request, by: clients[0])
            let second = try await TwinReply(request, by: clients[1])
            #expect(first == second, "\(method) \(path) as \(user ?? "nobody"): \(first.difference(from: second))")
            return first
        }

        /// A write of somebody of whom nobody else knows, in the second world, held until it is let go.
        func beginUnseen(_ number: Int) async throws -> HeldWrite {
            let (world, now) = (worlds[1], worlds[1].clock.now)
            let gus = try #require(UserID("gus"))
            let (family, hal) = (try #require(FamilyID("shadow")), try #require(UserID("hal")))
            return await HeldWrite.begin(in: world.library.store) { transaction in
                var story = Story(
                    id: StoryID(high: 9, low: UInt64(number)),
                    kind: .photo,
                    title: "unseen",
                    owner: gus,
                    createdAt: now
                )
                story.privacy = .familyOnly
                try transaction.insert(story)
                if number.isMultiple(of: 3) { try transaction.removeMember(hal, of: family) }
                if number.isMultiple(of: 2) { try transaction.saveMember(hal, of: family, role: .member, at: now) }
            }
        }
    }

    private func withPair(_ body: @escaping @Sendable (Pair) async throws -> Void) async throws {
        let start = TwinWorld.start
        let viewer = TwinCast.viewer(nil)
        var worlds: [TwinWorld] = []
        for _ in 0..<2 {
            let population = try TwinPopulation(.whole, viewer: viewer, seed: 1, count: 40, now: start)
            worlds.append(try await TwinWorld(population, seed: 1))
        }
        var tokens: [String: String] = [:]
        for name in ["sue", "mia", "olga"] { tokens[name] = try await worlds[0].token(of: name) }
        let (first, second, known) = (worlds[0], worlds[1], tokens)
        try await first.run { one in
            try await second.run { two in
                try await body(Pair(worlds: [first, second], clients: [one, two], tokens: known))
            }
        }
    }

    @Test(
        "SYN-03 PRV-03 No byte of any sync reveals that someone else is writing or has written",
        arguments: 1...4
    )
    func untold(seed: UInt64) async throws {
        try await withPair { pair async throws in
            var draw = TwinDraw(seed: seed)
            var (cursors, tags): ([String?: String], [String?: String]) = ([:], [:])
            var ids: [String] = []
            func poll(_ viewer: String?) async throws {
                let since = cursors[viewer].map { "&since=" + $0 } ?? ""
                let limit = draw.pick([2, 40, 40])
                let path = "/v1/changes?limit=\(limit)" + since
                let reply = try await pair.send(.get, path, as: viewer, tag: tags[viewer])
                #expect(reply.status == 200)
                tags[viewer] = reply.fields[.eTag]
                let page = try JSONValue(parsing: reply.bytes, limits: .init(bytes: .max))
                cursors[viewer] = page["next"]?.string
                if since.isEmpty || draw.chance(10) {
                    _ = try await pair.send(.get, "/v1/offline-package?bbox=-1,-1,1,1&zoom=12", as: viewer)
                }
            }
            // The first look notes who got exact points, which waits for a write.
            for viewer in Pair.viewers {
                repeat { try await poll(viewer) } while ids.isEmpty && draw.chance(50)
            }
            for round in 0..<30 {
                pair.advance(draw.pick([0, 0.001, 0.001, 0.5, 30, 3_600]))
                let user = draw.pick(["olga", "mia", "sue"])
                let privacy = draw.pick(["public", "family_only", "private"])
                let text = "{\"title\":\"\(round)\",\"privacy\":\"\(privacy)\"}"
                if ids.count < 6 || draw.chance(40) {
                    let body = "{\"kind\":\"photo\"," + text.dropFirst()
                    let reply = try await pair.send(.post, "/v1/stories", as: user, body)
                    let story = try JSONValue(parsing: reply.bytes)
                    ids.append(user + "/" + (try #require(story["id"]?.string)))
                } else {
                    let place = draw.pick(0...ids.count - 1)
                    let parts = ids[place].split(separator: "/").map(String.init)
                    let isEnd = draw.chance(30)
                    let path = "/v1/stories/" + parts[1]
                    _ = try await pair.send(isEnd ? .delete : .patch, path, as: parts[0], isEnd ? nil : text)
                    if isEnd { ids.remove(at: place) }
                }
                pair.advance(draw.pick([0, 0.001, 5]))
                for viewer in Pair.viewers where draw.chance(40) { try await poll(viewer) }
                let held = try await pair.beginUnseen(round)
                for _ in 0..<draw.pick(1...6) {
                    pair.advance(draw.pick([0, 0.001, 0.2, 30, 3_600]))
                    try await poll(draw.pick(Pair.viewers))
                }
                try await held.end()
                for viewer in Pair.viewers where draw.chance(30) { try await poll(viewer) }
            }
        }
    }

    @Test("SYN-03 PRV-03 During writes, syncs extend to the instant of the answer and repeat nothing")
    func instants() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            // What happens within the millisecond of a sync may be told twice.
            fixture.clock.advance(seconds: 0.001)
            var copy = SyncedCopy(user: "ana")
            try await copy.sync(client)
            #expect(copy.latest == [id])
            let cora = try #require(UserID("cora"))
            let now = fixture.clock.now
            let held = await HeldWrite.begin(in: fixture.library.store) { transaction in
                var story = Story(
                    id: StoryID(high: 1, low: 1),
                    kind: .photo,
                    title: "y",
                    owner: cora,
                    createdAt: now
                )
                story.privacy = .private
                try transaction.insert(story)
            }
            for _ in 0..<3 {
                fixture.clock.advance(seconds: 5)
                let since = try #require(copy.cursor)
                let page = try await client.get("/v1/changes?since=\(since)", as: "ana").json
                #expect(page["synced_at"]?.string == RFC3339.format(fixture.clock.now))
                try await copy.sync(client)
                #expect(copy.latest == [])
            }
            try await held.end()
            fixture.clock.advance(seconds: 5)
            try await copy.sync(client)
            #expect(copy.latest == [])
        }
    }

    @Test(
        "SYN-03 Writes during syncs are delivered once by a later sync, however late they are durable",
        arguments: 1...6
    )
    func nothingMissed(seed: UInt64) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            var world = LateWrites(fixture: fixture, seed: seed)
            let viewers = [nil, "ana", "ben", "cora"]
            var copies = viewers.map { SyncedCopy(user: $0) }
            // What each may be told next: all that was written since they were last told everything.
            var open: [Set<String>] = viewers.map { _ in [] }
            func sync(_ index: Int) async throws {
                fixture.clock.advance(seconds: world.pick([0.001, 0.002, 0.4, 20, 4_000]))
                let isWhole = world.pick([true, true, false])
                try await copies[index].sync(client, limit: 3, pages: isWhole ? .max : 1)
                #expect(copies[index].latest.isSubset(of: open[index]), "seed \(seed): told again")
            }
            for _ in 0..<40 {
                fixture.clock.advance(seconds: world.pick([0.001, 1]))
                let touched = world.plan()
                let held = await HeldWrite.begin(in: fixture.library.store, world.write(touched))
                for _ in 0..<world.pick([0, 1, 3]) { try await sync(world.pick(Array(viewers.indices))) }
                try await held.end()
                for index in viewers.indices { open[index].formUnion(touched.map(\.description)) }
                for _ in 0..<world.pick([0, 1, 2]) { try await sync(world.pick(Array(viewers.indices))) }
                guard world.pick([true, false, false, false]) else { continue }
                for index in viewers.indices {
                    // The first may be the rest of one that began before.
                    for _ in 0..<2 {
                        fixture.clock.advance(seconds: 0.001)
                        try await copies[index].sync(client)
                        #expect(copies[index].latest.isSubset(of: open[index]), "seed \(seed): told again")
                    }
                    open[index] = []
                    var fresh = SyncedCopy(user: viewers[index])
                    try await fresh.sync(client, limit: 500)
                    #expect(copies[index].stories == fresh.stories, "seed \(seed), viewer \(index)")
                    fixture.clock.advance(seconds: 0.001)
                    try await copies[index].sync(client)
                    #expect(copies[index].latest == [], "seed \(seed), viewer \(index): told again")
                }
            }
        }
    }
}

/// Writes at random, some seen and some not, each of a few stories at once.
private struct LateWrites {
    let fixture: ServiceFixture
    private var generator: SplitMix64

    init(fixture: ServiceFixture, seed: UInt64) {
        self.fixture = fixture
        generator = SplitMix64(seed: seed)
    }

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }

    /// The stories that the next write is about: a few of ten.
    mutating func plan() -> [StoryID] {
        let numbers: [UInt64] = (0..<10).shuffled(using: &generator)
        return numbers.prefix(pick([1, 2, 4])).map { StoryID(high: 3, low: $0) }
    }

    /// Creates, changes or deletes each of them.
    mutating func write(_ ids: [StoryID]) -> @Sendable (StoreTransaction) throws -> Void {
        let now = fixture.clock.now
        let choices = ids.map { id in
            (id, pick(["ana", "cora"]), pick(Array(Privacy.allCases)), pick([true, false, false]))
        }
        return { transaction in
            for (id, name, privacy, isEnd) in choices {
                let old = try transaction.story(id)
                if isEnd, old != nil {
                    try transaction.deleteStory(id)
                    continue
                }
                let owner = try #require(UserID(name))
                var story = old ?? Story(id: id, kind: .photo, title: "", owner: owner, createdAt: now)
                story.title = "at \(now.milliseconds)"
                story.privacy = privacy
                guard let old else {
                    try transaction.insert(story)
                    continue
                }
                story.touch(at: now, replacing: old)
                try transaction.update(story)
            }
        }
    }
}
