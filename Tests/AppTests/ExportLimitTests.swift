import Library
import App
import Formats
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

extension HTTPField.Name {
    /// `Retry-After`, which the service has for itself alone.
    fileprivate static var retryAfter: HTTPField.Name { HTTPField.Name("Retry-After") ?? .age }
}

@Suite("Limits of exports")
struct ExportLimitTests {
    /// A client that takes some pieces and then nothing, until it is let go on or its task is cancelled.
    private final class StallingSink: PieceSink, Sendable {
        let isStalled = Flag()
        private let stream: AsyncStream<Void>
        private let resume: AsyncStream<Void>.Continuation

        init() { (stream, resume) = AsyncStream.makeStream(of: Void.self) }

        func goOn() { resume.finish() }

        @concurrent func send(_ bytes: [UInt8]) async throws {
            isStalled.set()
            for await _ in stream {}
            try Task.checkCancellation()
        }
    }

    /// Takes every piece, each so many seconds after the last.
    private final class SlowSink: PieceSink {
        private let clock: ManualClock
        private let seconds: Double
        private let look: () -> Void
        private(set) var pieces = 0

        init(_ clock: ManualClock, seconds: Double, _ look: @escaping () -> Void) {
            self.clock = clock
            self.seconds = seconds
            self.look = look
        }

        @concurrent func send(_ bytes: [UInt8]) async throws {
            pieces += 1
            clock.advance(seconds: seconds)
            look()
        }
    }

    private static func fill(_ fixture: ServiceFixture, of user: UserID) async throws {
        var generator = SplitMix64(seed: 1)
        let now = fixture.clock.now
        let stories = (0..<1_000)
            .map { number in
                var story = Story(
                    id: StoryID(using: &generator),
                    kind: .photo,
                    title: "\(number)",
                    owner: user,
                    createdAt: now
                )
                story.text = (0..<40).map { _ in String(UInt64.random(in: 0 ... .max, using: &generator)) }.joined()
                return story
            }
        try await fixture.library.store.write { for story in stories { try $0.insert(story) } }
    }

    @Test("NTF-09 Exports are limited to one per person and a few overall; a rejection gives the wait")
    func limits() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let exports = fixture.library.rights.exports
        let ana = try #require(UserID("ana"))
        try await fixture.run { client async throws in
            func refused(_ user: String, _ status: Int) async throws {
                let reply = try await client.get("/v1/me/export", as: user)
                #expect(reply.status == status && reply.headers[.retryAfter] == "60")
                #expect(reply.headers[.contentType] == "application/problem+json")
            }
            var tickets = [try exports.begin(ana, at: fixture.clock.now)]
            try await refused("ana", 409)
            #expect(try await client.get("/v1/me/export", as: "ben").status == 200)
            // What was sent whole, or never begun, is not under way.
            #expect(try await client.send(.head, "/v1/me/export", as: "ben").status == 200)
            #expect(try await client.get("/v1/me/export", as: "ben").status == 200)
            #expect(exports.count == 1)
            for number in 1..<ExportGate.limit {
                tickets.append(try exports.begin(try #require(UserID("other\(number)")), at: fixture.clock.now))
            }
            try await refused("ana", 409)
            try await refused("ben", 429)
            tickets.removeAll()
            #expect(exports.count == 0)
            #expect(try await client.get("/v1/me/export", as: "ana").status == 200)
            let document = try await client.get("/openapi.json").json
            let responses = document["paths"]?["/v1/me/export"]?["get"]?["responses"]
            for status in ["409", "429"] { #expect(responses?[status]?["headers"]?["Retry-After"] != nil) }
        }
    }

    @Test(
        "NTF-09 A stalled reader holds no database, keeps its place for a minute, and is then disconnected",
        .timeLimit(.minutes(30))
    )
    func stalled() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        try await ExportLimitTests.fill(fixture, of: ana)
        let (library, exports) = (fixture.library, fixture.library.rights.exports)
        let ticket = try exports.begin(ana, at: fixture.clock.now)
        let export = try #require(try await PersonExport(of: ana, library: library)).holding(ticket)
        let stalling = StallingSink()
        let task = Task {
            var sink: any PieceSink = stalling
            try await export.write(to: &sink)
        }
        ticket.onDrop { task.cancel() }
        while !stalling.isStalled.isSet { await Task.yield() }
        _ = try await library.rights.settings.change(of: ben, source: .app) {
            try $0.optIn(at: $1, version: Consent.version)
        }
        // The client reads nothing: what is erased is overwritten all the same.
        #expect(try await library.rights.erasures.eraseLocationData(of: ben).isOverwritten)
        #expect(fixture.contents(ofFileEnding: "-wal").count < 5_000)
        fixture.clock.advance(seconds: 60)
        try await ErasureUpkeep(library: library, logger: fixture.logger).keepUp()
        #expect(exports.count == 1)
        fixture.clock.advance(seconds: 1)
        try await ErasureUpkeep(library: library, logger: fixture.logger).keepUp()
        // The sending has ended by itself.
        try #require(exports.count == 0)
        await #expect(throws: CancellationError.self) { try await task.value }
        let next = try exports.begin(ana, at: fixture.clock.now)
        #expect(exports.count == 1 && next !== ticket)
        stalling.goOn()
    }

    @Test("NTF-09 A client that resumes after it was dropped gets no complete archive; the next export does")
    func awoken() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let ana = try #require(UserID("ana"))
        try await ExportLimitTests.fill(fixture, of: ana)
        let (library, exports) = (fixture.library, fixture.library.rights.exports)
        let export = try #require(try await PersonExport(of: ana, library: library))
        let limited = export.holding(try exports.begin(ana, at: fixture.clock.now))
        let stalling = StallingSink()
        let task = Task {
            var sink: any PieceSink = stalling
            try await limited.write(to: &sink)
        }
        while !stalling.isStalled.isSet { await Task.yield() }
        fixture.clock.advance(seconds: 61)
        let next = try exports.begin(ana, at: fixture.clock.now)
        stalling.goOn()
        await #expect(throws: (any Error).self) { try await task.value }
        // The old one's end is not the end of the new one.
        #expect(exports.count == 1)
        var sink: any PieceSink = SlowSink(fixture.clock, seconds: 0) {}
        try await export.holding(next).write(to: &sink)
        #expect(exports.count == 0)
    }

