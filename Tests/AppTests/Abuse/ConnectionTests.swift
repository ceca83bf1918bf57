import App
import NIOCore
import Stories
import TestSupport
import Testing

@Suite("Connections that take long, are too many, or say what is no request", .timeLimit(.minutes(30)))
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

    @Test("REL-10 A body is given up by its pace, and in the end whatever its pace")
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

    @Test("REL-10 A head that does not come to its end is given up, in words")
    func slowHead() async throws {
        let fixture = try await ServiceFixture()
        try await LiveServer.run(fixture, options: ConnectionTests.options) { port in
            let answer = try await RawConnection.exchange(port, "GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ")
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            #expect(answer.contains("application/problem+json") && answer.contains("/problems/too-slow"))
        }
    }

    @Test("REL-10 A body that trickles is given up, of somebody known and of somebody unknown")
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

    @Test("REL-10 Who asks is found out before any of the body is read, on the routes of apps too")
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

    @Test("REL-10 An address has so many connections; one that closes makes room; a trusted proxy has any number")
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

    @Test("Memory is given back after many connections or long bodies, and not for a few")
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
