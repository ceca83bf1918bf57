import Foundation
import Storage
import Synchronization

/// Ends long work of a command on SIGINT and SIGTERM, so that it can remove what it has begun.
enum Interruption: Sendable {
    private static let isRaised = Atomic(false)

    /// An end of the command that the user asked for.
    struct Ended: Error {}

    /// From now on the signals set a flag instead of ending the program.
    static func listen() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in Interruption.isRaised.store(true, ordering: .relaxed) }
        }
    }

    /// Throws if one of the signals has arrived.
    static func check() throws {
        if isRaised.load(ordering: .relaxed) { throw Ended() }
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
