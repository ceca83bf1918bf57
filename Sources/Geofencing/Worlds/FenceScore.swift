import Geometry

/// The quality of alerts, summed over many worlds.
public struct FenceScore: Hashable, Sendable {
    /// The number of alerts.
    public private(set) var alerts = 0
    /// The number of alerts that repeated one for the same place.
    public private(set) var repeats = 0
    /// The number of alerts at places whose fence truly contained the person at some time in the minute before the
    /// alert.
    public private(set) var inside = 0
    /// The number of alerts at places whose fence truly contained the person, or was at most 25 metres away, at some
    /// time in the minute before the alert.
    public private(set) var near = 0
    /// The number of first visits to a place that lasted at least twenty seconds and reached at least 15 metres into
    /// the fence.
    public private(set) var visits = 0
    /// The number of ``visits`` that were announced no later than a minute after their end.
    public private(set) var told = 0
    /// The number of ``visits`` during which the device recorded a report.
    public private(set) var seen = 0
    /// The seconds from the true start of each announced visit to the alert.
    public private(set) var sinceCrossing: [Double] = []
    /// Seconds between the receipt of the first report recorded inside the fence and the alert.
    public private(set) var sinceReport: [Double] = []
    /// Seconds between the receipt of the first report behind the decision and the alert.
    public private(set) var sinceQualified: [Double] = []
    /// The maximum number of alerts in one world.
    public private(set) var mostAlerts = 0
    /// The number of worlds.
    public private(set) var worlds = 0
    /// The number of worlds in which the person was never in any fence.
    public private(set) var outsideWorlds = 0
    /// The number of worlds in which the person was never in any fence but was alerted.
    public private(set) var outsideTold = 0

    /// Creates an empty score.
    public init() {}

    /// The fraction of alerts at places truly reached, 1 without alerts.
    public var precision: Double { share(inside, of: alerts) }
    /// The fraction of alerts at places truly reached or missed by at most 25 metres, 1 without alerts.
    public var precision25: Double { share(near, of: alerts) }
    /// The fraction of visits that were announced, 1 without visits.
    public var recall: Double { share(told, of: visits) }
    /// The announced visits as a fraction of those during which a report was recorded; may exceed 1, because crossings
    /// between two reports are announced too.
    public var seenRecall: Double { share(told, of: seen) }
    /// The fraction of visits during which a report was recorded, 1 without visits.
    public var seenShare: Double { share(seen, of: visits) }
    /// The fraction of people who were never in a fence and were alerted, 0 without such people.
    public var outsideShare: Double { outsideWorlds == 0 ? 0 : Double(outsideTold) / Double(outsideWorlds) }
    /// The fraction of alerts that repeat one, 0 without alerts.
    public var repeatShare: Double { alerts == 0 ? 0 : Double(repeats) / Double(alerts) }

    private func share(_ part: Int, of whole: Int) -> Double { whole == 0 ? 1 : Double(part) / Double(whole) }

    /// Returns the value at the fraction `share`, 0...1, of the sorted `values`; 0 if there are no values.
    public static func percentile(_ values: [Double], _ share: Double) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    /// Counts the alerts in a world.
    public mutating func add(_ found: [PlaceAlert], in world: TraceWorld) {
        worlds += 1
        mostAlerts = max(mostAlerts, found.count)
        alerts += found.count
        if world.isOutside {
            outsideWorlds += 1
            outsideTold += found.isEmpty ? 0 : 1
        }
        var first: [Int: PlaceAlert] = [:]
        for alert in found {
            if first[alert.place] == nil { first[alert.place] = alert } else { repeats += 1 }
            let nearest = world.nearest(to: alert.place, before: alert.at)
            let radius = world.fences[alert.place].radius
            if nearest <= radius { inside += 1 }
            if nearest <= radius + 25 { near += 1 }
            if let qualified = alert.qualified { sinceQualified.append(Double(alert.at - qualified) / 1_000) }
        }
        for visit in world.solidVisits { count(visit, first[visit.place], in: world) }
    }

