import Geofencing
import Geometry
import Testing

/// A noisy walk among fences, made from a seed.
struct NoisyWalk {
    var fixes: [Fix] = []
    var fences: [Fence] = []
    /// The centres of the fences, and the true positions, in metres east and north.
    var centers: [(east: Double, north: Double)] = []
    var truth: [(east: Double, north: Double)] = []

    /// A walk of `count` fixes five seconds apart through a grid of fences, with urban noise, at a scene.
    init(seed: UInt64, scene: Scene, count: Int = 360) {
        var random = SplitMix64(seed: seed)
        var receiver = Receiver.urban(seed: seed ^ 0xFE)
        for east in stride(from: -900.0, through: 900, by: 450) {
            for north in stride(from: -900.0, through: 900, by: 450) {
                let radius = 75 + 150 * random.unit()
                centers.append((east + 100 * random.unit(), north + 100 * random.unit()))
                fences.append(
                    scene.fence(centers[centers.count - 1].east, centers[centers.count - 1].north, radius: radius)
                )
            }
        }
        var heading = 2 * Double.pi * random.unit()
        var position = (east: 0.0, north: 0.0)
        for index in 0..<count {
            if random.unit() < 0.02 { heading += Double.pi / 2 * (random.unit() < 0.5 ? 1 : -1) }
            position.east += 7 * Math.sine(heading)
            position.north += 7 * Math.cosine(heading)
            truth.append(position)
            let error = receiver.error(after: 5)
            let east = position.east + error.east
            fixes.append(scene.fix(Double(index) * 5, east, position.north + error.north, accuracy: error.accuracy))
        }
    }
}

extension NoisyWalk {
    /// The true distances to a fence at every fix.
    func distances(to fence: Int) -> [Double] {
        truth.map { Math.hypotenuse($0.east - centers[fence].east, $0.north - centers[fence].north) }
    }

    /// Whether the walk is inside a fence for at least twenty seconds, at least fifteen metres deep, before it ends.
    func visits(_ fence: Int) -> Bool {
        let inside = distances(to: fence).dropLast(12).map { $0 < fences[fence].radius }
        let isDeep = distances(to: fence).dropLast(12).contains { $0 < fences[fence].radius - 15 }
        return isDeep && zip(inside, zip(inside.dropFirst(2), inside.dropFirst(4))).contains { $0 && $1.0 && $1.1 }
    }
}

@Suite("Invariance of the result")
struct InvarianceTests {
    private let evaluator = FenceEvaluator()

    private func entries(_ walk: NoisyWalk) -> [FenceEntry] {
        evaluator.evaluate(trace: [walk.fixes], fences: FenceList(walk.fences)).entries
    }

    /// Entries by the number of their fence, which a moved scene shares.
    private func story(_ walk: NoisyWalk) -> [String] {
        entries(walk)
            .map { entry in
                let fence = walk.fences.firstIndex { $0.id == entry.place } ?? -1
                return "\(fence) \(entry.kind) \(entry.at) \(entry.decidedAt) \(entry.confidence)"
            }
            .sorted()
    }

    private func moved(_ walk: NoisyWalk, by degrees: Double) -> NoisyWalk {
        func move(_ coordinate: Coordinate) -> Coordinate {
            Coordinate(wrappingLatitude: coordinate.latitude, longitude: coordinate.longitude + degrees)
        }
        var copy = walk
        copy.fences = walk.fences.map { Fence(move($0.coordinate), radius: $0.radius) }
        for index in copy.fixes.indices { copy.fixes[index].coordinate = move(copy.fixes[index].coordinate) }
        return copy
    }

    @Test(
        "NTF-12 A scene moved to any longitude, even across the antimeridian, gives the same entries",
        arguments: UInt64(0)..<8
    )
    func longitudes(seed: UInt64) {
        let walk = NoisyWalk(seed: seed, scene: Scene(longitude: 0))
        let expected = story(walk)
        #expect(!expected.isEmpty)
        for degrees in [180.0, -180, 179.995, -179.999, 90.123_456, -84.3736] {
            #expect(story(moved(walk, by: degrees)) == expected, "moved by \(degrees)")
        }
    }

    @Test("Fences work at the antimeridian and at the poles", arguments: [0.0, 69, 86, 89.999, 90, -90, -89.9999])
    func poles(latitude: Double) {
        for longitude in [180.0, -180, 179.999, 0] {
            let scene = Scene(latitude: latitude, longitude: longitude)
            let fixes = (0...100).map { scene.fix(Double($0) * 5, -350 + 7 * Double($0)) }
            let effects = evaluator.evaluate(trace: [fixes], fences: FenceList([scene.fence()]))
            #expect(effects.entries.count == 1 && effects.exits.count == 1)
            let drive = (0...4).map { scene.fix(Double($0) * 30, -1_050 + 420 * Double($0), 20, speed: 14) }
            let passed = evaluator.evaluate(trace: [drive], fences: FenceList([scene.fence()])).entries
            #expect(passed.map(\.kind) == [.passed])
        }
    }

