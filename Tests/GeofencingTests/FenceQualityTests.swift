import Geofencing
import Geometry
import Testing

@Suite("Accuracy and latency on traces with known truth")
struct FenceQualityTests {
    /// Seeds that nothing was tuned on.
    private static let seed: UInt64 = 0xFE2CE
    private static let anchor = Coordinate(wrappingLatitude: 33.755, longitude: -84.38)

    struct Demand: Sendable, CustomTestStringConvertible {
        let cell: TraceScenario
        let precision: Double
        let precision25: Double
        let recall: Double

        init(
            _ mode: TravelMode,
            _ sky: SkyView,
            _ seconds: Int,
            precision: Double,
            precision25: Double,
            recall: Double
        ) {
            cell = TraceScenario(mode, sky, .every(seconds))
            self.precision = precision
            self.precision25 = precision25
            self.recall = recall
        }

        var testDescription: String { "\(cell.mode.rawValue) \(cell.sky.rawValue) \(cell.sampling.name)" }
    }

    private func score(_ cell: TraceScenario, _ count: Int, _ alerts: (TraceWorld) -> [PlaceAlert]) -> FenceScore {
        var score = FenceScore()
        for number in 0..<count {
            let world = TraceWorld(
                cell,
                around: FenceQualityTests.anchor,
                seed: FenceQualityTests.seed &+ UInt64(number)
            )
            score.add(alerts(world), in: world)
        }
        return score
    }

    @Test(
        "NTF-05 NTF-07 NTF-12 Walks and drives meet the required quality",
        arguments: [
            Demand(.walk, .open, 5, precision: 0.99, precision25: 0.995, recall: 0.99),
            Demand(.walk, .urban, 5, precision: 0.93, precision25: 0.97, recall: 0.97),
            Demand(.walk, .canyon, 5, precision: 0.88, precision25: 0.95, recall: 0.91),
            Demand(.walk, .open, 30, precision: 0.99, precision25: 0.995, recall: 0.99),
            Demand(.walk, .urban, 30, precision: 0.93, precision25: 0.97, recall: 0.97),
            Demand(.walk, .canyon, 30, precision: 0.88, precision25: 0.95, recall: 0.91),
            Demand(.drive, .open, 30, precision: 0.98, precision25: 0.99, recall: 0.92),
            Demand(.drive, .urban, 30, precision: 0.97, precision25: 0.988, recall: 0.90),
            Demand(.drive, .canyon, 30, precision: 0.95, precision25: 0.98, recall: 0.82),
        ]
    )
    func demanded(_ demand: Demand) {
        // Long enough to tell apart, short enough for every build.
        let count = demand.cell.sampling == .every(5) ? 12 : 24
        let evaluator = FenceEvaluator()
        let score = score(demand.cell, count) { $0.alerts(evaluator).told }
        #expect(score.visits > 40)
        #expect(score.repeats == 0)
        // Eighty alerts: one that falls a second before the edge is a point and a quarter.
        #expect(score.precision >= demand.precision - 0.02, "\(score.inside) of \(score.alerts)")
        #expect(score.precision25 >= demand.precision25, "\(score.near) of \(score.alerts)")
        // Of walks those that could be seen; of drives all.
        let recall = demand.cell.mode == .walk ? score.seenRecall : score.recall
        #expect(recall >= demand.recall, "\(score.told) of \(score.visits)")
        #expect(FenceScore.percentile(score.sinceQualified, 0.95) <= 15)
        #expect(score.sinceQualified.max() ?? 0 <= 25)
    }