    private mutating func count(_ visit: SolidVisit, _ alert: PlaceAlert?, in world: TraceWorld) {
        visits += 1
        let begin = world.start + Int64(visit.seconds.lowerBound) * 1_000
        let end = world.start + Int64(visit.seconds.upperBound) * 1_000
        let report = world.fixes.first { (begin...end).contains($0.time) }
        if report != nil { seen += 1 }
        guard let alert, alert.at <= end + 60_000 else { return }
        told += 1
        sinceCrossing.append(max(0, Double(alert.at - begin) / 1_000))
        if let report { sinceReport.append(max(0, Double(alert.at - report.received) / 1_000)) }
    }

    /// Adds the counts of another score.
    public mutating func add(_ other: FenceScore) {
        alerts += other.alerts
        repeats += other.repeats
        inside += other.inside
        near += other.near
        visits += other.visits
        told += other.told
        seen += other.seen
        sinceCrossing += other.sinceCrossing
        sinceReport += other.sinceReport
        sinceQualified += other.sinceQualified
        mostAlerts = max(mostAlerts, other.mostAlerts)
        worlds += other.worlds
        outsideWorlds += other.outsideWorlds
        outsideTold += other.outsideTold
    }
}

/// A visit long and deep enough that the evaluator must not miss it; see ``TraceWorld/solidVisits``.
public struct SolidVisit: Hashable, Sendable {
    /// The number of the place in its world.
    public let place: Int
    /// The start and end, in whole seconds since the start of the world.
    public let seconds: ClosedRange<Int>
}

extension TraceWorld {
    /// Whether the person was never in any fence.
    public var isOutside: Bool {
        let grid = PointGrid(places, cell: 500)
        let largest = fences.map(\.radius).max() ?? 0
        return path.points.allSatisfy { point in
            grid.points(near: point, within: largest)
                .allSatisfy { (places[$0] - point).length > fences[$0].radius }
        }
    }

    /// For each place, the first visit that lasted at least twenty seconds and reached at least 15 metres into the
    /// fence.
    public var solidVisits: [SolidVisit] {
        let grid = PointGrid(places, cell: 500)
        let largest = fences.map(\.radius).max() ?? 0
        var open: [Int: (begin: Int, depth: Double)] = [:]
        var visits: [Int: SolidVisit] = [:]
        func close(_ place: Int, _ end: Int) {
            guard let (begin, depth) = open.removeValue(forKey: place) else { return }
            guard end - begin >= 20, depth >= 15, visits[place] == nil else { return }
            visits[place] = SolidVisit(place: place, seconds: begin...end)
        }
        for (second, point) in path.points.enumerated() {
            var inside: Set<Int> = []
            for place in grid.points(near: point, within: largest) {
                let depth = fences[place].radius - (places[place] - point).length
                guard depth >= 0 else { continue }
                inside.insert(place)
                let begin = open[place]?.begin ?? second
                open[place] = (begin, max(depth, open[place]?.depth ?? 0))
            }
            for place in open.keys.sorted() where !inside.contains(place) { close(place, second - 1) }
        }
        for place in open.keys.sorted() { close(place, path.seconds) }
        return visits.values.sorted { $0.place < $1.place }
    }

    /// Returns the smallest distance in metres to a place within the minute before a time.
    func nearest(to place: Int, before time: Int64) -> Double {
        guard !path.points.isEmpty else { return .infinity }
        let second = Int((time - start) / 1_000)
        let last = min(path.points.count - 1, max(0, second))
        let first = min(last, max(0, second - 60))
        return path.points[first...last].lazy.map { (places[place] - $0).length }.min() ?? .infinity
    }

    /// Returns the evaluator's alerts in this world, only the first for each place (the ledger prevents repeats), and
    /// the number of all entries.
    public func alerts(_ evaluator: FenceEvaluator) -> (told: [PlaceAlert], entries: Int) {
        let effects = evaluator.evaluate(trace: segments, fences: FenceList(fences))
        var numbers: [PlaceID: Int] = [:]
        for (index, fence) in fences.enumerated() { numbers[fence.id] = index }
        var known: Set<Int> = []
        var told: [PlaceAlert] = []
        var entries = 0
        for case .entered(let entry) in effects {
            guard let place = numbers[entry.place] else { continue }
            entries += 1
            guard known.insert(place).inserted else { continue }
            told.append(PlaceAlert(place: place, at: entry.decidedAt, qualified: entry.qualifiedAt))
        }
        return (told, entries)
    }
}
