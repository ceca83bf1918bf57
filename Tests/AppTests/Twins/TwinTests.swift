import App
import Library
import Foundation
import Storage
import Stories
import Testing

@Suite("Twin worlds")
struct TwinTests {
    /// Requests of each viewer; `WAYMARK_TWIN_REQUESTS` asks for more.
    static let wanted = ProcessInfo.processInfo.environment["WAYMARK_TWIN_REQUESTS"].flatMap { Int($0) }
    static let seed = ProcessInfo.processInfo.environment["WAYMARK_TWIN_SEED"].flatMap { UInt64($0) } ?? 1
    /// Requests before new worlds are made: in worlds of a few hundred stories a request costs little.
    static let perRound = 1_000
    /// Rounds that may find a difference before a run ends.
    static let tolerated = 5

    @Test(
        "PRV-02 PRV-03 Content invisible to a viewer changes no byte of any answer of any route",
        arguments: TwinViewer.allCases
    )
    func nothingShows(viewer: TwinViewer) async throws {
        // Some 150 at random, then every operation that has not come by then.
        let wanted = TwinTests.wanted ?? 360
        var tally = TwinRun.Tally()
        var round = 0
        var faults = 0
        while tally.requests < wanted {
            let run = TwinRun(viewer: viewer, round: round, seed: TwinTests.seed &+ UInt64(round))
            round += 1
            do {
                tally = tally + (try await run.send(min(TwinTests.perRound, wanted - tally.requests)))
            } catch let fault as TwinFault {
                // The next round has other worlds: a long run tells all it finds.
                Issue.record(fault)
                faults += 1
                guard faults < TwinTests.tolerated else { return }
            }
        }
        TwinTests.report(tally, of: viewer)
        #expect(tally.operations.subtracting(tally.statuses.keys) == [], "operations that were never asked")
    }

    @Test("The harness detects one different title and one missing story", arguments: [false, true])
    func noticesDifference(isMissing: Bool) async throws {
        let seed = TwinTests.seed
        var run = TwinRun(viewer: .member, round: 0, seed: seed)
        run.spoil = { world in
            let viewer = world.population.viewer
            let seen = world.population.stories.filter { $0.isVisible(to: viewer) && $0.owner.rawValue != "mia" }
            guard var story = seen.min(by: { $0.id < $1.id }) else { return }
            story.title = "another"
            let changed = story
            try await world.library.store.write { transaction in
                if isMissing { try transaction.deleteStory(changed.id) } else { try transaction.update(changed) }
            }
        }
        await #expect(throws: TwinFault.self) { _ = try await run.send(2_000) }
    }

    /// Prints what was answered how often, when a long run was asked for.
    private static func report(_ tally: TwinRun.Tally, of viewer: TwinViewer) {
        guard wanted != nil else { return }
        var lines = ["\(viewer): \(tally.requests) requests to three worlds, 0 differing bytes"]
        for (operation, statuses) in tally.statuses.sorted(by: { $0.key < $1.key }) {
            let counts = statuses.sorted { $0.key < $1.key }.map { "\($0.key)×\($0.value)" }
            lines.append("  \(operation): \(counts.joined(separator: " "))")
        }
        print(lines.joined(separator: "\n"))
    }
}
