import Geofencing
import Geometry
import Testing

@Suite("Fences of lines and areas")
struct OutlineFenceTests {
    private static let scenes = [
        Scene(), Scene(latitude: 0, longitude: 0), Scene(latitude: -17, longitude: 179.995),
        Scene(latitude: 64, longitude: -179.99),
    ]

    /// A fence of lines through points in metres east and north; its own point is the first, unless given.
    private static func fence(
        _ scene: Scene,
        _ lines: [[(Double, Double)]],
        isArea: Bool = true,
        at point: (Double, Double)? = nil,
        radius: Double = 150
    ) throws -> Fence {
        let anchor = scene.anchor.longitude
        let corners = lines.map { line in
            line.map { east, north in
                let corner = scene.point(east, north)
                return SIMD2(anchor + Coordinate.wrap(longitude: corner.longitude - anchor), corner.latitude)
            }
        }
        let turn: Double = corners.joined().contains { $0.x < -180 } ? 360 : 0
        let turned = corners.map { $0.map { $0 + SIMD2(turn, 0) } }
        let outline = try #require(Outline(lines: turned, isArea: isArea))
        let place = point ?? lines[0][0]
        let coordinate = scene.point(place.0, place.1)
        return Fence(id: PlaceID(coordinate), coordinate: coordinate, radius: radius, outline: outline)
    }

    private static func square(_ half: Double) -> [(Double, Double)] {
        [(-half, -half), (half, -half), (half, half), (-half, half), (-half, -half)]
    }

    /// A walk along positions in metres east and north, a fix every five seconds.
    private static func walk(_ scene: Scene, _ positions: [(Double, Double)], every seconds: Double = 5) -> [[Fix]] {
        [positions.enumerated().map { scene.fix(Double($0) * seconds, $1.0, $1.1) }]
    }

    /// Decisions by their times.
    private static func decisions(_ effects: [FenceEffect]) -> [String] {
        effects.compactMap { effect in
            switch effect {
            case .entered(let entry): "\(entry.kind) \(entry.at) \(entry.decidedAt)"
            case .left(let exit): "left \(exit.at)"
            default: nil
            }
        }
    }

    @Test("NTF-03 NTF-12 At an edge a fence is entered and left as a circle around the nearest point is")
    func edge() throws {
        let evaluator = FenceEvaluator()
        for scene in OutlineFenceTests.scenes {
            let area = try OutlineFenceTests.fence(scene, [OutlineFenceTests.square(1_000)], at: (0, 0))
            let line = try OutlineFenceTests.fence(scene, [[(1_000, -3_000), (1_000, 3_000)]], isArea: false)
            let point = scene.fence(1_000, 0)
            // To the edge, which is not crossed, and away again.
            let way = Array(stride(from: 1_500.0, to: 1_010, by: -7)) + Array(stride(from: 1_010.0, to: 1_700, by: 7))
            let trace = OutlineFenceTests.walk(scene, way.map { ($0, 0) })
            let expected = OutlineFenceTests.decisions(evaluator.evaluate(trace: trace, fences: FenceList([point])))
            #expect(expected.count == 2)
            for fence in [area, line] {
                let effects = evaluator.evaluate(trace: trace, fences: FenceList([fence]))
                #expect(OutlineFenceTests.decisions(effects) == expected)
                #expect(effects.entries.allSatisfy { $0.place == fence.id && (90...150).contains($0.distance) })
            }
        }
    }

    @Test("NTF-05 Who goes far into an area, or along a line, enters once and leaves once, also at a hole's edge")
    func inside() throws {
        let scene = Scene()
        let evaluator = FenceEvaluator()
        let ring = [OutlineFenceTests.square(2_000), OutlineFenceTests.square(300)]
        let fences = [
            try OutlineFenceTests.fence(scene, ring, at: (0, 1_000)),
            try OutlineFenceTests.fence(scene, [[(-2_000, 0), (500, 0), (2_000, 0)]], isArea: false, at: (1, 0)),
        ]
        // From 600 m outside through everything: 6 km, of which the last is outside again.
        let way = stride(from: -2_600.0, to: 3_400, by: 7).map { ($0, 0.0) }
        for (fence, hole) in zip(fences, [true, false]) {
            let trace = OutlineFenceTests.walk(scene, way)
            let effects = evaluator.evaluate(trace: trace, fences: FenceList([fence]))
            // The hole is 600 m wide, and 240 m of it are beyond the exit ring: three minutes.
            #expect(effects.entries.count == (hole ? 2 : 1) && effects.exits.count == (hole ? 2 : 1))
            let entry = try #require(effects.entries.first)
            #expect(entry.at < Scene.start + 5_000 * Int64((600 - 100) / 7))
        }
    }

