import CCurl
import Synchronization

/// The queue from callers to the transfer thread.
final class Mailbox: Sendable {
    /// The libcurl handle; threads other than its owner only ever wake it.
    ///
    /// Sendable: `curl_multi_wakeup` is the only function that may be called from any thread, and it is called only
    /// under the lock; under the same lock, the handle is removed before it is destroyed.
    private struct Multi: @unchecked Sendable {
        let handle: UnsafeMutableRawPointer
    }

    /// The pending work.
    struct Post {
        var started: [Ticket] = []
        var cancelled: [Ticket] = []
        var isClosing = false
    }

    private struct State {
        var multi: Multi?
        var post = Post()
        /// The number of unanswered calls.
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

    /// The number of unanswered calls.
    var open: Int { state.withLock { $0.open } }

    /// Submits a call; fails it at once if the queue is full or shut down.
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

    /// Cancels a call.
    func cancel(_ ticket: Ticket) {
        ticket.cancel()
        state.withLock { state in
            state.post.cancelled.append(ticket)
            Mailbox.wake(state)
        }
    }

    /// Takes the pending work.
    func take() -> Post {
        state.withLock { state in
            let post = state.post
            state.post = Post(isClosing: post.isClosing)
            return post
        }
    }

    /// Records that a call was answered.
    func noteAnswer() { state.withLock { $0.open -= 1 } }

    /// Requests shutdown.
    func close() {
        state.withLock { state in
            state.post.isClosing = true
            Mailbox.wake(state)
        }
    }

    /// Waits for the shutdown to complete.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.closers.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume() }
        }
    }

    /// Removes the handle before it is destroyed.
    func retire() { state.withLock { $0.multi = nil } }

    /// Notifies waiting callers that the shutdown is complete.
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
