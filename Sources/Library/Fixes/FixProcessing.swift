package import Geofencing
package import Geometry
import Notifications
import Storage
package import Stories

extension FenceService {
    /// Evaluates a device's fixes for a user and writes state, ledger and feed in one transaction.
    ///
    /// Ticks are processed here too: with no fixes, only the clock advances to the current time, so that pending
    /// decisions are made. The evaluation happens before the transaction and holds no database connection, so that a
    /// long batch does not block other requests. If the device's state or the user's settings change during two
    /// evaluations in a row, the batch is evaluated within the transaction instead.
    package func process(
        _ fixes: [(index: Int, fix: LiveFix)],
        of user: UserID,
        device: String
    ) async throws -> FixReport {
        try await time.hear(fixes.map { $0.fix.time }.max())
        let (now, begun) = (now(), ContinuousClock.now)
        let report = try await evaluate(fixes, of: user, device: device, now: now)
        // Ticks without a fix run every second; they would hide what people wait for.
        if !fixes.isEmpty {
            counts.add(taking: ContinuousClock.now - begun)
            journal.note(report, of: user, device: device, at: now)
        }
        return report
    }

    /// Evaluates fixes, none for a tick, and stores the result.
    private func evaluate(
        _ fixes: [(index: Int, fix: LiveFix)],
        of user: UserID,
        device: String,
        now: Timestamp
    ) async throws -> FixReport {
        for _ in 0..<2 {
            let evaluation = try await store.read { [self] transaction in
                try prepare(fixes, of: user, device: device, now: now, in: transaction)
            }
            guard let evaluation else { return offReport(of: user) }
            let batch = try await evaluated(evaluation)
            let report = try await store.write { [self] transaction in
                try record(batch, heardOf: !fixes.isEmpty, now: now, in: transaction)
            }
            if let report { return counted(report) }
        }
        let report = try await store.write { [self] transaction in
            try prepare(fixes, of: user, device: device, now: now, in: transaction)
                .flatMap { try record($0.evaluated(), heardOf: !fixes.isEmpty, now: now, in: transaction) }
        }
        return report.map(counted) ?? offReport(of: user)
    }

    /// Evaluates a batch outside of the database.
    private func evaluated(_ evaluation: FixEvaluation) async throws -> EvaluatedBatch {
        do {
            return try await evaluation.evaluatedApart()
        } catch {
            // The user may have opted out since the batch was read, so the memory must not reveal where they are.
            memory.forget(evaluation.user)
            throw error
        }
    }

    private func counted(_ report: FixReport) -> FixReport {
        counts.add(report)
        return report
    }

    /// Returns the report for a user who has not opted in, and forgets the places around them.
    private func offReport(of user: UserID) -> FixReport {
        memory.forget(user)
        return FixReport()
    }

    /// Reads the data needed to evaluate a batch; returns `nil` if the user has not opted in.
    private func prepare(
        _ fixes: [(index: Int, fix: LiveFix)],
        of user: UserID,
        device: String,
        now: Timestamp,
        in transaction: StoreReader
    ) throws -> FixEvaluation? {
        let settings = try transaction.notificationSettings(of: user)
        guard settings.enabled, let viewer = try transaction.viewer(user) else { return nil }
        return FixEvaluation(
            user: user,
            device: device,
            fixes: fixes,
            settings: settings,
            stored: try transaction.evaluatorState(of: user, device: device, consentEpoch: settings.consentEpoch),
            rules: rules(viewer: viewer, settings: settings, hidden: try transaction.hiddenStories(of: user)),
            memory: memory,
            secret: store.keys[.ledger],
            now: now
        )
    }

