import Geofencing

/// Measures how fast fixes are evaluated: 100,000 places, a different radius for each user, one core.
struct GeofenceSpeed {
    let people: Int
    let seed: UInt64

    private static let places = 100_000
    private static let fixes = 60

    func rows() -> [BenchRow] {
        var load = FenceLoad(places: 0, people: people, seed: seed)
        let building = BenchClock.seconds { load = FenceLoad(places: GeofenceSpeed.places, people: people, seed: seed) }
        let fences = (0..<people).map(load.fences)
        let fixes = (0..<people).map { load.fixes(of: $0, count: GeofenceSpeed.fixes) }
        let evaluator = FenceEvaluator()
        var states = (0..<people).map { _ in DeviceState() }
        var entries = 0
        let total = BenchClock.seconds {
            for number in 0..<GeofenceSpeed.fixes {
                for person in 0..<people {
                    let effects = evaluator.advance(
                        &states[person],
                        .fix(fixes[person][number]),
                        fences: fences[person]
                    )
                    for case .entered in effects { entries += 1 }
                }
            }
        }
        let count = people * GeofenceSpeed.fixes
        let times = times(evaluator, fences, fixes)
        let bytes = states.reduce(0) { $0 + $1.bytes.count } / max(1, people)
        return [
            BenchRow("fixes evaluated a second, one core", (Double(count) / total).rounded(), unit: "1/s"),
            BenchRow("one fix", seconds: times),
            BenchRow("entries found meanwhile", Double(entries), unit: ""),
            BenchRow("state of a device after \(GeofenceSpeed.fixes) fixes", Double(bytes), unit: "bytes"),
            BenchRow("index of \(GeofenceSpeed.places) places", building * 1_000, unit: "ms"),
        ]
    }

    /// Returns the time in seconds of evaluating each fix, measured in a separate run from the initial state.
    private func times(_ evaluator: FenceEvaluator, _ fences: [PersonalFences], _ fixes: [[Fix]]) -> [Double] {
        var states = (0..<people).map { _ in DeviceState() }
        var times: [Double] = []
        times.reserveCapacity(people * GeofenceSpeed.fixes)
        for number in 0..<GeofenceSpeed.fixes {
            for person in 0..<people {
                let fix = fixes[person][number]
                times.append(
                    BenchClock.seconds {
                        _ = evaluator.advance(&states[person], .fix(fix), fences: fences[person])
                    }
                )
            }
        }
        return times
    }
}
