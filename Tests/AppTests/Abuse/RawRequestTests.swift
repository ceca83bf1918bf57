import App
import Library
import Foundation
import NIOCore
import Stories
import TestSupport
import Testing

@Suite("Raw requests", .timeLimit(.minutes(30)))
struct RawRequestTests {
    /// The status lines of the answers to a text that asks for the end of the connection with its last request.
    private static func statuses(_ port: Int, _ text: String) async throws -> [String] {
        try await RawConnection.exchange(port, text).split(separator: "\r\n")
            .filter { $0.hasPrefix("HTTP/1.1 ") }.map { String($0.dropFirst(9).prefix(3)) }
    }

    private static let last = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    @Test("An answer to HEAD has no body: the next answer on the connection starts where it ends")
    func head() async throws {
        let fixture = try await ServiceFixture()
        try await LiveServer.run(fixture) { port in
            for path in ["/healthz", "/nothing/here", "/v1/me", "/v1/tokens/refresh", "/v1/stories?surprise=1"] {
                let text = "HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\n" + RawRequestTests.last
                let answer = try await RawConnection.exchange(port, text)
                let end = try #require(answer.range(of: "\r\n\r\n"))
                #expect(answer[end.upperBound...].hasPrefix("HTTP/1.1 200 "), "\(path): \(answer)")
            }
        }
    }

