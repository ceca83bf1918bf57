import Dispatch
import Storage
import Synchronization

/// Holds the store's writer, so that writes wait until the simulation has seen all of them, in its own order.
///
/// A write that does nothing sits on the writer. Whatever clients write meanwhile waits behind it and shares the next
/// commit, as with a slow disk. Another such write is queued behind them before the first one is let go.
final class WriterGate {
    /// A write that does nothing until it is let go.
    private final class Hold: Sendable {
        private let entered = Atomic(false)
        private let isLetGo = Atomic(false)
        private let mayEnd = DispatchSemaphore(value: 0)
        private let turn: Mutex<Turn<Void>?> = Mutex(nil)

        init(_ store: StoryStore) {
            let turn = Turn { [self] in
                do {
                    // Alone in its commit, so that it is neither before nor behind anybody else's write in it.
                    try await store.write(isUrgent: true, isLong: true) { [self] _ in
                        entered.store(true, ordering: .releasing)
                        // On a full disk it runs once more, with the reserve.
                        if !isLetGo.load(ordering: .acquiring) { mayEnd.wait() }
                    }
                } catch {
                    // The store has stopped writing: nothing is held, and nothing need be.
                    entered.store(true, ordering: .releasing)
                }
            }
            self.turn.withLock { $0 = turn }
        }

        private var running: Turn<Void>? { turn.withLock { $0 } }

        /// Waits until it is queued, or has ended already.
        func queue(behind waiting: Int, in store: StoryStore) throws {
            try running?.advance(until: { store.waitingWrites > waiting || entered.load(ordering: .acquiring) })
        }

        /// Waits until it holds the writer, or the store has stopped.
        func enter() throws { try running?.advance(until: { entered.load(ordering: .acquiring) }) }

        func letGo() {
            isLetGo.store(true, ordering: .releasing)
            mayEnd.signal()
        }

        func end() throws {
            _ = try running?.end()
            turn.withLock { $0 = nil }
        }
    }

    private let store: StoryStore
    private var hold: Hold

    /// Holds the writer of a store.
    init(_ store: StoryStore) throws {
        self.store = store
        hold = Hold(store)
        try hold.enter()
    }

    /// The number of writes that wait.
    var waiting: Int { store.waitingWrites }

    /// Lets the writes that wait become one commit, and holds the writer again.
    func commit() throws {
        let next = Hold(store)
        try next.queue(behind: waiting, in: store)
        hold.letGo()
        try next.enter()
        try hold.end()
        hold = next
    }

    /// Lets the writer go.
    func open() throws {
        hold.letGo()
        try hold.end()
    }
}
