import Storage
import Stories

// Dead letters are entries that were given up; an operator can have them sent again.
extension DeliveryService {
    /// Enqueues dead letters again, all of them or none; returns their number.
    ///
    /// - Throws: ``Refusal`` (422) naming the entries that are not dead letters.
    package func replay(_ numbers: [Int64]) async throws -> Int {
        let (now, numbers) = (now(), numbers)
        return try await store.write { transaction in
            var problems: [FieldProblem] = []
            var seen: Set<Int64> = []
            for (index, number) in numbers.enumerated() where seen.insert(number).inserted {
                guard try !transaction.replay(number, at: now) else { continue }
                problems.append(FieldProblem(field: "entries[\(index)]", message: "is not a dead letter"))
            }
            // Throwing undoes the whole transaction.
            guard problems.isEmpty else { throw Refusal.body(problems) }
            return seen.count
        }
    }

    /// Enqueues every dead letter again, of one channel or of all; returns their number.
    ///
    /// Entries that are given up again meanwhile stay dead. Works in small transactions, so that no other write waits
    /// for thousands of entries.
    package func replayAll(of channel: String?) async throws -> Int {
        let now = now()
        let numbers = try await store.read { try $0.deadLetters(of: channel) }
        var count = 0
        for start in stride(from: 0, to: numbers.count, by: 200) {
            count += try await store.write { transaction in
                try numbers[start..<min(start + 200, numbers.count)].count { try transaction.replay($0, at: now) }
            }
        }
        return count
    }
}
