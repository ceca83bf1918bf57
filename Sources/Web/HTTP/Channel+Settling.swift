import NIOCore

extension Channel {
    /// Waits until the event loop has done what other threads had handed to it.
    ///
    /// A piece of an answer that is written on another thread is handed to the event loop of the connection. A task that
    /// runs on this event loop itself, and finds the writing finished without having to wait for it, would write the end of
    /// the answer before that piece.
    func settle() async { try? await eventLoop.submit {}.get() }
}
