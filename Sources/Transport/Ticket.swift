import Synchronization

/// A validated request or e-mail.
enum Job: Sendable {
    case http(OutboundRequest, OutboundURL)
    case mail(OutboundMail, MailServer)

    /// The host whose limit on concurrent transfers applies.
    var host: String {
        switch self {
        case .http(_, let url): url.authority
        case .mail(_, let server): "mail \(server.host):\(server.port)"
        }
    }
}

/// A call waiting for its answer.
final class Ticket: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<OutboundResponse, any Error>)
        case done
    }

    let job: Job
    /// The time of the call.
    let madeAt = ContinuousClock.now
    private let state = Mutex<(state: State, isCancelled: Bool)>((.new, false))

    init(_ job: Job) { self.job = job }

    /// Whether the caller has cancelled.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Registers the waiting caller.
    func wait(_ continuation: CheckedContinuation<OutboundResponse, any Error>) {
        state.withLock { $0.state = .waiting(continuation) }
    }

    /// Records that the caller has cancelled.
    func cancel() { state.withLock { $0.isCancelled = true } }

    /// Completes the call, once.
    func finish(_ result: Result<OutboundResponse, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<OutboundResponse, any Error>? in
            guard case .waiting(let continuation) = state.state else { return nil }
            state.state = .done
            return continuation
        }
        continuation?.resume(with: result)
    }
}

/// A FIFO queue that removes its first element in amortised constant time.
struct WaitingLine<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head * 2 > elements.count, head > 32 || head == elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes and returns the elements that fulfil a condition, in order.
    mutating func remove(where condition: (Element) -> Bool) -> [Element] {
        let waiting = elements[head...].compactMap { $0 }
        elements = waiting.filter { !condition($0) }
        head = 0
        return waiting.filter(condition)
    }
}
