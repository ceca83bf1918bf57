import Web
import Library
import App
import Formats
import Geometry
import HTTPTypes
import NIOCore
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("Long work blocks no one", .timeLimit(.minutes(30)))
struct LongWorkTests {
    /// A walk among the stories of ``fill(_:)``, a fix a second.
    private static func walk(points: Int) -> String {
        var text = "time,lat,lon,accuracy\n"
        for second in 0..<points {
            let time = RFC3339.format(Timestamp(milliseconds: 1_795_262_400_000 + Int64(second) * 1_000))
            text += "\(time),\(33.7 + Double(second % 2_000) * 1e-5),-84.39,8\n"
        }
        return text
    }

    /// Stories at 400 places within 4 km, and three people who opted in to them.
    private static func fill(_ fixture: ServiceFixture, _ client: Client) async throws {
        try await fixture.makeFamilies()
        let (owner, now) = (try #require(UserID("cora")), fixture.clock.now)
        var generator = SplitMix64(seed: 9)
        let stories = (0..<400)
            .map { number in
                var story = Story(
                    id: StoryID(using: &generator),
                    kind: .photo,
                    title: "\(number)",
                    owner: owner,
                    createdAt: now
                )
                let (row, column) = (Double(number / 20), Double(number % 20))
                let point = Coordinate(wrappingLatitude: 33.68 + row * 0.002, longitude: -84.41 + column * 0.002)
                story.location = StoryLocation(coordinate: point, source: .manual)
                return story
            }
        try await fixture.library.store.write { [library = fixture.library] transaction in
            for story in stories { try library.feed.insert(story, in: transaction) }
        }
        for user in ["ana", "ben", "cora"] {
            let settings = try await client.send(
                .put,
                "/v1/me/notification-settings",
                as: user,
                #"{"enabled":true}"#
            )
            #expect(settings.status == 200)
        }
    }

    @Test("REL-10 Others are served during three long traces; a user has one at a time; all end when cancelled")
    func traces() async throws {
        let fixture = try await ServiceFixture()
        let shares = fixture.library.traces
        try await fixture.run { client async throws in
            try await LongWorkTests.fill(fixture, client)
            let walk = LongWorkTests.walk(points: 20_000)
            let address = "/v1/traces?dry_run=true&radius=5000"
            let tasks = ["ana", "ben", "cora"]
                .map { user in Task { try await client.send(.post, address, as: user, walk).status } }
            while shares.count < 3 { await Task.yield() }
            for _ in 0..<20 { #expect(try await client.get("/v1/stories?limit=1", as: "ana").status == 200) }
            let second = try await client.send(.post, address, as: "ben", walk)
            #expect(second.status == 429 && second.json["type"]?.string == "/problems/work-under-way")
            #expect(second.headers[try #require(HTTPField.Name("Retry-After"))] == "5")
            #expect(shares.count == 3, "they were done before anybody else was answered")
            for task in tasks { task.cancel() }
            for task in tasks { #expect(try await task.value == 503) }
            #expect(shares.count == 0)
        }
    }

    @Test("REL-10 A trace ends when its client disconnects")
    func goneClient() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in try await LongWorkTests.fill(fixture, client) }
        let token = try await fixture.accounts.issueToken(for: try #require(UserID("ana")), seconds: 3_600)
        let walk = LongWorkTests.walk(points: 99_000)
        try await LiveServer.run(fixture) { port in
            let shares = fixture.library.traces
            try await RawConnection.open(port) { connection in
                try await connection.send(
                    """
                    POST /v1/traces?dry_run=true&radius=5000 HTTP/1.1\r\nHost: a\r\n\
                    Authorization: Bearer \(token)\r\nContent-Length: \(walk.utf8.count)\r\n\r\n
                    """
                )
                try await connection.send(walk)
                while shares.count == 0 { await Task.yield() }
                // Others are answered by the running service meanwhile.
                let ask = "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                for _ in 0..<5 { #expect(try await RawConnection.exchange(port, ask).hasPrefix("HTTP/1.1 200 ")) }
                #expect(shares.count == 1)
            }
            while shares.count > 0 { await Task.yield() }
        }
    }

    @Test("REL-10 The cost of a trace depends on its points and its radius")
    func price() async throws {
        #expect(TracePrice.units(points: 99_000, radius: 5_000) > 9_000)
        #expect(TracePrice.units(points: 1_000, radius: 150) == 5)
        #expect(TracePrice.units(points: 0, radius: 5_000) == 0)
        let fixture = try await ServiceFixture()
        var options = WaymarkService.Options()
        options.rateLimit = RateLimit(unitsPerSecond: 1, burst: 1_000)
        try await fixture.makeFamilies()
        try await fixture.run(options: options) { client async throws in
            // 50 for the request, and 10 or 200 for what it holds.
            // Of the caller's own radii the largest counts, that of a place among them.
            let place = #"{"place_id":"\#(LocatedSettings.place(1))","enabled":true,"radius":5000}"#
            let path = "/v1/me/notification-settings"
            #expect(try await client.send(.put, path, as: "cora", "{\"places\":[\(place)]}").status == 200)
            for (user, radius, count) in [("ana", 75, 16), ("ben", 5_000, 4), ("cora", 75, 3)] {
                let address = "/v1/traces?dry_run=true&radius=\(radius)"
                let walk = LongWorkTests.walk(points: 2_000)
                for _ in 0..<count { #expect(try await client.send(.post, address, as: user, walk).status == 200) }
                #expect(try await client.send(.post, address, as: user, walk).status == 429, "\(user)")
            }
        }
    }

    @Test("NTF-10 A trace over many transactions announces each place once, dry or not, and none on a repeat")
    func parts() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            try await LongWorkTests.fill(fixture, client)
            var walk = "time,lat,lon,accuracy\n"
            for second in 0..<4_000 {
                let time = RFC3339.format(Timestamp(milliseconds: 1_795_262_400_000 + Int64(second) * 2_000))
                // Along a row of places and back again.
                let step = Double(second < 2_000 ? second : 4_000 - second)
                walk += "\(time),33.68,\(-84.412 + step * 2.2e-5),8\n"
            }
            func play(_ dry: Bool) async throws -> [[String]] {
                let reply = try await client.send(.post, "/v1/traces?radius=75&dry_run=\(dry)", as: "ben", walk)
                #expect(reply.status == 200)
                return reply.json["notifications"]?.array?
                    .map { [$0["id"]?.string ?? ""] + ($0["content_ids"]?.array ?? []).compactMap(\.string) } ?? []
            }
            let dry = try await play(true)
            #expect(dry.count > 8)
            let told = dry.flatMap { $0.dropFirst() }
            #expect(Set(told).count == told.count)
            #expect(try await play(false) == dry)
            #expect(try await play(false).isEmpty)
        }
    }

    @Test("SYN-01 A long batch is written in short transactions: others can read and write in between")
    func batch() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let items = (0..<500)
            .map { #"{"op":"create","story":{"kind":"photo","title":"\#($0)"}}"# }.joined(separator: ",")
        let body = "{\"items\":[\(items)]}"
        try await fixture.run { client async throws in
            var headers: HTTPFields = [:]
            headers[try #require(HTTPField.Name("Idempotency-Key"))] = "once"
            let (key, done) = (headers, Flag())
            let batch = Task {
                defer { done.set() }
                return try await client.send(.post, "/v1/stories/batch", as: "ana", body, headers: key)
            }
            var counts: Set<Int> = []
            while !done.isSet {
                let count = try await client.get("/v1/stories?limit=1&view=mine", as: "ana").json["numberMatched"]
                counts.insert(count?.integer ?? 0)
                _ = try await client.create(as: "ben", title: "between")
            }
            #expect(counts.count { (1..<500).contains($0) } > 0, "\(counts.sorted())")
            let first = try await batch.value
            #expect(first.json["items"]?.array?.count == 500)
            // Of two repetitions at once neither does anything.
            async let second = client.send(.post, "/v1/stories/batch", as: "ana", body, headers: key)
            async let third = client.send(.post, "/v1/stories/batch", as: "ana", body, headers: key)
            #expect(try await second.bytes == first.bytes)
            #expect(try await third.bytes == first.bytes)
            let all = try await client.get("/v1/stories?limit=1&view=mine", as: "ana").json["numberMatched"]
            #expect(all?.integer == 500)
        }
    }

    @Test("REL-10 Long work is limited per user and address, and never keeps out others")
    func shares() throws {
        let shares = WorkShares(perUser: 1, perAddress: 2, inAll: 4)
        let users = try ["a", "b", "c", "d", "e", "f"].map { try #require(UserID($0)) }
        var held = [try shares.take(user: users[0], address: "x"), try shares.take(user: users[1], address: "x")]
        #expect(throws: (any Error).self) { try shares.take(user: users[0], address: "y") }
        #expect(throws: (any Error).self) { try shares.take(user: users[2], address: "x") }
        held.append(try shares.take(user: users[2], address: "y"))
        held.append(try shares.take(user: users[3], address: nil))
        #expect(throws: (any Error).self) { try shares.take(user: users[4], address: "z") }
        held.removeFirst()
        held.append(try shares.take(user: users[4], address: "x"))
        #expect(shares.count == 4)
        held.removeAll()
        #expect(shares.count == 0)
    }

    private final class Refusals: Sendable {
        let count = Mutex(0)
    }

    @Test("REL-10 Clients at a turnstile pass one at a time, in order")
    func turnstile() async throws {
        let turnstile = Turnstile<Int>(mostWaiting: 2)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let inside = Flag()
        let refused = Refusals()
        let first = Task {
            try await turnstile.pass(1) {
                inside.set()
                for await _ in gate {}
                return 1
            }
        }
        while !inside.isSet { await Task.yield() }
        // Another key has a line of its own.
        #expect(try await turnstile.pass(2) { 2 } == 2)
        // Two may wait; of five more three are refused at once. They would not be served before the gate opens.
        let others = (0..<5)
            .map { _ in
                Task { () -> Bool in
                    do {
                        return try await turnstile.pass(1) { true }
                    } catch {
                        refused.count.withLock { $0 += 1 }
                        return false
                    }
                }
            }
        while refused.count.withLock({ $0 }) < 3 { await Task.yield() }
        open.finish()
        var passed = 0
        for other in others where await other.value { passed += 1 }
        #expect(passed == 2 && refused.count.withLock { $0 } == 3)
        #expect(try await first.value == 1)
        #expect(try await turnstile.pass(1) { 3 } == 3)
    }
}
