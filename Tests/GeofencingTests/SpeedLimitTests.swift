import Geofencing
import Geometry
import Testing

@Suite("Speed limit for announcements")
struct SpeedLimitTests {
    private static let scene = Scene()

    /// A way due east through the fence's middle, piece by piece.
    struct Ride: Sendable, CustomTestStringConvertible {
        let name: String
        /// Where it begins, in metres east of the middle.
        let start: Double
        /// Speeds in metres per second, and for how many seconds.
        let pieces: [(speed: Double, seconds: Double)]
        /// How many entries there are with a limit of eight metres per second, and in which seconds.
        let expected: (count: Int, between: ClosedRange<Double>)

        var testDescription: String { name }
        var length: Double { pieces.reduce(0) { $0 + $1.seconds } }

        func east(at time: Double) -> (metres: Double, speed: Double) {
            var (rest, metres) = (time, start)
            for (speed, seconds) in pieces {
                metres += speed * min(rest, seconds)
                if rest < seconds { return (metres, speed) }
                rest -= seconds
            }
            return (metres, 0)
        }

        func fixes(every seconds: Double, statingSpeed: Bool) -> [Fix] {
            stride(from: 0, through: length, by: seconds)
                .map { time in
                    let (metres, speed) = east(at: time)
                    return SpeedLimitTests.scene.fix(time, metres, speed: statingSpeed ? speed : nil)
                }
        }
    }

    private static let never = (count: 0, between: 0.0...0)

    static let rides = [
        Ride(name: "drives through", start: -1_400, pieces: [(14, 220)], expected: never),
        Ride(name: "walks through", start: -300, pieces: [(1.4, 430)], expected: (1, 100...230)),
        Ride(name: "rides through slowly", start: -600, pieces: [(6, 200)], expected: (1, 70...135)),
        Ride(
            name: "drives in and stays",
            start: -1_400,
            pieces: [(14, 100), (0, 300)],
            expected: (1, 100...180)
        ),
        Ride(
            name: "drives through and stays beyond",
            start: -1_400,
            pieces: [(14, 130), (0, 300)],
            expected: never
        ),
        Ride(
            name: "drives out of the radius and stays within the ring that has to be left",
            start: -1_400,
            pieces: [(14, 112), (0, 400)],
            expected: never
        ),
        Ride(
            name: "drives through, and comes back on foot",
            start: -1_400,
            pieces: [(14, 130), (0, 120), (-1.4, 250)],
            expected: (1, 440...470)
        ),
        Ride(
            name: "drives in, slows down and walks on inside",
            start: -1_400,
            pieces: [(14, 95), (1.4, 200)],
            expected: (1, 95...180)
        ),
        Ride(
            name: "stands before it, then drives through",
            start: -250,
            pieces: [(0, 120), (14, 60)],
            expected: never
        ),
    ]

    private func run(_ fixes: [Fix], _ change: (inout FenceOptions) -> Void = { $0.maximumSpeed = 8 }) -> [FenceEffect]
    {
        var options = FenceOptions()
        change(&options)
        let fences = FenceList([SpeedLimitTests.scene.fence()])
        return FenceEvaluator(options: options).evaluate(trace: [fixes], fences: fences)
    }

