import Foundation
import Simulation
import Testing

@Suite("Simulated machines", .serialized)
struct SimulationTests {
    private static let template = Result { try Template() }

    /// Runs a simulation on a thread of its own, which it holds.
    private func live(
        _ seed: UInt64,
        _ options: Simulation.Options = Simulation.Options()
    ) async throws -> Simulation.Outcome {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                continuation.resume(
                    with: Result {
                        let template = try SimulationTests.template.get()
                        return try Simulation(seed: seed, template: template, options: options).run()
                    }
                )
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    @Test(
        "REL-02 NTF-01 Whatever disk, power and clock do, nothing is lost, halved, doubled or shown to others",
        arguments: UInt64(0)..<2
    )
    func holds(seed: UInt64) async throws {
        var options = Simulation.Options()
        options.rounds = 30
        let outcome = try await live(seed, options)
        #expect(outcome.problem == nil, "seed \(seed), commit \(outcome.commits)")
        #expect(outcome.restarts > 0 && outcome.acknowledged > 40)
        // Four places that Ben sees and two that Dan sees.
        #expect(outcome.notifications + outcome.late == 6)
    }

    @Test("REL-02 The same seed lives through the same world, and stops at the same commit")
    func repeats() async throws {
        var options = Simulation.Options()
        options.rounds = 8
        let (first, second) = (try await live(7, options), try await live(7, options))
        #expect(first.digest == second.digest && first.trace.count > 30)
        #expect(try await live(8, options).digest != first.digest)
        options.lastCommit = first.commits / 2
        options.keepsFiles = true
        let stopped = try await live(7, options)
        #expect(stopped.commits == first.commits / 2)
        let before = { (line: String) in
            (line.split(separator: " ").first.flatMap { Int($0) } ?? 0) < stopped.commits - 1
        }
        #expect(stopped.trace.prefix(while: before).count > 10)
        #expect(Array(stopped.trace.prefix(while: before)) == Array(first.trace.prefix(while: before)))
        let folder = try #require(stopped.folder)
        #expect(FileManager.default.fileExists(atPath: folder + "/sim.db"))
        try FileManager.default.removeItem(at: URL(fileURLWithPath: folder).deletingLastPathComponent())
    }

    @Test("REL-02 A weakened service is found out within a few seeds", arguments: Simulation.Weakness.allCases)
    func controls(weakness: Simulation.Weakness) async throws {
        var options = Simulation.Options()
        options.weakness = weakness
        let sign: [Simulation.Weakness: String] = [
            .unsyncedCommits: "after a start: ", .forgottenKeys: " and v", .openDoors: "private: ",
        ]
        for seed in UInt64(0)..<12 {
            guard let problem = try await live(seed, options).problem else { continue }
            #expect(problem.contains(sign[weakness] ?? "?"), "\(problem)")
            return
        }
        Issue.record("\(weakness) was not found in 12 seeds")
    }
}
