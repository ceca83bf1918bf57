package import Stories
import Synchronization

/// Somebody who looks on live: why there is something to do for them, and how long they take to accept what is sent.
///
/// What is sent is read from the database when the last piece was accepted: nothing is kept for a client but the reasons.
package final class LiveClient: Sendable {
    /// Why a stream has something to do.
    package struct Reasons: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        /// The log of the feed has more, or the feed may look otherwise.
        package static let feed = Reasons(rawValue: 1)
        /// It is time for a sign of life.
        package static let beat = Reasons(rawValue: 2)
        /// The token may be good no longer.
        package static let access = Reasons(rawValue: 4)
        /// Stories changed.
        package static let map = Reasons(rawValue: 8)
        /// The user may see other stories than before.
        package static let view = Reasons(rawValue: 16)
        /// It begins.
        package static let start = Reasons(rawValue: 64)
        /// It ends.
        package static let end = Reasons(rawValue: 32)

        package init(rawValue: UInt8) { self.rawValue = rawValue }
    }

    private struct State: Sendable {
        var reasons: Reasons = []
        var waiter: CheckedContinuation<Void, Never>?
        /// Does what there is to do, where nobody waits for it.
        var worker: (@Sendable () -> Void)?
        var isWorking = false
        var sendingSince: Timestamp?
        /// Rows of the log that came while a piece was not accepted.
        var waiting = 0
        var withdrawals = 0
        var isCut = false
        var cut: (@Sendable () -> Void)?
    }

    /// Whose stream it is, and where they are.
    package let owner: LiveOwner
    /// In which second of every beat it gets its sign of life.
    let slot: Int
    package let number: Int
    private let state = Mutex(State())

    package init(owner: LiveOwner, number: Int, slot: Int) {
        self.owner = owner
        self.number = number
        self.slot = slot
    }

    /// Whose stream it is; `nil` for somebody unknown.
    package var user: UserID? { owner.user }

    /// Says that there is something to do; what has been said already is not said twice.
    package func signal(_ reasons: Reasons) {
        let (waiter, worker) = state.withLock { state in
            state.reasons.formUnion(reasons)
            defer { state.waiter = nil }
            guard state.waiter == nil, !state.isWorking, let worker = state.worker else {
                return (state.waiter, nil as (@Sendable () -> Void)?)
            }
            state.isWorking = true
            return (nil, worker)
        }
        waiter?.resume()
        worker?()
    }

    /// Has `worker` called whenever there is something to do, once until ``take()`` says that there is no more.
    ///
    /// Somebody who waits in a task holds the stack of the whole exchange; thousands of them are mostly that.
    package func onWork(_ worker: @escaping @Sendable () -> Void) {
        state.withLock { $0.worker = worker }
    }

    /// Lets go of the worker: it is over.
    package func endWork() { state.withLock { $0.worker = nil } }

    /// What there is to do; with nothing the work is over until the next signal.
    package func take() -> Reasons {
        state.withLock { state in
            defer { state.reasons.formIntersection(.end) }
            if state.reasons.isEmpty { state.isWorking = false }
            return state.reasons
        }
    }

    /// Says that what was read of a feed before is not to be sent any more.
    package func withdraw() { state.withLock { $0.withdrawals += 1 } }

    /// Waits until there is something to do, and says what.
    package func next() async -> Reasons {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.reasons.isEmpty { state.waiter = continuation }
                    return !state.reasons.isEmpty
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            signal(.end)
        }
        return state.withLock { state in
            // Once it ends it stays so.
            defer { state.reasons.formIntersection(.end) }
            return state.reasons
        }
    }

    /// How often something was withdrawn: read before the feed is.
    package var withdrawals: Int { state.withLock(\.withdrawals) }

    /// Begins to send what was read when there had been so many withdrawals; `false` when there were more since.
    ///
    /// From here on the piece counts as on its way: what is withdrawn later cannot be called back.
    package func beginSending(_ withdrawals: Int?, at now: Timestamp) -> Bool {
        state.withLock { state in
            guard withdrawals.map({ $0 == state.withdrawals }) ?? true else { return false }
            state.sendingSince = now
            return true
        }
    }

    /// Notes that the piece was accepted.
    package func endSending() {
        state.withLock { state in
            state.sendingSince = nil
            state.waiting = 0
        }
    }

    /// Notes so many more rows of the log; `true` when too many wait behind a piece that is not accepted.
    func noteRows(_ count: Int) -> Bool {
        state.withLock { state in
            guard state.sendingSince != nil else { return false }
            state.waiting += count
            return state.waiting > LiveHub.mostWaiting
        }
    }

    /// Whether a piece has not been accepted for too long.
    func isStuck(at now: Timestamp) -> Bool {
        state.withLock { state in
            state.sendingSince.map { now.milliseconds - $0.milliseconds >= LiveHub.patience } ?? false
        }
    }

    /// Says what closes the connection; at once when it was cut off already.
    package func onCut(_ body: @escaping @Sendable () -> Void) {
        let isCut = state.withLock { state in
            state.cut = body
            return state.isCut
        }
        if isCut { body() }
    }

    /// Whether it was cut off.
    package var isCut: Bool { state.withLock(\.isCut) }

    /// Closes the connection without waiting for anything: the client resumes where it was.
    package func cutOff() {
        let cut = state.withLock { state in
            state.isCut = true
            return state.cut
        }
        cut?()
        signal(.end)
    }
}
