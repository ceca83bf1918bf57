import Geofencing
import Geometry
import Testing

@Suite("The evaluator, rule by rule")
struct FenceEvaluatorTests {
    private let scene = Scene()
    private let evaluator = FenceEvaluator()

    private func run(
        _ fixes: [Fix],
        _ fences: [Fence]? = nil,
        _ change: (inout FenceOptions) -> Void = { _ in }
    ) -> [FenceEffect] {
        var options = FenceOptions()
        change(&options)
        return FenceEvaluator(options: options).evaluate(trace: [fixes], fences: FenceList(fences ?? [scene.fence()]))
    }

    /// A walk due east past the fence at 1.4 m/s.
    private func walk(from: Double = -400, to: Double = 400, every seconds: Double = 5, north: Double = 0) -> [Fix] {
        let count = Int((to - from) / (1.4 * seconds))
        return (0...count).map { scene.fix(Double($0) * seconds, from + 1.4 * seconds * Double($0), north) }
    }

    @Test("NTF-03 A walk through a fence enters and leaves it once")
    func walkThrough() throws {
        let effects = run(walk())
        let entry = try #require(effects.entries.first)
        #expect(effects.entries.count == 1)
        #expect(entry.kind == .entered && entry.visit == 1 && entry.confidence >= 0.95)
        let exit = try #require(effects.exits.first)
        #expect(effects.exits.count == 1 && exit.visit == 1 && exit.at > entry.at)
        // 250 m to the edge take 178 s; certainty and a second fix cost some more.
        #expect((178_000...200_000).contains(entry.at - Scene.start))
    }

    @Test("A walk past a fence at a distance does not enter it", arguments: [170.0, 200, 1_000])
    func walkPast(north: Double) {
        #expect(run(walk(north: north)).entries.isEmpty)
    }

    @Test("A candidate that nothing contradicts is accepted after six and a half seconds")
    func candidateTimer() throws {
        var state = DeviceState()
        let fences = FenceList([scene.fence()])
        #expect(evaluator.advance(&state, .fix(scene.fix(0, 100)), fences: fences).entries.isEmpty)
        #expect(state.nextTimer == Scene.start + 6_500)
        #expect(evaluator.advance(&state, .tick(Scene.start + 6_499), fences: fences).entries.isEmpty)
        let entry = try #require(evaluator.advance(&state, .tick(Scene.start + 60_000), fences: fences).entries.first)
        #expect(entry.at == Scene.start && entry.decidedAt == Scene.start + 6_500)
        #expect(entry.qualifiedAt == Scene.start)
        #expect(state.nextTimer == nil && state.visited == [entry.place])
    }

    @Test("A candidate whose fence has been removed is never announced")
    func candidateFenceGone() {
        var state = DeviceState()
        _ = evaluator.advance(&state, .fix(scene.fix(0, 100)), fences: FenceList([scene.fence()]))
        let effects = evaluator.advance(&state, .tick(Scene.start + 60_000), fences: FenceList([]))
        #expect(effects.isEmpty && state.nextTimer == nil)
    }

    @Test("A contradicting fix drops a candidate")
    func candidateContradicted() {
        #expect(run([scene.fix(0, 130), scene.fix(5, 160), scene.fix(60, 300)]).entries.isEmpty)
    }

    @Test("Sparse fixes decide immediately if they are certain", arguments: [16.0, 60, 300])
    func sparse(interval: Double) {
        let effects = run([scene.fix(0, 350), scene.fix(interval, 20), scene.fix(2 * interval, -350)])
        #expect(effects.entries.map(\.at) == [Scene.start + Int64(interval * 1000)])
    }

    @Test("A sudden jump needs a second fix as confirmation before it enters a fence")
    func leap() {
        let leap = [scene.fix(0, 1_400), scene.fix(5, 1_400), scene.fix(35, 0)]
        #expect(run(leap).entries.isEmpty)
        #expect(run(leap + [scene.fix(65, 0)]).entries.map(\.at) == [Scene.start + 65_000])
        #expect(run(leap + [scene.fix(65, 1_400)]).entries.isEmpty)
    }

    @Test("Fast motion decides immediately")
    func fast() {
        let fixes = (0...20).map { scene.fix(Double($0) * 5, -700 + 70 * Double($0), speed: 14) }
        let entries = run(fixes).entries
        #expect(entries.count == 1)
        #expect(entries.first.map { $0.at == $0.decidedAt && $0.speed == 14 } == true)
    }

