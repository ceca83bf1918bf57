import Stories
import Synchronization

/// The delivery attempts under way, so that an attempt can be called off when its content is withdrawn.
///
/// Once a withdrawal is durable, the attempts that announce its content are called off. The answer to the withdrawal
/// waits until they have ended: no attempt begins, or continues, after the answer.
package final class AttemptRegister: Sendable {
    /// The content of an attempt, and its recipient.
    struct Subject: Hashable, Sendable {
        let user: UserID
        let channel: String
        let stories: Set<StoryID>
        let isLocation: Bool
        /// Whether the last attempt to the endpoint failed.
        let isFailing: Bool
        /// Whether other attempts of its channel were under way when it began.
        var isExtra = false
    }

    private struct Attempt: Sendable {
        let subject: Subject
        let begunAt: Timestamp
        var task: Task<Void, Never>?
        var isCalledOff = false
    }

    private struct State: Sendable {
        var attempts: [Int: Attempt] = [:]
        var next = 0
        var waiting: [(ids: Set<Int>, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// The number of attempts under way, by the state of their endpoints.
    struct Counts: Sendable {
        /// The number of attempts begun a short time ago to endpoints whose last attempt succeeded.
        var quick = 0
        /// The number of attempts begun longer ago to endpoints whose last attempt succeeded.
        var slow = 0
        /// The number of attempts to endpoints whose last attempt failed.
        var failing = 0
        /// The number of attempts, of any of these kinds, that began while another attempt of their channel was under
        /// way.
        var extra = 0
    }

    /// Counts the attempts under way; those begun before `limit` to working endpoints are slow.
    func counts(slowBefore limit: Timestamp) -> Counts {
        state.withLock { state in
            state.attempts.values.reduce(into: Counts()) { counts, attempt in
                if attempt.subject.isExtra { counts.extra += 1 }
                if attempt.subject.isFailing {
                    counts.failing += 1
                } else if attempt.begunAt < limit {
                    counts.slow += 1
                } else {
                    counts.quick += 1
                }
            }
        }
    }

    /// The number of all attempts under way.
    var count: Int { state.withLock(\.attempts.count) }

    /// Whether any attempt is under way.
    var isBusy: Bool { state.withLock { !$0.attempts.isEmpty } }

    /// Registers an attempt, within the transaction that decided on it, and returns its number.
    func begin(_ subject: Subject, at now: Timestamp) -> Int {
        state.withLock { state in
            defer { state.next += 1 }
            state.attempts[state.next] = Attempt(subject: subject, begunAt: now)
            return state.next
        }
    }

    /// Stores the task of an attempt, and cancels it if the attempt has been called off meanwhile.
    func run(_ id: Int, _ task: Task<Void, Never>) {
        let isCalledOff = state.withLock { state in
            state.attempts[id]?.task = task
            return state.attempts[id]?.isCalledOff ?? false
        }
        if isCalledOff { task.cancel() }
    }

    /// Whether an attempt was called off.
    func isCalledOff(_ id: Int) -> Bool { state.withLock { $0.attempts[id]?.isCalledOff ?? true } }

    /// Removes an attempt that has ended.
    func end(_ id: Int) {
        let freed = state.withLock { state in
            state.attempts[id] = nil
            for index in state.waiting.indices { state.waiting[index].ids.remove(id) }
            let freed = state.waiting.filter(\.ids.isEmpty).map(\.continuation)
            state.waiting.removeAll(where: \.ids.isEmpty)
            return freed
        }
        for continuation in freed { continuation.resume() }
    }

    /// Calls off the matching attempts; the delivery of their outbox entries is then decided anew.
    func callOff(where matches: (Subject) -> Bool) {
        let tasks = state.withLock { state in
            var tasks: [Task<Void, Never>] = []
            for (id, attempt) in state.attempts where matches(attempt.subject) {
                state.attempts[id]?.isCalledOff = true
                if let task = attempt.task { tasks.append(task) }
            }
            return tasks
        }
        for task in tasks { task.cancel() }
    }

    /// Waits until all attempts that were called off have ended.
    func settled() async {
        guard isBusy else { return }
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                let ids = Set(state.attempts.filter(\.value.isCalledOff).keys)
                if !ids.isEmpty { state.waiting.append((ids, continuation)) }
                return ids.isEmpty
            }
            if isSettled { continuation.resume() }
        }
    }
}
