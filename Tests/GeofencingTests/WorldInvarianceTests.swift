import Geofencing
import Geometry
import Testing

@Suite("Invariance of whole worlds")
struct WorldInvarianceTests {
    private let evaluator = FenceEvaluator()

    private func world(
        _ mode: TravelMode,
        latitude: Double = 33.755,
        longitude: Double = 0,
        seed: UInt64 = 11
    ) -> TraceWorld {
        // Walkers report so often that some reports overtake others by little.
        var cell = TraceScenario(mode, .canyon, mode == .linger ? .duty : .every(mode == .walk ? 2 : 10))
        cell.duration = 3_000
        return TraceWorld(
            cell,
            around: Coordinate(wrappingLatitude: latitude, longitude: longitude),
            seed: seed
        )
    }

    @Test("NTF-10 Two replays give the same effects", arguments: TravelMode.allCases)
    func twice(mode: TravelMode) {
        let world = world(mode)
        let first = evaluator.evaluate(trace: [world.fixes], fences: FenceList(world.fences))
        #expect(
            evaluator.evaluate(trace: [world.fixes.reversed()], fences: FenceList(world.fences.reversed())) == first
        )
        #expect("\(evaluator.evaluate(trace: [world.fixes], fences: FenceList(world.fences)))" == "\(first)")
        #expect(
            evaluator.evaluate(
                trace: [world.fixes],
                fences: FenceIndex(world.fences.map(\.coordinate)).fences(radius: 150)
            )
            .entries.count > 0 || first.entries.isEmpty
        )
    }

    @Test("NTF-12 A world's longitude does not matter, even across 180°", arguments: [-69.0, 0, 33.755, 84.9])
    func longitudes(latitude: Double) {
        for mode in [TravelMode.walk, .drive] {
            let world = world(mode, latitude: latitude)
            func told(movedBy degrees: Double) -> [String] {
                func move(_ coordinate: Coordinate) -> Coordinate {
                    Coordinate(wrappingLatitude: coordinate.latitude, longitude: coordinate.longitude + degrees)
                }
                let fences = world.fences.map { Fence(move($0.coordinate), radius: $0.radius) }
                let fixes = world.fixes.map { fix in
                    var fix = fix
                    fix.coordinate = move(fix.coordinate)
                    return fix
                }
                return evaluator.evaluate(trace: [fixes], fences: FenceList(fences)).entries
                    .map { entry in
                        let number = fences.firstIndex { $0.id == entry.place } ?? -1
                        return "\(number) \(entry.kind) \(entry.at) \(entry.decidedAt) \(entry.confidence)"
                    }
                    .sorted()
            }
            let expected = told(movedBy: 0)
            #expect(!expected.isEmpty)
            for degrees in [180.0, -179.999, 90.123_456] { #expect(told(movedBy: degrees) == expected) }
        }
    }

    @Test("A crash between any two events changes nothing, whatever is pending", arguments: TravelMode.allCases)
    func crashes(mode: TravelMode) throws {
        let world = world(mode)
        let fences = FenceList(world.fences)
        var whole = DeviceState()
        var state = DeviceState()
        var waited = 0
        for fix in world.fixes {
            for event in [FenceEvent.tick(fix.received - 1_500), .fix(fix), .tick(fix.received + 1_200)] {
                let expected = evaluator.advance(&whole, event, fences: fences)
                let effects = evaluator.advance(&state, event, fences: fences)
                #expect(effects == expected)
                state = try DeviceState(bytes: state.bytes)
                #expect(state == whole)
                if effects.allOutcomes.contains(.held) { waited += 1 }
            }
        }
        if mode == .walk { #expect(waited > 0) }
    }

    @Test(
        "Live evaluation with any number of ticks announces the same as a replay",
        arguments: [TravelMode.walk, .drive, .bus]
    )
    func liveAndReplayed(mode: TravelMode) {
        let world = world(mode, seed: 12)
        let fences = FenceList(world.fences)
        let replayed = evaluator.evaluate(trace: [world.fixes], fences: fences)
        var state = DeviceState()
        var live: [FenceEffect] = []
        var clock = world.fixes.first?.received ?? 0
        for fix in world.fixes {
            while clock < fix.received {
                live += evaluator.advance(&state, .tick(clock), fences: fences)
                clock += 700
            }
            live += evaluator.advance(&state, .fix(fix), fences: fences)
        }
        live += evaluator.advance(&state, .tick(clock + 120_000), fences: fences)
        #expect(live == replayed)
    }
}