    @Test("A drive-by between two fixes half a minute apart is detected as a pass")
    func crossing() throws {
        let fixes = (0...4).map { scene.fix(Double($0) * 30, -1_050 + 420 * Double($0), 20, speed: 14) }
        #expect(fixes.allSatisfy { GreatCircle.distance($0.coordinate, scene.anchor) > 150 })
        let entry = try #require(run(fixes).entries.first)
        #expect(run(fixes).entries.count == 1)
        #expect(entry.kind == .passed && entry.at == Scene.start + 90_000)
        #expect(run(fixes) { $0.findsCrossings = false }.entries.isEmpty)
        #expect(run(fixes.map { scene.fix(Double($0.time - Scene.start) / 1000 * 5, 0, 900) }).entries.isEmpty)
    }

    @Test("Nothing is crossed between two segments of a trace")
    func gapStopsCrossing() {
        let before = [scene.fix(0, -320), scene.fix(5, -250)]
        let after = [scene.fix(35, 250), scene.fix(40, 320)]
        let fences = FenceList([scene.fence()])
        #expect(evaluator.evaluate(trace: [before + after], fences: fences).entries.count == 1)
        #expect(evaluator.evaluate(trace: [before, after], fences: fences).entries.isEmpty)
    }

    @Test("Coarse fixes enter only if three of them agree over twenty seconds")
    func coarse() {
        func fixes(_ count: Int) -> [Fix] { (0..<count).map { scene.fix(Double($0) * 10, 40, accuracy: 150) } }
        #expect(run(fixes(2)).entries.isEmpty)
        #expect(run(fixes(3)).entries.map(\.at) == [Scene.start + 20_000])
    }

    @Test("Customer.io 882: a small fence with honest accuracy still fires")
    func smallFence() {
        let fixes = (0..<8).map { scene.fix(Double($0) * 5, 5, accuracy: 25) }
        #expect(run(fixes, [scene.fence(radius: 30)]).entries.count == 1)
    }

    @Test("An exit takes a minute and two fixes; one stray fix does not exit")
    func hysteresis() {
        let inside = (0..<6).map { scene.fix(Double($0) * 20, 0) }
        let stray = [scene.fix(120, 400), scene.fix(140, 0), scene.fix(160, 0)]
        #expect(run(inside + stray).exits.isEmpty)
        let gone = (0..<6).map { scene.fix(120 + Double($0) * 20, 400) }
        let exits = run(inside + gone).exits
        // The first fix so far away may be wrong.
        #expect(exits.map(\.at) == [Scene.start + 200_000])
    }

    @Test("Standing between the radius and the exit ring does not exit")
    func exitRing() {
        let fixes = (0..<6).map { scene.fix(Double($0) * 20, 0) } + (6..<60).map { scene.fix(Double($0) * 20, 165) }
        let effects = run(fixes)
        #expect(effects.entries.count == 1 && effects.exits.isEmpty)
    }

    @Test("After half an hour of silence the first fix decides", arguments: [0.0, 400])
    func silence(east: Double) {
        let fixes = [scene.fix(0, 0), scene.fix(5, 0), scene.fix(4_000, east), scene.fix(4_005, east)]
        let effects = run(fixes)
        #expect(effects.entries.count == 1)
        #expect(effects.exits.count == (east == 0 ? 0 : 1))
    }

