package import Stories
import Synchronization

/// The imports that run in this process, and who waits for the end of one.
///
/// A user has one at a time; undoing one counts too.
package final class RunningImports: Sendable {
    private struct Run: Sendable {
        var isCancelled = false
        var cancel: (@Sendable () -> Void)?
        var waiting: [CheckedContinuation<Bool?, Never>] = []
    }

    private struct State: Sendable {
        var runs: [Int64: Run] = [:]
        var owners: Set<UserID> = []
    }

    private let state = Mutex(State())

    /// Their numbers.
    var numbers: Set<Int64> { state.withLock { Set($0.runs.keys) } }

    /// Returns whether an import runs here.
    package func contains(_ number: Int64) -> Bool { state.withLock { $0.runs[number] != nil } }

    /// Returns `false` if an import of the user runs already.
    package func begin(for owner: UserID) -> Bool { state.withLock { $0.owners.insert(owner).inserted } }

    /// Takes note of the number of an import that has begun.
    func note(_ number: Int64) { state.withLock { $0.runs[number] = Run() } }

    /// Calls `cancel` as soon as somebody cancels the import, even if that was before.
    package func onCancel(of number: Int64, _ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.runs[number]?.cancel = cancel
            return state.runs[number]?.isCancelled ?? false
        }
        if isCancelled { cancel() }
    }

    /// Cancels an import and waits for its end.
    ///
    /// Returns `nil` if it does not run here. Otherwise the first caller gets `true` and has the owner's turn, as by
    /// ``begin(for:)``: so nothing comes between the end of an import and its undoing.
    package func cancel(_ number: Int64) async -> Bool? {
        await withCheckedContinuation { continuation in
            let run = state.withLock { state -> Run? in
                state.runs[number]?.isCancelled = true
                state.runs[number]?.waiting.append(continuation)
                return state.runs[number]
            }
            guard let run else { return continuation.resume(returning: nil) }
            run.cancel?()
        }
    }

    /// Ends the turn of a user, and the import that has it.
    package func end(_ number: Int64?, for owner: UserID) {
        let waiting = state.withLock { state -> [CheckedContinuation<Bool?, Never>] in
            let waiting = number.flatMap { state.runs.removeValue(forKey: $0) }?.waiting ?? []
            if waiting.isEmpty { state.owners.remove(owner) }
            return waiting
        }
        for (index, continuation) in waiting.enumerated() { continuation.resume(returning: index == 0) }
    }
}

/// Thrown by an import that was cancelled; what it had stored by then can be undone.
package struct ImportCancelled: Error, Hashable, Sendable {
    /// The number of the import.
    package let number: Int64
}
