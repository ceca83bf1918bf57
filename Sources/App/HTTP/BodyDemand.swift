import NIOCore

/// Says that a body is about to be read: a client that waits for leave to send it gets that now, and not before.
enum BodyDemand: Sendable {
    /// The event that goes through the connection's handlers.
    struct Event: Sendable {}

    static func signal(over connection: (any Channel)?) async {
        try? await connection?.triggerUserOutboundEvent(Event()).get()
    }
}
