import App
import Library
import Hummingbird
import NIOCore
import NIOPosix

/// The service as it runs, on a port of 127.0.0.1.
enum LiveServer {
    /// Runs the service of a fixture while `body` talks to its port.
    static func run(
        _ fixture: ServiceFixture,
        options given: WaymarkService.Options = .init(),
        _ body: (_ port: Int) async throws -> Void
    ) async throws {
        var options = given
        options.port = 0
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let application = fixture.service.buildApplication(options: options) { running.yield($0) }
        let server = Task {
            defer { running.finish() }
            try await application.run()
        }
        var port: Int?
        for await number in ports {
            port = number
            break
        }
        do {
            guard let port else {
                try await server.value
                return
            }
            try await body(port)
        } catch {
            server.cancel()
            _ = await server.result
            throw error
        }
        server.cancel()
        _ = await server.result
    }
}

/// A connection on which a test says what it likes.
struct RawConnection {
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    /// All that came so far.
    private(set) var received = ""

    /// Connects to a port of 127.0.0.1 and closes the connection when `body` returns.
    static func open<Value: Sendable>(
        _ port: Int,
        _ body: (inout RawConnection) async throws -> Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = RawConnection(outbound: outbound, inbound: inbound.makeAsyncIterator())
            return try await body(&connection)
        }
    }

    /// Sends a text and returns all that comes until the other side closes the connection.
    static func exchange(_ port: Int, _ text: String) async throws -> String {
        try await open(port) { connection in
            try await connection.send(text)
            return try await connection.readToEnd()
        }
    }

    func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }

    func send(_ bytes: [UInt8]) async throws { try await outbound.write(ByteBuffer(bytes: bytes)) }

    /// Reads until `text` has come; `false` when the connection ended before.
    mutating func read(until text: String) async throws -> Bool {
        while !received.contains(text) {
            guard let buffer = try await inbound.next(isolation: #isolation) else { return false }
            received += String(buffer: buffer)
        }
        return true
    }

    /// Reads until the other side closes the connection, and returns all that came; a reset is an end too.
    mutating func readToEnd() async throws -> String {
        do {
            while let buffer = try await inbound.next(isolation: #isolation) { received += String(buffer: buffer) }
        } catch is IOError {
            return received
        }
        return received
    }
}
