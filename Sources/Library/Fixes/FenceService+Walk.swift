package import Geofencing
import Notifications
import Storage
package import Stories

extension FenceService {
    /// The maximum number of effects, most of which explain a fence near a fix.
    private static let mostEffects = 100_000
    /// The maximum number of stories listed at a fence.
    package static let storiesPerFence = 20

    /// Walks a trace for a user and returns what every fix led to, and why; stores nothing and notifies nobody.
    ///
    /// Works without consent, because nothing is kept of the trace, and reports ``WalkResult/isMonitoring``.
    ///
    /// - Throws: ``Refusal`` (422) if the walk passes too many fences, `CancellationError`, or ``StoreError``.
    package func walk(_ trace: [[Fix]], for user: UserID, options: WalkOptions) async throws -> WalkResult {
        let rules = try await store.read { [self] reader in try walkRules(of: user, options: options, in: reader) }
        let run = try await FenceService.walked(trace, rules: rules)
        return try await store.read { [self] reader in
            // What the user may see has perhaps changed while the trace was evaluated.
            let rules = try walkRules(of: user, options: options, in: reader)
            let stored = StoredSource(transaction: reader, user: user, secret: store.keys[.ledger])
            let source = WalkSource(base: stored, forgets: options.forgets)
            return try WalkReview(run: run, rules: rules, source: source).result()
        }
    }

    private func walkRules(
        of user: UserID,
        options: WalkOptions,
        in reader: StoreReader
    ) throws -> FenceNotifications {
        var settings = try reader.notificationSettings(of: user)
        if let radius = options.radius { settings.radius = radius }
        let viewer = try reader.viewer(user) ?? .anonymous
        return rules(viewer: viewer, settings: settings, hidden: try reader.hiddenStories(of: user))
    }

    /// Evaluates a trace fix by fix; after each it yields to other tasks and checks for cancellation and size, because
    /// in a city one fix alone can have many thousands of explanations.
    @concurrent
    private static func walked(_ trace: [[Fix]], rules: FenceNotifications) async throws -> FenceRun {
        let (evaluator, fences) = (rules.evaluator(explains: true), rules.fences)
        var playback = TracePlayback(trace, recordsSteps: true)
        while !playback.isFinished {
            try Task.checkCancellation()
            playback.advance(by: 1, with: evaluator, fences: fences)
            guard playback.run.effects.count <= mostEffects else { throw Refusal.walkTooDense }
            await Task.yield()
        }
        return playback.run
    }
}

extension Refusal {
    /// The walk passes more fences than can be explained at once.
    static let walkTooDense = Refusal(
        .invalid,
        "walk-too-dense",
        "The walk passes too many fences to explain each decision. Walk a part of it, choose a longer interval, or a "
            + "smaller radius."
    )
}