    @Test(
        "Driving through is not announced; slowing down or stopping inside is, whatever reports the speed",
        arguments: rides,
        [(1.0, true), (5, true), (15, true), (30, true), (1, false), (5, false), (15, false), (30, false)]
    )
    func table(_ ride: Ride, _ sampling: (seconds: Double, statesSpeed: Bool)) {
        let effects = run(ride.fixes(every: sampling.seconds, statingSpeed: sampling.statesSpeed))
        let entries = effects.entries
        #expect(entries.count == ride.expected.count)
        for entry in entries {
            let second = Double(entry.at - Scene.start) / 1_000
            #expect(ride.expected.between.contains(second), "\(second) s")
            #expect(
                GreatCircle.distance(SpeedLimitTests.scene.point(ride.east(at: second).metres, 0), entry.coordinate)
                    < 160
            )
        }
        // A visit that nobody was told of has no end either.
        #expect(effects.exits.count <= entries.count)
    }

    @Test("Without a limit, or if always slower, nothing changes", arguments: rides)
    func harmless(_ ride: Ride) {
        for seconds in [5.0, 30] {
            let fixes = ride.fixes(every: seconds, statingSpeed: false)
            let free = run(fixes) { _ in }
            #expect(run(fixes) { $0.maximumSpeed = 100 } == free)
            if ride.name != "stands before it, then drives through" { #expect(!free.entries.isEmpty) }
        }
    }

    @Test("A place passed between two fixes is announced only below the limit")
    func passing() {
        for (speed, count) in [(14.0, 0), (7.0, 1)] {
            let fixes = (0...4)
                .map { number in
                    SpeedLimitTests.scene.fix(Double(number) * 60, 60 * speed * (Double(number) - 2.5), 20)
                }
            #expect(run(fixes).entries.count == count, "\(speed) m/s")
            #expect(run(fixes) { _ in }.entries.map(\.kind) == [.passed], "\(speed) m/s")
        }
        // Whoever passed fast and says after it that they stand still has passed fast all the same.
        let stopped = [-210.0, -210 + 420].enumerated()
            .map { number, east in SpeedLimitTests.scene.fix(Double(number) * 30, east, 20, speed: number == 0 ? 14 : 0)
            }
        #expect(run(stopped).entries.isEmpty)
        #expect(run(stopped) { _ in }.entries.map(\.kind) == [.passed])
    }

    @Test("A required stay is also announced only once it is complete and its user is slow")
    func dwelling() {
        let fence = SpeedLimitTests.scene.fence(radius: 2_000)
        var options = FenceOptions()
        (options.maximumSpeed, options.minimumDwell) = (8, 60_000)
        func entries(_ fixes: [Fix]) -> [Double] {
            FenceEvaluator(options: options).evaluate(trace: [fixes], fences: FenceList([fence])).entries
                .map { Double($0.decidedAt - Scene.start) / 1_000 }
        }
        let ride = Ride(name: "", start: -3_000, pieces: [(14, 220), (0, 200)], expected: SpeedLimitTests.never)
        let told = entries(ride.fixes(every: 5, statingSpeed: true))
        #expect(told.count == 1 && told.allSatisfy { (220...230).contains($0) })
        let short = Ride(name: "", start: -3_000, pieces: [(14, 90), (0, 200)], expected: SpeedLimitTests.never)
        #expect(entries(short.fixes(every: 5, statingSpeed: true)).allSatisfy { $0 >= 135 })
        #expect(entries(short.fixes(every: 5, statingSpeed: true)).count == 1)
    }

    @Test("A held announcement omits places removed meanwhile, survives storage, and gives its reason")
    func heldBack() throws {
        var options = FenceOptions()
        (options.maximumSpeed, options.explains) = (8, true)
        let evaluator = FenceEvaluator(options: options)
        let ride = Ride(name: "", start: -700, pieces: [(14, 50), (0, 100)], expected: SpeedLimitTests.never)
        for isGone in [false, true] {
            var state = DeviceState()
            var effects: [FenceEffect] = []
            for fix in ride.fixes(every: 5, statingSpeed: true) {
                let isBefore = fix.time < Scene.start + 50_000
                let fences = FenceList(isGone && !isBefore ? [] : [SpeedLimitTests.scene.fence()])
                state = try DeviceState(bytes: state.bytes)
                effects += evaluator.advance(&state, .fix(fix), fences: fences)
            }
            #expect(effects.entries.count == (isGone ? 0 : 1))
            #expect(effects.explanations.contains { $0.why.hasSuffix("; not announced above 8.0 m/s") })
            if !isGone { #expect(effects.explanations.contains { $0.why == "inside and now slow enough" }) }
        }
    }

    @Test("A limit does not make announcements depend on the number of ticks", arguments: rides)
    func ticks(_ ride: Ride) {
        var options = FenceOptions()
        options.maximumSpeed = 8
        let evaluator = FenceEvaluator(options: options)
        let fences = FenceList([SpeedLimitTests.scene.fence()])
        let fixes = ride.fixes(every: 15, statingSpeed: false)
        var state = DeviceState()
        var entries: [FenceEntry] = []
        for fix in fixes {
            for tick in 1...14 {
                entries +=
                    evaluator.advance(&state, .tick(fix.time - 15_000 + Int64(tick) * 1_000), fences: fences).entries
            }
            entries += evaluator.advance(&state, .fix(fix), fences: fences).entries
        }
        entries += evaluator.advance(&state, .tick(state.lastFixTime.map { $0 + 60_000 } ?? 0), fences: fences).entries
        #expect(entries == run(fixes).entries)
    }
}
