import HTTPTypes
package import Stories
import Synchronization

/// The exports under way: one at a time for each person, a few for all, none for who does not fetch.
///
/// Whoever stops reading must not take a place from others for ever.
package final class ExportGate: Sendable {
    private struct Running: Sendable {
        let user: UserID
        var lastFetch: Timestamp
        var cancel: (@Sendable () -> Void)?
    }

    private struct State: Sendable {
        var next = 0
        var running: [Int: Running] = [:]
    }

    /// The most exports at a time.
    package static let limit = 4
    /// How long a client may fetch nothing, in milliseconds.
    package static let idle: Int64 = 60_000

    private let state = Mutex(State())

    init() {}

    /// How many exports are under way.
    package var count: Int { state.withLock(\.running.count) }

    /// Begins an export; it is under way until the ticket is gone.
    ///
    /// - Throws: ``Problem``: a conflict while the person has another, or too many requests while there are
    ///   ``limit`` of them.
    package func begin(_ user: UserID, at now: Timestamp) throws -> ExportTicket {
        dropStalled(at: now)
        return try state.withLock { state in
            guard !state.running.values.contains(where: { $0.user == user }) else { throw Problem.exportRunning }
            guard state.running.count < ExportGate.limit else { throw Problem.tooManyExports }
            let number = state.next
            state.next += 1
            state.running[number] = Running(user: user, lastFetch: now)
            return ExportTicket(gate: self, number: number)
        }
    }

    /// Ends the exports of which nothing was fetched for ``idle``, with their connections.
    package func dropStalled(at now: Timestamp) {
        let stalled = state.withLock { state in
            let stalled = state.running.filter { now.milliseconds - $0.value.lastFetch.milliseconds > ExportGate.idle }
            for number in stalled.keys { state.running[number] = nil }
            return Array(stalled.values)
        }
        for export in stalled {
            export.cancel?()
        }
    }

    fileprivate func end(_ number: Int) { state.withLock { $0.running[number] = nil } }

    private func change(_ number: Int, _ change: (inout Running) -> Void) -> Bool {
        state.withLock { state in
            guard var export = state.running[number] else { return false }
            change(&export)
            state.running[number] = export
            return true
        }
    }

    /// One export that is under way, until it ends or its last reference is gone.
    package final class Ticket: Sendable {
        private let gate: ExportGate
        private let number: Int

        fileprivate init(gate: ExportGate, number: Int) {
            self.gate = gate
            self.number = number
        }

        deinit { gate.end(number) }

        /// Ends it.
        func end() { gate.end(number) }

        /// Says what ends its sending when it is dropped; without effect once it is.
        package func onDrop(_ cancel: @escaping @Sendable () -> Void) { _ = gate.change(number) { $0.cancel = cancel } }

        /// Says that the client took a piece; `false` when it was dropped meanwhile.
        func noteFetch(at now: Timestamp) -> Bool { gate.change(number) { $0.lastFetch = now } }
    }
}

/// One export that is under way.
package typealias ExportTicket = ExportGate.Ticket

extension Problem {
    /// How long to wait, in seconds: by then an export that nobody reads is gone.
    private static let exportWait = String(ExportGate.idle / 1_000)

    static let exportRunning = waiting(
        Problem(
            .conflict,
            "export-running",
            "Your data is being exported already. Fetch that to its end, or wait a minute and try again."
        )
    )

    static let tooManyExports = waiting(
        Problem(
            .tooManyRequests,
            "too-many-exports",
            "There are too many exports at the moment. Wait a minute and try again."
        )
    )

    private static func waiting(_ problem: Problem) -> Problem {
        var problem = problem
        problem.headers[.retryAfter] = exportWait
        return problem
    }
}
