import Synchronization
import Testing
import Transport

// How those who send share the places there are.
extension TransferTests {
    @Test("DLV-03 A slow endpoint delays no one else and takes no more than its share")
    func slowEndpoint() async throws {
        let gate = Gate()
        let slow = try LocalServer { connection in
            guard connection.readRequest() != nil else { return }
            gate.pass()
            connection.answer(headers: "Connection: close\r\n")
        }
        let quick = try LocalServer { connection in while connection.readRequest() != nil, connection.answer() {} }
        defer {
            slow.stop()
            quick.stop()
        }
        let transport = try transport { $0.mostPerHost = 3 }
        let slowRequest = OutboundRequest(url: url(slow))
        let held = (0..<50).map { _ in Task { try await transport.send(slowRequest).status } }
        #expect(await gate.waits(for: 3))
        for _ in 0..<100 { #expect(try await transport.send(OutboundRequest(url: url(quick))).status == 200) }
        #expect(slow.accepted == 3)
        gate.open()
        for call in held { #expect(try await call.value == 200) }
        #expect(gate.most <= 3 && slow.accepted == 50)
        await transport.shutdown()
    }

    @Test("DLV-03 A request that waits too long for an unresponsive host reports that it is busy")
    func busyHost() async throws {
        let gate = Gate()
        let server = try LocalServer { connection in
            guard connection.readRequest() != nil else { return }
            gate.pass()
        }
        defer {
            gate.open()
            server.stop()
        }
        let transport = try transport { ($0.mostPerHost, $0.longestWait) = (2, .milliseconds(200)) }
        let request = OutboundRequest(url: url(server))
        let calls = (0..<2).map { _ in Task { try await transport.send(request) } }
        #expect(await gate.waits(for: 2))
        for _ in 0..<3 { await #expect(throws: OutboundError.busy) { try await transport.send(request) } }
        #expect(server.accepted == 2 && transport.open == 2)
        for call in calls { call.cancel() }
        await transport.shutdown()
    }

    @Test("DLV-03 A host that serves everyone may have its own limit")
    func ownBound() async throws {
        let gate = Gate()
        let server = try LocalServer { connection in
            guard connection.readRequest() != nil else { return }
            gate.pass()
            connection.answer(headers: "Connection: close\r\n")
        }
        defer { server.stop() }
        let transport = try transport { options in
            options.mostPerHost = 2
            options.mostByHost = ["localhost": 7]
        }
        let names = ["127.0.0.1", "localhost"]
        let calls = (0..<40)
            .map { number in
                let url = "http://\(names[number % 2]):\(server.port)/"
                return Task { try await transport.send(OutboundRequest(url: url)).status }
            }
        #expect(await gate.waits(for: 9))
        gate.open()
        for call in calls { #expect(try await call.value == 200) }
        #expect(gate.most == 9 && server.accepted == 40)
        await transport.shutdown()
    }

    @Test("DLV-03 Concurrent requests are limited, hosts take turns, and the queue is bounded")
    func bounds() async throws {
        let gate = Gate()
        let servers = try (0..<4)
            .map { _ in
                try LocalServer { connection in
                    while connection.readRequest() != nil {
                        gate.pass()
                        connection.answer()
                    }
                }
            }
        defer { for server in servers { server.stop() } }
        let transport = try transport { options in
            options.mostAtOnce = 2
            options.mostWaiting = 40
        }
        let requests = servers.map { OutboundRequest(url: url($0)) }
        let calls = (0..<60).map { number in Task { try await transport.send(requests[number % 4]).status } }
        #expect(await gate.waits(for: 2))
        let busy = Task {
            var busy = 0
            while transport.open < 40 { await Task.yield() }
            for _ in 0..<5 {
                do { _ = try await transport.send(requests[0]) } catch OutboundError.busy { busy += 1 }
            }
            return busy
        }
        #expect(try await busy.value == 5)
        gate.open()
        var done = 0
        for call in calls {
            do { done += try await call.value == 200 ? 1 : 0 } catch OutboundError.busy {}
        }
        #expect(done == 40 && gate.most == 2)
        await transport.shutdown()
    }

    @Test("DLV-09 A receiver that leaves without an answer gets a request again only if it may get it twice")
    func leaving() async throws {
        for isRepeatable in [true, false] {
            let seen = Mutex(0)
            let server = try LocalServer { connection in
                while connection.readRequest() != nil {
                    let number = seen.withLock { seen in
                        seen += 1
                        return seen
                    }
                    guard number != 2 else { return }
                    connection.answer()
                }
            }
            defer { server.stop() }
            let transport = try transport()
            let request = OutboundRequest(url: url(server), body: [0x78], isRepeatable: isRepeatable)
            #expect(try await transport.send(request).status == 200)
            do {
                #expect(try await transport.send(request).status == 200)
                #expect(isRepeatable && seen.withLock { $0 } == 3)
            } catch OutboundError.closedEarly {
                #expect(!isRepeatable && seen.withLock { $0 } == 2)
            }
            await transport.shutdown()
        }
    }
}
