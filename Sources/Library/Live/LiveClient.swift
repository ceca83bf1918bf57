package import Stories
import Synchronization

/// The client of a live stream, with its pending reasons to send something and the progress of sending.
///
/// Data is read from the database only after the previous piece has been accepted, so that only the reasons are kept in
/// memory for each client.
package final class LiveClient: Sendable {
    /// The reasons for a stream to do something.
    package struct Reasons: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        /// The log of the feed has new rows, or the feed may look different.
        package static let feed = Reasons(rawValue: 1)
        /// A heartbeat is due.
        package static let beat = Reasons(rawValue: 2)
        /// The token may no longer be valid.
        package static let access = Reasons(rawValue: 4)
        /// Stories changed.
        package static let map = Reasons(rawValue: 8)
        /// The user may see different stories than before.
        package static let view = Reasons(rawValue: 16)
        /// The stream starts.
        package static let start = Reasons(rawValue: 64)
        /// The stream ends.
        package static let end = Reasons(rawValue: 32)

        package init(rawValue: UInt8) { self.rawValue = rawValue }
    }

    private struct State: Sendable {
        var reasons: Reasons = []
        var waiter: CheckedContinuation<Void, Never>?
        /// Does the pending work if no task waits for it.
        var worker: (@Sendable () -> Void)?
        var isWorking = false
        var sendingSince: Timestamp?
        /// The number of log rows added while a piece was not accepted.
        var waiting = 0
        var withdrawals = 0
        var isCut = false
        var cut: (@Sendable () -> Void)?
    }

    /// The owner of the stream.
    package let owner: LiveOwner
    /// The tick within each heartbeat period at which the client gets its heartbeat.
    let slot: Int
    package let number: Int
    private let state = Mutex(State())

    package init(owner: LiveOwner, number: Int, slot: Int) {
        self.owner = owner
        self.number = number
        self.slot = slot
    }

    /// The user of the stream; `nil` for an anonymous viewer.
    package var user: UserID? { owner.user }

    /// Adds pending reasons and wakes the stream; a reason that is already pending is not added twice.
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

    /// Sets the closure to call when there is work; it is not called again until ``take()`` has returned no reasons.
    ///
    /// A waiting task keeps the stack of the whole exchange, which would dominate the memory of thousands of clients.
    package func onWork(_ worker: @escaping @Sendable () -> Void) {
        state.withLock { $0.worker = worker }
    }

    /// Removes the worker, because the stream is over.
    package func endWork() { state.withLock { $0.worker = nil } }

    /// Returns the pending reasons and clears all but ``Reasons/end``; none means idle until the next signal.
    package func take() -> Reasons {
        state.withLock { state in
            defer { state.reasons.formIntersection(.end) }
            if state.reasons.isEmpty { state.isWorking = false }
            return state.reasons
        }
    }

    /// Marks feed data read so far as outdated: it must not be sent any more.
    package func withdraw() { state.withLock { $0.withdrawals += 1 } }

    /// Waits for pending reasons, returns them and clears all but ``Reasons/end``.
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
            // Once set, `end` stays set.
            defer { state.reasons.formIntersection(.end) }
            return state.reasons
        }
    }

    /// The number of withdrawals; read it before the feed, and pass it to ``beginSending(_:at:)``.
    package var withdrawals: Int { state.withLock(\.withdrawals) }

    /// Begins sending a piece; returns `false` if data was withdrawn after the piece was read.
    ///
    /// `withdrawals` is the number of withdrawals before the piece was read; `nil` if no withdrawal can affect the
    /// piece.
    ///
    /// From here on the piece counts as sent: later withdrawals cannot stop it.
    package func beginSending(_ withdrawals: Int?, at now: Timestamp) -> Bool {
        state.withLock { state in
            guard withdrawals.map({ $0 == state.withdrawals }) ?? true else { return false }
            state.sendingSince = now
            return true
        }
    }

    /// Records that the piece was accepted.
    package func endSending() {
        state.withLock { state in
            state.sendingSince = nil
            state.waiting = 0
        }
    }

    /// Records more rows of the log; returns `true` if too many wait behind a piece that is not accepted.
    func noteRows(_ count: Int) -> Bool {
        state.withLock { state in
            guard state.sendingSince != nil else { return false }
            state.waiting += count
            return state.waiting > LiveHub.mostWaiting
        }
    }

    /// Returns whether a piece has not been accepted for too long.
    func isStuck(at now: Timestamp) -> Bool {
        state.withLock { state in
            state.sendingSince.map { now.milliseconds - $0.milliseconds >= LiveHub.patience } ?? false
        }
    }

    /// Returns for how long a piece has not been accepted, in milliseconds; 0 if none is being sent.
    func waits(at now: Timestamp) -> Int64 {
        state.withLock { state in state.sendingSince.map { max(0, now.milliseconds - $0.milliseconds) } ?? 0 }
    }

    /// Sets the closure that closes the connection, and calls it at once if the client was already cut off.
    package func onCut(_ body: @escaping @Sendable () -> Void) {
        let isCut = state.withLock { state in
            state.cut = body
            return state.isCut
        }
        if isCut { body() }
    }

    /// Whether the client was cut off.
    package var isCut: Bool { state.withLock(\.isCut) }

    /// Closes the connection without waiting for anything; the client can reconnect and resume where it stopped.
    package func cutOff() {
        let cut = state.withLock { state in
            state.isCut = true
            return state.cut
        }
        cut?()
        signal(.end)
    }
}
