import Geofencing
import Notifications
import Storage
import Stories

/// A batch of a device's fixes with all data needed to evaluate it, from one snapshot of the database and of the map.
///
/// A value, so that no database connection is held during the evaluation.
struct FixEvaluation: Sendable {
    let user: UserID
    let device: String
    let fixes: [(index: Int, fix: LiveFix)]
    let settings: NotificationSettings
    /// The device's state as stored; `nil` if there is none under the current consent.
    let stored: [UInt8]?
    /// The rules for the stories the user wants to be notified of, on the map as of the snapshot.
    let rules: FenceNotifications
    let memory: FenceMemory
    /// The key for the ids of kept fixes.
    let secret: [UInt8]
    let now: Timestamp

    /// The number of fixes evaluated before the thread is yielded to others.
    private static let fixesAtOnce = 32
    /// The maximum ``TracePrice``, in units, of a batch evaluated on a thread that answers requests: about two
    /// milliseconds of work.
    private static let shortPrice = 1.0

    /// Whether the batch must be evaluated on the threads for long work.
    var isLong: Bool {
        TracePrice.units(points: fixes.count, radius: rules.fences.largestRadius) > FixEvaluation.shortPrice
    }

    /// Evaluates the batch without a pause.
    func evaluated() -> EvaluatedBatch {
        var work = Work(self)
        work.advance(by: .max)
        return work.batch
    }

    /// Evaluates the batch without keeping requests waiting.
    ///
    /// A short batch is evaluated on the thread of the caller, a long one in pieces on the threads for long work.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func evaluatedApart() async throws -> EvaluatedBatch {
        guard isLong else { return evaluated() }
        return try await LongWork.run {
            var work = Work(self)
            while !work.isDone {
                try Task.checkCancellation()
                work.advance(by: FixEvaluation.fixesAtOnce)
                await Task.yield()
            }
            return work.batch
        }
    }
}

/// The result of evaluating a batch, before it is written.
struct EvaluatedBatch: Sendable {
    let user: UserID
    let device: String
    let settings: NotificationSettings
    /// The device's stored state from which the evaluation started.
    let before: [UInt8]?
    let after: DeviceState
    /// The decisions, each with its time.
    let moments: [FenceMoment]
    /// The fixes to be kept at the request of the user.
    let kept: [KeptFix]
    let report: FixReport
}

extension FixEvaluation {
    /// An evaluation in progress.
    private struct Work {
        private let evaluation: FixEvaluation
        private let evaluator: FenceEvaluator
        private let fences: NearbyFences
        private let sent: [(index: Int, fix: Fix)]
        private let events: [FenceEvent]
        private var state: DeviceState
        private var run = FenceRun()
        private var position = 0

        init(_ evaluation: FixEvaluation) {
            self.evaluation = evaluation
            evaluator = evaluation.rules.evaluator(explains: evaluation.keeps)
            fences = NearbyFences(evaluation.rules.fences, of: evaluation.user, memory: evaluation.memory)
            sent = evaluation.fixes.map { (index: $0.index, fix: $0.fix.fix(receivedAt: evaluation.now)) }
            let ordered = evaluator.ordered(batch: sent.map(\.fix))
            events = ordered.map(FenceEvent.fix) + [.tick(evaluation.now.milliseconds)]
            // An unreadable state, for instance one of another version, is replaced by a new one.
            state = evaluation.stored.flatMap { try? DeviceState(bytes: $0) } ?? DeviceState()
            state.reanchor(to: evaluation.earliest)
        }

        var isDone: Bool { position == events.count }

        mutating func advance(by count: Int) {
            let end = position + min(count, events.count - position)
            evaluator.advance(&state, through: events[position..<end], fences: fences, into: &run)
            position = end
        }

        var batch: EvaluatedBatch {
            let (user, device) = (evaluation.user, evaluation.device)
            var report = FixReport()
            report.isMonitoring = true
            report.count(run.effects, sent: sent)
            return EvaluatedBatch(
                user: user,
                device: device,
                settings: evaluation.settings,
                before: evaluation.stored,
                after: state,
                moments: run.moments,
                kept: evaluation.keeps
                    ? KeptFix.all(run.effects, user: user, device: device, secret: evaluation.secret) : [],
                report: report
            )
        }
    }

    /// Whether the user wants fixes to be kept.
    private var keeps: Bool { settings.keptDays > 0 }

    /// The time in milliseconds to which a state is moved back if it was written while the clock was ahead.
    ///
    /// It lies just before the oldest fix that can still be announced, or before now if there is none: the state must
    /// not make arriving fixes late.
    private var earliest: Int64 {
        let oldest = now.milliseconds - FenceOptions().oldestFix
        let fresh = fixes.map { $0.fix.time.milliseconds }.filter { (oldest...now.milliseconds).contains($0) }.min()
        return (fresh ?? now.milliseconds) - 1
    }
}