    @Test(
        "Anything that is not a valid request is rejected with a message, and the connection closes",
        arguments: [
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400", "two-hosts"),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", "400", "two-hosts"),
            ("BREW /coffee HTTP/1.1\r\nHost: a\r\n\r\n", "501", "unknown-method"),
            ("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", "501", "unknown-method"),
            ("GET healthz HTTP/1.1\r\nHost: a\r\n\r\n", "400", "bad-"),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n", "417", "unknown-expectation"),
            (
                "GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: \(String(repeating: "a", count: 17_000))\r\n\r\n", "431",
                "headers-too-large"
            ),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nBad Name: 1\r\n\r\n", "400", "bad-request"),
            ("GET /healthz HTTP/1.0\r\n\r\n", "400", "no-host"),
            ("GET /v1/tiles.json?surprise=1 HTTP/1.0\r\nHost: a\r\n\r\n", "400", "bad-parameter"),
            (
                "POST /v1/stories HTTP/1.0\r\nHost: a/b\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\n{}\n",
                "400",
                "bad-host"
            ),
        ]
    )
    func refused(text: String, status: String, code: String) async throws {
        let fixture = try await ServiceFixture()
        try await LiveServer.run(fixture) { port in
            let answer = try await RawConnection.exchange(port, text)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            #expect(answer.contains("application/problem+json") && answer.contains("/problems/\(code)"), "\(answer)")
        }
    }

    @Test("For an HTTP/1.0 client, every answer ends with the connection")
    func oldClients() async throws {
        let fixture = try await ServiceFixture()
        try await LiveServer.run(fixture) { port in
            for (text, status) in [
                ("GET /healthz HTTP/1.0\r\nHost: a\r\n\r\n", "200"),
                ("GET /nothing HTTP/1.0\r\nHost: a\r\n\r\n", "404"),
                ("POST /v1/stories HTTP/1.0\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", "401"),
            ] {
                let start = ContinuousClock.now
                let answer = try await RawConnection.exchange(port, text)
                #expect(answer.dropFirst(9).hasPrefix(status) && answer.lowercased().contains("connection: close"))
                // Not when it was idle for half a minute.
                #expect(ContinuousClock.now - start < .seconds(20))
            }
        }
    }

    @Test(
        "An invalid Host is rejected wherever it could be echoed",
        arguments: [
            "a b", "a/b", "a\"<", "u@h", "a:b", "a:", ":80", "a:80:80", "a:99999", "[::1", "[]", "[::1]x", "a[1]",
            "[g::1]",
            "a%2f", "ä.example",
        ]
    )
    func hosts(host: String) async throws {
        let fixture = try await ServiceFixture()
        try await LiveServer.run(fixture) { port in
            let text = "GET /v1/tiles.json HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
            let answer = try await RawConnection.exchange(port, text)
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        }
    }

    @Test(
        "A valid Host is accepted",
        arguments: ["a", "maps.example:81", "[::1]:81", "[::ffff:1.2.3.4]", "my_host.", "1.2.3.4:0"]
    )
    func goodHosts(host: String) async throws {
        let fixture = try await ServiceFixture()
        try await LiveServer.run(fixture) { port in
            let text = "GET /v1/tiles.json HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
            let answer = try await RawConnection.exchange(port, text)
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("http://\(host)/v1/tiles/"), "\(answer)")
        }
    }

    @Test("An unsupported method on a known path is 405 with Allow, on an unknown path 404")
    func methods() async throws {
        let fixture = try await ServiceFixture()
        try await LiveServer.run(fixture) { port in
            for (method, path, allow) in [
                ("PROPFIND", "/v1/stories", "Allow: GET, HEAD, OPTIONS, POST"),
                ("PURGE", "/v1/stories/batch", "Allow: OPTIONS, POST"), ("HEAD", "/v1/traces", "Allow: OPTIONS, POST"),
                ("POST", "/v1/tiles/1/0/0.mvt", "Allow: GET, HEAD, OPTIONS"),
                ("TRACE", "/", "Allow: GET, HEAD, OPTIONS"),
                ("DELETE", "/assets/a.js", "Allow: GET, HEAD, OPTIONS"), ("PUT", "/v1/me", "Allow: "),
            ] {
                let text = "\(method) \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                let answer = try await RawConnection.exchange(port, text)
                #expect(answer.hasPrefix("HTTP/1.1 405 ") && answer.contains(allow), "\(method) \(path): \(answer)")
            }
            let text = "PROPFIND /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            #expect(try await RawRequestTests.statuses(port, text) == ["404"])
        }
    }

    @Test("Paths have one spelling: any form that could bypass a proxy's rule reaches no route")
    func paths() async throws {
        let fixture = try await ServiceFixture()
        try await LiveServer.run(fixture) { port in
            for path in ["//healthz", "/healthz/", "//healthz/", "/v1//stories", "/v1/stories/", "http://a//healthz"] {
                let text = "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                let statuses = try await RawRequestTests.statuses(port, text)
                #expect(statuses == ["404"], "\(path)")
            }
            for path in ["/healthz", "/healthz?a//b", "/"] {
                let text = "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                let statuses = try await RawRequestTests.statuses(port, text)
                #expect(statuses != ["404"], "\(path)")
            }
        }
    }

    @Test("A client waiting for 100 Continue gets it, or the final answer before the body")
    func expectations() async throws {
        let fixture = try await ServiceFixture()
        let token = try await fixture.accounts.issueToken(for: try #require(UserID("ana")), seconds: 3_600)
        try await LiveServer.run(fixture) { port in
            let body = #"{"kind":"photo","title":"x"}"#
            let head = "POST /v1/stories HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
            try await RawConnection.open(port) { connection in
                try await connection.send(
                    head + "Authorization: Bearer \(token)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                )
                #expect(try await connection.read(until: "\r\n\r\n"))
                #expect(connection.received == "HTTP/1.1 100 Continue\r\n\r\n")
                try await connection.send(body)
                #expect(try await connection.read(until: "HTTP/1.1 201 "))
                try await connection.send(RawRequestTests.last)
                #expect(try await connection.readToEnd().contains("HTTP/1.1 200 "))
            }
            // Nobody knows whether the body will come: the connection ends.
            let refused = try await RawConnection.exchange(port, head + "Content-Length: 28\r\n\r\n")
            #expect(refused.hasPrefix("HTTP/1.1 401 ") && refused.lowercased().contains("connection: close"))
            let tooLarge = "Authorization: Bearer \(token)\r\nContent-Length: 90000000\r\n\r\n"
            #expect(try await RawConnection.exchange(port, head + tooLarge).hasPrefix("HTTP/1.1 413 "))
        }
    }
}
