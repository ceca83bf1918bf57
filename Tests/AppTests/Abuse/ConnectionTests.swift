import Web
import Library
import App
import Geometry
import NIOCore
import Storage
import Stories
import TestSupport
import Testing

@Suite("Slow, excessive and invalid connections", .timeLimit(.minutes(30)))
struct ConnectionTests {
    private static let options: WaymarkService.Options = {
        var options = WaymarkService.Options()
        options.connections = ConnectionLimits(
            head: .milliseconds(500),
            bodyGrace: .milliseconds(500),
            bodyPace: 4_096,
            body: .seconds(5),
            perAddress: 5
        )
        return options
    }()

    /// Deadlines that nothing here reaches, however busy the machine is.
    private static let patient: WaymarkService.Options = {
        var options = WaymarkService.Options()
        options.connections = ConnectionLimits(
            head: .minutes(4),
            bodyGrace: .minutes(4),
            bodyPace: 4_096,
            body: .minutes(4),
            perAddress: 5
        )
        return options
    }()

    private static func token(_ fixture: ServiceFixture) async throws -> String {
        try await fixture.accounts.issueToken(for: try #require(UserID("ana")), seconds: 3_600)
    }

    @Test("REL-10 A body is aborted for being too slow, and eventually at any pace")
    func pace() {
        let limits = ConnectionLimits(bodyGrace: .seconds(10), bodyPace: 1_000, body: .seconds(60))
        let table: [(bytes: Int, seconds: Int64, isTooSlow: Bool)] = [
            (0, 9, false), (0, 10, true), (999, 10, true), (1_000, 10, false), (1_000, 11, false), (1_000, 12, true),
            (49_000, 59, false), (1_000_000, 60, true),
        ]
        for row in table {
            #expect(limits.isTooSlow(bytes: row.bytes, after: .seconds(row.seconds)) == row.isTooSlow, "\(row)")
        }
    }

    @Test("REL-10 A response is aborted if its client reads nothing, or eventually too little")
    func answerPace() {
        let limits = ConnectionLimits(answerIdle: .seconds(30), answerGrace: .seconds(60), answerPace: 1_000)
        let table: [(waiting: [Int], verdict: AnswerPace.Verdict)] = [
            ([0], .done), ([100_000], .givenUp), ([90_000], .goesOn), ([90_000, 90_000], .givenUp),
            ([90_000, 0], .done), ([70_000, 40_001], .givenUp), ([70_000, 40_000], .goesOn),
            ([90_000, 30_000, 10_001], .givenUp), ([90_000, 30_000, 10_000], .goesOn),
        ]
        for row in table {
            var pace = AnswerPace(start: .uptimeNanoseconds(5))
            pace.add(100_000)
            var verdict = AnswerPace.Verdict.goesOn
            for (look, waiting) in row.waiting.enumerated() {
                #expect(verdict == .goesOn, "\(row)")
                verdict = pace.look(waiting: waiting, at: pace.start + .seconds(30 * Int64(look + 1)), limits: limits)
            }
            #expect(verdict == row.verdict, "\(row)")
        }
    }

    @Test("REL-10 A client that reads nothing of a large response loses its connection")
    func stalledReader() async throws {
        let fixture = try await ServiceFixture()
        let token = try await ConnectionTests.token(fixture)
        try await fixture.makeFamilies()
        let (ana, now) = (try #require(UserID("ana")), fixture.clock.now)
        let library = fixture.library
        try await library.store.write { transaction in
            var generator = SplitMix64(seed: 5)
            for number in 0..<80 {
                let id = StoryID(using: &generator)
                var story = Story(id: id, kind: .photo, title: "Long \(number)", owner: ana, createdAt: now)
                story.text = String(repeating: "told at length, ", count: 12_000)
                try library.feed.insert(story, in: transaction)
            }
        }
        var options = ConnectionTests.patient
        // The one that stalls is the only one there may be.
        options.connections.perAddress = 1
        options.connections.answerIdle = .milliseconds(400)
        try await LiveServer.run(fixture, options: options) { port in
            let read = try await RawConnection.open(port) { connection in
                let head = "GET /v1/stories?limit=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
                try await connection.send(head)
                #expect(try await connection.read(until: "\r\n\r\n"))
                // Others come in once its place is free.
                let probe = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                while try await !RawConnection.exchange(port, probe).hasPrefix("HTTP/1.1 200 ") {}
                return try await connection.readToEnd()
            }
            let length = read.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length: ") }
            let promised = try #require(length.flatMap { Int($0.dropFirst(16)) })
            #expect(promised > 12_000_000 && read.utf8.count < promised)
        }
    }

    @Test("REL-10 An unfinished request head is aborted with a message")
    func slowHead() async throws {
        let fixture = try await ServiceFixture()
        try await LiveServer.run(fixture, options: ConnectionTests.options) { port in
            let answer = try await RawConnection.exchange(port, "GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ")
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            #expect(answer.contains("application/problem+json") && answer.contains("/problems/too-slow"))
        }
    }

    @Test("REL-10 A trickling body is aborted, from known and unknown clients alike")
    func slowBody() async throws {
        let fixture = try await ServiceFixture()
        let token = try await ConnectionTests.token(fixture)
        try await LiveServer.run(fixture, options: ConnectionTests.options) { port in
            let head = "POST /v1/stories HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n"
            let known = try await RawConnection.exchange(port, head + "Authorization: Bearer \(token)\r\n\r\n{")
            #expect(known.hasPrefix("HTTP/1.1 408 "))
            // The answer comes first, or the deadline on a machine that is too busy for it: neither waits for the body.
            let unknown = try await RawConnection.exchange(port, head + "\r\n{")
            #expect(unknown.hasPrefix("HTTP/1.1 401 ") || unknown.hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test("REL-10 The client is authenticated before any of the body is read, on app routes too")
    func knownFirst() async throws {
        let fixture = try await ServiceFixture()
        try await LiveServer.run(fixture, options: ConnectionTests.patient) { port in
            for path in ["/ingest/owntracks", "/ingest/overland", "/v1/traces", "/v1/stories/batch"] {
                try await RawConnection.open(port) { connection in
                    try await connection.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n{")
                    #expect(try await connection.read(until: "\r\n\r\n"))
                    #expect(connection.received.hasPrefix("HTTP/1.1 401 "), "\(path)")
                }
            }
            // Where the key stands in the body alone, no more is read than it can stand in.
            try await RawConnection.open(port) { connection in
                try await connection.send("POST /ingest/osmand HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n{")
                #expect(try await connection.read(until: "\r\n\r\n"))
                #expect(connection.received.hasPrefix("HTTP/1.1 413 "))
            }
        }
    }

    @Test(
        "REL-10 The sender of a body that is too large is answered and let go at once",
        arguments: [0, 1_000, StoryLimits.pictureBytes + 1]
    )
    func tooLarge(sent: Int) async throws {
        let fixture = try await ServiceFixture()
        let token = try await ConnectionTests.token(fixture)
        try await LiveServer.run(fixture, options: ConnectionTests.patient) { port in
            let path = "/v1/stories/0123456789abcdef0123456789abcdef/thumbnail"
            let head = "PUT \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
            let length = "Content-Length: \(StoryLimits.pictureBytes + 1)\r\n\r\n"
            let answer = try await RawConnection.open(port) { connection in
                try await connection.send(head + length)
                try await connection.send([UInt8](repeating: 0, count: sent))
                return try await connection.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.lowercased().contains("\r\nconnection: close\r\n"))
            #expect(answer.ranges(of: "HTTP/1.1 ").count == 1)
        }
    }

    @Test("REL-10 Connections per address are limited; closing one makes room; a trusted proxy is unlimited")
    func perAddress() async throws {
        let fixture = try await ServiceFixture()
        let ask = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        var options = ConnectionTests.options
        options.connections.head = .minutes(5)
        for trustsProxy in [false, true] {
            options.trustsProxy = trustsProxy
            try await LiveServer.run(fixture, options: options) { port in
                try await ConnectionTests.holding(5, port: port) {
                    let sixth = try await RawConnection.exchange(port, ask)
                    #expect(sixth.hasPrefix(trustsProxy ? "HTTP/1.1 200 " : "HTTP/1.1 503 ") || sixth.isEmpty)
                    #expect(sixth.contains("/problems/too-many-connections") != trustsProxy || sixth.isEmpty)
                    #expect(sixth.hasPrefix("HTTP/1.1 200 ") == trustsProxy)
                }
                // Their ends reach the server when they do.
                var answer = ""
                while !answer.hasPrefix("HTTP/1.1 200 ") { answer = try await RawConnection.exchange(port, ask) }
            }
        }
    }

    /// Runs `body` while so many connections are open, over each of which something was answered.
    private static func holding(_ count: Int, port: Int, _ body: () async throws -> Void) async throws {
        guard count > 0 else { return try await body() }
        try await RawConnection.open(port) { connection in
            try await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await connection.read(until: "\r\n\r\n"))
            try await holding(count - 1, port: port, body)
        }
    }

    @Test("Memory is released after many connections or long bodies, but not after a few")
    func release() {
        let counts = ConnectionCounts(perAddress: 1)
        for _ in 0..<199 { counts.noteEnd(bodyBytes: 100) }
        #expect(!counts.takeRelease())
        counts.noteEnd(bodyBytes: 0)
        #expect(counts.takeRelease() && !counts.takeRelease())
        counts.noteEnd(bodyBytes: 64 << 20)
        #expect(counts.takeRelease())
        #expect(counts.open(from: "a") && !counts.open(from: "a") && counts.open(from: "b"))
        counts.close(from: "a")
        #expect(counts.open(from: "a"))
    }
}