    /// Writes the result of a batch; returns `nil`, and writes nothing, if state or settings have changed meanwhile.
    private func record(
        _ batch: EvaluatedBatch,
        heardOf: Bool,
        now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> FixReport? {
        let (user, device) = (batch.user, batch.device)
        let settings = try transaction.notificationSettings(of: user)
        let stored = try transaction.evaluatorState(of: user, device: device, consentEpoch: settings.consentEpoch)
        guard settings == batch.settings, stored == batch.before, let viewer = try transaction.viewer(user) else {
            return nil
        }
        if !heardOf { try transaction.continueTrace(of: user, device: device) }
        var report = batch.report
        // Most positions decide nothing: for these, the rules of the user's notifications need not be read again.
        if try NoticeRecorder.hasWork(after: batch.moments, of: user, in: transaction) {
            var recorder = try NoticeRecorder(self, for: viewer, settings, at: now, in: transaction)
            try recorder.record(batch.moments, of: device)
            report.notices = recorder.written
        }
        try transaction.keep(batch.kept, of: user)
        try NoticeRecorder.save(batch, heardOf: heardOf, at: now, in: transaction)
        return report
    }

    /// Advances the clock of devices with a decision due, then announces visits that have waited long enough.
    ///
    /// Processes at most 500 of these devices per call, the earliest due first, and returns their number.
    ///
    /// Also removes the evaluator's state of devices that have been silent for a day, including their last positions.
    package func fireTimers() async throws -> Int {
        let now = now()
        let opened = Timestamp(milliseconds: now.milliseconds - NoticeOptions().window)
        let dayAgo = Timestamp(milliseconds: context.certainTime.milliseconds - 86_400_000)
        let (due, hasOld) = try await store.read { transaction in
            (try transaction.dueTimers(at: now, limit: 500), try transaction.hasEvaluatorStates(usedBefore: dayAgo))
        }
        if hasOld {
            try await store.write { try $0.dropEvaluatorStates(usedBefore: dayAgo) }
            memory.forgetAll()
        }
        var failure: (any Error)?
        for timer in due {
            // A failure of one device must not keep the others waiting.
            do { _ = try await process([], of: timer.user, device: timer.device) } catch { failure = error }
        }
        for user in try await store.read({ try $0.usersWithVisits(decidedBefore: opened) }) {
            do { try await tellPendingVisits(of: user) } catch { failure = error }
        }
        if let failure { throw failure }
        return due.count
    }

    /// Announces a user's visits that have waited long enough for later visits to be announced with them.
    ///
    /// Discards them if the user has opted out.
    private func tellPendingVisits(of user: UserID) async throws {
        let now = now()
        try await store.write { [self] transaction in
            let settings = try transaction.notificationSettings(of: user)
            guard settings.enabled, let viewer = try transaction.viewer(user) else {
                return try transaction.savePendingVisits([], of: user)
            }
            try transaction.continueTrace(of: user, device: nil)
            var recorder = try NoticeRecorder(self, for: viewer, settings, at: now, in: transaction)
            try recorder.record([], of: nil)
        }
    }
}

/// A fix as sent by a device.
public struct LiveFix: Hashable, Sendable {
    package let time: Timestamp
    package let coordinate: Coordinate
    package let accuracy: Double?
    package let speed: Double?
    package let course: Double?
    package let sequence: Int?
    /// Whether the device marks the position as simulated.
    package var isSimulated = false

    /// Creates a fix.
    package init(
        time: Timestamp,
        coordinate: Coordinate,
        accuracy: Double?,
        speed: Double? = nil,
        course: Double? = nil,
        sequence: Int? = nil,
        isSimulated: Bool = false
    ) {
        self.time = time
        self.coordinate = coordinate
        self.accuracy = accuracy
        self.speed = speed
        self.course = course
        self.sequence = sequence
        self.isSimulated = isSimulated
    }

    package func fix(receivedAt now: Timestamp) -> Fix {
        Fix(
            time: time.milliseconds,
            received: now.milliseconds,
            coordinate: coordinate,
            accuracy: accuracy,
            speed: speed,
            course: course,
            sequence: sequence.map(Int64.init),
            isSimulated: isSimulated
        )
    }
}

extension FixReport {
    /// Counts the outcome of each fix; the outcomes of equal fixes are matched to indices in the order in which the
    /// fixes were sent.
    package mutating func count(_ effects: [FenceEffect], sent: [(index: Int, fix: Fix)]) {
        var indices: [Fix: [Int]] = [:]
        for (index, fix) in sent.reversed() { indices[fix, default: []].append(index) }
        for case .outcome(let fix, let outcome) in effects {
            var asSent = fix
            // If another report has advanced the clock further, the evaluator uses that time as the time of receipt.
            asSent.received = sent.first?.fix.received ?? fix.received
            asSent.time &+= fix.clockAhead
            asSent.clockAhead = 0
            // Fixes of an earlier batch that were held have been counted with that batch.
            guard let index = indices[asSent]?.popLast() else { continue }
            count(outcome, index: index)
        }
    }

    package mutating func count(_ outcome: FixOutcome, index: Int) {
        switch outcome {
        case .accepted, .held: accepted += 1
        case .duplicate: duplicate += 1
        case .late: late += 1
        case .suspect: suspect += 1
        case .rejected(let reason):
            let field = FixReport.field(of: reason)
            let message = reason.description
            rejected.append(Rejected(index: index, reason: reason.rawValue, field: field, message: message))
        }
    }

    private static func field(of reason: FixRejection) -> String {
        switch reason {
        case .accuracy, .invalid: "acc"
        case .zero: "lat"
        case .time, .old: "t"
        }
    }
}
