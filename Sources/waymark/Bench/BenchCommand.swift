import ArgumentParser
import Foundation

/// How a benchmark's table is printed.
enum BenchFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// `waymark bench`.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the product on this machine.",
        discussion: "Example: waymark bench map --stories 1000000",
        subcommands: [MapBenchCommand.self]
    )
}

/// `waymark bench map`.
struct MapBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "map",
        abstract: "Measures the map index on a made-up world: building, memory, clusters, counts, filters, changes.",
        discussion: """
            One thread, no network, no database. Times are those of this thread, in microseconds unless a name says \
            otherwise; p50 is the median, p99 what one in a hundred exceeds. The same seed makes the same world.

            Example: waymark bench map --stories 100000 --viewports 50
            """
    )

    @Option(help: "How many stories, 1000 to 20000000.")
    var stories = 1_000_000
    @Option(help: "How many viewports of 1024 by 768 pixels at each zoom, 10 to 10000.")
    var viewports = 200
    @Option(help: "The seed of the world.")
    var seed: UInt64 = 1
    @Option(help: "text or json; text on a terminal.")
    var format: BenchFormat?

    func validate() throws {
        guard (1_000...20_000_000).contains(stories) else {
            throw ValidationError("--stories must be 1000 to 20000000.")
        }
        guard (10...10_000).contains(viewports) else {
            throw ValidationError("--viewports must be 10 to 10000.")
        }
    }

    func run() throws {
        let bench = MapBench(world: BenchWorld(count: stories, seed: seed), viewports: viewports)
        let rows = bench.run { Console.remark($0, quiet: false) }
        switch format ?? (isatty(STDOUT_FILENO) == 1 ? .text : .json) {
        case .text: print(BenchRow.table(rows))
        case .json: print(BenchRow.json(rows))
        }
    }
}
