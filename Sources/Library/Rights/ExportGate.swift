package import Stories
import Synchronization

/// The exports under way: one at a time for each person, a few for all, none for who does not fetch.
///
/// Whoever stops reading must not take a place from others for ever.
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

    /// The maximum number of exports at a time.
    package static let limit = 8
    /// The maximum number of exports at a time to one address.
    package static let addressLimit = 2
    /// How many bytes a second an export must reach, from ``grace`` on, to be left alone when others want its place.
    package static let pace = 65_536
    /// How long an export may take however slow it is, in milliseconds.
    package static let grace: Int64 = 60_000
    /// How long a client may fetch nothing, in milliseconds.
    package static let idle: Int64 = 60_000

    private let state = Mutex(State())

    package init() {}

    /// How many exports are under way.
    package var count: Int { state.withLock(\.running.count) }

    /// Begins an export for a client at an address, if that is known; it is under way until the ticket is gone.
    ///
    /// When there are ``limit`` of them, the slowest of those below ``pace`` loses its place.
    ///
    /// - Throws: ``Refusal``: a conflict while the person has another, or too many requests while there are
    ///   ``limit`` of them, or ``addressLimit`` to the address.
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

    /// The export that was fetched most slowly, of those that had time enough and stayed below the pace.
    private static func slowest(of running: [Int: Running], at now: Timestamp) -> Int? {
        let paces = running.compactMap { number, export -> (number: Int, pace: Double)? in
            let elapsed = now.milliseconds - export.start.milliseconds
            guard elapsed >= grace else { return nil }
            let pace = Double(export.bytes) * 1_000 / Double(elapsed)
            return pace < Double(ExportGate.pace) ? (number, pace) : nil
        }
        return paces.min { ($0.pace, $0.number) < ($1.pace, $1.number) }?.number
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
        package func end() { gate.end(number) }

        /// Says what ends its sending when it is dropped; without effect once it is.
        package func onDrop(_ cancel: @escaping @Sendable () -> Void) { _ = gate.change(number) { $0.cancel = cancel } }

        /// Says that the client took a piece of so many bytes; `false` when it was dropped meanwhile.
        package func noteFetch(of bytes: Int = 0, at now: Timestamp) -> Bool {
            gate.change(number) { export in
                export.lastFetch = now
                export.bytes += bytes
            }
        }
    }
}

/// One export that is under way.
package typealias ExportTicket = ExportGate.Ticket

extension Refusal {
    /// How long to wait, in seconds: by then an export that nobody reads is gone.
    private static let exportWait = Int(ExportGate.idle / 1_000)

    static let exportRunning = Refusal(
        .conflict,
        "export-running",
        "Your data is being exported already. Fetch that to its end, or wait a minute and try again.",
        retryAfter: exportWait
    )

    static let tooManyExports = Refusal(
        .tooMany,
        "too-many-exports",
        "There are too many exports at the moment. Wait a minute and try again.",
        retryAfter: exportWait
    )
}