    @Test("NTF-12 Who sits in a hole, or beside a line, is in no fence; at its edge they are", arguments: UInt64(0)..<6)
    func hole(seed: UInt64) throws {
        let scene = Scene()
        let evaluator = FenceEvaluator()
        let ring = [OutlineFenceTests.square(2_000), OutlineFenceTests.square(600)]
        let area = try OutlineFenceTests.fence(scene, ring, at: (0, 1_000))
        for (position, count) in [((0.0, 0.0), 0), ((330, 0), 0), ((-520, 0), 1), ((700, 1_999), 1), ((2_400, 0), 0)] {
            var receiver = Receiver.urban(seed: seed)
            let fixes = (0..<120)
                .map { number in
                    let error = receiver.error(after: 5)
                    return scene.fix(
                        Double(number) * 5,
                        position.0 + error.east,
                        position.1 + error.north,
                        accuracy: error.accuracy
                    )
                }
            let effects = evaluator.evaluate(trace: [fixes], fences: FenceList([area]))
            #expect(effects.entries.count == count, "at \(position)")
        }
    }

    @Test("NTF-03 A line and a narrow area crossed between two fixes are passed; a parallel path passes nothing")
    func passed() throws {
        let scene = Scene()
        let evaluator = FenceEvaluator()
        let fences = [
            try OutlineFenceTests.fence(scene, [[(0, -5_000), (0, 5_000)]], isArea: false, radius: 75),
            try OutlineFenceTests.fence(
                scene,
                [[(-40, -5_000), (40, -5_000), (40, 5_000), (-40, 5_000), (-40, -5_000)]],
                at: (0, 4_000),
                radius: 75
            ),
        ]
        for fence in fences {
            let across = stride(from: -1_260.0, through: 1_260, by: 360).map { ($0, 100.0) }
            let trace = OutlineFenceTests.walk(scene, across, every: 30)
            let entries = evaluator.evaluate(trace: trace, fences: FenceList([fence])).entries
            #expect(entries.map(\.kind) == [.passed] && entries.allSatisfy { $0.distance < 10 })
            let beside = stride(from: -1_260.0, through: 1_260, by: 360).map { (300.0, $0) }
            let along = OutlineFenceTests.walk(scene, beside, every: 30)
            #expect(evaluator.evaluate(trace: along, fences: FenceList([fence])).entries.isEmpty)
        }
    }

    @Test("NTF-11 A phone gets the circle around the point of a line or an area, which lies in its fence")
    func packs() throws {
        let scene = Scene()
        let area = try OutlineFenceTests.fence(scene, [OutlineFenceTests.square(3_000)], at: (0, 0))
        let near = scene.fence(2_500, 0)
        let pack = FencePack(around: scene.point(3_100, 0), limit: 20, in: FenceList([area, near]))
        #expect(pack.fences == [near, area])
        let next = FencePack(around: scene.point(3_100, 0), limit: 2, in: FenceList([area, near]))
        #expect(next.fences == [near] && abs(next.refreshRadius - 2_949) < 5)
        for bearing in stride(from: 0.0, to: 360, by: 15) {
            let edge = GreatCircle.destination(from: area.coordinate, bearing: bearing, distance: area.radius)
            #expect(try #require(area.outline).distance(to: edge) <= area.radius)
        }
    }

    @Test("LOC-02 A line that is gone before it is decided about is not announced", arguments: [false, true])
    func gone(isGone: Bool) throws {
        let scene = Scene()
        let evaluator = FenceEvaluator()
        let line = try OutlineFenceTests.fence(scene, [[(-3_000, 0), (3_000, 0)]], isArea: false, at: (-2_999, 0))
        var state = DeviceState()
        var effects = evaluator.advance(&state, .fix(scene.fix(0, 2_000)), fences: FenceList([line]))
        #expect(effects.entries.isEmpty && state.nextTimer != nil)
        let left = FenceList(isGone ? [] : [line])
        effects = evaluator.advance(&state, .tick(Scene.start + 60_000), fences: left)
        #expect(effects.entries.count == (isGone ? 0 : 1))
        // What is stored of it is the same as of a circle.
        #expect(try DeviceState(bytes: state.bytes) == state)
    }

    @Test("NTF-12 Explanations measure from the line or the area")
    func explained() throws {
        let scene = Scene()
        var options = FenceOptions()
        options.explains = true
        let area = try OutlineFenceTests.fence(scene, [OutlineFenceTests.square(1_000)], at: (0, 0))
        let effects = FenceEvaluator(options: options)
            .evaluate(trace: [[scene.fix(0, 1_100), scene.fix(5, 1_050)]], fences: FenceList([area]))
        let distances = effects.explanations.map(\.distance)
        #expect(distances.count == 2 && zip(distances, [100.0, 50]).allSatisfy { abs($0 - $1) < 0.1 })
    }
}
