import ArgumentParser
import Foundation
import Geometry
import Stories
import StoryMap
import Storage

/// The output format of a benchmark's table.
enum BenchFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// `waymark bench`.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the performance of Waymark on this machine.",
        discussion: "Example: waymark bench map --stories 1000000",
        subcommands: [
            MapBenchCommand.self, GeocodeBenchCommand.self, GeocodeImportBenchCommand.self, GeofenceBenchCommand.self,
            WordsBenchCommand.self,
        ]
    )
}

/// `waymark bench map`.
struct MapBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "map",
        abstract: "Measures the map index on a synthetic world: building, memory, clusters, tiles, filters, changes.",
        discussion: """
            Uses one thread, no network and no database. Times are CPU times of this thread, in microseconds unless a \
            name says otherwise; p50 is the median, p99 the 99th percentile. The same seed gives the same world.
            With --quality, it measures how well markers represent stories, not times. The stories are those of the \
            synthetic world or, with --database, the public stories of a database.

            Example: waymark bench map --stories 100000 --viewports 50
            """
    )

    @Option(parsing: .unconditional, help: "The number of stories, 1000 to 20000000.")
    var stories = 1_000_000
    @Option(parsing: .unconditional, help: "The number of viewports of 1024 by 768 pixels at each zoom, 10 to 10000.")
    var viewports = 200
    @Option(parsing: .unconditional, help: "The number of families of five owners, 5 to 1000000.")
    var families = 1_000
    @Option(
        parsing: .unconditional,
        help: "The percentage of stories anywhere in the world instead of around a city, 0 to 100."
    )
    var scattered = 30
    @Option(parsing: .unconditional, help: "The seed of the world.")
    var seed: UInt64 = 1
    @Flag(help: "Measure overlaps, distances, nesting and panning instead of times; at most 1000 viewports per zoom.")
    var quality = false
    @Option(help: "With --quality: the database whose public stories are used.")
    var database: String?
    @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
    var format: BenchFormat?

    func validate() throws {
        guard database == nil || quality else { throw ValidationError("--database needs --quality.") }
        guard !quality || viewports <= 1_000 else {
            throw ValidationError("--viewports must be 10 to 1000 with --quality.")
        }
        guard (1_000...20_000_000).contains(stories) else {
            throw ValidationError("--stories must be 1000 to 20000000.")
        }
        guard (5...1_000_000).contains(families) else {
            throw ValidationError("--families must be 5 to 1000000.")
        }
        guard (0...100).contains(scattered) else { throw ValidationError("--scattered must be 0 to 100.") }
        guard (10...10_000).contains(viewports) else {
            throw ValidationError("--viewports must be 10 to 10000.")
        }
    }

    func run() async throws {
        let rows = quality ? try await qualityRows() : MapBench(world: world, viewports: viewports).run(remark: remark)
        switch format ?? (isatty(STDOUT_FILENO) == 1 ? .text : .json) {
        case .text: print(BenchRow.table(rows))
        case .json: print(BenchRow.json(rows))
        }
    }

    private var world: BenchWorld {
        BenchWorld(count: stories, seed: seed, families: families, scattered: Double(scattered) / 100)
    }

    private func remark(_ text: String) { Console.remark(text, quiet: false) }

    private func qualityRows() async throws -> [BenchRow] {
        let index = MapIndex(digestKey: DigestKey(high: seed, low: seed))
        var points: [Coordinate] = []
        if let database {
            let options = try DatabaseOptions.parse(["--database", database])
            let store = try StoryStore(path: options.path, mode: .readOnly, logger: options.logger())
            defer { try? store.close() }
            let stories = try await store.read { transaction in
                var stories: [Story] = []
                try transaction.forEachStory { if $0.layer == .public { stories.append($0) } }
                return stories
            }
            index.load(stories)
            points = stories.compactMap(\.publishedPoint)
        } else {
            index.load(world.stories)
            points = (0..<stories).map(world.coordinate)
        }
        guard !points.isEmpty else { throw CommandFailure.notFound("The database has no public stories on the map.") }
        let quality = MapQuality(snapshot: index.snapshot()) { zoom in
            var generator = SplitMix64(seed: SplitMix64.mix(seed) ^ UInt64(zoom))
            return (0..<viewports)
                .compactMap { _ in
                    let middle = points[Int(generator.next() % UInt64(points.count))]
                    return BenchWorld.viewport(around: middle, zoom: zoom, width: 1_280, height: 800)
                }
        }
        return quality.run(remark: remark)
    }
}
