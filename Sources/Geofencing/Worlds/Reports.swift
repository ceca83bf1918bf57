import Geometry

/// The reports of a device on a path, with their arrival times.
struct Reports {
    private let scenario: TraceScenario
    private let path: TruePath
    private let plane: Plane
    private let start: Int64

    init(_ scenario: TraceScenario, path: TruePath, plane: Plane, start: Int64) {
        self.scenario = scenario
        self.path = path
        self.plane = plane
        self.start = start
    }

    /// Returns the reports in the order of receipt.
    func fixes(_ random: inout SplitMix64) -> [Fix] {
        var receiver = Receiver(scenario.sky, seed: random.next())
        var fixes: [Fix] = []
        var time = random.unit() * 5
        var last = 0.0
        var silence = nextSilence(after: 0, &random)
        while time < Double(path.seconds) {
            let now = time
            time += interval(&random)
            if now >= silence.upperBound { silence = nextSilence(after: silence.upperBound, &random) }
            let second = Int(now)
            let isBlind = path.blind.contains { $0.contains(second) }
            guard !isBlind, !(scenario.hasDropouts && silence.contains(now)) else { continue }
            let reading = receiver.read(after: now - last, indoors: path.indoors.contains { $0.contains(second) })
            last = now
            append(reading, at: now, to: &fixes, &random)
        }
        return fixes.enumerated()
            .sorted { ($0.element.received, $0.offset) < ($1.element.received, $1.offset) }
            .map(\.element)
    }

    private func interval(_ random: inout SplitMix64) -> Double {
        switch scenario.sampling {
        case .every(let seconds): return Double(seconds)
        case .duty:
            let share = random.unit()
            return share < 0.5 ? 5 : share < 0.8 ? 15 : share < 0.95 ? 60 : 300
        }
    }

    /// Returns the next period without reports: about every twenty minutes, for about a minute and a half.
    private func nextSilence(after time: Double, _ random: inout SplitMix64) -> Range<Double> {
        let begin = time - 1_200 * Math.naturalLogarithm(1 - random.unit())
        return begin..<(begin + 1 - 90 * Math.naturalLogarithm(1 - random.unit()))
    }

    private func append(
        _ reading: Receiver.Reading,
        at seconds: Double,
        to fixes: inout [Fix],
        _ random: inout SplitMix64
    ) {
        let time = start + Int64((seconds * 1_000).rounded())
        let reported = plane.coordinate(path.point(at: seconds) + reading.error)
        // Rounded to the precision of phones, a ten-millionth of a degree: more digits would only make files longer.
        let coordinate = Coordinate(
            wrappingLatitude: (reported.latitude * 1e7).rounded() / 1e7,
            longitude: (reported.longitude * 1e7).rounded() / 1e7
        )
        var fix = Fix(
            time: time,
            coordinate: coordinate,
            accuracy: (reading.accuracy * 10).rounded() / 10,
            isSimulated: true
        )
        guard scenario.hasTransport else { return fixes.append(fix) }
        let isLate = random.unit() < 0.03
        let delay = isLate ? random.number(20, 180) : random.number(0.2, 3)
        fix.received = time + Int64(delay * 1_000)
        fixes.append(fix)
        guard random.unit() < 0.02 else { return }
        fix.received += Int64(random.number(1, 60) * 1_000)
        fixes.append(fix)
    }
}