    @Test("NTF-05 No decision takes longer than 25 s, however a person moves", arguments: TravelMode.allCases)
    func decisions(mode: TravelMode) {
        var cell = TraceScenario(mode, .canyon, .duty)
        if mode == .linger { cell.radius = 100 }
        let evaluator = FenceEvaluator()
        let score = score(cell, 16) { $0.alerts(evaluator).told }
        #expect(score.repeats == 0)
        #expect(score.alerts > 0)
        #expect(score.sinceQualified.max() ?? 0 <= 25)
        if mode == .linger || mode == .shuttle { #expect(score.mostAlerts <= 1) }
    }

    @Test("NTF-12 Between houses, simpler rules announce places never reached, or announce them again")
    func baselines() {
        let cell = TraceScenario(.walk, .urban, .every(5))
        let ours = score(cell, 6) { $0.alerts(FenceEvaluator()).told }
        let naive = score(cell, 6) { BaselineRule.naive.alerts(in: $0) }
        let once = score(cell, 6) { BaselineRule.once.alerts(in: $0) }
        let dwell = score(cell, 6) { BaselineRule.dwell.alerts(in: $0) }
        let overlap = score(cell, 6) { BaselineRule.overlap.alerts(in: $0) }
        #expect(naive.repeatShare > 0.6 && overlap.repeatShare > 0.6 && dwell.repeatShare > 0.2)
        #expect(once.repeats == 0 && once.precision < 0.7)
        #expect(overlap.precision < naive.precision)
        #expect(ours.precision > once.precision + 0.2)
        var drive = TraceScenario(.drive, .urban, .every(30))
        drive.duration = 3_600
        let passed = score(drive, 12) { $0.alerts(FenceEvaluator()).told }
        let unseen = score(drive, 12) { BaselineRule.naive.alerts(in: $0) }
        #expect(passed.recall > unseen.recall)
    }

    @Test("Equal seeds give equal worlds, different seeds different ones", arguments: TravelMode.allCases)
    func seeds(mode: TravelMode) {
        let cell = TraceScenario(mode, .urban, .duty)
        let world = TraceWorld(cell, around: FenceQualityTests.anchor, seed: 7)
        #expect(world == TraceWorld(cell, around: FenceQualityTests.anchor, seed: 7))
        #expect(world.fixes != TraceWorld(cell, around: FenceQualityTests.anchor, seed: 8).fixes)
        #expect(world.path.seconds == cell.seconds)
        #expect(world.fixes.count > 20 && !world.fences.isEmpty)
        #expect(zip(world.fixes, world.fixes.dropFirst()).allSatisfy { $0.received <= $1.received })
    }

    @Test("Reports are as inaccurate as they claim to be")
    func noise() {
        for (sky, expected) in zip(SkyView.allCases, [3.64, 9.49, 18.97]) {
            var cell = TraceScenario(.walk, sky, .every(30))
            cell.hasTransport = false
            cell.hasDropouts = false
            cell.duration = 86_400
            let world = TraceWorld(cell, around: FenceQualityTests.anchor, seed: 3)
            let errors = world.fixes.map { fix in
                GreatCircle.distance(
                    fix.coordinate,
                    world.plane.coordinate(world.path.point(at: Double(fix.time - world.start) / 1_000))
                )
            }
            // The median of the distance is 1.177 deviations of one axis; outliers hardly move it.
            let median = FenceScore.percentile(errors, 0.5)
            #expect(abs(median / (1.177 * expected) - 1) < 0.12, "\(sky.rawValue): \(median) m")
        }
    }

    @Test("A score counts the outcomes it names")
    func scoring() throws {
        let plane = Plane(FenceQualityTests.anchor)
        // Ten seconds' walk east for 400 m at 2 m a second, past a fence in the middle and one 170 m beside it.
        let path = (0...200).map { plane.coordinate(SIMD2(Double($0) * 2, 0)) }
        let fences = [
            Fence(plane.coordinate(SIMD2(200, 0)), radius: 100),
            Fence(plane.coordinate(SIMD2(200, 115)), radius: 100),
            Fence(plane.coordinate(SIMD2(200, 400)), radius: 100),
        ]
        let fixes = stride(from: 0, through: 200, by: 10)
            .map { second in
                Fix(time: Int64(second) * 1_000, coordinate: path[second], accuracy: 5)
            }
        let world = TraceWorld(start: 0, path: path, fences: fences, segments: [fixes])
        let visit = try #require(world.solidVisits.first)
        #expect(world.solidVisits.count == 1 && visit.place == 0)
        #expect((50...51).contains(visit.seconds.lowerBound) && (149...150).contains(visit.seconds.upperBound))
        var score = FenceScore()
        let alerts = [
            PlaceAlert(place: 0, at: 62_000, qualified: 60_000), PlaceAlert(place: 0, at: 70_000),
            PlaceAlert(place: 1, at: 100_000), PlaceAlert(place: 2, at: 100_000),
        ]
        score.add(alerts, in: world)
        #expect(score.alerts == 4 && score.repeats == 1 && score.inside == 2 && score.near == 3)
        #expect(score.visits == 1 && score.told == 1 && score.seen == 1)
        #expect(score.sinceCrossing == [12] && score.sinceReport == [12] && score.sinceQualified == [2])
        var late = FenceScore()
        late.add([PlaceAlert(place: 0, at: 211_000)], in: world)
        #expect(late.told == 0 && late.inside == 0 && late.near == 1)
    }
}
