package import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// The open connections of a server, so that they can be cut when the time to stop is over.
package final class OpenConnections: Sendable {
    private struct State: Sendable {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Connections that were set up and that nobody serves yet.
        var unserved: [ObjectIdentifier: HTTP1Channel.Value] = [:]
    }

    private let state = Mutex(State())

    /// Creates a list without connections.
    package init() {}

    /// The number of open connections.
    package var count: Int { state.withLock(\.channels.count) }

    /// Closes all connections without waiting for anything.
    package func cutAll() {
        for channel in state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
    }

    /// Returns a server of HTTP/1.1 whose connections are remembered here, each with a guard of its own.
    ///
    /// With certificates it speaks TLS. The guard counts a connection, and its time begins, before the handshake.
    package func server(
        certificates: TLSCertificates? = nil,
        guardedBy makeGuard: @escaping @Sendable () -> ConnectionGuard
    ) -> HTTPServerBuilder {
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionSetUp(makeGuard())],
            idleTimeout: .seconds(30),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: HeadRules.headerBytes,
                maxHeaderListSize: HeadRules.headerBytes,
                maxHeaderFieldCount: 100
            )
        )
        return HTTPServerBuilder { [self] responder in
            RememberedHTTP1(
                HTTP1Channel(responder: responder, configuration: configuration),
                in: self,
                certificates: certificates
            )
        }
    }

    /// Remembers a connection until it is closed.
    fileprivate func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { $0.channels[id] = channel }
        channel.closeFuture.whenComplete { [self] _ in
            let left = state.withLock { state in
                state.channels[id] = nil
                return state.unserved.removeValue(forKey: id)
            }
            guard let left else { return }
            // Nobody will serve it any more; NIO insists that it is finished all the same.
            Task { try? await left.executeThenClose { _, _ in } }
        }
    }

    fileprivate func expect(_ value: HTTP1Channel.Value) {
        guard value.channel.isActive else { return }
        state.withLock { $0.unserved[ObjectIdentifier(value.channel)] = value }
    }

    fileprivate func serve(_ value: HTTP1Channel.Value) {
        state.withLock { $0.unserved[ObjectIdentifier(value.channel)] = nil }
    }
}

/// HTTP/1.1 connections, each remembered as long as it is open.
///
/// A connection that is accepted in the moment in which the server stops is set up and then dropped by NIO, which ends the
/// process for that ("Deinited NIOAsyncWriter without calling finish()"). Here it is kept until it is served or closed.
struct RememberedHTTP1: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    private let channel: HTTP1Channel
    private let connections: OpenConnections
    private let certificates: TLSCertificates?

    init(_ channel: HTTP1Channel, in connections: OpenConnections, certificates: TLSCertificates?) {
        self.channel = channel
        self.connections = connections
        self.certificates = certificates
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        connections.add(channel)
        guard let certificates else { return setUpHTTP(channel, logger) }
        // Each connection gets the certificate of its moment; Hummingbird's own TLS keeps that of the start.
        return channel.eventLoop
            .makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: certificates.context))
            }
            .flatMap { setUpHTTP(channel, logger) }
    }

    private func setUpHTTP(_ channel: any Channel, _ logger: Logger) -> EventLoopFuture<Value> {
        self.channel.setup(channel: channel, logger: logger)
            .map { [connections] value in
                connections.expect(value)
                return value
            }
    }

    func handle(value: Value, logger: Logger) async {
        connections.serve(value)
        await channel.handle(value: value, logger: logger)
    }
}
