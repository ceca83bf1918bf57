package import Notifications
package import Observing
package import Stories
import Synchronization

/// The egress of the service: the sender, the operator's credentials, and the base URL of links.
///
/// Until ``open(_:writer:address:)`` is called there is no sender: nothing is sent, and the entries of the outbox wait.
package final class Egress: Sendable {
    /// A structure, because a closure stored directly in a `Mutex` is wrapped again on every access.
    private struct State: Sendable {
        var sender: (any ChannelSender)?
        var writer = ChannelWriter()
        var address: @Sendable () -> String = { "" }
    }

    private let state = Mutex(State())
    /// Draws a small map of stories as a user may see them at this moment.
    package typealias MapDrawer = @Sendable (_ stories: [StoryID], _ user: UserID) async throws -> InlinePicture?

    private struct Drawing: Sendable {
        var draw: MapDrawer?
    }

    private let drawing = Mutex(Drawing())
    private let tracing = Mutex((tracer: ServiceTracer(), sharing: TraceSharing()))
    /// The schemes of app links that the operator allows, in lower case.
    private let schemes = Mutex<Set<String>>([])

    /// What happens after an attempt that may have succeeded, at a receiver that cannot drop a repeat.
    private let repeats = Mutex(RepeatChoice.atMostOnce)

    /// Creates an egress without a sender.
    package init() {}

    /// Opens the egress: entries are sent from now on, with links to `address`.
    package func open(_ sender: any ChannelSender, writer: ChannelWriter, address: @escaping @Sendable () -> String) {
        let opened = State(sender: sender, writer: writer, address: address)
        state.withLock { $0 = opened }
    }

    /// Lets digests by e-mail show a small map from now on.
    package func drawMaps(by draw: @escaping MapDrawer) { drawing.withLock { $0.draw = draw } }

    /// Draws the maps of digests; `nil` if they have none.
    package var map: MapDrawer? { drawing.withLock { $0 }.draw }

    /// Makes the spans of attempts with `tracer` from now on, and shows traces to receivers as `sharing` says.
    package func trace(with tracer: ServiceTracer, _ sharing: TraceSharing) {
        tracing.withLock { $0 = (tracer, sharing) }
    }

    /// What makes the spans of attempts.
    package var tracer: ServiceTracer { tracing.withLock { $0.tracer } }
    /// Which receivers learn the trace of a cause.
    package var sharing: TraceSharing { tracing.withLock { $0.sharing } }

    /// Allows links with these schemes to users' apps; replaces the schemes allowed before.
    package func allowLinks(of schemes: Set<String>) { self.schemes.withLock { $0 = schemes } }

    /// The schemes of app links that the operator allows.
    package var linkSchemes: Set<String> { schemes.withLock { $0 } }

    /// Chooses what happens after an attempt that may have succeeded, at a receiver that cannot drop a repeat.
    package func choose(_ choice: RepeatChoice) { repeats.withLock { $0 = choice } }

    /// Returns whether a message through a channel of this kind must not be sent again if it may have been delivered.
    package func sendsOnce(_ kind: ChannelKind) -> Bool {
        !kind.dropsRepeats && repeats.withLock { $0 } == .atMostOnce
    }

    /// Sends messages; `nil` until the egress is open.
    package var sender: (any ChannelSender)? { state.withLock { $0.sender } }
    /// Writes messages, with the operator's credentials.
    package var writer: ChannelWriter { state.withLock { $0.writer } }
    /// The base URL of the service, without a trailing slash.
    package var address: String { state.withLock { $0 }.address() }
}
