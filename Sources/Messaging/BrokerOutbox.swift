import Synchronization

/// Why a message was not published, or not for sure.
package enum PublishingFailure: Error, Hashable, Sendable {
    /// There is no connection, so nothing was sent.
    case away
    /// Too many messages wait, so nothing was sent.
    case busy
    /// libmosquitto does not take it, so nothing was sent.
    case refused
    /// It was sent, and the broker did not confirm it.
    case unconfirmed
}

/// A message to publish, with its caller who waits until the broker has confirmed it.
final class PublishTicket: Sendable {
    private struct State: Sendable {
        var result: Result<Void, any Error>?
        var caller: CheckedContinuation<Void, any Error>?
    }

    let topic: String
    let payload: [UInt8]
    let isRetained: Bool
    let madeAt = ContinuousClock.now
    private let state = Mutex(State())

    init(topic: String, payload: [UInt8], isRetained: Bool) {
        (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
    }

    /// Whether nobody waits any more.
    var isFinished: Bool { state.withLock { $0.result != nil } }

    /// Tells the caller the result; only the first one counts.
    func finish(_ result: Result<Void, any Error>) {
        let caller = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.caller = nil }
            return state.caller
        }
        caller?.resume(with: result)
    }

    /// Waits for the result.
    func wait() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (caller: CheckedContinuation<Void, any Error>) in
                let result = state.withLock { state in
                    if state.result == nil { state.caller = caller }
                    return state.result
                }
                if let result { caller.resume(with: result) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }
}

/// The messages on their way from callers to the thread of a session.
final class BrokerOutbox: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiting: [PublishTicket] = []
    }

    /// The maximum number of waiting messages.
    private static let mostWaiting = 1_000
    private let state = Mutex(State())

    /// Hands a message over; fails it at once while there is no connection.
    func submit(_ ticket: PublishTicket) {
        let failure = state.withLock { state -> PublishingFailure? in
            guard state.isOpen else { return .away }
            guard state.waiting.count < BrokerOutbox.mostWaiting else { return .busy }
            state.waiting.append(ticket)
            return nil
        }
        if let failure { ticket.finish(.failure(failure)) }
    }

    /// Takes messages from now on.
    func open() { state.withLock { $0.isOpen = true } }

    /// Takes what waits.
    func take() -> [PublishTicket] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// Takes no more messages, and fails those that wait.
    func close() {
        let left = state.withLock { state in
            state.isOpen = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for ticket in left { ticket.finish(.failure(PublishingFailure.away)) }
    }
}
