package import Stories
import Synchronization

/// Limits concurrent exports: one per user, a few in total, and none for clients that stop fetching.
///
/// A client that stops reading must not block others indefinitely.
package final class ExportGate: Sendable {
    private struct Running: Sendable {
        let user: UserID
        let address: String?
        let start: Timestamp
        var lastFetch: Timestamp
        var bytes = 0
        var cancel: (@Sendable () -> Void)?
    }

    private struct State: Sendable {
        var next = 0
        var running: [Int: Running] = [:]
    }

    /// The maximum number of concurrent exports.
    package static let limit = 8
    /// The maximum number of concurrent exports to one address.
    package static let addressLimit = 2
    /// The bytes per second that an export must reach after ``grace`` to keep its slot when others need one.
    package static let pace = 65_536
    /// The time in milliseconds during which an export keeps its slot at any speed.
    package static let grace: Int64 = 60_000
    /// The maximum time in milliseconds without a fetch.
    package static let idle: Int64 = 60_000

    private let state = Mutex(State())

    package init() {}

    /// The number of exports in progress.
    package var count: Int { state.withLock(\.running.count) }

    /// Begins an export for a client at an address, if known; it is in progress until the ticket is released.
    ///
    /// If ``limit`` exports are in progress, the slowest of those below ``pace`` is dropped.
    ///
    /// - Throws: ``Refusal``: a conflict if the user has another export; too many requests if ``addressLimit`` exports
    ///   go to the address, or if ``limit`` are in progress and none can be dropped.
    package func begin(_ user: UserID, address: String? = nil, at now: Timestamp) throws -> ExportTicket {
        dropStalled(at: now)
        let (number, dropped) = try state.withLock { state in
            guard !state.running.values.contains(where: { $0.user == user }) else { throw Refusal.exportRunning }
            if let address {
                let others = state.running.values.count { $0.address == address }
                guard others < ExportGate.addressLimit else { throw Refusal.tooManyExports }
            }
            var dropped: Running?
            if state.running.count >= ExportGate.limit {
                guard let slowest = ExportGate.slowest(of: state.running, at: now) else { throw Refusal.tooManyExports }
                dropped = state.running.removeValue(forKey: slowest)
            }
            let number = state.next
            state.next += 1
            state.running[number] = Running(user: user, address: address, start: now, lastFetch: now)
            return (number, dropped)
        }
        dropped?.cancel?()
        return ExportTicket(gate: self, number: number)
    }

    /// Returns the slowest export among those that are past the grace period and below the pace.
    private static func slowest(of running: [Int: Running], at now: Timestamp) -> Int? {
        let paces = running.compactMap { number, export -> (number: Int, pace: Double)? in
            let elapsed = now.milliseconds - export.start.milliseconds
            guard elapsed >= grace else { return nil }
            let pace = Double(export.bytes) * 1_000 / Double(elapsed)
            return pace < Double(ExportGate.pace) ? (number, pace) : nil
        }
        return paces.min { ($0.pace, $0.number) < ($1.pace, $1.number) }?.number
    }

    /// Ends exports from which nothing has been fetched for longer than ``idle``, and closes their connections.
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

    /// One export in progress, until it ends or the last reference to it is released.
    package final class Ticket: Sendable {
        private let gate: ExportGate
        private let number: Int

        fileprivate init(gate: ExportGate, number: Int) {
            self.gate = gate
            self.number = number
        }

        deinit { gate.end(number) }

        /// Ends the export.
        package func end() { gate.end(number) }

        /// Sets the action that stops sending when the export is dropped; no effect if it already was.
        package func onDrop(_ cancel: @escaping @Sendable () -> Void) { _ = gate.change(number) { $0.cancel = cancel } }

        /// Records that the client fetched this many bytes; returns `false` if the export has been dropped.
        package func noteFetch(of bytes: Int = 0, at now: Timestamp) -> Bool {
            gate.change(number) { export in
                export.lastFetch = now
                export.bytes += bytes
            }
        }
    }
}

/// One export in progress.
package typealias ExportTicket = ExportGate.Ticket

extension Refusal {
    /// The retry time in seconds: by then, an export that is not being fetched has been dropped.
    private static let exportWait = Int(ExportGate.idle / 1_000)

    static let exportRunning = Refusal(
        .conflict,
        "export-running",
        "An export of your data is already running. Finish downloading it, or wait a minute and try again.",
        retryAfter: exportWait
    )

    static let tooManyExports = Refusal(
        .tooMany,
        "too-many-exports",
        "Too many exports are running at the moment. Wait a minute and try again.",
        retryAfter: exportWait
    )
}
