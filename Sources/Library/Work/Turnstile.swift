package import Stories
import Synchronization

/// Lets one task pass at a time for each key, in the order in which they came; the others wait without a thread.
package final class Turnstile<Key: Hashable & Sendable>: Sendable {
    /// Those who wait behind the one that is inside.
    private let lines = Mutex<[Key: [CheckedContinuation<Void, any Error>]]>([:])
    private let mostWaiting: Int

    /// Where somebody who comes is put.
    private enum Place {
        case inside
        case inLine
        case none
    }

    /// Creates a turnstile at which so many may wait for a key at a time.
    package init(mostWaiting: Int = .max) { self.mostWaiting = mostWaiting }

    /// Runs `body` when no other is inside under the same key.
    ///
    /// - Throws: ``Refusal`` (429) when too many wait already, or what `body` throws.
    package func pass<Value: Sendable>(_ key: Key, _ body: () async throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            // Counted and put in line at once, or those who come together would all find room.
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

/// The lines in which batches wait.
package struct BatchLines: Sendable {
    /// A user's own, one after the other: two devices that sync at once both get their answer.
    package let users = Turnstile<UserID>(mostWaiting: 4)
    /// All that want to write their next items.
    package let turns = Turnstile<Bool>()

    /// Creates a value from its parts.
    package init() {
    }
}
