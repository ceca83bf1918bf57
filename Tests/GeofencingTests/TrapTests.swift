import Geofencing
import Geometry
import Testing

@Suite("Problematic input from devices")
struct TrapTests {
    private let scene = Scene()
    private let evaluator = FenceEvaluator()

    private func run(_ fixes: [Fix], _ fences: [Fence]? = nil) -> [FenceEffect] {
        evaluator.evaluate(trace: [fixes], fences: FenceList(fences ?? [scene.fence()]))
    }

    @Test("NTF-12 Of two fixes in one second at different places, the later in order is late")
    func sameSecond() {
        let effects = run([scene.fix(0, 600), scene.fix(5, 600), scene.fix(5, 0), scene.fix(10, 600)])
        #expect(effects.outcomes.count { $0 == .late } == 1)
        #expect(effects.entries.isEmpty)
    }

    @Test("NTF-12 A batch starting with the newest fix is sorted, also by numbers within a second")
    func newestFirst() {
        let walk = (0...110).map { scene.fix(Double($0) * 5, -400 + 7 * Double($0), received: 600) }
        var state = DeviceState()
        var effects: [FenceEffect] = []
        let fences = FenceList([scene.fence()])
        for fix in evaluator.ordered(batch: walk.reversed()) {
            effects += evaluator.advance(&state, .fix(fix), fences: fences)
        }
        #expect(effects.entries.count == 1)
        #expect(!effects.outcomes.contains(.late) && !effects.allOutcomes.contains(.held))
        var twins = [scene.fix(0, 0), scene.fix(0, 1)]
        twins[0].sequence = 2
        twins[1].sequence = 1
        #expect(evaluator.ordered(batch: twins).map(\.sequence) == [1, 2])
    }

    @Test("NTF-12 A clock in 1980 is too old to notify anyone; a clock in 2036 is corrected", arguments: [5.0, 30])
    func wrongClocks(interval: Double) {
        let past: Int64 = 315_964_800_000 - Scene.start
        let future: Int64 = 2_085_978_496_000 - Scene.start
        for (shift, entries) in [(past, 0), (future, 1)] {
            let fixes = (0..<8)
                .map { number in
                    var fix = scene.fix(interval * Double(number), 0)
                    fix.time += shift
                    return fix
                }
            var state = DeviceState()
            var found: [FenceEntry] = []
            for fix in fixes {
                found += evaluator.advance(&state, .fix(fix), fences: FenceList([scene.fence()])).entries
            }
            found += evaluator.advance(&state, .tick(Scene.start + 300_000), fences: FenceList([scene.fence()])).entries
            #expect(found.count == entries)
        }
    }

