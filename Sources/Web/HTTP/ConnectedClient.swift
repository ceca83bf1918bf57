import Library
import NIOCore

/// The client of a connection, watched by long computations that stop when it disconnects.
struct ConnectedClient: WaitingClient {
    /// The connection.
    let channel: any Channel

    func watch(_ leave: @escaping @Sendable () -> Void) async {
        // A connection that allows half closure does not reveal that its client has gone.
        try? await channel.setOption(.allowRemoteHalfClosure, value: false).get()
        channel.closeFuture.whenComplete { _ in leave() }
    }

    func unwatch() { _ = channel.setOption(.allowRemoteHalfClosure, value: true) }
}
