/// A client that waits for an answer and may disconnect before it.
package protocol WaitingClient: Sendable {
    /// Runs `leave` once when the client disconnects.
    ///
    /// Until ``unwatch()``, a client that closes its sending side counts as disconnected.
    func watch(_ leave: @escaping @Sendable () -> Void) async
    /// Stops counting a client that closes its sending side as disconnected: it may still wait for its answer.
    func unwatch()
}