    @Test("NTF-09 A slow but steady reader gets everything within half an hour")
    func slow() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let ana = try #require(UserID("ana"))
        try await ExportLimitTests.fill(fixture, of: ana)
        let (library, clock) = (fixture.library, fixture.clock)
        for (seconds, isWhole) in [(59.0, true), (61.0, false), (0.0, true)] {
            let ticket = try library.rights.exports.begin(ana, at: clock.now)
            let export = try #require(try await PersonExport(of: ana, library: library)).holding(ticket)
            let slow = SlowSink(clock, seconds: seconds) { library.rights.exports.dropStalled(at: clock.now) }
            var sink: any PieceSink = slow
            if isWhole {
                try await export.write(to: &sink)
                #expect(slow.pieces > 8)
            } else {
                await #expect(throws: (any Error).self) { try await export.write(to: &sink) }
                #expect(slow.pieces == 1)
            }
            #expect(library.rights.exports.count == 0)
        }
    }

    @Test(
        "REL-10 An address has two exports at a time; the slowest trickling one yields, a fast one stays"
    )
    func shares() async throws {
        let fixture = try await ServiceFixture()
        let (exports, clock) = (fixture.library.rights.exports, fixture.clock)
        func begin(_ number: Int, _ address: String?) throws -> ExportTicket {
            try exports.begin(try #require(UserID("user\(number)")), address: address, at: clock.now)
        }
        var tickets = [try begin(0, "192.0.2.1"), try begin(1, "192.0.2.1")]
        #expect(throws: (any Error).self) { try begin(2, "192.0.2.1") }
        for number in 2..<ExportGate.limit { tickets.append(try begin(number, nil)) }
        #expect(throws: (any Error).self) { try begin(90, nil) }
        let isDropped = Flag()
        tickets[3].onDrop { isDropped.set() }
        for second in 0..<12 {
            clock.advance(seconds: 5)
            for (number, ticket) in tickets.enumerated() {
                // One fetches a kilobyte a second, another three, all others a hundred.
                let bytes = [3: 1_000, 4: 3_000][number] ?? 100_000
                #expect(ticket.noteFetch(of: bytes * 5, at: clock.now), "\(second)")
            }
        }
        let newcomer = try begin(91, nil)
        #expect(isDropped.isSet && exports.count == ExportGate.limit)
        #expect(!tickets[3].noteFetch(of: 1, at: clock.now) && tickets[4].noteFetch(of: 1, at: clock.now))
        let another = try begin(92, nil)
        #expect(!tickets[4].noteFetch(of: 1, at: clock.now))
        // Of those that are left nobody is slow.
        #expect(throws: (any Error).self) { try begin(93, nil) }
        #expect(newcomer !== another)
    }
}