    @Test("NTF-12 A fix from years ago is rejected without a trace: repeats are still known, nothing waits")
    func yearsAgo() {
        let evaluator = FenceEvaluator()
        let fences = FenceList([scene.fence()])
        func old(_ number: Int, at second: Double) -> Fix {
            var fix = scene.fix(second, 0)
            fix.time = 315_964_800_000 + Int64(number) * 1_000
            return fix
        }
        func outcome(_ fix: Fix, _ state: inout DeviceState) -> [FixOutcome] {
            evaluator.advance(&state, .fix(fix), fences: fences).allOutcomes
        }
        var state = DeviceState()
        #expect(outcome(old(0, at: 0), &state) == [.rejected(.old)])
        #expect(state.digestCount == 0 && state.positions.isEmpty)
        let present = scene.fix(1, 0)
        #expect(outcome(present, &state) == [.accepted])
        // More than are remembered of those that count.
        for number in 0..<2_000 { #expect(outcome(old(number, at: 1.5), &state) == [.rejected(.old)]) }
        #expect(state.positions.allSatisfy { $0.time >= Scene.start } && state.digestCount == 1)
        var again = present
        again.received += 600
        #expect(outcome(again, &state) == [.duplicate])
        // Nor does the device count as one that sends in disorder: the next is judged at once.
        #expect(outcome(scene.fix(3, 1), &state) == [.accepted])
        // An hour back is late, which is no refusal, and no disorder either.
        var late = scene.fix(-3_600, 0)
        late.received = Scene.start + 3_500
        #expect(outcome(late, &state) == [.late])
        late.received += 100
        #expect(outcome(late, &state) == [.duplicate])
        #expect(outcome(scene.fix(5, 1), &state) == [.accepted])
        // A day is the limit.
        for (age, expected) in [(86_400.0, FixOutcome.late), (86_400.001, .rejected(.old))] {
            #expect(outcome(scene.fix(10 - age, 7, received: 10), &state) == [expected], "\(age)")
        }
    }

    @Test("Fixes waiting for reordering are recognized as duplicates; those too late do not wait")
    func waiting() {
        let evaluator = FenceEvaluator()
        let fences = FenceList([scene.fence()])
        var state = DeviceState()
        func outcome(_ fix: Fix) -> [FixOutcome] { evaluator.advance(&state, .fix(fix), fences: fences).allOutcomes }
        _ = outcome(scene.fix(0, 600))
        _ = outcome(scene.fix(10, 600))
        // Overtaken by the one before: from now on fixes wait.
        #expect(outcome(scene.fix(9, 600, received: 10.5)) == [.late])
        #expect(outcome(scene.fix(11, 600)) == [.held])
        #expect(outcome(scene.fix(11, 600, received: 11.2)) == [.duplicate])
        #expect(outcome(scene.fix(8, 600, received: 11.4)) == [.late])
        #expect(evaluator.advance(&state, .tick(Scene.start + 13_000), fences: fences).allOutcomes == [.accepted])
    }

    @Test("A fix exactly on the radius is equally likely inside and outside and decides nothing")
    func onTheEdge() {
        #expect(run((0..<6).map { scene.fix(Double($0) * 5, 150) }).entries.isEmpty)
        #expect(run([scene.fix(0, 150)]).entries.isEmpty)
    }

    @Test("A place removed during a visit is left silently and not announced again when it returns")
    func placeGoesAndReturns() {
        var state = DeviceState()
        var effects: [FenceEffect] = []
        for second in 0..<40 {
            let fences = FenceList((10..<20).contains(second) ? [] : [scene.fence()])
            effects += evaluator.advance(&state, .fix(scene.fix(Double(second) * 5, 0)), fences: fences)
        }
        #expect(effects.entries.count == 1 && effects.exits.isEmpty)
    }

    @Test("Two devices, one of them at home, are evaluated separately")
    func twoDevices() {
        let home = scene.fence(-2_000, 0)
        let fences = FenceList([scene.fence(), home])
        var phone = DeviceState()
        var tablet = DeviceState()
        var entries: [PlaceID] = []
        for number in 0..<150 {
            let time = Double(number) * 5
            let walk = scene.fix(time, -700 + 7 * Double(number))
            let rest = scene.fix(time, -2_000 + Double(number % 3), accuracy: 40)
            entries += evaluator.advance(&phone, .fix(walk), fences: fences).entries.map(\.place)
            entries += evaluator.advance(&tablet, .fix(rest), fences: fences).entries.map(\.place)
        }
        #expect(entries.sorted() == [scene.fence().id, home.id].sorted())
    }

    @Test("A receiver stuck for hours stays inside")
    func stuck() {
        let fixes = (0..<2_000).map { scene.fix(Double($0) * 10, 10) }
        let effects = run(fixes)
        #expect(effects.entries.count == 1 && effects.exits.isEmpty)
    }

    @Test("NTF-12 After a flight, three fixes that agree over ten seconds are accepted")
    func landing() {
        let before = (0..<10).map { scene.fix(Double($0) * 5, 0) }
        let away = scene.fence(400_000, 0)
        let landed = (0..<30).map { scene.fix(1_800 + Double($0) * 5, 400_000) }
        let effects = run(before + landed, [scene.fence(), away])
        #expect(effects.outcomes.dropFirst(10).prefix(4) == [.suspect, .suspect, .accepted, .accepted])
        #expect(effects.entries.map(\.place) == [scene.fence().id, away.id])
        #expect(effects.exits.map(\.place) == [scene.fence().id])
    }

    @Test("A train at 80 m/s enters nothing it rushes past, and is accepted where it stops")
    func train() {
        let ride = (0..<60).map { scene.fix(Double($0) * 5, -24_000 + 400 * Double($0), speed: 80) }
        let stop = (0..<20).map { scene.fix(300 + Double($0) * 5, 0, speed: 0) }
        let effects = run(ride + stop, [scene.fence(), scene.fence(-12_000, 5_000)])
        #expect(effects.entries.map(\.place) == [scene.fence().id])
    }

    @Test("NTF-12 An indoor phone with 65 m accuracy still arrives, and its visit does not flicker")
    func indoors() {
        let fixes = (0..<120)
            .map { number in
                scene.fix(Double(number) * 15, 30 + 40 * Double(number % 3), accuracy: 65)
            }
        let effects = run(fixes)
        #expect(effects.entries.count == 1 && effects.exits.isEmpty)
    }

    @Test("Effects of simulated fixes are marked as simulated")
    func simulated() throws {
        let fixes = (0..<6)
            .map { number in
                var fix = scene.fix(Double(number) * 5, 0)
                fix.isSimulated = true
                return fix
            }
        #expect(try #require(run(fixes).entries.first).isSimulated)
        #expect(try #require(run((0..<6).map { scene.fix(Double($0) * 5, 0) }).entries.first).isSimulated == false)
    }

    @Test("NTF-12 A phone carried away by car is followed, however rarely it reports", arguments: [30.0, 60, 300])
    func carriedOff(interval: Double) {
        let walk = (0..<10).map { scene.fix(Double($0) * interval, 0) }
        let start = 10 * interval
        let drive = (0..<12).map { scene.fix(start + Double($0) * interval, 14 * interval * Double($0 + 1)) }
        let end = drive.count - 1
        let arrival = scene.fence(14 * interval * Double(end + 1), 0)
        let rest = (1..<6).map { scene.fix(start + Double(end + $0) * interval, 14 * interval * Double(end + 1)) }
        let effects = run(walk + drive + rest, [scene.fence(), arrival])
        #expect(effects.entries.map(\.place) == [scene.fence().id, arrival.id])
        #expect(effects.exits.map(\.place) == [scene.fence().id])
    }

    @Test("The state says whether anything is undecided, so that nothing waits in vain")
    func undecided() {
        var state = DeviceState()
        let fences = FenceList([scene.fence()])
        #expect(state.undecidedUntil == nil)
        _ = evaluator.advance(&state, .fix(scene.fix(0, 100)), fences: fences)
        #expect(state.undecidedUntil == Scene.start + 6_500)
        _ = evaluator.advance(&state, .tick(Scene.start + 9_000), fences: fences)
        #expect(state.undecidedUntil == nil && state.visited.count == 1)
    }
}
