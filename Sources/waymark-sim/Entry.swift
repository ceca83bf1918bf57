import ArgumentParser
import Foundation
import Simulation

/// `waymark-sim`: lives through simulated worlds in which disks, machines and clocks fail.
@main
struct Entry: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waymark-sim",
        abstract: "Runs the service on simulated machines whose disks, power and clocks fail, and checks what is left.",
        discussion: """
            Everything that happens follows from the seed, so that a failure can be lived through again. Prints one line for \
            each failure, with the command that repeats it, and exits with 1 if there was any.

            Examples: waymark-sim --seeds '0..<500'
                      waymark-sim --seed 17 --commit 42
            """
    )

    @Option(help: "The seed of one world.")
    var seed: UInt64?
    @Option(help: "A..<B: the seeds of many worlds.", transform: Entry.range)
    var seeds: Range<UInt64>?
    @Option(help: "Stop after this commit of the world, print what happened until then, and leave the files.")
    var commit: Int?
    @Option(help: "The number of rounds in which something may go wrong.")
    var rounds = 60
    @Flag(help: "Print what happened.")
    var trace = false

    func validate() throws {
        guard (seed == nil) != (seeds == nil) else { throw ValidationError("Give either --seed or --seeds.") }
        guard commit == nil || seed != nil && commit ?? 0 > 0 else {
            throw ValidationError("--commit needs --seed, and is 1 or more.")
        }
        guard (1...10_000).contains(rounds) else { throw ValidationError("--rounds must be between 1 and 10000.") }
    }

    func run() throws {
        Entry.fixHashing()
        var options = Simulation.Options()
        (options.rounds, options.lastCommit, options.keepsFiles) = (rounds, commit, commit != nil)
        let template = try Template()
        let (all, start) = (seeds ?? (seed ?? 0)..<(seed ?? 0) + 1, ContinuousClock.now)
        var (failures, commits, restarts, cuts, acknowledged, notifications, late) = (0, 0, 0, 0, 0, 0, 0)
        for seed in all {
            let outcome = try Simulation(seed: seed, template: template, options: options).run()
            if trace || commit != nil { print(outcome.trace.joined(separator: "\n")) }
            if let problem = outcome.problem {
                failures += 1
                print("seed \(seed), commit \(outcome.commits): \(problem)")
                print("  repeat: waymark-sim --seed \(seed) --commit \(outcome.commits) --rounds \(rounds)")
            }
            if let folder = outcome.folder { print("the files after commit \(outcome.commits): \(folder)") }
            if all.count == 1 { print("digest \(String(outcome.digest, radix: 16))") }
            // A run of a night shows each failure at once, also into a file.
            fflush(nil)
            commits += outcome.commits
            restarts += outcome.restarts
            cuts += outcome.powerCuts
            acknowledged += outcome.acknowledged
            notifications += outcome.notifications
            late += outcome.late
        }
        let took = (ContinuousClock.now - start) / .seconds(1)
        let pace = String(format: "%.1f s, %.0f seeds a minute", took, Double(all.count) / max(took, 0.001) * 60)
        print(
            """
            \(all.count) seeds, \(failures) wrong: \(commits) commits, \(restarts) starts, \(cuts) power cuts, \
            \(acknowledged) acknowledged requests, \(notifications) notifications, \(late) places passed too late; \(pace)
            """
        )
        if failures > 0 { throw ExitCode(1) }
    }

    private static func range(_ text: String) throws -> Range<UInt64> {
        let ends = text.components(separatedBy: "..<").compactMap { UInt64($0) }
        guard ends.count == 2, ends[0] < ends[1] else { throw ValidationError("Give seeds as A..<B, such as 0..<100.") }
        return ends[0]..<ends[1]
    }

    /// Starts this program again with fixed seeds of hashes, which Swift otherwise draws for each process: the order of a
    /// set must not decide what is written first.
    private static func fixHashing() {
        let name = "SWIFT_DETERMINISTIC_HASHING"
        guard ProcessInfo.processInfo.environment[name] == nil else { return }
        setenv(name, "1", 1)
        var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", &arguments)
        // Without it everything still works; only another process may then differ.
    }
}