    @Test("NTF-10 Two replays give the same effects", arguments: UInt64(0)..<8)
    func replay(seed: UInt64) {
        let walk = NoisyWalk(seed: seed, scene: Scene())
        let fences = FenceList(walk.fences)
        let first = evaluator.evaluate(trace: [walk.fixes], fences: fences)
        #expect(evaluator.evaluate(trace: [walk.fixes.reversed()], fences: fences) == first)
        let shuffled = FenceList(walk.fences.reversed())
        #expect(evaluator.evaluate(trace: [walk.fixes], fences: shuffled) == first)
    }

    @Test("NTF-10 A batch evaluated in pieces gives the same result as in one go", arguments: [1, 7, 32, 359])
    func pieces(size: Int) {
        let walk = NoisyWalk(seed: 11, scene: Scene())
        let fences = FenceList(walk.fences)
        let events = walk.fixes.map(FenceEvent.fix) + [.tick((walk.fixes.last?.received ?? 0) + 60_000)]
        var (whole, divided, run) = (DeviceState(), DeviceState(), FenceRun())
        let expected = evaluator.advance(&whole, through: events, fences: fences)
        for start in stride(from: 0, to: events.count, by: size) {
            let piece = events[start..<min(start + size, events.count)]
            evaluator.advance(&divided, through: piece, fences: fences, into: &run)
        }
        #expect(run == expected && divided == whole)
        #expect(expected.moments.contains { !$0.entries.isEmpty })
    }

    @Test(
        "NTF-10 Neither the number of ticks nor storing the state matters",
        arguments: UInt64(0)..<6
    )
    func ticksAndStorage(seed: UInt64) throws {
        let walk = NoisyWalk(seed: seed, scene: Scene())
        let fences = FenceList(walk.fences)
        let whole = evaluator.evaluate(trace: [walk.fixes], fences: fences)
        var state = DeviceState()
        var effects: [FenceEffect] = []
        for fix in walk.fixes {
            for part in 0..<5 {
                effects += evaluator.advance(&state, .tick(fix.time - 4_000 + Int64(part) * 1_000), fences: fences)
                let read = try DeviceState(bytes: state.bytes)
                #expect(read == state)
                state = read
            }
            let (next, more) = evaluator.step(state, .fix(fix), fences: fences)
            effects += more
            state = next
        }
        effects += evaluator.advance(&state, .tick(state.lastFixTime.map { $0 + 60_000 } ?? 0), fences: fences)
        #expect(effects == whole)
    }

    @Test("NTF-12 Repeated and late fixes change nothing", arguments: UInt64(0)..<8)
    func disturbed(seed: UInt64) {
        let walk = NoisyWalk(seed: seed, scene: Scene())
        let fences = FenceList(walk.fences)
        var options = FenceOptions()
        options.reorderHold = 0
        let evaluator = FenceEvaluator(options: options)
        let expected = evaluator.evaluate(trace: [walk.fixes], fences: fences)
        var random = SplitMix64(seed: seed)
        var disturbed: [Fix] = []
        for (index, fix) in walk.fixes.enumerated() {
            disturbed.append(fix)
            guard random.unit() < 0.3, index > 30 else { continue }
            var other = walk.fixes[index - Int(30 * random.unit())]
            other.received = fix.received + 1
            if random.unit() < 0.5 {
                other.time -= 2_500
                other.coordinate = walk.fences[Int(Double(walk.fences.count) * random.unit())].coordinate
            }
            disturbed.append(other)
        }
        let effects = evaluator.evaluate(trace: [disturbed], fences: fences)
        #expect(effects.outcomes.contains(.duplicate) && effects.outcomes.contains(.late))
        #expect(effects.entries == expected.entries && effects.exits == expected.exits)
    }

    @Test("NTF-12 Three hours parked near the edge give at most one entry", arguments: UInt64(0)..<24)
    func lingering(seed: UInt64) {
        let scene = Scene()
        var receiver = Receiver.urban(seed: seed)
        let distance = 100 + 80 * (Double(seed) / 23 - 0.5)
        let fixes = (0..<2_160)
            .map { index in
                let error = receiver.error(after: 5)
                return scene.fix(Double(index) * 5, distance + error.east, error.north, accuracy: error.accuracy)
            }
        let entries = evaluator.evaluate(trace: [fixes], fences: FenceList([scene.fence(radius: 100)])).entries
        #expect(entries.count <= 1)
    }

