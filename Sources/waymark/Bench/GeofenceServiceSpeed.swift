import Library
import App
import Foundation
import Geofencing
import Geometry
import Logging
import Notifications
import Storage
import Stories
import StoryMap

/// Measures fixes as processed by the service: fences looked up on the story map, and everything written durably.
struct GeofenceServiceSpeed {
    let people: Int
    /// The number of batches of 100 fixes that each of 64 devices reports.
    let batches: Int
    let seed: UInt64

    private static let places = 100_000
    private static let fixes = 60
    private static let devices = 64
    /// The number of stories in the database.
    private static let stored = 20_000

    func rows() async throws -> [BenchRow] { try lookUps() + (try await durable()) }

    private func story(_ number: Int, at point: Coordinate, owner: UserID) -> Story {
        var story = Story(
            id: StoryID(high: SplitMix64.mix(seed), low: SplitMix64.mix(UInt64(number))),
            kind: .interview,
            title: "Story \(number)",
            owner: owner,
            createdAt: Timestamp(milliseconds: 1_600_000_000_000 + Int64(number))
        )
        story.location = StoryLocation(coordinate: point)
        return story
    }

    /// Evaluates all users' fixes one by one, each as a separate request, so that the fences are looked up for each.
    private func lookUps() throws -> [BenchRow] {
        let load = FenceLoad(places: GeofenceServiceSpeed.places, people: people, seed: seed)
        guard let owner = UserID("owner") else { return [] }
        let index = MapIndex(digestKey: DigestKey(high: seed, low: seed))
        index.load(load.index.places.enumerated().lazy.map { story($0, at: $1.point, owner: owner) })
        let fixes = (0..<people).map { load.fixes(of: $0, count: GeofenceServiceSpeed.fixes) }
        let users = (0..<people).compactMap { UserID("person\($0)") }
        let queries = users.map { StoryQuery(viewer: Viewer(user: $0)) }
        let evaluator = FenceEvaluator()
        func fences(_ person: Int) -> MapFences {
            MapFences(snapshot: index.snapshot(), query: queries[person], radius: 100 + Double(person % 5) * 50)
        }
        func run(
            people: Int,
            times: inout [Double]?,
            _ evaluate: (_ person: Int, _ state: inout DeviceState, _ fix: Fix) -> Void
        ) {
            var states = (0..<people).map { _ in DeviceState() }
            for number in 0..<GeofenceServiceSpeed.fixes {
                for person in 0..<people {
                    guard times != nil else {
                        evaluate(person, &states[person], fixes[person][number])
                        continue
                    }
                    times?.append(BenchClock.seconds { evaluate(person, &states[person], fixes[person][number]) })
                }
            }
        }
        func measured(
            _ people: Int,
            _ evaluate: (Int, inout DeviceState, Fix) -> Void
        ) -> (rate: Double, times: [Double]) {
            var none: [Double]?
            let total = BenchClock.seconds { run(people: people, times: &none, evaluate) }
            var times: [Double]? = []
            run(people: people, times: &times, evaluate)
            return ((Double(people * GeofenceServiceSpeed.fixes) / total).rounded(), times ?? [])
        }
        let memory = FenceMemory()
        let near = measured(people) { person, state, fix in
            let fences = NearbyFences(fences(person), of: users[person], memory: memory)
            _ = evaluator.advance(&state, .fix(fix), fences: fences)
        }
        let map = measured(max(1, people / 20)) { person, state, fix in
            _ = evaluator.advance(&state, .fix(fix), fences: fences(person))
        }
        return [
            BenchRow("fixes a second with fences of the service's map", near.rate, unit: "1/s"),
            BenchRow("one fix with fences of the service's map", seconds: near.times),
            BenchRow("the same, searching the map for every fix", map.rate, unit: "1/s"),
            BenchRow("one fix, searching the map", seconds: map.times),
        ]
    }

    /// Reports batches of 100 from several devices concurrently, each answered once it is on disk.
    private func durable() async throws -> [BenchRow] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("waymark-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var logger = Logger(label: "bench")
        logger.logLevel = .critical
        let path = folder.appendingPathComponent("bench.db").path
        let store = try StoryStore(path: path, mode: .readWrite, logger: logger)
        defer { try? store.close() }
        let now: @Sendable () -> Timestamp = { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }
        let library = try await StoryLibrary(store: store, gazetteer: nil, now: now)
        try await fill(library)
        let users = (0..<GeofenceServiceSpeed.devices).compactMap { UserID("person\($0)") }
        for user in users {
            try await store.write { try $0.ensureUser(user, at: now()) }
            _ = try await library.rights.settings.change(of: user, source: .operator) { settings, time in
                try settings.optIn(at: time, version: Consent.version)
            }
        }
        let start = now().milliseconds - 550_000
        let began = Date()
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for (number, user) in users.enumerated() {
                group.addTask {
                    try await report(of: user, number: number, from: start, to: library)
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let seconds = Date().timeIntervalSince(began)
        let count = Double(users.count * batches * 100)
        return [
            BenchRow("fixes written durably a second, in batches of 100", (count / seconds).rounded(), unit: "1/s"),
            BenchRow("one batch, from 64 devices at once", seconds: times),
        ]
    }

    private func fill(_ library: StoryLibrary) async throws {
        let owner = UserID.archive
        var random = SplitMix64(seed: seed)
        let stories = (0..<GeofenceServiceSpeed.stored)
            .map { number in
                let point = Coordinate(
                    wrappingLatitude: 33.7 + 0.2 * random.unit(),
                    longitude: -84.5 + 0.25 * random.unit()
                )
                return story(number, at: point, owner: owner)
            }
        try await library.store.write { transaction in
            for story in stories { try library.feed.insert(story, in: transaction) }
        }
    }

    /// Returns the time of each batch in seconds.
    private func report(
        of user: UserID,
        number: Int,
        from start: Int64,
        to library: StoryLibrary
    ) async throws -> [Double] {
        var times: [Double] = []
        var latitude = 33.75 + Double(number % 8) * 0.01
        let longitude = -84.45 + Double(number / 8) * 0.02
        for batch in 0..<batches {
            let fixes = (0..<100)
                .map { index in
                    latitude += 1.5e-6
                    let fix = LiveFix(
                        time: Timestamp(milliseconds: start + Int64(batch * 100 + index) * 100),
                        coordinate: Coordinate(wrappingLatitude: latitude, longitude: longitude),
                        accuracy: 8
                    )
                    return (index: index, fix: fix)
                }
            let began = Date()
            let report = try await library.fences.process(fixes, of: user, device: "phone")
            times.append(Date().timeIntervalSince(began))
            guard report.accepted == 100 else {
                throw CommandFailure.failed(
                    "Only \(report.accepted) of 100 fixes were accepted, so the measurement is invalid."
                )
            }
        }
        return times
    }
}
