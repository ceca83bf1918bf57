package import Storage
import Synchronization

/// The outcomes of attempts that could not be stored when they were known, because the disk was full, for example.
///
/// The message of such an attempt may have arrived. While its outcome is not stored, its entry looks as if it had never
/// been sent, and would be sent again when its lease runs out. So workers store these first and claim nothing until they
/// are stored; their number is bounded by the attempts that were under way. They are lost when the process ends.
package final class UnstoredOutcomes: Sendable {
    /// Stores an outcome; doing so again changes nothing, because the attempt holds its entry no more.
    package typealias Storing = @Sendable (StoreTransaction) throws -> Void

    private struct State: Sendable {
        /// By the number of their attempt.
        var outcomes: [Int: Storing] = [:]
    }

    private let kept = Mutex(State())

    init() {}

    /// Whether there are any.
    package var isEmpty: Bool { kept.withLock(\.outcomes.isEmpty) }

    /// Keeps the outcome of the attempt with this number.
    func keep(_ attempt: Int, _ storing: @escaping Storing) { kept.withLock { $0.outcomes[attempt] = storing } }

    /// Stores all of them in one transaction, in the order of their attempts; they are kept if that fails.
    package func store(in store: StoryStore) async throws {
        let outcomes = kept.withLock { $0.outcomes.sorted { $0.key < $1.key } }
        guard !outcomes.isEmpty else { return }
        try await store.write { transaction in
            for outcome in outcomes { try outcome.value(transaction) }
        }
        kept.withLock { kept in
            for outcome in outcomes { kept.outcomes[outcome.key] = nil }
        }
    }
}