    @Test("NTF-12 In urban noise, few entries are wrong and few visits are missed")
    func quality() {
        var entries = 0
        var right = 0
        var visits = 0
        var found = 0
        for seed in UInt64(100)..<160 {
            let walk = NoisyWalk(seed: seed, scene: Scene())
            let told = self.entries(walk)
            for (index, fence) in walk.fences.enumerated() {
                let entry = told.first { $0.place == fence.id }
                if walk.visits(index) {
                    visits += 1
                    if entry != nil { found += 1 }
                }
                guard let entry else { continue }
                entries += 1
                let fix = Int((entry.at - Scene.start) / 5_000)
                let before = walk.distances(to: index)[max(0, fix - 12)...fix]
                if before.contains(where: { $0 <= fence.radius + 25 }) { right += 1 }
            }
        }
        #expect(visits > 150)
        #expect(Double(right) / Double(entries) >= 0.97, "\(right) of \(entries) entries were right")
        #expect(Double(found) / Double(visits) >= 0.95, "\(found) of \(visits) visits were found")
    }

    @Test("A list of fences finds the same as a scan", arguments: UInt64(0)..<20)
    func fenceList(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let edges = [180.0, -180, 0, 179.999_9, -179.999_9]
        let fences = (0..<300)
            .map { index in
                let longitude = index < 50 ? edges[index % 5] : 360 * random.unit() - 180
                let latitude = index < 20 ? (index.isMultiple(of: 2) ? 90.0 : -90) : 180 * random.unit() - 90
                return Fence(Coordinate(wrappingLatitude: latitude, longitude: longitude), radius: 150)
            }
        let list = FenceList(fences)
        for _ in 0..<40 {
            let edge = random.unit() < 0.3 ? 180 : 360 * random.unit() - 180
            let center = Coordinate(wrappingLatitude: 180 * random.unit() - 90, longitude: edge)
            let box = BoundingBox(center).expanded(byMetres: 3_000_000 * random.unit())
            let expected = fences.filter { box.contains($0.coordinate) }.map(\.id).sorted()
            #expect(list.fences(in: box).map(\.id).sorted() == expected)
        }
        #expect(list.fences(in: .world).count == 300)
    }
}

@Suite("Stored states")
struct DeviceStateTests {
    /// A state with something in every field.
    private func full() -> DeviceState {
        let scene = Scene()
        var options = FenceOptions()
        options.reorderHold = 3_000
        options.minimumDwell = 30_000
        let evaluator = FenceEvaluator(options: options)
        let fences = FenceList([scene.fence(), scene.fence(0, 30), scene.fence(60, 0, radius: 80)])
        var state = DeviceState()
        for fix in [scene.fix(0, 300), scene.fix(5, 100, speed: 40), scene.fix(10, 30), scene.fix(14, 900)] {
            _ = evaluator.advance(&state, .fix(fix), fences: fences)
        }
        _ = evaluator.advance(&state, .tick(Scene.start + 17_000), fences: fences)
        _ = evaluator.advance(&state, .fix(scene.fix(18, 0)), fences: fences)
        // Out of order, so that it waits.
        _ = evaluator.advance(&state, .fix(scene.fix(17, 0, received: 19)), fences: fences)
        return state
    }

    @Test("A state survives storage")
    func roundTrip() throws {
        let state = full()
        #expect(try DeviceState(bytes: state.bytes) == state)
        #expect(try DeviceState(bytes: DeviceState().bytes) == DeviceState())
        #expect(!state.visited.isEmpty && state.nextTimer != nil)
    }

    @Test("Damaged bytes are rejected or read without a trap, and the evaluator can use the result")
    func damaged() {
        let good = full().bytes
        for length in 0..<good.count {
            #expect(throws: DeviceStateError.self) { try DeviceState(bytes: Array(good.prefix(length))) }
        }
        #expect(throws: DeviceStateError.self) { try DeviceState(bytes: good + [0]) }
        #expect(throws: DeviceStateError.self) { try DeviceState(bytes: [1] + good.dropFirst()) }
        let scene = Scene()
        let fences = FenceList([scene.fence()])
        var random = SplitMix64(seed: 7)
        var read = 0
        for round in 0..<4_000 {
            var bytes = good
            for _ in 0...(round % 4) { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() & 0xFF) }
            if round.isMultiple(of: 8) { bytes = (0..<200).map { _ in UInt8(random.next() & 0xFF) } }
            guard var state = try? DeviceState(bytes: bytes) else { continue }
            read += 1
            let evaluator = FenceEvaluator()
            _ = evaluator.advance(&state, .fix(scene.fix(100, 0)), fences: fences)
            _ = evaluator.advance(&state, .fix(scene.fix(2_000, 0)), fences: fences)
            _ = evaluator.advance(&state, .tick(.max), fences: fences)
            _ = evaluator.advance(&state, .gap, fences: fences)
            _ = evaluator.advance(&state, .tick(.min), fences: fences)
        }
        #expect(read > 100)
    }
}