    @Test("NTF-12 Impossible fixes are rejected with a reason")
    func rejections() {
        let fixes = [
            Fix(time: Scene.start, coordinate: Coordinate(wrappingLatitude: 0, longitude: 0)),
            Fix(time: -1, received: Scene.start, coordinate: scene.anchor),
            Fix(time: .max, received: Scene.start, coordinate: scene.anchor, clockAhead: .min),
            scene.fix(0, 0, accuracy: -1),
            scene.fix(1, 0, accuracy: .nan),
            scene.fix(2, 0, accuracy: 201),
            scene.fix(3, 0, accuracy: .infinity),
        ]
        var state = DeviceState()
        let fences = FenceList([scene.fence()])
        let effects = fixes.flatMap { evaluator.advance(&state, .fix($0), fences: fences) }
        let expected: [FixRejection] = [.zero, .time, .time, .invalid, .invalid, .accuracy, .accuracy]
        #expect(effects.outcomes == expected.map { .rejected($0) })
        #expect(
            evaluator.advance(&state, .fix(Fix(time: 0, received: .max, coordinate: scene.anchor)), fences: fences)
                .outcomes == [.rejected(.time)]
        )
        #expect(state.visited.isEmpty && state.nextTimer == nil)
    }

    @Test("A clock ahead is corrected, an old fix is late, a repeated one is a duplicate")
    func clocks() {
        var state = DeviceState()
        let fences = FenceList([scene.fence()])
        func outcome(_ fix: Fix) -> [FixOutcome] { evaluator.advance(&state, .fix(fix), fences: fences).outcomes }
        #expect(outcome(scene.fix(3_600, 500, received: 0)) == [.accepted])
        #expect(state.lastFixTime == Scene.start)
        #expect(outcome(scene.fix(3_600, 500, received: 1)) == [.duplicate])
        #expect(outcome(scene.fix(1, 500, received: 700)) == [.late])
        #expect(outcome(scene.fix(699, 500, received: 701)) == [.accepted])
        #expect(outcome(scene.fix(690, 510, received: 702)) == [.late])
        #expect(outcome(scene.fix(690, 510, received: 703)) == [.duplicate])
    }

    @Test("A batch from a clock that is ahead keeps its intervals, even when sent again")
    func aheadBatch() {
        let batch = walk().reversed()
            .map { fix in
                Fix(
                    time: fix.time + 3_600_000,
                    received: Scene.start + 600_000,
                    coordinate: fix.coordinate,
                    accuracy: 8
                )
            }
        var state = DeviceState()
        let fences = FenceList([scene.fence()])
        var first: [FenceEffect] = []
        for fix in evaluator.ordered(batch: batch) { first += evaluator.advance(&state, .fix(fix), fences: fences) }
        #expect(first.entries.count == 1)
        #expect(first.outcomes.allSatisfy { $0 == .accepted })
        var second: [FenceEffect] = []
        let again = batch.map { Fix(time: $0.time, received: $0.received + 60_000, coordinate: $0.coordinate) }
        for fix in evaluator.ordered(batch: again) { second += evaluator.advance(&state, .fix(fix), fences: fences) }
        #expect(second.outcomes.allSatisfy { $0 == .duplicate } && second.entries.isEmpty)
    }

    @Test("A jump is suspect until three fixes agree over ten seconds")
    func gate() {
        let still = (0..<10).map { scene.fix(Double($0) * 5, 600) }
        let jump = (10..<13).map { scene.fix(Double($0) * 5, 0) }
        let outcomes = run(still + jump).outcomes
        #expect(outcomes.suffix(3) == [.suspect, .suspect, .accepted])
        let back = [scene.fix(50, 0), scene.fix(55, 600), scene.fix(60, 600)]
        #expect(run(still + back).outcomes.suffix(3) == [.suspect, .accepted, .accepted])
        #expect(run(still + back).entries.isEmpty)
    }

    @Test("A suspect fix pauses the candidate it contradicts")
    func disputedCandidate() {
        #expect(run([scene.fix(0, 0), scene.fix(3, 600), scene.fix(6, 600)]).entries.isEmpty)
        #expect(run([scene.fix(0, 0), scene.fix(5, 10), scene.fix(8, 600)]).entries.count == 1)
    }

    @Test("A required stay is announced once it is complete")
    func dwell() {
        let stay = (0..<40).map { scene.fix(Double($0) * 5, 0) }
        let entries = run(stay) { $0.minimumDwell = 120_000 }.entries
        #expect(entries.count == 1 && entries.first.map { $0.at - Scene.start >= 120_000 } == true)
        #expect(run(walk(every: 5)) { $0.minimumDwell = 600_000 }.entries.isEmpty)
    }

    @Test("A stay is announced when a batch of fixes proves it, and not before")
    func dwellOfBuffered() {
        func batch(inside seconds: Int) -> [Fix] {
            let east = (0...(120 + seconds) / 10)
                .map { step in
                    step * 10 < 60 || step * 10 > 60 + seconds ? 1_000.0 : 0
                }
            let end = Scene.start + Int64(120 + seconds) * 1_000
            return east.enumerated()
                .map { step, east in
                    var fix = scene.fix(Double(step) * 10, east)
                    fix.received = end
                    return fix
                }
        }
        let long = run(batch(inside: 280)) { $0.minimumDwell = 60_000 }.entries
        #expect(long.count == 1 && long.first.map { $0.at - Scene.start >= 120_000 } == true)
        #expect(run(batch(inside: 280)) { $0.minimumDwell = 300_000 }.entries.isEmpty)
        #expect(run(batch(inside: 40)) { $0.minimumDwell = 60_000 }.entries.isEmpty)
        #expect(run(batch(inside: 280)).entries.count == 1)
    }

    @Test("The hold reorders fixes of a device that recently sent some out of order")
    func reorder() {
        let fixes = walk()
        var shuffled = fixes
        for index in stride(from: 0, to: shuffled.count - 1, by: 2) { shuffled.swapAt(index, index + 1) }
        for index in shuffled.indices { shuffled[index].received = Scene.start + Int64(index) * 1_000 }
        let ordered = fixes.enumerated()
            .map { index, fix in
                var fix = fix
                fix.received = Scene.start + Int64(index) * 1_000
                return fix
            }
        let held = run(shuffled) { $0.clockTolerance = 86_400_000 }
        // The first that was overtaken comes unawaited.
        #expect(held.outcomes.count { $0 == .late } == 1)
        #expect(held.outcomes.count { $0 == .accepted } == shuffled.count - 1)
        let plain = run(ordered) { $0.clockTolerance = 86_400_000 }
        #expect(held.entries.map(\.at) == plain.entries.map(\.at) && !held.entries.isEmpty)
        #expect(held.entries.map(\.decidedAt) != plain.entries.map(\.decidedAt))
        let unheld = run(shuffled) {
            $0.clockTolerance = 86_400_000
            $0.reorderHold = 0
        }
        #expect(unheld.outcomes.count { $0 == .late } > 1)
    }

    @Test("Only out-of-order devices wait, and not if it is too late to help; the hold ends after an hour")
    func holdsOnlyTheDisorderly() {
        var state = DeviceState()
        let fences = FenceList([scene.fence()])
        func outcomes(_ second: Double, received: Double) -> [FixOutcome] {
            evaluator.advance(&state, .fix(scene.fix(second, 600, received: received)), fences: fences).allOutcomes
        }
        #expect(outcomes(0, received: 0) == [.accepted])
        #expect(outcomes(10, received: 10) == [.accepted])
        #expect(outcomes(5, received: 30) == [.late])
        #expect(outcomes(40, received: 40) == [.accepted])
        // Overtaken: too late itself, and from now on others wait.
        #expect(outcomes(38, received: 41) == [.late])
        #expect(outcomes(50, received: 50) == [.held])
        #expect(state.nextTimer == Scene.start + 51_500)
        #expect(outcomes(3_600, received: 3_600) == [.accepted, .held])
        #expect(outcomes(3_700, received: 3_700) == [.accepted, .accepted])
    }

    @Test("A fix whose number skips one waits for the missing one")
    func skippedNumber() {
        var state = DeviceState()
        let fences = FenceList([scene.fence()])
        func outcomes(_ second: Double, _ number: Int64, received: Double) -> [FixOutcome] {
            var fix = scene.fix(second, 600, received: received)
            fix.sequence = number
            return evaluator.advance(&state, .fix(fix), fences: fences).allOutcomes
        }
        #expect(outcomes(0, 7, received: 0) == [.accepted])
        #expect(outcomes(5, 8, received: 5) == [.accepted])
        #expect(outcomes(15, 10, received: 15) == [.held])
        #expect(outcomes(10, 9, received: 16) == [.held])
        let late = evaluator.advance(&state, .tick(Scene.start + 18_000), fences: fences).allOutcomes
        #expect(late == [.accepted, .accepted])
    }

    @Test("The radius may change while inside; a larger one does not cause another entry")
    func radiusChange() {
        var state = DeviceState()
        var effects: [FenceEffect] = []
        for (second, radius) in [(0.0, 150.0), (5, 150), (10, 400), (15, 75), (20, 150)] {
            let fences = FenceList([scene.fence(radius: radius)])
            effects += evaluator.advance(&state, .fix(scene.fix(second, 20)), fences: fences)
        }
        #expect(effects.entries.count == 1 && effects.exits.isEmpty)
    }

    @Test("Explanations name the rule")
    func explain() throws {
        let effects = run(walk()) { $0.explains = true }
        let decision = try #require(effects.explanations.first { $0.after == .inside })
        #expect(decision.before == .candidate && decision.probability >= 0.95 && decision.why.contains("confirmed"))
        #expect(run(walk()).explanations.isEmpty)
    }

    @Test("NTF-12 An explanation's distance is the fix's; the estimated position's distance is a separate field")
    func explainedDistances() throws {
        // Eleven metres from the middle after a walk from far away, of which the filter knows little.
        let fixes = [scene.fix(0, 0, 378), scene.fix(60, 0, 211), scene.fix(110, 0, 11)]
        let last = try #require(run(fixes) { $0.explains = true }.explanations.last)
        #expect(abs(last.distance - 11) < 0.02 && last.accuracy == 12)
        #expect(last.likelyDistance > 15 && last.likelyAccuracy > 0)
        let rough = run([scene.fix(0, 40, accuracy: 50)]) { $0.explains = true }.explanations
        #expect(rough.map(\.distance) == [40] && rough.map(\.accuracy) == [55])
        #expect(run([scene.fix(0, 40, accuracy: nil)]) { $0.explains = true }.explanations.map(\.accuracy) == [33])
    }
}
