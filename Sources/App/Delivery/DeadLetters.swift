import Storage
import Stories

/// Sending again what was given up.
extension StoryLibrary {
    /// Has dead letters sent again, all of these or none; returns how many there are.
    ///
    /// - Throws: ``Refusal`` (422) naming those that are none.
    func replay(_ numbers: [Int64]) async throws -> Int {
        let (now, numbers) = (now(), numbers)
        return try await store.write { transaction in
            var problems: [FieldProblem] = []
            var seen: Set<Int64> = []
            for (index, number) in numbers.enumerated() where seen.insert(number).inserted {
                guard try !transaction.replay(number, at: now) else { continue }
                problems.append(FieldProblem(field: "entries[\(index)]", message: "is no dead letter"))
            }
            // Nothing of the transaction stays.
            guard problems.isEmpty else { throw Refusal.body(problems) }
            return seen.count
        }
    }

    /// Has every dead letter sent again, of one channel if it is given; returns how many there were.
    ///
    /// What is given up anew meanwhile stays. A few at a time, so that nobody else waits for thousands.
    func replayAll(of channel: String?) async throws -> Int {
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
