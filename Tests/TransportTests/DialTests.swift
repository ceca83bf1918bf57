import Foundation
import Synchronization
import Testing
import Transport

/// What no spelling, name or redirect may reach: real listeners count who comes.
@Suite("Private addresses are never dialled")
struct DialTests {
    /// Everything but the address is allowed, so that nothing else can be what refuses.
    static func open(allowing ranges: [String] = []) throws -> OutboundOptions {
        var options = OutboundOptions()
        options.allowsHTTP = true
        options.allowedPorts = nil
        options.allowedRanges = try ranges.map { try #require(AddressRange($0)) }
        // So long that a busy machine does not decide.
        options.connectTimeout = .seconds(60)
        // What a gate holds back may be held for long when all tests run at once.
        options.timeout = .seconds(3_600)
        options.longestWait = .seconds(3_600)
        return options
    }

    /// Spellings that lead, for one reader or another, to this machine.
    static let hosts = [
        "127.0.0.1", "localhost", "LOCALHOST", "127.0.0.2", "127.1", "127.0.1", "0", "0.0.0.0", "2130706433",
        "017700000001", "0x7f000001", "0X7F000001", "0x7f.1", "0x7f.0.0.1", "0177.0.0.1", "0177.0.0.01", "127.0.0.01",
        "127.000.000.001", "127.0.0.1.", "localhost.", "[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]", "[2001:0:0:0:0:0:80ff:fffe]", "[fe80::1]", "[fe80::1%25lo]", "[::1%25lo]",
        "user@127.0.0.1", "example.com@127.0.0.1", "127.0.0.1#@example.com", "127.0.0.1\\@example.com",
        "127.0.0.1%00.example.com", "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "１２７.0.0.1", "127。0。0。1", "①②⑦.0.0.1",
        "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::ffff:0:127.0.0.1]", " 127.0.0.1", "127.0.0.1 ", "127.0.0.1\t",
    ]

    @Test("DLV-03 No spelling of this machine's address connects; if the operator allows it, the plain ones do")
    func spellings() async throws {
        let server = try LocalServer { connection in while connection.readRequest() != nil, connection.answer() {} }
        defer { server.stop() }
        let closed = try OutboundTransport(options: try DialTests.open())
        for host in DialTests.hosts {
            for url in ["http://\(host):\(server.port)/", "https://\(host):\(server.port)/"] {
                await #expect(throws: OutboundError.self, "\(url)") { try await closed.send(OutboundRequest(url: url)) }
            }
        }
        #expect(server.accepted == 0)
        let ranges = ["127.0.0.0/8", "::1", "::ffff:0:0/96", "0.0.0.0/8"]
        let open = try OutboundTransport(options: try DialTests.open(allowing: ranges))
        for host in ["127.0.0.1", "localhost", "127.0.0.2", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"] {
            let request = OutboundRequest(url: "http://\(host):\(server.port)/")
            #expect(try await open.send(request).status == 200, "\(host)")
        }
        #expect(server.accepted > 0)
        await closed.shutdown()
        await open.shutdown()
    }

    @Test(
        "DLV-03 Names that resolve to private addresses are rejected when dialled",
        arguments: AddressTests.refused
    )
    func names(address: String) async throws {
        let server = try LocalServer { connection in while connection.readRequest() != nil, connection.answer() {} }
        defer { server.stop() }
        var options = try DialTests.open()
        options.resolver = { _ in [address] }
        let transport = try OutboundTransport(options: options)
        await #expect(throws: OutboundError.refusedAddress) {
            try await transport.send(OutboundRequest(url: "http://inside.example.com:\(server.port)/"))
        }
        #expect(server.accepted == 0)
        await transport.shutdown()
    }

