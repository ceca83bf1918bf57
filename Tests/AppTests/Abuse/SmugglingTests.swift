import App
import Formats
import Foundation
import Library
import NIOCore
import Stories
import Testing
import Web

/// Requests that two readers could take apart differently, and bodies that are larger than they look.
@Suite("Smuggled and inflated requests", .timeLimit(.minutes(30)))
struct SmugglingTests {
    /// A second request that must never be answered: it is hidden in the first one.
    private static let hidden = "GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    private static func post(_ fields: String, _ body: String) -> String {
        "POST /v1/session/code HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\(fields)\r\n\r\n\(body)"
    }

    @Test(
        "REL-10 A request whose end is ambiguous is rejected, and nothing behind it is answered",
        arguments: [
            ("two lengths", post("Content-Length: 2\r\nContent-Length: 40", "{}\(hidden)")),
            ("a list of lengths", post("Content-Length: 2, 40", "{}\(hidden)")),
            ("length and chunks", post("Content-Length: 4\r\nTransfer-Encoding: chunked", "0\r\n\r\n\(hidden)")),
            ("chunks and length", post("Transfer-Encoding: chunked\r\nContent-Length: 4", "0\r\n\r\n\(hidden)")),
            ("unknown coding", post("Transfer-Encoding: xchunked", "0\r\n\r\n\(hidden)")),
            ("coding after chunked", post("Transfer-Encoding: chunked, identity", "0\r\n\r\n\(hidden)")),
            ("two codings", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: x", "0\r\n\r\n\(hidden)")),
            ("space before the colon", post("Transfer-Encoding : chunked", "0\r\n\r\n\(hidden)")),
            ("a folded field", post("X-A: b\r\n Transfer-Encoding: chunked", "0\r\n\r\n\(hidden)")),
            ("a negative length", post("Content-Length: -1", hidden)),
            ("a signed length", post("Content-Length: +2", "{}\(hidden)")),
            ("a hexadecimal length", post("Content-Length: 0x2", "{}\(hidden)")),
            ("a huge length", post("Content-Length: 99999999999999999999", hidden)),
            ("a huge chunk", post("Transfer-Encoding: chunked", "ffffffffffffffffff\r\n\(hidden)")),
            ("a chunk without a size", post("Transfer-Encoding: chunked", "x\r\n\(hidden)")),
            ("a chunk longer than its size", post("Transfer-Encoding: chunked", "1\r\n{}\r\n0\r\n\r\n\(hidden)")),
            ("a NUL in a field", post("X-A: a\u{0}b", hidden)),
            ("a space before the first field", "GET /healthz HTTP/1.1\r\n Host: a\r\n\r\n\(hidden)"),
        ]
    )
    func smuggled(name: String, text: String) async throws {
        let fixture = try await ServiceFixture()
        try await LiveServer.run(fixture) { port in
            let answer = try await RawConnection.exchange(port, text)
            let statuses = answer.matches(of: /HTTP\/1\.1 (\d{3})/).map { String($0.1) }
            #expect(statuses.count == 1 && statuses[0].hasPrefix("4"), "\(name): \(answer)")
            #expect(!answer.contains("\"openapi\""), "\(name)")
        }
    }

    @Test("REL-10 More fields than a request needs are rejected", arguments: [101, 70_000])
    func fields(count: Int) async throws {
        let fixture = try await ServiceFixture()
        try await LiveServer.run(fixture) { port in
            let fields = (0..<count).map { "A\($0): 1" }.joined(separator: "\r\n")
            let answer = try await RawConnection.exchange(port, "GET /healthz HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n")
            // The rest of a long head may still be arriving when the connection is closed, which can lose the answer.
            #expect(answer.hasPrefix("HTTP/1.1 4") || answer.isEmpty && count > 1_000, "\(answer)")
            let next = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            #expect(try await RawConnection.exchange(port, next).hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("REL-10 A connection on which nothing is said is closed")
    func silent() async throws {
        let fixture = try await ServiceFixture()
        var options = WaymarkService.Options()
        options.connections.head = .milliseconds(200)
        try await LiveServer.run(fixture, options: options) { port in
            let answer = try await RawConnection.exchange(port, "")
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test("REL-10 A small body that would unpack to more than is allowed is rejected before it is unpacked whole")
    func gzipBomb() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let token = try await fixture.accounts.issueToken(for: try #require(UserID("ana")), seconds: 3_600)
        // 300 MB of spaces, in members of which each is a whole file.
        let member = try Gzip.compress([UInt8](repeating: UInt8(ascii: " "), count: 3 << 20))
        let bomb = (0..<100).flatMap { _ in member }
        #expect(bomb.count < 1 << 20)
        try await LiveServer.run(fixture) { port in
            let head =
                "POST /v1/traces HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Type: application/gpx+xml\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"
            let answer = try await RawConnection.exchange(port, Array(head.utf8) + bomb)
            #expect(answer.hasPrefix("HTTP/1.1 4"), "\(answer.prefix(300))")
        }
    }
}

extension RawConnection {
    /// Sends bytes and returns all that comes until the other side closes the connection.
    static func exchange(_ port: Int, _ bytes: [UInt8]) async throws -> String {
        try await open(port) { connection in
            try await connection.send(bytes)
            return try await connection.readToEnd()
        }
    }
}
