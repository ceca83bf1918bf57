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
        var runs: [String: Run] = [:]
        var owners: Set<UserID> = []
    }

    private let state = Mutex(State())

    /// Their ids.
    var ids: Set<String> { state.withLock { Set($0.runs.keys) } }

    /// Returns whether an import runs here, or is about to.
    package func contains(_ id: String) -> Bool { state.withLock { $0.runs[id] != nil } }

    /// Takes the turn of a user, for an import with an id if one is given; returns `false` if somebody has it already.
    ///
    /// The id is known before the import is recorded, so that nobody who finds the record takes it for one that nobody
    /// carries out. A number would not do: it is given only then, and the next import may get that of a dropped one.
    package func begin(_ id: String? = nil, for owner: UserID) -> Bool {
        state.withLock { state in
            guard state.owners.insert(owner).inserted else { return false }
            if let id { state.runs[id] = Run() }
            return true
        }
    }

    /// Calls `cancel` as soon as somebody cancels the import, even if that was before.
    package func onCancel(of id: String, _ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.runs[id]?.cancel = cancel
            return state.runs[id]?.isCancelled ?? false
        }
        if isCancelled { cancel() }
    }

    /// Cancels an import and waits for its end.
    ///
    /// Returns `nil` if it does not run here. Otherwise the first caller gets `true` and has the owner's turn, as by
    /// ``begin(_:for:)``: so nothing comes between the end of an import and its undoing.
    package func cancel(_ id: String) async -> Bool? {
        await withCheckedContinuation { continuation in
            let run = state.withLock { state -> Run? in
                state.runs[id]?.isCancelled = true
                state.runs[id]?.waiting.append(continuation)
                return state.runs[id]
            }
            guard let run else { return continuation.resume(returning: nil) }
            run.cancel?()
        }
    }

    /// Ends the turn of a user, and the import that has it.
    package func end(_ id: String?, for owner: UserID) {
        let waiting = state.withLock { state -> [CheckedContinuation<Bool?, Never>] in
            let waiting = id.flatMap { state.runs.removeValue(forKey: $0) }?.waiting ?? []
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
