import Geofencing
import Geometry
import Testing

@Suite("Evaluator states after the clock was ahead")
struct ClockTests {
    private static let day: Int64 = 86_400_000
    private let scene = Scene()
    private let evaluator = FenceEvaluator()

    private func late(_ outcomes: [FixOutcome]) -> Int { outcomes.count { $0 != .accepted && $0 != .held } }

    @Test(
        "NTF-12 A state written a day ahead accepts the next fix, whether the device's clock was ahead or not",
        arguments: [true, false]
    )
    func ahead(isDeviceAhead: Bool) {
        let fences = FenceList([scene.fence()])
        var state = DeviceState()
        _ = evaluator.advance(&state, through: [.fix(scene.fix(0, 1_500))], fences: fences)
        var wrong = scene.fix(60, 1_500, received: 60 + 86_400)
        if isDeviceAhead { wrong.time += ClockTests.day }
        _ = evaluator.advance(&state, through: [.fix(wrong)], fences: fences)
        state.reanchor(to: Scene.start + 119_999)
        let fixes = (0..<6).map { FenceEvent.fix(scene.fix(120 + 5 * Double($0), 20)) }
        let run = evaluator.advance(&state, through: fixes, fences: fences)
        #expect(late(run.effects.outcomes) == 0)
        #expect(run.effects.entries.count == 1)
        #expect(state.positions.allSatisfy { $0.time <= Scene.start + 150_000 })
    }

    @Test("A state that is not ahead stays unchanged")
    func notAhead() {
        var state = DeviceState()
        let fences = FenceList([scene.fence()])
        _ = evaluator.advance(&state, through: [.fix(scene.fix(0, 20)), .fix(scene.fix(5, 20))], fences: fences)
        let before = state
        state.reanchor(to: Scene.start + 5_000)
        state.reanchor(to: Scene.start + 5_000 - DeviceState.clockLead)
        #expect(state == before)
    }

    @Test(
        "Setting the clock does not change how long pending decisions wait",
        arguments: [Int64(-3_600_000), 86_400_000]
    )
    func waiting(shift: Int64) throws {
        var state = DeviceState()
        let fences = FenceList([scene.fence()])
        // Walking in until the clock is to decide about a first likely fix.
        for step in 0..<20 where state.nextTimer == nil {
            let fix = scene.fix(5 * Double(step), 200 - 6.5 * Double(step))
            _ = evaluator.advance(&state, through: [.fix(fix)], fences: fences)
        }
        let timer = try #require(state.nextTimer)
        state.moveClock(by: shift)
        #expect(state.nextTimer == timer + shift)
        #expect(try DeviceState(bytes: state.bytes) == state)
        let early = evaluator.advance(&state, through: [.tick(timer + shift - 1)], fences: fences)
        #expect(early.effects.entries.isEmpty)
        let due = evaluator.advance(&state, through: [.tick(timer + shift)], fences: fences)
        #expect(due.effects.entries.count == 1)
    }
}

@Suite("Staying near a fence")
struct StayTests {
    @Test("NTF-12 Fewer than one in twenty people sitting just outside a fence for an hour are notified")
    func outside() {
        var scenario = TraceScenario(.linger, .urban, .every(5))
        scenario.duration = 3_600
        let anchor = Coordinate(wrappingLatitude: 33.755, longitude: -84.38)
        var score = FenceScore()
        for seed in UInt64(1)...60 {
            let world = TraceWorld(scenario, around: anchor, seed: seed)
            score.add(world.alerts(FenceEvaluator()).told, in: world)
        }
        #expect(score.outsideWorlds > 20)
        #expect(score.outsideShare < 0.05)
        #expect(score.recall == 1)
    }

    @Test("A stored stay is read back unchanged; a state from before stays existed is readable")
    func stored() throws {
        let scene = Scene()
        var state = DeviceState()
        let fixes = (0..<30).map { FenceEvent.fix(scene.fix(5 * Double($0), 170, Double($0 % 3))) }
        _ = FenceEvaluator().advance(&state, through: fixes, fences: FenceList([scene.fence()]))
        #expect(try DeviceState(bytes: state.bytes) == state)
        // The stay's place is among what the person can see of themselves (NTF-09).
        #expect(state.positions.count >= 3)
        for length in 0..<state.bytes.count {
            #expect(throws: DeviceStateError.self) { try DeviceState(bytes: Array(state.bytes.prefix(length))) }
        }
    }

    @Test("NTF-07 Walking in after ten minutes outside is announced within the time of a walk")
    func walksIn() throws {
        let scene = Scene()
        let waiting = (0..<120).map { scene.fix(5 * Double($0), 190, Double($0 % 5)) }
        let walking = (0..<20).map { scene.fix(600 + 5 * Double($0), 190 - 6.5 * Double($0)) }
        let effects = FenceEvaluator().evaluate(trace: [waiting + walking], fences: FenceList([scene.fence()]))
        let entry = try #require(effects.entries.first)
        #expect(effects.entries.count == 1)
        // The edge is reached after 31 seconds.
        #expect((600_000 + 31_000...600_000 + 71_000).contains(entry.decidedAt - Scene.start))
    }
}
