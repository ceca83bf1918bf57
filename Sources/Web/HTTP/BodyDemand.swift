import NIOCore

/// Signals that a body is about to be read; only then does a client that waits for `100 Continue` receive it.
enum BodyDemand: Sendable {
    /// The event sent through the connection's handlers.
    struct Event: Sendable {}

    static func signal(over connection: (any Channel)?) async {
        try? await connection?.triggerUserOutboundEvent(Event()).get()
    }
}
