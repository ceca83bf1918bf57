package import Stories
import Synchronization

/// Admits one task at a time for each key, in order of arrival; the others wait without occupying a thread.
package final class Turnstile<Key: Hashable & Sendable>: Sendable {
    /// The tasks waiting behind the current one.
    private let lines = Mutex<[Key: [CheckedContinuation<Void, any Error>]]>([:])
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
    /// - Throws: ``Refusal`` (429) if too many tasks are waiting; any error of `body`.
    package func pass<Value: Sendable>(_ key: Key, _ body: () async throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            // Counted and queued in one step; otherwise tasks that arrive together could all find room.
            let place = lines.withLock { lines -> Place in
                guard let waiting = lines[key] else {
                    lines[key] = []
                    return .inside
                }
                guard waiting.count < mostWaiting else { return .none }
                lines[key]?.append(continuation)
                return .inLine
            }
            switch place {
            case .inside: continuation.resume()
            case .inLine: break
            case .none: continuation.resume(throwing: Refusal.tooManyRequests(seconds: 1))
            }
        }
        defer { leave(key) }
        return try await body()
    }

    private func leave(_ key: Key) {
        let next = lines.withLock { lines -> CheckedContinuation<Void, any Error>? in
            guard var line = lines[key], !line.isEmpty else {
                lines[key] = nil
                return nil
            }
            let first = line.removeFirst()
            lines[key] = line
            return first
        }
        next?.resume()
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
