/// A client that waits for an answer and may leave before it comes.
package protocol WaitingClient: Sendable {
    /// Runs `leave` once when the client leaves, and takes one that sends no more to have left until ``unwatch()``.
    func watch(_ leave: @escaping @Sendable () -> Void) async
    /// Lets a client that sends no more still wait for its answer.
    func unwatch()
}
