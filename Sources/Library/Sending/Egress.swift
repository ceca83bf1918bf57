package import Notifications
import Synchronization

/// The way out of the service: the sender, the operator's credentials, and the address that links begin with.
///
/// Until ``open(_:writer:address:)`` is called there is no sender: nothing is sent, and the entries of the outbox wait.
package final class Egress: Sendable {
    /// A structure, because a closure stored directly in a `Mutex` is wrapped anew at every access.
    private struct State: Sendable {
        var sender: (any ChannelSender)?
        var writer = ChannelWriter()
        var address: @Sendable () -> String = { "" }
    }

    private let state = Mutex(State())
    /// The schemes of app links that the operator allows, in lower case.
    private let schemes = Mutex<Set<String>>([])

    /// Creates a way out without a sender.
    package init() {}

    /// Sends entries from now on, with links to `address`.
    package func open(_ sender: any ChannelSender, writer: ChannelWriter, address: @escaping @Sendable () -> String) {
        let opened = State(sender: sender, writer: writer, address: address)
        state.withLock { $0 = opened }
    }

    /// Allows links with these schemes to users' apps; replaces the schemes allowed before.
    package func allowLinks(of schemes: Set<String>) { self.schemes.withLock { $0 = schemes } }

    /// The schemes of app links that the operator allows.
    package var linkSchemes: Set<String> { schemes.withLock { $0 } }

    /// Sends messages; `nil` until the way out is open.
    package var sender: (any ChannelSender)? { state.withLock { $0.sender } }
    /// Writes messages, with the operator's credentials.
    package var writer: ChannelWriter { state.withLock { $0.writer } }
    /// The base URL of the service, without a slash at the end.
    package var address: String { state.withLock { $0 }.address() }
}
