import App
import Foundation
import Hummingbird
import Library
import Logging
import NIOCore
import NIOPosix
import Stories
import Synchronization
import Testing

/// Ending a service that has connections.
@Suite("Stopping", .timeLimit(.minutes(30)))
struct StoppingTests {
    /// Runs a service that `body` stops, and waits for its end; returns how often the process would have been ended.
    private static func run(
        within limit: Duration,
        _ body: (_ stop: ServiceStop, _ port: Int, _ token: String) async throws -> Void
    ) async throws -> Int {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let counter = Counter()
        let stop = ServiceStop(within: limit, logger: fixture.logger) { counter.add() }
        var options = WaymarkService.Options()
        options.port = 0
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let application = fixture.service.buildApplication(options: options, stop: stop) { running.yield($0) }
        let logger = fixture.logger
        let server = Task {
            defer { running.finish() }
            try await WaymarkService.run(application, until: stop, logger: logger)
        }
        var opened: Int?
        for await number in ports {
            opened = number
            break
        }
        let port = try #require(opened)
        let token = try await fixture.accounts.issueToken(for: try #require(UserID("ana")), seconds: 3_600)
        try await body(stop, port, token)
        stop.begin()
        try await server.value
        return counter.count
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock(\.self) }
        func add() { value.withLock { $0 += 1 } }
    }

    private static let question = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    /// Begins a request and waits until the service asks for its body: then it is under way.
    private static func begin(_ connection: inout RawConnection, _ token: String, length: Int) async throws {
        try await connection.send(
            "POST /v1/stories HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\nExpect: 100-continue\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(length)\r\n\r\n"
        )
        #expect(try await connection.read(until: "HTTP/1.1 100 Continue\r\n\r\n"))
    }

    @Test("REL-02 A request under way finishes after the service was asked to stop; new connections are not accepted")
    func finishes() async throws {
        let ended = try await StoppingTests.run(within: .seconds(60)) { stop, port, token in
            try await RawConnection.open(port) { connection in
                let body = #"{"kind":"photo","title":"Under way"}"#
                try await StoppingTests.begin(&connection, token, length: body.utf8.count)
                try await connection.send(String(body.prefix(10)))
                #expect(stop.begin() && !stop.begin())
                while (try? await RawConnection.open(port, { _ in })) != nil {}
                try await connection.send(String(body.dropFirst(10)))
                #expect(try await connection.read(until: "\"Under way\""))
                #expect(connection.received.contains("HTTP/1.1 201"))
            }
        }
        #expect(ended == 0)
    }

    @Test("REL-10 When the time to stop is over, bodies that do not arrive are cut, and the service ends")
    func cuts() async throws {
        let ended = try await StoppingTests.run(within: .milliseconds(200)) { stop, port, token in
            try await RawConnection.open(port) { connection in
                try await StoppingTests.begin(&connection, token, length: 5_000)
                try await connection.send("{")
                stop.begin()
                let rest = try await connection.readToEnd()
                #expect(!rest.contains("201"))
            }
        }
        #expect(ended == 0)
    }

    @Test("DLV-11 A stream ends at once with its last chunk, and says when to come back")
    func streams() async throws {
        let ended = try await StoppingTests.run(within: .seconds(60)) { stop, port, token in
            try await RawConnection.open(port) { connection in
                try await connection.send(
                    "GET /v1/notifications/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
                )
                #expect(try await connection.read(until: "retry: 3000"))
                stop.begin()
                let text = try await connection.readToEnd()
                #expect(text.hasSuffix("0\r\n\r\n"), "\(text)")
                let waits = text.matches(of: /retry: (\d+)/).compactMap { Int($0.1) }
                #expect(waits.count == 2 && (1_000...10_001).contains(waits.last ?? 0), "\(waits)")
            }
        }
        #expect(ended == 0)
    }

    @Test("Clients that were told to come back do so at different times")
    func spread() {
        let texts = Set((1...500).map { String(decoding: EventText.farewell(toClient: $0), as: UTF8.self) })
        #expect(texts.count > 450)
    }

    @Test("A service that is still starting ends at once")
    func starting() {
        let counter = Counter()
        let stop = ServiceStop(within: .seconds(60), logger: Logger(label: "test")) { counter.add() }
        #expect(stop.begin() && counter.count == 1)
        #expect(!stop.begin() && counter.count == 1)
    }

    @Test("A connection that is accepted in the moment in which the service stops does not end the process")
    func race() async throws {
        for _ in 0..<10 {
            let ended = try await StoppingTests.run(within: .seconds(60)) { stop, port, _ in
                await withDiscardingTaskGroup { group in
                    for number in 0..<40 {
                        group.addTask {
                            if number == 20 { stop.begin() }
                            _ = try? await RawConnection.exchange(port, StoppingTests.question)
                        }
                    }
                }
            }
            #expect(ended == 0)
        }
    }
}