    @Test("DLV-03 A name that changes to a blocked address after its check is rejected")
    func rebinding() async throws {
        let good = try LocalServer(address: "127.0.0.1") { connection in
            if connection.readRequest() != nil { connection.answer(headers: "Connection: close\r\n") }
        }
        let bad = try LocalServer(address: "127.0.0.2", port: good.port) { connection in
            if connection.readRequest() != nil { connection.answer() }
        }
        defer {
            good.stop()
            bad.stop()
        }
        let calls = Mutex(0)
        var options = try DialTests.open(allowing: ["127.0.0.1"])
        options.resolver = { _ in
            calls.withLock { calls in
                calls += 1
                return calls == 1 ? ["127.0.0.1"] : ["127.0.0.2"]
            }
        }
        let transport = try OutboundTransport(options: options)
        let request = OutboundRequest(url: "http://changing.example.com:\(good.port)/")
        #expect(try await transport.send(request).status == 200)
        for _ in 0..<3 {
            await #expect(throws: OutboundError.refusedAddress) { try await transport.send(request) }
        }
        #expect(good.accepted == 1 && bad.accepted == 0)
        await transport.shutdown()
    }

    @Test("DLV-03 Only the allowed ones of several addresses are dialled")
    func several() async throws {
        let server = try LocalServer(address: "127.0.0.1") { connection in
            while connection.readRequest() != nil, connection.answer() {}
        }
        let bad = try LocalServer(address: "127.0.0.2", port: server.port) { connection in
            while connection.readRequest() != nil, connection.answer() {}
        }
        defer {
            server.stop()
            bad.stop()
        }
        var options = try DialTests.open(allowing: ["127.0.0.1"])
        options.resolver = { _ in ["127.0.0.2", "10.0.0.1", "127.0.0.1"] }
        let transport = try OutboundTransport(options: options)
        let request = OutboundRequest(url: "http://several.example.com:\(server.port)/")
        #expect(try await transport.send(request).status == 200)
        #expect(server.accepted == 1 && bad.accepted == 0)
        await transport.shutdown()
    }

    @Test("DLV-03 A redirect is returned as an answer and not followed", arguments: [301, 302, 303, 307, 308])
    func redirects(status: Int) async throws {
        let inside = try LocalServer { connection in if connection.readRequest() != nil { connection.answer() } }
        let port = inside.port
        let asked = Mutex<[String]>([])
        let server = try LocalServer { connection in
            while let request = connection.readRequest() {
                let path = String(request.split(separator: " ").dropFirst().first ?? "")
                asked.withLock { $0.append(path) }
                let location = path == "/far" ? "http://127.0.0.1:\(port)/inside" : "/inside"
                connection.answer(status, headers: "Location: \(location)\r\n")
            }
        }
        defer {
            inside.stop()
            server.stop()
        }
        let transport = try OutboundTransport(options: try DialTests.open(allowing: ["127.0.0.0/8"]))
        for path in ["/far", "/near"] {
            let response = try await transport.send(OutboundRequest(url: "http://127.0.0.1:\(server.port)\(path)"))
            #expect(response.status == status && response.headers["location"]?.hasSuffix("/inside") == true)
        }
        #expect(inside.accepted == 0 && asked.withLock { $0 } == ["/far", "/near"])
        await transport.shutdown()
    }

    @Test("DLV-03 A proxy in the environment is ignored")
    func proxy() async throws {
        let proxy = try LocalServer { connection in if connection.readRequest() != nil { connection.answer() } }
        let server = try LocalServer { connection in while connection.readRequest() != nil, connection.answer() {} }
        defer {
            proxy.stop()
            server.stop()
        }
        // Set once and emptied, never taken away: other threads may be reading the environment.
        setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
        defer { setenv("http_proxy", "", 1) }
        let transport = try OutboundTransport(options: try DialTests.open(allowing: ["127.0.0.0/8"]))
        #expect(try await transport.send(OutboundRequest(url: "http://127.0.0.1:\(server.port)/")).status == 200)
        #expect(proxy.accepted == 0 && server.accepted == 1)
        await transport.shutdown()
    }
}
