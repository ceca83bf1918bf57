import Foundation
import Testing
import Transport

/// Where the system's names are answered by nobody: scripts/check_channels.py arranges that and runs this.
@Suite(
    "Unresponsive name servers",
    .enabled(if: ProcessInfo.processInfo.environment["WAYMARK_SLOW_NAMES"] != nil, "scripts/check_channels.py runs it")
)
struct SlowNameTests {
    @Test("DLV-03 A pending name lookup delays neither others nor the shutdown")
    func slowNames() async throws {
        let server = try LocalServer { connection in while connection.readRequest() != nil, connection.answer() {} }
        defer { server.stop() }
        var options = try DialTests.open(allowing: ["127.0.0.0/8"])
        options.connectTimeout = .milliseconds(500)
        let transport = try OutboundTransport(options: options)
        let clock = ContinuousClock()
        let start = clock.now
        let slow = (0..<8)
            .map { number in
                Task { try await transport.send(OutboundRequest(url: "http://slow\(number).example.com/")) }
            }
        let quick = OutboundRequest(url: "http://127.0.0.1:\(server.port)/")
        for _ in 0..<50 { #expect(try await transport.send(quick).status == 200) }
        for call in slow { await #expect(throws: OutboundError.timedOut) { try await call.value } }
        for _ in 0..<50 { #expect(try await transport.send(quick).status == 200) }
        await transport.shutdown()
        // The look-ups themselves take thirty seconds.
        #expect(start.duration(to: clock.now) < .seconds(10))
    }
}
