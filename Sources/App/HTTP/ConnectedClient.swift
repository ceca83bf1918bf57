import Library
import NIOCore

/// The client at the other end of a connection, as long computations watch it.
struct ConnectedClient: WaitingClient {
    /// The connection.
    let channel: any Channel

    func watch(_ leave: @escaping @Sendable () -> Void) async {
        // A connection that may be half closed does not show that its client has gone.
        try? await channel.setOption(.allowRemoteHalfClosure, value: false).get()
        channel.closeFuture.whenComplete { _ in leave() }
    }

    func unwatch() { _ = channel.setOption(.allowRemoteHalfClosure, value: true) }
}
