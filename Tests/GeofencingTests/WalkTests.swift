import Geofencing
import Geometry
import Testing

@Suite("Steps of a run, drawn routes and noise")
struct WalkTests {
    @Test(
        "NTF-10 The steps of a run hold all its effects, in order, and change nothing",
        arguments: TravelMode.allCases
    )
    func steps(mode: TravelMode) {
        var scenario = TraceScenario(mode, .canyon, .every(5))
        scenario.duration = 1_800
        let world = TraceWorld(scenario, around: Scene().anchor, seed: 3)
        let (evaluator, fences) = (FenceEvaluator(), FenceList(world.fences))
        var (plain, recorded) = (TracePlayback(world.segments), TracePlayback(world.segments, recordsSteps: true))
        plain.advance(by: .max, with: evaluator, fences: fences)
        while !recorded.isFinished { recorded.advance(by: 7, with: evaluator, fences: fences) }
        #expect(recorded.run.effects == plain.run.effects && recorded.run.moments == plain.run.moments)
        #expect(plain.run.steps.isEmpty)
        let steps = recorded.run.steps
        #expect(steps.first?.effects.lowerBound == 0 && steps.last?.effects.upperBound == recorded.run.effects.count)
        for (step, next) in zip(steps, steps.dropFirst()) {
            #expect(step.effects.upperBound == next.effects.lowerBound && step.clock <= next.clock)
        }
        let received = steps.filter { if case .fix = $0.event { true } else { false } }
        #expect(received.count == world.fixes.count)
        let estimate = steps.last?.estimate
        #expect(estimate.map { $0.accuracy > 0 && $0.accuracy < 1_000 } == true)
    }

    @Test(
        "NTF-10 A drawn route is followed at an even speed, across 180° and near the poles",
        arguments: [0.0, 179.995, -84.3736],
        [-84.9, 0, 33.7554, 84.9]
    )
    func routes(longitude: Double, latitude: Double) {
        let scene = Scene(latitude: latitude, longitude: longitude)
        let points = [(0.0, 0.0), (0, 400), (300, 400), (300, 400), (300, 5)].map { scene.point($0.0, $0.1) }
        let route = DrawnRoute(points, speed: 2, interval: 10)
        let fixes = route.fixes(from: 1_000)
        #expect(fixes.count == route.fixCount && fixes.count == 56)
        #expect(fixes.first?.coordinate == points[0] && fixes.last?.coordinate == points[4])
        for (a, b) in zip(fixes, fixes.dropFirst()).dropLast() {
            #expect(b.time - a.time == 10_000)
            // Around a corner, the way is longer than the distance.
            #expect(GreatCircle.distance(a.coordinate, b.coordinate) <= 20.05)
        }
        #expect(fixes.allSatisfy { $0.accuracy == 5 && $0.isSimulated })
    }

    @Test("Routes of few points, and of absurd length")
    func odd() {
        let point = Scene().anchor
        #expect(DrawnRoute([], speed: 1, interval: 1).fixes(from: 0).isEmpty)
        #expect(DrawnRoute([point], speed: 1, interval: 1).fixes(from: 5).map(\.time) == [5])
        #expect(DrawnRoute([point, point], speed: 1, interval: 1).fixCount == 1)
        let north = Coordinate(wrappingLatitude: 80, longitude: 0)
        let there = (0..<1_000).map { $0.isMultiple(of: 2) ? point : north }
        #expect(DrawnRoute(there, speed: .nan, interval: 0).fixCount > 1_000_000)
    }

    @Test("NTF-10 Noise depends on its seed alone, and has the size it was given", arguments: [3.0, 10, 40])
    func noise(deviation: Double) {
        let points = [Scene().anchor, Scene().point(0, 20_000)]
        let fixes = DrawnRoute(points, speed: 2, interval: 10).fixes(from: 0)
        let noise = TraceNoise(deviation: deviation, outliers: 0, seed: 7)
        let disturbed = noise.added(to: [fixes])
        #expect(noise.added(to: [fixes]) == disturbed)
        #expect(TraceNoise(deviation: deviation, outliers: 0, seed: 8).added(to: [fixes]) != disturbed)
        let errors = zip(fixes, disturbed.joined()).map { GreatCircle.distance($0.coordinate, $1.coordinate) }
        let mean = (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count) / 2).squareRoot()
        #expect((0.7...1.3).contains(mean / deviation), "\(mean)")
        #expect(zip(fixes, disturbed.joined()).allSatisfy { $0.time == $1.time && $1.accuracy ?? 0 > 5 })
        #expect(TraceNoise(deviation: 0, outliers: 0, seed: 7).added(to: [fixes]) == [fixes])
    }

    @Test("NTF-12 Outliers lie far away, and invalid fixes stay invalid")
    func outliers() {
        let points = [Scene().anchor, Scene().point(0, 4_995)]
        var fixes = DrawnRoute(points, speed: 2, interval: 5).fixes(from: 0)
        fixes[3].accuracy = -1
        let disturbed = TraceNoise(deviation: 0, outliers: 0.1, seed: 1).added(to: [fixes])
        let errors = zip(fixes, disturbed.joined()).map { GreatCircle.distance($0.coordinate, $1.coordinate) }
        let far = errors.count { $0 > 20 }
        #expect((30...200).contains(far), "\(far)")
        #expect(errors.count { $0 <= 20 } + far == 501)
        #expect(disturbed[0][3].accuracy == -1)
    }
}
