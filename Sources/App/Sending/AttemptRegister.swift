import Stories
import Synchronization

/// The attempts to deliver that are under way, so that what must not go out any more can be called off.
///
/// Whoever withdraws something calls off what tells of it once that is durable, and waits until it has ended before they
/// are answered: no attempt begins, or goes on, after the answer.
final class AttemptRegister: Sendable {
    /// What an attempt tells, and to whom.
    struct Subject: Hashable, Sendable {
        let user: UserID
        let channel: String
        let stories: Set<StoryID>
        let isLocation: Bool
        /// Whether the endpoint failed the last time.
        let isFailing: Bool
        /// Whether others of its channel were under way when it began.
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

    /// How many attempts are under way.
    struct Counts: Sendable {
        /// To endpoints that answered the last time, for a short while.
        var quick = 0
        /// To such endpoints, for longer.
        var slow = 0
        /// To endpoints that did not answer the last time.
        var failing = 0
        /// Of all those, the ones whose channel had others under way.
        var extra = 0
    }

    /// How many attempts are under way; those begun before `limit` are slow.
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

    /// How many attempts are under way in all.
    var count: Int { state.withLock(\.attempts.count) }

    /// Whether any attempt is under way.
    var isBusy: Bool { state.withLock { !$0.attempts.isEmpty } }

    /// Notes an attempt, before the transaction that decided for it has ended.
    func begin(_ subject: Subject, at now: Timestamp) -> Int {
        state.withLock { state in
            defer { state.next += 1 }
            state.attempts[state.next] = Attempt(subject: subject, begunAt: now)
            return state.next
        }
    }

    /// Gives an attempt its task; one that was called off by then is cancelled.
    func run(_ id: Int, _ task: Task<Void, Never>) {
        let isCalledOff = state.withLock { state in
            state.attempts[id]?.task = task
            return state.attempts[id]?.isCalledOff ?? false
        }
        if isCalledOff { task.cancel() }
    }

    /// Whether an attempt was called off.
    func isCalledOff(_ id: Int) -> Bool { state.withLock { $0.attempts[id]?.isCalledOff ?? true } }

    /// Notes that an attempt has ended.
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

    /// Calls off the attempts that match; each is decided anew.
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

    /// Waits until what was called off has ended.
    func settled() async {
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
