import CCurl
import Synchronization

/// What callers tell the thread of transfers.
final class Mailbox: Sendable {
    /// The handle of libcurl, of which other threads only ever wake the one that owns it.
    ///
    /// Sendable: `curl_multi_wakeup` is the one function that may be called from any thread, and it is called only under
    /// the lock, under which the handle is also taken away before it is destroyed.
    private struct Multi: @unchecked Sendable {
        let handle: UnsafeMutableRawPointer
    }

    /// What there is to do.
    struct Post {
        var started: [Ticket] = []
        var cancelled: [Ticket] = []
        var isClosing = false
    }

    private struct State {
        var multi: Multi?
        var post = Post()
        /// Calls without an answer.
        var open = 0
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let most: Int

    init(multi: UnsafeMutableRawPointer, most: Int) {
        state = Mutex(State(multi: Multi(handle: multi)))
        self.most = most
    }

    /// Calls without an answer.
    var open: Int { state.withLock { $0.open } }

    /// Hands in a call; answers it at once when there is no room.
    func submit(_ ticket: Ticket) {
        let refusal = state.withLock { state -> OutboundError? in
            guard !state.post.isClosing, state.multi != nil else { return .shutDown }
            guard state.open < most else { return .busy }
            state.open += 1
            state.post.started.append(ticket)
            Mailbox.wake(state)
            return nil
        }
        if let refusal { ticket.finish(.failure(refusal)) }
    }

    /// Says that a call is wanted no more.
    func cancel(_ ticket: Ticket) {
        ticket.cancel()
        state.withLock { state in
            state.post.cancelled.append(ticket)
            Mailbox.wake(state)
        }
    }

    /// Takes what has come in.
    func take() -> Post {
        state.withLock { state in
            let post = state.post
            state.post = Post(isClosing: post.isClosing)
            return post
        }
    }

    /// Notes that a call was answered.
    func noteAnswer() { state.withLock { $0.open -= 1 } }

    /// Asks for the end.
    func close() {
        state.withLock { state in
            state.post.isClosing = true
            Mailbox.wake(state)
        }
    }

    /// Waits for the end.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.closers.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume() }
        }
    }

    /// Takes the handle away before it is destroyed.
    func retire() { state.withLock { $0.multi = nil } }

    /// Tells those who wait that all is over.
    func end() {
        let closers = state.withLock { state in
            state.isClosed = true
            let closers = state.closers
            state.closers = []
            return closers
        }
        for closer in closers { closer.resume() }
    }

    private static func wake(_ state: State) {
        if let multi = state.multi { curl_multi_wakeup(multi.handle) }
    }
}
