import Foundation
import Storage
import Stories

/// A write that has done its work and is not durable until it is let go.
struct HeldWrite: Sendable {
    private let mayEnd = DispatchSemaphore(value: 0)
    private let task: Task<Void, any Error>

    /// Begins a write, and returns when `body` has done its work.
    static func begin(
        in store: StoryStore,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Void
    ) async -> HeldWrite {
        let began = DispatchSemaphore(value: 0)
        let held = HeldWrite(store: store, began: began, body)
        await withCheckedContinuation { continuation in
            DispatchQueue.global()
                .async {
                    began.wait()
                    continuation.resume()
                }
        }
        return held
    }

    private init(
        store: StoryStore,
        began: DispatchSemaphore,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Void
    ) {
        task = Task { [mayEnd] in
            try await store.write { transaction in
                defer {
                    began.signal()
                    mayEnd.wait()
                }
                try body(transaction)
            }
        }
    }

    /// Lets it become durable, and returns when it is.
    func end() async throws {
        mayEnd.signal()
        try await task.value
    }
}
