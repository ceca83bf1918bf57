import Foundation
import Storage
import Synchronization

/// Ends long work of a command on SIGINT and SIGTERM, so that it can remove what it has begun.
enum Interruption: Sendable {
    /// The number of the signal that arrived last; zero if none did.
    private static let raised = Atomic<Int32>(0)

    /// An end of the command that the user asked for.
    struct Ended: Error {}

    /// From now on the signals set a flag instead of ending the program.
    static func listen() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { Interruption.raised.store($0, ordering: .relaxed) }
        }
    }

    /// From now on the signals end the program with words that say what an import leaves behind.
    static func explainImport(isDryRun: Bool) {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // A handler has no context, and may only call functions that signals cannot disturb (POSIX.1-2017, 2.4.3).
            if isDryRun {
                signal(number) { Interruption.end(by: $0, "Ended on request; a dry run changes nothing.\n") }
            } else {
                signal(number) { number in
                    Interruption.end(
                        by: number,
                        """
                        Ended on request. A file is imported as a whole or not at all: of one that 'waymark imports list' \
                        shows as interrupted, nothing was stored.

                        """
                    )
                }
            }
        }
    }

    private static func end(by number: Int32, _ words: StaticString) {
        _ = write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
        signal(number, SIG_DFL)
        raise(number)
    }

    /// Throws if one of the signals has arrived.
    static func check() throws {
        if raised.load(ordering: .relaxed) != 0 { throw Ended() }
    }

    /// Does work that SIGINT and SIGTERM cancel, so that it can remove what it has begun; the program ends once it has.
    ///
    /// - Throws: the errors of `work`; ``CommandFailure`` if a signal arrived that is ignored otherwise.
    static func cancelling<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        var (interrupt, end) = (sigaction(), sigaction())
        // As whole actions: a handler that is ignored is no pointer that Swift could hold.
        sigaction(SIGINT, nil, &interrupt)
        sigaction(SIGTERM, nil, &end)
        for number in [SIGINT, SIGTERM] {
            signal(number) { Interruption.raised.store($0, ordering: .relaxed) }
        }
        let done: Result<Value?, any Error>
        do {
            done = .success(try await untilRaised(work))
        } catch {
            done = .failure(error)
        }
        sigaction(SIGINT, &interrupt, nil)
        sigaction(SIGTERM, &end, nil)
        let number = raised.load(ordering: .relaxed)
        if number != 0 {
            // To the process, because the threads that run tasks block signals. It ends while this waits, unless the signal
            // is ignored.
            kill(getpid(), number)
            try? await Task.sleep(for: .seconds(1))
        }
        guard let value = try done.get() else { throw CommandFailure.failed("The command was interrupted.") }
        return value
    }

    /// Returns what `work` returns, or `nil` if a signal arrived before; returns once the cancelled work has ended.
    private static func untilRaised<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self, returning: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                while raised.load(ordering: .relaxed) == 0 { try await Task.sleep(for: .milliseconds(50)) }
                return nil
            }
            let first: Value? = try await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}

/// Shows the progress of a backup on standard error once it takes longer than a second.
final class BackupReport: Sendable {
    private struct State {
        var step: BackupStep?
        var bar: ProgressBar?
        var shown = ContinuousClock.now
    }

    private let began = ContinuousClock.now
    private let state = Mutex(State())
    private let quiet: Bool

    init(quiet: Bool) { self.quiet = quiet }

    /// Takes note of progress.
    ///
    /// - Throws: ``Interruption/Ended`` if the user ended the command.
    func note(_ step: BackupStep, _ done: Int, _ total: Int) throws {
        try Interruption.check()
        let now = ContinuousClock.now
        guard now - began > .seconds(1) else { return }
        state.withLock { state in
            guard state.step != step || now - state.shown > .milliseconds(200) else { return }
            if state.step != step, isatty(STDERR_FILENO) != 1 {
                Console.remark("\(BackupReport.words(step)) (\(megabytes(total)))", quiet: quiet)
            }
            let known = state.step == step ? state.bar : nil
            let bar = known ?? ProgressBar(BackupReport.words(step), quiet: quiet)
            (state.step, state.bar, state.shown) = (step, bar, now)
            bar.show(done: done, of: total, count: done >> 20, unit: "MB")
        }
    }

    /// Removes the bar.
    func end() { ProgressBar("", quiet: quiet).end() }

    private static func words(_ step: BackupStep) -> String {
        switch step {
        case .copying: "Copying the database"
        case .checking: "Checking every row"
        case .writing: "Writing the backup"
        case .verifying: "Reading the backup back"
        case .extracting: "Reading the backup"
        }
    }
}

/// Returns a size in megabytes with one decimal.
func megabytes(_ bytes: Int) -> String {
    String(format: "%.1f MB", Double(bytes) / 1_000_000)
}
