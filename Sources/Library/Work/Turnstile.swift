package import Stories
import Synchronization

/// Admits one task at a time for each key, in order of arrival; the others wait without occupying a thread.
package final class Turnstile<Key: Hashable & Sendable>: Sendable {
    /// A task waiting behind the current one.
    private struct Waiting: Sendable {
        let number: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var lines: [Key: [Waiting]] = [:]
        var count: UInt64 = 0
    }

    private let state = Mutex(State())
    private let mostWaiting: Int

    /// The result of an arrival.
    private enum Place {
        case inside
        case inLine
        case none
    }

    /// Creates a turnstile with a maximum number of waiting tasks per key.
    package init(mostWaiting: Int = .max) { self.mostWaiting = mostWaiting }

    /// Runs `body` when no other task is inside with this key.
    ///
    /// With `leavesIfCancelled`, a task that is cancelled while it waits leaves the line at once.
    ///
    /// - Throws: ``Refusal`` (429) if too many tasks are waiting; `CancellationError` if it left; any error of `body`.
    package func pass<Value: Sendable>(
        _ key: Key,
        leavesIfCancelled: Bool = false,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let number = state.withLock { state -> UInt64 in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await wait(key, as: number, leavesIfCancelled: leavesIfCancelled)
        } onCancel: {
            if leavesIfCancelled { drop(number, from: key) }
        }
        defer { leave(key) }
        return try await body()
    }

    private func wait(_ key: Key, as number: UInt64, leavesIfCancelled: Bool) async throws {
        try await withCheckedThrowingContinuation { continuation in
            // Counted and queued in one step; otherwise tasks that arrive together could all find room.
            let place = state.withLock { state -> Place in
                guard let waiting = state.lines[key] else {
                    state.lines[key] = []
                    return .inside
                }
                guard waiting.count < mostWaiting else { return .none }
                state.lines[key]?.append(Waiting(number: number, continuation: continuation))
                return .inLine
            }
            switch place {
            case .inside: continuation.resume()
            // Cancelled before it was in line, where nobody could drop it.
            case .inLine where leavesIfCancelled && Task.isCancelled: drop(number, from: key)
            case .inLine: break
            case .none: continuation.resume(throwing: Refusal.tooManyRequests(seconds: 1))
            }
        }
    }

    private func drop(_ number: UInt64, from key: Key) {
        let dropped = state.withLock { state -> Waiting? in
            guard let index = state.lines[key]?.firstIndex(where: { $0.number == number }) else { return nil }
            return state.lines[key]?.remove(at: index)
        }
        dropped?.continuation.resume(throwing: CancellationError())
    }

    private func leave(_ key: Key) {
        let next = state.withLock { state -> Waiting? in
            guard var line = state.lines[key], !line.isEmpty else {
                state.lines[key] = nil
                return nil
            }
            let first = line.removeFirst()
            state.lines[key] = line
            return first
        }
        next?.continuation.resume()
    }
}

/// The queues of batches.
package struct BatchLines: Sendable {
    /// One queue per user: two devices that sync at the same time both get their answer.
    package let users = Turnstile<UserID>(mostWaiting: 4)
    /// One queue for all batches that are about to write their next items.
    package let turns = Turnstile<Bool>()

    /// Creates a value from its parts.
    package init() {
    }
}
