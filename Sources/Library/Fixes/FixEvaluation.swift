import Geofencing
import Notifications
import Storage
import Stories

/// A batch of a device's fixes with all that its evaluation needs, from one view of the data and one state of the map.
///
/// A value, so that no connection to the database is held while it is evaluated.
struct FixEvaluation: Sendable {
    let user: UserID
    let device: String
    let fixes: [(index: Int, fix: LiveFix)]
    let settings: NotificationSettings
    /// The device's state as stored, `nil` where there is none of this consent.
    let stored: [UInt8]?
    /// The places and stories that the user wants notifications of, on the map as it was then.
    let rules: FenceNotifications
    let memory: FenceMemory
    /// What the ids of kept fixes are made with.
    let secret: [UInt8]
    let now: Timestamp

    /// How many fixes are evaluated between two looks at whether others wait for the thread.
    private static let fixesAtOnce = 32
    /// The price up to which a batch may be evaluated on a thread that answers requests: about two milliseconds.
    private static let shortPrice = 1.0

    /// Whether the batch belongs on the threads for long work.
    var isLong: Bool {
        TracePrice.units(points: fixes.count, radius: rules.fences.largestRadius) > FixEvaluation.shortPrice
    }

    /// Evaluates the batch without a pause.
    func evaluated() -> EvaluatedBatch {
        var work = Work(self)
        work.advance(by: .max)
        return work.batch
    }

    /// Evaluates the batch where it keeps nobody waiting.
    ///
    /// A short one is evaluated on the thread of the caller, a long one piece by piece on the threads for long work.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
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

/// What came of a batch before it is written.
struct EvaluatedBatch: Sendable {
    let user: UserID
    let device: String
    let settings: NotificationSettings
    /// The device's state that the evaluation began from, as stored.
    let before: [UInt8]?
    let after: DeviceState
    /// What was decided when.
    let moments: [FenceMoment]
    /// What the user asked to be kept of it.
    let kept: [KeptFix]
    let report: FixReport
}

extension FixEvaluation {
    /// An evaluation under way.
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
            // A state that cannot be read, of another version for instance, is begun anew.
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

    /// Whether the user wants the fixes kept.
    private var keeps: Bool { settings.keptDays > 0 }

    /// When the oldest fix was taken that can still be announced, or a moment ago if there is none: a state that is brought
    /// back from a clock that was ahead must not make what comes now late.
    private var earliest: Int64 {
        let oldest = now.milliseconds - FenceOptions().oldestFix
        let fresh = fixes.map { $0.fix.time.milliseconds }.filter { (oldest...now.milliseconds).contains($0) }.min()
        return (fresh ?? now.milliseconds) - 1
    }
}
