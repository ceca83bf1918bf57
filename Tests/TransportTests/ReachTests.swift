import Testing
import Transport

@Suite("Whether somebody answers")
struct ReachTests {
    @Test("A server is reached without a word to it, by name and by address", arguments: ["127.0.0.1", "::1", "[::1]"])
    func reached(host: String) throws {
        let gate = Gate()
        let server = try LocalServer { connection in
            // Nothing comes but the end.
            if connection.read() == nil { gate.open() }
        }
        defer { server.stop() }
        #expect(Reach.obstacle(host: host, port: server.port, isEncrypted: false) == nil)
        gate.pass()
        #expect(server.accepted == 1)
    }

    @Test("What is in the way is named: nobody, no name, no TLS, silence")
    func obstacles() throws {
        let plain = try LocalServer { connection in if connection.read() != nil { connection.answer(400) } }
        defer { plain.stop() }
        #expect(Reach.obstacle(host: "127.0.0.1", port: plain.port, isEncrypted: true) == .insecure)
        let silent = try LocalServer { connection in while connection.read() != nil {} }
        defer { silent.stop() }
        let limit = Duration.milliseconds(300)
        #expect(Reach.obstacle(host: "127.0.0.1", port: silent.port, isEncrypted: true, within: limit) == .timedOut)
        #expect(Reach.obstacle(host: "127.0.0.1", port: 1, isEncrypted: false) == .couldNotConnect)
        // Without a network, nobody says in time that there is no such name.
        let nowhere = Reach.obstacle(host: "no-such-name.invalid", port: 1_883, isEncrypted: false)
        #expect(nowhere == .couldNotResolve || nowhere == .timedOut)
        #expect(Reach.obstacle(host: "127.0.0.1/x", port: 80, isEncrypted: false) == .badURL(.host))
        #expect(Reach.obstacle(host: "127.0.0.1", port: 0, isEncrypted: false) == .badURL(.port))
    }

    @Test("DLV-03 With ranges, an address beyond them is not dialled, by number and by name")
    func guarded() throws {
        let server = try LocalServer { connection in while connection.read() != nil {} }
        defer { server.stop() }
        func obstacle(_ host: String, _ ranges: [String]) throws -> OutboundError? {
            let ranges = try ranges.map { try #require(AddressRange($0)) }
            return Reach.obstacle(host: host, port: server.port, isEncrypted: false, allowing: ranges)
        }
        for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
            #expect(try obstacle(host, ["10.0.0.0/8"]) == .refusedAddress, "\(host)")
        }
        #expect(server.accepted == 0)
        #expect(try obstacle("127.0.0.1", ["127.0.0.0/8"]) == nil)
        // A wider range does not open what clouds give to every caller.
        #expect(try obstacle("169.254.169.254", ["0.0.0.0/0"]) == .refusedAddress)
    }

    @Test("An answer comes with its status and its body, and one that is too long or no HTTP does not")
    func asking() throws {
        let server = try LocalServer { connection in
            while let request = connection.readRequest() {
                if request.hasPrefix("GET /long ") { connection.answer(200, String(repeating: "x", count: 70_000)) }
                if request.hasPrefix("GET /odd ") { connection.write("220 mail.example ESMTP\r\n\r\n") }
                connection.answer(503, "busy")
            }
        }
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)"
        let answer = try Reach.ask(url + "/readyz")
        #expect(answer.status == 503 && answer.body == Array("busy".utf8))
        #expect(throws: OutboundError.self) { try Reach.ask(url + "/long") }
        #expect(throws: OutboundError.self) { try Reach.ask(url + "/odd", within: .milliseconds(500)) }
        #expect(Reach.library.contains("."))
    }
}
