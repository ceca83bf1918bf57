import Geofencing
import Geometry
import Testing

@Suite("Problems reported in other projects")
struct RecordedTroubleTests {
    private let scene = Scene()

    private func evaluate(_ fixes: [Fix], _ fences: [Fence]) -> [FenceEffect] {
        FenceEvaluator().evaluate(trace: [fixes], fences: FenceList(fences))
    }

    @Test("NTF-12 Tracelet 294: a still phone whose fixes are 200 m off with 2 m accuracy")
    func tracelet294() {
        let reports: [(Double, Double)] = [
            (8.2, 5), (200.2, 1.9), (9.6, 5), (198.1, 1.7), (10.1, 5), (198.1, 9.1), (45.3, 5),
        ]
        let fixes = reports.enumerated().map { scene.fix(Double($0) * 30, $1.0, accuracy: $1.1) }
        let effects = evaluate(fixes, [scene.fence(radius: 50)])
        #expect(effects.entries.count == 1)
        #expect(effects.exits.isEmpty)
    }

    @Test("NTF-12 transistorsoft 1712: one fix 1,414 m away", arguments: [5.0, 30])
    func transistorsoft1712(interval: Double) {
        var fixes = (0..<12).map { scene.fix(Double($0) * interval, 13.7, accuracy: 10) }
        fixes[6] = scene.fix(6 * interval, 1_414, accuracy: 5)
        let effects = evaluate(fixes, [scene.fence(), scene.fence(1_414, 0)])
        #expect(effects.entries.map(\.place) == [scene.fence().id])
        #expect(effects.exits.isEmpty)
    }

    @Test("NTF-12 Home Assistant 175663: two small zones 72 m apart", arguments: UInt64(0)..<20)
    func twoZones(seed: UInt64) {
        var receiver = Receiver.urban(seed: seed)
        let fixes = (0..<240)
            .map { index in
                let error = receiver.error(after: 15)
                return scene.fix(Double(index) * 15, error.east, error.north, accuracy: error.accuracy)
            }
        let far = scene.fence(72, 0, radius: 11)
        let entries = evaluate(fixes, [scene.fence(radius: 30), far]).entries
        #expect(entries.count { $0.place != far.id } <= 2)
        #expect(!entries.contains { $0.place == far.id })
    }

    @Test("NTF-12 A phone that is off for hours neither leaves nor returns")
    func deadPhone() {
        let fixes = [0.0, 5, 10, 20_000, 20_005, 90_000].map { scene.fix($0, 0) }
        let effects = evaluate(fixes, [scene.fence()])
        #expect(effects.entries.count == 1 && effects.exits.isEmpty)
    }
}
