import Formats
import Geofencing
import Geometry

/// Writes the steps of a walk as JSON.
struct WalkStepWriter {
    private let run: FenceRun
    /// The places that the viewer may see.
    private let places: Set<PlaceID>
    /// The minimum duration of an announced visit, in seconds.
    private let minimumDwell: Int
    /// Whether all decisions are written, and not only those that change something.
    let isFull: Bool

    init(run: FenceRun, places: Set<PlaceID>, minimumDwell: Int) {
        self.run = run
        self.places = places
        self.minimumDwell = minimumDwell
        let count = run.effects.count { if case .explained = $0 { true } else { false } }
        isFull = count <= WalkJSON.fullDecisions
    }

    /// Writes a step; one in which nothing happened is left out.
    func write(_ step: FenceStep, to json: inout JSONWriter) {
        let effects = run.effects[step.effects]
        guard !effects.isEmpty else { return }
        json.beginObject()
        json.member("cause", step.cause)
        json.member("clock", WalkJSON.time(step.clock))
        writeFix(effects, to: &json)
        json.key("estimate")
        if let estimate = step.estimate { write(estimate, to: &json) } else { json.null() }
        list("decisions", effects, to: &json, writeDecision)
        list("entered", effects, to: &json, writeEntry)
        list("left", effects, to: &json) { effect, json in
            guard case .left(let exit) = effect, places.contains(exit.place) else { return }
            json.value(exit.place.description)
        }
        json.endObject()
    }

    private func list(
        _ name: String,
        _ effects: ArraySlice<FenceEffect>,
        to json: inout JSONWriter,
        _ write: (FenceEffect, inout JSONWriter) -> Void
    ) {
        json.key(name)
        json.beginArray()
        for effect in effects { write(effect, &json) }
        json.endArray()
    }

    /// Writes the fix that the step decided about last, with its outcome; null if only the clock decided.
    private func writeFix(_ effects: ArraySlice<FenceEffect>, to json: inout JSONWriter) {
        json.key("fix")
        guard case .outcome(let fix, let outcome)? = effects.last(where: { $0.isOutcome }) else { return json.null() }
        json.beginObject()
        json.member("t", WalkJSON.time(fix.time))
        WalkJSON.position(fix.coordinate, to: &json)
        json.member("acc", fix.accuracy)
        json.member("outcome", outcome.word)
        json.member("why", outcome.why)
        json.endObject()
    }

    private func write(_ estimate: PositionEstimate, to json: inout JSONWriter) {
        json.beginObject()
        WalkJSON.position(estimate.coordinate, to: &json)
        json.member("acc", WalkStepWriter.tenths(estimate.accuracy))
        json.member("speed", estimate.speed)
        json.endObject()
    }

    private func writeDecision(_ effect: FenceEffect, to json: inout JSONWriter) {
        guard case .explained(let explanation) = effect, places.contains(explanation.place) else { return }
        guard isFull || explanation.before != explanation.after else { return }
        json.beginObject()
        json.member("place", explanation.place.description)
        json.member("d", explanation.distance)
        json.member("likely_d", explanation.likelyDistance)
        json.member("likely_acc", explanation.likelyAccuracy)
        json.member("acc", explanation.accuracy)
        json.member("p", explanation.probability)
        json.member("before", explanation.before.rawValue)
        json.member("after", explanation.after.rawValue)
        json.member("why", explanation.why)
        json.endObject()
    }

    private func writeEntry(_ effect: FenceEffect, to json: inout JSONWriter) {
        guard case .entered(let entry) = effect, places.contains(entry.place) else { return }
        json.beginObject()
        json.member("place", entry.place.description)
        json.member("kind", entry.kind.rawValue)
        json.member("at", WalkJSON.time(entry.at))
        json.member("decided_at", WalkJSON.time(entry.decidedAt))
        json.member("confidence", entry.confidence)
        json.member("d", entry.distance)
        json.member("why", why(entry))
        json.endObject()
    }

    /// Returns why an entry was decided, as text: by a fix, or by the clock after the fix.
    private func why(_ entry: FenceEntry) -> String {
        guard entry.decidedAt > entry.qualifiedAt else { return "the fix decided" }
        if minimumDwell > 0 { return "inside for at least \(minimumDwell) s" }
        let patience = Double(FenceOptions().candidatePatience) / 1_000
        return entry.decidedAt - entry.qualifiedAt == FenceOptions().candidatePatience
            ? "no fix contradicted it for \(patience) s" : "a later fix confirmed it"
    }

    private static func tenths(_ metres: Double) -> Double { (metres * 10).rounded() / 10 }
}

extension FenceStep {
    /// The cause in a word.
    fileprivate var cause: String {
        switch event {
        case .fix: "fix"
        case .tick: "clock"
        case .gap: "gap"
        }
    }
}

extension FenceEffect {
    fileprivate var isOutcome: Bool { if case .outcome = self { true } else { false } }
}

extension FixOutcome {
    /// The outcome in a word.
    static let words = ["accepted", "held", "duplicate", "late", "suspect", "rejected"]

    fileprivate var word: String {
        switch self {
        case .accepted: "accepted"
        case .held: "held"
        case .duplicate: "duplicate"
        case .late: "late"
        case .suspect: "suspect"
        case .rejected: "rejected"
        }
    }

    /// The outcome as a sentence.
    fileprivate var why: String {
        switch self {
        case .accepted: "The fix was evaluated."
        case .held: "The fix is held back for a moment, in case one from before it arrives."
        case .duplicate: "The same report was received before."
        case .late: "The fix is older than one already evaluated, or too old to matter; it changes nothing."
        case .suspect: "The fix is too far from the last one; it waits for others that agree."
        case .rejected(let reason): "The fix is not used: its \(reason.field) \(reason.description)."
        }
    }
}

extension FixRejection {
    /// The name of the value that the reason is about.
    fileprivate var field: String {
        switch self {
        case .accuracy, .invalid: "accuracy"
        case .zero: "latitude"
        case .time, .old: "time"
        }
    }
}
