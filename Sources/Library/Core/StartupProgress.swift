import Synchronization

/// The progress of opening the database, shown in the terminal and by `/readyz`.
public final class StartupProgress: Sendable {
    private struct State {
        var phase = "Opening the database"
        var count: (done: Int, total: Int)?
        var lastSaid: ContinuousClock.Instant
    }

    /// The minimum time before the first line and between two lines.
    package static let interval = Duration.seconds(2)

    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant
    private let say: @Sendable (String) -> Void

    /// Creates a value that reports progress in lines through `say`, at most one every two seconds.
    public init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        say: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        state = Mutex(State(lastSaid: now()))
        self.now = now
        self.say = say
    }

    /// Begins a phase, such as "Reading stories".
    public func begin(_ phase: String) { note { $0 = State(phase: phase, lastSaid: $0.lastSaid) } }

    /// Reports how much of the phase is done.
    public func advance(to done: Int, of total: Int) { note { $0.count = (done, max(done, total)) } }

    private func note(_ change: (inout State) -> Void) {
        let text: String? = state.withLock { state in
            change(&state)
            let now = now()
            guard now - state.lastSaid >= StartupProgress.interval else { return nil }
            state.lastSaid = now
            return StartupProgress.words(state)
        }
        if let text { say(text) }
    }

    /// The current phase as text: `Reading stories: 250,000 of 1,000,000`.
    public var words: String { state.withLock { StartupProgress.words($0) } }

    private static func words(_ state: borrowing State) -> String {
        guard let (done, total) = state.count else { return state.phase }
        return "\(state.phase): \(grouped(done)) of \(grouped(total))"
    }

    /// Returns a number with a comma after every third digit from the end.
    private static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.indices
            .map { index in
                let isGroup = index > 0 && (digits.count - index).isMultiple(of: 3)
                return (isGroup ? "," : "") + String(digits[index])
            }
            .joined()
    }
}
